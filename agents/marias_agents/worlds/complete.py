"""From an assignment of cards to a whole record: hidden exchanges, trump card, deck, history.

What the assignment leaves open is drawn from the last private choice back to the first, each
uniformly among the choices that leave a legal story; then a deck is dealt that gives it all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.worlds.draw import draw_below, draw_order
from marias_agents.worlds.knowledge import EXCHANGES, HIDDEN, TABLE, place_of, seat_at
from marias_agents.worlds.story import (
    MAX_KINDS,
    count_kinds,
    discards_legal,
    order_legal,
    story_exists,
)
from marias_env.actions import NO_CONTRACT, SUIT_GAME, TRUMP
from marias_env.core.bits import SHARPS, nth_bit, popcount
from marias_env.core.deal import DEALING_CHOSEN_TRUMP, HIDDEN_ACTION
from marias_env.core.dealing import dealt_to
from marias_env.core.history import action_of, entry_of, plays_from
from marias_env.core.jit import jit
from marias_env.core.step import legal_mask


@jit
def _one_of(cards: Any, state: Any) -> Any:
    # A random card of a set, as (state, card).
    state, n = draw_below(state, popcount(cards))
    return state, nth_bit(cards, n)


@jit
def _draw_taken(r: Any, k: Any, kinds: Any, full: Any, e: Any, state: Any) -> Any:
    # Talon e, which nobody the seat can ask has seen: out of the cards of him who took it.
    place = place_of(k, k["discarder"][e + 1])
    cards = full[place]
    if e == 1 and k["suit_exchange"] and not k["careful"]:
        cards &= ~np.int64(SHARPS)
    while True:
        state, one = _one_of(cards, state)
        state, two = _one_of(cards & ~(np.int64(1) << one), state)
        taken = (np.int64(1) << one) | (np.int64(1) << two)
        if not k["careful"] or e == 0:
            return state, taken
        counts = np.zeros((3, MAX_KINDS), dtype=np.int64)
        count_kinds(kinds, full[1 - place], counts[1 - place])
        count_kinds(kinds, full[place] & ~taken, counts[place])
        count_kinds(kinds, taken, counts[TABLE])
        if story_exists(r, k, kinds, counts, e):
            return state, taken


@jit
def _undo_exchanges(r: Any, k: Any, kinds: Any, full: Any, put: Any, state: Any) -> Any:
    # Back to the cards as dealt; fills in the talons. `full`: (2,) hands with their played cards.
    for e in range(k["exchanges"], 0, -1):
        seat = k["discarder"][e]
        hidden = seat != k["viewer"]
        if hidden:
            full[place_of(k, seat)] |= put[e]
        if e == 1 and not k["takes_first"]:
            break
        if put[e - 1] == HIDDEN:
            state, put[e - 1] = _draw_taken(r, k, kinds, full, e - 1, state)
        if hidden:
            full[place_of(k, seat)] &= ~put[e - 1]
    return state


@jit
def _kind_counts(kinds: Any, cards: Any) -> Any:
    counts = np.zeros(MAX_KINDS, dtype=np.int64)
    count_kinds(kinds, cards, counts)
    return counts


@jit
def _draw_trump_card(r: Any, k: Any, kinds: Any, twelve: Any, put: Any, state: Any) -> Any:
    # Forehand's trump card, uniform among those with which his discards were legal.
    if not k["suit_exchange"]:
        return _one_of(twelve, state)
    kept = twelve & ~put
    if not k["careful"] or put == 0:
        return _one_of(kept, state)
    hand = _kind_counts(kinds, kept)
    away = _kind_counts(kinds, put)
    while True:
        state, card = _one_of(kept, state)
        if discards_legal(r, kinds, hand, away, kinds["of"][card]):
            return state, card


@jit
def _draw_first(r: Any, k: Any, kinds: Any, away: Any, twelve: Any, card: Any, state: Any) -> Any:
    # Which of forehand's discards of a suit game went first.
    state, first = _one_of(away, state)
    rest = away & ~(np.int64(1) << first)
    if not k["careful"] or rest == 0:
        return state, first
    other = nth_bit(rest, 0)
    hand = _kind_counts(kinds, twelve & ~away)
    put = _kind_counts(kinds, away)
    trump_kind = kinds["of"][card] if card >= 0 else np.int64(-1)
    if order_legal(r, kinds, hand, put, trump_kind, kinds["of"][first], kinds["of"][other]):
        return state, first
    return state, other


@jit
def _write_bidding(d: Any, r: Any, k: Any, kinds: Any, put: Any, twelve: Any, state: Any) -> Any:
    # The hidden actions of the history: the trump card and what others have put away.
    start = 0
    if r["dealing"] == DEALING_CHOSEN_TRUMP:
        start = 1
        if d["num_actions"] > 0 and action_of(d["history"][0]) == HIDDEN_ACTION:
            d["history"][0] = entry_of(k["forehand"], d["trump_card"])
    e = 1
    cards = 0
    first = np.int64(0)
    for i in range(start, plays_from(d)):
        action = action_of(d["history"][i])
        if action >= 32 and action != HIDDEN_ACTION:
            continue
        if cards == 2:
            e += 1
            cards = 0
        cards += 1
        if action != HIDDEN_ACTION:
            continue
        if cards == 1:
            if e == 1 and k["suit_exchange"]:
                trump_card = np.int64(d["trump_card"])
                state, first = _draw_first(r, k, kinds, put[e], twelve, trump_card, state)
            else:
                state, first = _one_of(put[e], state)
            card = first
        else:
            card = nth_bit(put[e] & ~(np.int64(1) << first), 0)
        d["history"][i] = entry_of(k["discarder"][e], card)
    return state


@jit
def _write_deck(d: Any, r: Any, k: Any, dealt: Any, talon: Any, state: Any) -> Any:
    # Deals the hidden cards to their places, in random order within each hand.
    n = np.int64(r["num_cards"])
    small = np.int64(r["hand_size"]) // 2
    order = np.zeros(32, dtype=np.int64)
    for place in range(2):
        seat = seat_at(k, place)
        state = draw_order(dealt[place], order, state)
        if seat == k["forehand"] and d["trump_card"] >= 0:
            # Chosen from hand it was in the first packet; blind it was the first of the second.
            first = popcount(dealt[place]) - small
            at = 0
            while order[at] != d["trump_card"]:
                at += 1
            to = np.int64(at)
            if d["blind"]:
                to = first
            elif at >= first:
                state, to = draw_below(state, first)
            order[at] = order[to]
            order[to] = np.int64(d["trump_card"])
        mine = (seat - k["forehand"] + 3) % 3
        at = 0
        for i in range(n):
            packet = dealt_to(i, r)
            if packet >= 0 and packet // 2 == mine:
                d["deck"][i] = order[at]
                at += 1
    if k["takes_first"]:
        state = draw_order(talon, order, state)
        for i in range(n - 2, n):
            d["deck"][i] = order[i - n + 2]
    elif d["phase"] == TRUMP:
        # Forehand's cards not yet picked up, whoever looks.
        if k["viewer"] == k["forehand"]:
            state = draw_order(talon, order, state)
        pending = np.int64(0)
        at = 0
        for i in range(n):
            if dealt_to(i, r) == 1:
                if k["viewer"] == k["forehand"]:
                    d["deck"][i] = order[at]
                    at += 1
                pending |= np.int64(1) << np.int64(d["deck"][i])
        d["pending"] = pending
        d["hands"][k["forehand"]] = np.int64(d["hands"][k["forehand"]]) | pending
    return state


@jit
def complete(d: Any, r: Any, k: Any, kinds: Any, cards: Any, state: Any) -> Any:
    """Turns a copy of a view into a whole record: it replays from its own deck and can be stepped.

    Args:
        d: the view's record; changed in place.
        r: rule set.
        k: what the view tells.
        kinds: the kinds of `k`.
        cards: (3,) the unseen cards by place.
        state: random stream.

    Returns:
        The advanced stream.
    """
    put = np.empty(EXCHANGES, dtype=np.int64)
    for e in range(EXCHANGES):
        put[e] = k["put"][e]
    full = np.empty(2, dtype=np.int64)
    for place in range(2):
        seat = seat_at(k, place)
        d["hands"][seat] = cards[place]
        full[place] = cards[place] | np.int64(d["played"][seat])
    last = k["exchanges"]
    if last == 0:
        if k["takes_first"]:
            d["talon"] = cards[TABLE]
            put[0] = cards[TABLE]
    else:
        if k["discarder"][last] != k["viewer"]:
            put[last] = cards[TABLE]
        d["talon"] = put[last]
        state = _undo_exchanges(r, k, kinds, full, put, state)
    for e in range(1, last + 1):
        seat = k["discarder"][e]
        if (e > 1 or k["takes_first"]) and seat != k["viewer"]:  # whose own are in the view
            d["taken_before"][seat] = d["taken"][seat]
            d["taken"][seat] = put[e - 1]
        if popcount(put[e]) == 2:
            d["discards"][seat] = put[e]
    # From here on `full` holds the cards as dealt.
    twelve = np.int64(0)
    if k["forehand"] != k["viewer"]:
        twelve = full[place_of(k, k["forehand"])]
        if k["hidden_trump_card"]:
            state, card = _draw_trump_card(r, k, kinds, twelve, put[1], state)
            d["trump_card"] = card
            if d["contract"] == NO_CONTRACT or d["contract"] == SUIT_GAME:
                d["trump"] = card // 8
        if k["takes_first"] and last > 0 and k["discarder"][1] == k["forehand"]:
            twelve |= put[0]
    state = _write_bidding(d, r, k, kinds, put, twelve, state)
    state = _write_deck(d, r, k, full, put[0] if k["takes_first"] else cards[TABLE], state)
    d["viewer"] = -1
    d["legal"] = legal_mask(d, r)
    return state
