"""Whether some course of the hidden exchanges leads to given hands and talon.

Most of the time a world is possible when every card lies where it may. Three things ask for more,
and only then (`careful`) is this module used: on small decks sharps may force other discards; with
`talon_trumps` off a trump in the talon proves that nothing else could go; and a talon that went
through both other hands can have carried only two cards. All depend on how many cards of each kind
lie where, never on which of a kind: so one look serves a whole class of worlds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.worlds.knowledge import EXCHANGES, HIDDEN, LEFT, TABLE, place_of
from marias_env.core.bits import SHARPS, SUIT_BITS
from marias_env.core.jit import jit

MAX_KINDS = 32

KINDS = np.dtype(
    [
        ("num", np.int64),
        ("of", np.int64, 32),  # kind of each card
        ("sharp", np.int64, MAX_KINDS),
        ("suit", np.int64, MAX_KINDS),  # -1 where kinds do not tell suits apart
    ],
    align=True,
)


@jit
def sort_kinds(r: Any, k: Any, kinds: Any) -> None:
    """Groups the cards of the deck by all that `story_exists` looks at; one kind if nothing is."""
    keys = np.zeros(MAX_KINDS, dtype=np.int64)
    num = np.int64(0)
    for card in range(32):
        if (r["deck"] >> card) & 1 == 0:
            continue
        key = np.int64(0)
        suit = np.int64(-1)
        sharp = np.int64(0)
        if k["careful"]:
            sharp = (np.int64(SHARPS) >> card) & 1
            key = sharp
            if not r["talon_trumps"]:
                suit = np.int64(card // 8)
                # With a known trump card all other suits are alike.
                if k["trump_card"] >= 0 and suit != k["trump_card"] // 8:
                    suit = np.int64(4)
                key += 2 * suit
            if k["tracked"]:
                for e in range(EXCHANGES):
                    if k["put"][e] != HIDDEN:
                        key += ((k["put"][e] >> card) & 1) << (4 + e)
        kind = np.int64(0)
        while kind < num and keys[kind] != key:
            kind += 1
        if kind == num:
            keys[num] = key
            kinds["sharp"][num] = sharp
            kinds["suit"][num] = suit
            num += 1
        kinds["of"][card] = kind
    kinds["num"] = num


@jit
def copy_counts(counts: Any, num: Any, out: Any) -> None:
    """Copies (3, kinds) counts. A loop, like its neighbours: array expressions compile slowly."""
    for place in range(3):
        for kind in range(num):
            out[place, kind] = counts[place, kind]


@jit
def count_kinds(kinds: Any, cards: Any, out: Any) -> None:
    """Adds the number of cards of each kind in a set to `out`."""
    while cards != 0:
        low = cards & -cards
        cards ^= low
        card = 0
        while low > 1:
            low >>= 1
            card += 1
        out[kinds["of"][card]] += 1


@jit
def _may_go(r: Any, kinds: Any, trump: Any, relief: Any, free: Any, kind: Any) -> Any:
    # Whether a card of this kind may be put away next, out of `free` cards (RULES.md 3a.3, 6d, 9).
    if kinds["sharp"][kind] and not relief:
        return False
    if trump >= 0 and not r["talon_trumps"] and kinds["suit"][kind] == trump:
        for other in range(kinds["num"]):
            plain = free[other] > 0 and kinds["suit"][other] != trump
            if plain and (relief or not kinds["sharp"][other]):
                return False
    return True


@jit
def order_legal(
    r: Any, kinds: Any, hand: Any, put: Any, trump_kind: Any, first: Any, second: Any
) -> Any:
    """Whether cards of these kinds can have gone to a suit game's talon in this order.

    Args:
        r: rule set.
        kinds: the kinds.
        hand: (kinds,) counts of what the discarder has kept.
        put: (kinds,) counts of what he has put away, one card or two.
        trump_kind: kind of the trump card, one of those kept; -1 if discards come before trumps.
        first: kind of the first discard.
        second: kind of the second, -1 if there is none yet.
    """
    free = np.zeros(MAX_KINDS, dtype=np.int64)
    for kind in range(kinds["num"]):
        free[kind] = hand[kind] + put[kind]
    if trump_kind >= 0:
        free[trump_kind] -= 1
    low = np.int64(0)
    for kind in range(kinds["num"]):
        if not kinds["sharp"][kind]:
            low += free[kind]
    trump = kinds["suit"][trump_kind] if trump_kind >= 0 else np.int64(-1)
    if not _may_go(r, kinds, trump, low < 2, free, first):
        return False
    if second < 0:
        return True
    free[first] -= 1
    return _may_go(r, kinds, trump, low < 2, free, second)


@jit
def discards_legal(r: Any, kinds: Any, hand: Any, put: Any, trump_kind: Any) -> Any:
    """Whether at least one order of the discards was legal; arguments as in `order_legal`."""
    one = np.int64(-1)
    two = np.int64(-1)
    for kind in range(kinds["num"]):
        for _ in range(put[kind]):
            if one < 0:
                one = np.int64(kind)
            else:
                two = np.int64(kind)
    if one < 0 or order_legal(r, kinds, hand, put, trump_kind, one, two):
        return True
    return two >= 0 and order_legal(r, kinds, hand, put, trump_kind, two, one)


@jit
def _nameable(r: Any, kinds: Any, put: Any, trump: Any) -> Any:
    # `name_trump_mask` seen from outside: was this suit open to him who had put these away?
    if r["talon_trumps"] or trump < 0:
        return True
    away = np.int64(0)
    for kind in range(kinds["num"]):
        if put[kind] > 0:
            away |= SUIT_BITS[kinds["suit"][kind]]
    return (away & SUIT_BITS[trump]) == 0 or (r["deck"] & ~away) == 0


@jit
def first_exchange_legal(r: Any, k: Any, kinds: Any, hand: Any, put: Any) -> Any:
    """Whether forehand's discards were legal with some trump card, or with the known one."""
    if not k["suit_exchange"]:
        return True
    if k["takes_first"]:
        if not discards_legal(r, kinds, hand, put, np.int64(-1)):
            return False
        return _nameable(r, kinds, put, k["trump"])
    if k["trump_card"] >= 0:
        return discards_legal(r, kinds, hand, put, kinds["of"][k["trump_card"]])
    for kind in range(kinds["num"]):
        if hand[kind] > 0 and discards_legal(r, kinds, hand, put, np.int64(kind)):
            return True
    return False


@jit
def _beginning_legal(r: Any, k: Any, kinds: Any, counts: Any) -> Any:
    # Exchange 1: the seat's own was legal, of course.
    seat = k["discarder"][1]
    if seat == k["viewer"]:
        return True
    return first_exchange_legal(r, k, kinds, counts[place_of(k, seat)], counts[TABLE])


@jit
def _next_pair(cards: Any, num: Any, one: Any, two: Any) -> Any:
    # The next pair of kinds that two of these cards can have, one <= two; (-1, -1) after the last.
    two += 1
    while one < num:
        while cards[one] > 0 and two < num:
            if cards[two] > (1 if two == one else 0):
                return one, two
            two += 1
        one += 1
        two = one
    return np.int64(-1), np.int64(-1)


@jit
def _before(k: Any, kinds: Any, counts: Any, e: Any, out: Any) -> Any:
    # Undoes exchange e but for the talon taken, if that is hidden: then 1. If it is known, all: 2.
    # If it cannot have been taken by him who must have taken it: 0.
    num = kinds["num"]
    copy_counts(counts, num, out)
    seat = k["discarder"][e]
    hidden = seat != k["viewer"]
    place = place_of(k, seat) if hidden else np.int64(LEFT)
    for kind in range(num):
        if hidden:
            out[place, kind] += out[TABLE, kind]
        out[TABLE, kind] = 0
    if k["put"][e - 1] == HIDDEN:
        return 1
    count_kinds(kinds, k["put"][e - 1], out[TABLE])
    if hidden:
        for kind in range(num):
            out[place, kind] -= out[TABLE, kind]
            if out[place, kind] < 0:
                return 0
    return 2


@jit
def story_exists(r: Any, k: Any, kinds: Any, counts: Any, top: Any) -> Any:
    """Whether exchanges 1 to `top` can have led here: a search backwards through the talons.

    Written without recursion, which Numba cannot load from its cache.

    Args:
        r: rule set.
        k: what the seat knows.
        kinds: the kinds.
        counts: (3, kinds) cards of each kind in the left hand, the right hand and talon `top`;
            played cards counted with the hands.
        top: the exchange after which this was so.
    """
    if top == 0:
        return True
    if top == 1:
        return _beginning_legal(r, k, kinds, counts)
    # after[e]: the cards after exchange e; pair[e]: kinds of the talon that it took, when hidden.
    after = np.zeros((EXCHANGES, 3, MAX_KINDS), dtype=np.int64)
    pair = np.zeros((EXCHANGES, 2), dtype=np.int64)
    copy_counts(counts, kinds["num"], after[top])
    e = np.int64(top)
    while e <= top:
        if e == 1:
            if _beginning_legal(r, k, kinds, after[1]):
                return True
        else:
            outcome = _before(k, kinds, after[e], e, after[e - 1])
            if outcome == 2:
                pair[e, 0] = -1
                e -= 1
                continue
            if outcome == 1:
                pair[e, 0] = 0
                pair[e, 1] = -1
                e -= 1  # and straight back, to draw the first pair
        # Back to the last exchange that may have taken something else.
        e += 1
        while e <= top:
            before = after[e - 1]
            if pair[e, 0] >= 0:
                _before(k, kinds, after[e], e, before)
                hand = before[place_of(k, k["discarder"][e])]
                one, two = _next_pair(hand, kinds["num"], pair[e, 0], pair[e, 1])
                if one >= 0:
                    pair[e, 0] = one
                    pair[e, 1] = two
                    hand[one] -= 1
                    hand[two] -= 1
                    before[TABLE, one] += 1
                    before[TABLE, two] += 1
                    e -= 1
                    break
            e += 1
    return False
