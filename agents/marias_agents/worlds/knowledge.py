"""What a seat knows of the hidden cards: read off one information view into one `KNOWN` record.

Every unseen card gets a set of places where it may lie: the left hand, the right hand, the table
(the talon; before forehand has chosen trumps, forehand's own cards not yet picked up). The sets
follow the talon from hand to hand and then shrink by what the play has shown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import BAD, CONTRACT, CONTRACT_0, DISCARD, OVER, SUIT_GAME, TRUMP
from marias_env.core.bits import RANK_7, SHARPS, SUIT_BITS, popcount
from marias_env.core.deal import DEALING_CHOSEN_TRUMP, HIDDEN_ACTION, UNKNOWN_CARD
from marias_env.core.history import action_of, plays_from, seat_of
from marias_env.core.jit import jit

LEFT, RIGHT, TABLE = range(3)
"""The places of a hidden card: hand of the next seat, of the one after, and the table."""

HIDDEN = -1
"""A set of cards that the seat has not seen."""

EXCHANGES = 7
"""Room for talons: the dealt one is number 0, five contracts make five exchanges."""

KNOWN = np.dtype(
    [
        ("viewer", np.int64),
        ("forehand", np.int64),
        ("may", np.int64, 3),  # by place: the unseen cards that may lie there, a bit set
        ("size", np.int64, 3),  # by place: how many unseen cards lie there
        # The way of the talon. Exchange e: `discarder[e]`, who took talon e-1, put away talon e.
        ("exchanges", np.int64),  # the one under way included
        ("discarder", np.int64, EXCHANGES),
        ("put", np.int64, EXCHANGES),  # talon e: a bit set where the seat has seen it, or HIDDEN
        ("put_cards", np.int64, EXCHANGES),  # cards put away in exchange e so far
        ("takes_first", np.int64),  # 1: exchange 1 began with taking a dealt talon
        ("first_contract", np.int64),
        ("suit_exchange", np.int64),  # 1: exchange 1 is hidden and was made for a suit game
        ("trump_card", np.int64),  # forehand's trump card where the seat knows it, else -1
        ("hidden_trump_card", np.int64),  # 1: there is one that the seat does not know
        ("trump", np.int64),  # suit known to the seat, -1 if none
        ("careful", np.int64),  # 1: `may` is not the whole truth, see `story`
        ("tracked", np.int64),  # 1: cards of the seat's own talons may have gone through two hands
    ],
    align=True,
)


@jit
def place_of(k: Any, seat: Any) -> Any:
    """The place of another seat's hand, LEFT or RIGHT."""
    return (seat - k["viewer"] + 2) % 3


@jit
def seat_at(k: Any, place: Any) -> Any:
    """The seat whose hand is LEFT or RIGHT."""
    return (k["viewer"] + 1 + place) % 3


@jit
def relief_possible(r: Any) -> Any:
    """Whether, on this deck, sharps can leave a suit game without two discards (RULES.md 9)."""
    return popcount(r["deck"] & np.int64(SHARPS)) >= r["hand_size"]


@jit
def _read_exchanges(view: Any, r: Any, k: Any) -> None:
    # Walks through the bidding: who has put away what, and which talons the seat has seen.
    chosen = r["dealing"] == DEALING_CHOSEN_TRUMP
    viewer = k["viewer"]
    n = np.int64(0)
    if chosen:
        n = np.int64(1)
        k["discarder"][1] = k["forehand"]
        if k["forehand"] != viewer:
            k["put"][1] = HIDDEN
    k["first_contract"] = -1
    k["put"][0] = HIDDEN
    for i in range(1 if chosen else 0, plays_from(view)):
        action = action_of(view["history"][i])
        seat = seat_of(view["history"][i])
        if action >= CONTRACT_0 and action < CONTRACT_0 + 5 and k["first_contract"] < 0:
            k["first_contract"] = action - CONTRACT_0
        card = action < 32 or action == HIDDEN_ACTION
        # Without a dealt talon exchange 1 is forehand's; with one it is the first taker's, who is
        # forehand if his opening has stood.
        if action == BAD or (card and n == 0):
            n += 1
            k["discarder"][n] = seat
            k["put"][n] = HIDDEN if seat != viewer else 0
        if card:
            k["put_cards"][n] += 1
            if seat == viewer:
                k["put"][n] |= np.int64(1) << action
    if n == 0 and view["talon_taken"] != 0:
        n += 1
        k["discarder"][n] = np.int64(view["declarer"])
        k["put"][n] = HIDDEN if view["declarer"] != viewer else 0
    k["exchanges"] = n
    k["takes_first"] = 0 if chosen else 1
    takes = 0
    for e in range(n, 1 if chosen else 0, -1):
        if k["discarder"][e] == viewer:
            seen = view["taken"][viewer] if takes == 0 else view["taken_before"][viewer]
            k["put"][e - 1] = np.int64(seen)
            takes += 1


@jit
def _follow_talon(r: Any, k: Any, dealt: Any) -> None:
    # Where every card may be when the bidding is over, as far as exchanges tell.
    viewer = k["viewer"]
    others = r["deck"] & ~dealt
    may = k["may"]
    may[LEFT] = others
    may[RIGHT] = others
    may[TABLE] = others if k["takes_first"] else 0
    for e in range(1, k["exchanges"] + 1):
        seat = k["discarder"][e]
        if seat == viewer:
            if e > 1 or k["takes_first"]:
                may[LEFT] &= ~k["put"][e - 1]
                may[RIGHT] &= ~k["put"][e - 1]
            may[TABLE] = k["put"][e]
            continue
        place = place_of(k, seat)
        if e > 1 or k["takes_first"]:
            may[place] |= may[TABLE]
        may[TABLE] = may[place]
        if e == 1 and k["suit_exchange"]:
            if not relief_possible(r):
                may[TABLE] &= ~np.int64(SHARPS)
            if k["trump_card"] >= 0:
                may[TABLE] &= ~(np.int64(1) << k["trump_card"])


@jit
def _force(k: Any, place: Any, cards: Any) -> None:
    # These cards lie in this place.
    for other in range(3):
        if other != place:
            k["may"][other] &= ~cards


@jit
def _use_play(view: Any, r: Any, k: Any) -> None:
    # What announcements, marriages and played cards have shown about the hands.
    for place in range(2):
        seat = seat_at(k, place)
        k["may"][place] &= ~np.int64(view["cannot"][seat])
        _force(k, place, np.int64(view["must"][seat]))
        played = np.int64(view["played"][seat])
        if view["seven_seat"] == seat:
            seven = np.int64(1) << (8 * k["trump"] + RANK_7)
            if (played & seven) == 0:
                if r["seven_card"]:
                    _force(k, place, seven)
            elif view["tricks"] < r["hand_size"]:
                # He had to keep it (RULES.md 5.4): it was his only legal card, so his last trump.
                k["may"][place] &= ~SUIT_BITS[k["trump"]]
        if k["trump_card"] >= 0 and seat == k["forehand"]:
            _force(k, place, (np.int64(1) << k["trump_card"]) & ~played)


@jit
def _sizes(view: Any, r: Any, k: Any) -> None:
    # How many unseen cards lie where.
    viewer = k["viewer"]
    last = k["exchanges"]
    phase = view["phase"]
    holder = np.int64(-1)  # who holds the talon's two cards in hand, in part
    table = np.int64(2)
    if phase == TRUMP:
        holder = k["forehand"]
        table = r["hand_size"] // 2 if viewer == holder else 0
    elif last > 0 and phase in (DISCARD, CONTRACT):
        holder = k["discarder"][last]
        table = k["put_cards"][last]
    for place in range(2):
        seat = seat_at(k, place)
        size = r["hand_size"] - popcount(np.int64(view["played"][seat]))
        k["size"][place] = size + 2 - table if seat == holder else size
    if phase != TRUMP and last > 0 and k["discarder"][last] == viewer:
        table = np.int64(0)
    k["size"][TABLE] = table


@jit
def _needs_care(r: Any, k: Any) -> None:
    # Whether single cards' places are not the whole truth (see `story`).
    if k["suit_exchange"] and k["put_cards"][1] > 0:
        if relief_possible(r):
            k["careful"] = 1
        if k["takes_first"]:
            # Refused are the suits put away, unless that is every suit of the deck.
            if not r["talon_trumps"] and k["trump"] >= 0:
                suits = 0
                for suit in range(4):
                    suits += (r["deck"] & SUIT_BITS[suit]) != 0
                if suits <= 2:
                    k["careful"] = 1
                else:
                    k["may"][TABLE] &= ~SUIT_BITS[k["trump"]]
        elif not r["talon_trumps"]:
            k["careful"] = 1
    own = False
    passed_on = False
    for e in range(1, k["exchanges"] + 1):
        if k["discarder"][e] == k["viewer"]:
            own = True
        elif e > 1 and k["discarder"][e - 1] != k["viewer"]:
            passed_on = True
    if own and passed_on:
        k["tracked"] = 1
        k["careful"] = 1


@jit
def learn(view: Any, r: Any, k: Any) -> None:
    """Writes what a view tells about the hidden cards.

    Args:
        view: a `DEAL` record that went through `erase`, not over.
        r: the rule set.
        k: a `KNOWN` record of zeros.
    """
    viewer = np.int64(view["viewer"])
    k["viewer"] = viewer
    k["forehand"] = (np.int64(view["dealer"]) + 1) % 3
    k["trump"] = np.int64(view["trump"])
    k["trump_card"] = np.int64(view["trump_card"])
    chosen = r["dealing"] == DEALING_CHOSEN_TRUMP
    dealt = np.int64(0)
    for i in range(r["num_cards"]):
        if view["deck"][i] != UNKNOWN_CARD:
            dealt |= np.int64(1) << np.int64(view["deck"][i])
    if view["phase"] == TRUMP or view["phase"] == OVER:
        k["first_contract"] = -1
        k["put"][0] = HIDDEN
        for place in range(3):
            if place != TABLE or viewer == k["forehand"]:
                k["may"][place] = r["deck"] & ~dealt
        _sizes(view, r, k)
        return
    _read_exchanges(view, r, k)
    hidden_first = k["exchanges"] > 0 and k["discarder"][1] != viewer
    if hidden_first:
        # With a dealt talon a suit game's discards come last: only then is the contract still suit.
        contract = np.int64(view["contract"]) if k["takes_first"] else k["first_contract"]
        k["suit_exchange"] = contract == SUIT_GAME
    k["hidden_trump_card"] = chosen and viewer != k["forehand"] and k["trump_card"] < 0
    _follow_talon(r, k, dealt)
    last = k["exchanges"]
    if last > 0 and k["discarder"][last] == viewer:
        k["may"][TABLE] = 0
    _use_play(view, r, k)
    _sizes(view, r, k)
    _needs_care(r, k)
    played = np.int64(view["played"][0] | view["played"][1] | view["played"][2])
    for place in range(3):
        k["may"][place] &= ~played
