"""Writes observation vectors in the layout of `marias_env.core.layout`.

They are written straight from the true record; what a seat may know of it is said by
`marias_env.core.knowledge`. A seat's view of the record gives the same vector.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.core.bits import spread
from marias_env.core.jit import jit
from marias_env.core.knowledge import known_hand, knows_talon, knows_trump
from marias_env.core.layout import (
    OBSERVATION_SIZE,
    OBSERVATION_SLICES,
    STATE_SIZE,
    STATE_SLICES,
)
from marias_env.core.settlement import HEARTS


def _word(name: str) -> int:
    """Returns the first word (eight entries) of a slice of cards."""
    return STATE_SLICES[name].start // 8


def _entry(name: str) -> int:
    """Returns the first entry of a slice."""
    return STATE_SLICES[name].start


# Compiled code takes these as constants.
_HAND, _TALON, _TAKEN, _DISCARDS = map(_word, ("hand", "talon", "taken", "discards"))
_PLAYED_ME, _PLAYED_LEFT, _PLAYED_RIGHT = map(_word, ("played_me", "played_left", "played_right"))
_CANNOT_LEFT, _CANNOT_RIGHT = map(_word, ("cannot_left", "cannot_right"))
_MUST_LEFT, _MUST_RIGHT = map(_word, ("must_left", "must_right"))
_TRUMP_CARD, _BEST_CARD = map(_entry, ("trump_card", "best_card"))
_TABLE_ME, _TABLE_LEFT, _TABLE_RIGHT = map(_entry, ("table_me", "table_left", "table_right"))
_PHASE, _TURN, _DEALER, _DECLARER = map(_entry, ("phase", "turn", "dealer", "declarer"))
_CONTRACT, _NAMED, _TRUMP, _BLIND = map(_entry, ("contract", "named", "trump", "blind"))
_TRUMP_SHOWN, _TALON_TAKEN, _ACCEPTED = map(_entry, ("trump_shown", "talon_taken", "accepted"))
_REPLIES, _REPLY_FLEK = map(_entry, ("replies", "reply_flek"))
_SEVEN_BY, _HUNDRED_BY = map(_entry, ("seven_by", "hundred_by"))
_LEVEL_GAME, _LEVEL_SEVEN = map(_entry, ("level_game", "level_seven"))
_OPEN, _NEXT_OPEN, _ROUND, _LED = map(_entry, ("open", "next_open", "round", "led"))
_POSITION, _WINNING, _TRICK = map(_entry, ("position", "winning", "trick"))
_TRICKS_WON, _POINTS, _MARRIAGES = map(_entry, ("tricks_won", "points", "marriages"))
_TOTALS, _MATCH_DEALS, _HEARTS = map(_entry, ("totals", "match_deals", "hearts"))
_NOWHERE = _entry("padding")
"""Where what does not exist is written; overwritten with 0 at the end."""
_LAST_LEVEL = OBSERVATION_SLICES["level_game"].size - 1
_LAST_TRICK = OBSERVATION_SLICES["trick"].size - 1
_CLIP = OBSERVATION_SLICES["totals"].bound

_FIRST_SINGLE, _AFTER_SINGLE = _word("trump_card"), _word("played_me")
_FIRST_TABLE, _AFTER_TABLE = _word("table_me"), _word("cannot_left")
_FIRST_SCALAR, _AFTER_SCALARS = _word("best_card"), OBSERVATION_SIZE // 8
"""Words of the slices with one card at most, and of everything behind the planes."""

_HAND_LEFT, _HAND_RIGHT, _TRUE_TALON = map(_word, ("hand_left", "hand_right", "true_talon"))
_TRUE_TRUMP_CARD, _PENDING = map(_word, ("true_trump_card", "pending"))
_TRUE_TRUMP = _entry("true_trump")


@jit
def _plane(words: Any, at: Any, cards: Any) -> None:
    for byte in range(4):
        words[at + byte] = spread(np.int64(cards), byte)


@jit
def _bit(card: Any) -> Any:
    return np.int64(0) if card < 0 else np.int64(1) << np.int64(card)


@jit
def _place(at: Any, index: Any) -> Any:
    """The entry `index` behind `at`; the one that is nowhere for an index of -1."""
    return at + np.int64(index) if index >= 0 else np.int64(_NOWHERE)


@jit
def _seat_place(at: Any, seat: Any, me: Any) -> Any:
    """The entry of a seat behind `at`: me, left, right; nowhere for nobody."""
    place = np.int64(seat) - me
    if place < 0:
        place += 3
    return at + place if seat >= 0 else np.int64(_NOWHERE)


@jit
def _small(value: Any) -> Any:
    return max(min(np.int64(value), np.int64(_CLIP)), np.int64(-_CLIP))


@jit
def encode(d: Any, r: Any, me: Any, words: Any, out: Any) -> None:
    """Encodes what a seat sees of a deal, or of its own view of it.

    Args:
        d: the deal.
        r: rule set.
        me: the seat, int64.
        words: (OBSERVATION_SIZE / 8,) uint64, the same memory as `out`.
        out: (OBSERVATION_SIZE,) int8.
    """
    left = (me + 1) % 3
    right = (me + 2) % 3
    # Planes of any number of cards, eight entries at a time.
    _plane(words, _HAND, known_hand(d, me))
    _plane(words, _TALON, d["talon"] if knows_talon(d, r, me) else np.uint32(0))
    _plane(words, _TAKEN, d["taken"][me])
    _plane(words, _DISCARDS, d["discards"][me])
    _plane(words, _PLAYED_ME, d["played"][me])
    _plane(words, _PLAYED_LEFT, d["played"][left])
    _plane(words, _PLAYED_RIGHT, d["played"][right])
    _plane(words, _CANNOT_LEFT, d["cannot"][left])
    _plane(words, _CANNOT_RIGHT, d["cannot"][right])
    _plane(words, _MUST_LEFT, d["must"][left])
    _plane(words, _MUST_RIGHT, d["must"][right])
    # All others: zeros, then the few entries that are not.
    for i in range(_FIRST_SINGLE, _AFTER_SINGLE):
        words[i] = 0
    for i in range(_FIRST_TABLE, _AFTER_TABLE):
        words[i] = 0
    for i in range(_FIRST_SCALAR, _AFTER_SCALARS):
        words[i] = 0
    trump = np.int64(-1)
    trump_card = np.int64(-1)
    if knows_trump(d, me):
        trump = np.int64(d["trump"])
        trump_card = np.int64(d["trump_card"])
    out[_place(_TRUMP_CARD, trump_card)] = 1
    out[_place(_BEST_CARD, d["best_card"])] = 1
    for i in range(3):
        place = np.int64(d["leader"]) + i - me
        place = place + 3 if place < 0 else place
        place = place - 3 if place >= 3 else place
        out[_place(_TABLE_ME + 32 * place, d["table"][i])] = 1
    out[_PHASE + np.int64(d["phase"])] = 1
    out[_seat_place(_TURN, d["turn"], me)] = 1
    out[_seat_place(_DEALER, d["dealer"], me)] = 1
    out[_seat_place(_DECLARER, d["declarer"], me)] = 1
    out[_place(_CONTRACT, d["contract"])] = 1
    for contract in range(5):
        out[_seat_place(_NAMED + 3 * contract, d["named_by"][contract], me)] = 1
    out[_place(_TRUMP, trump)] = 1
    out[_BLIND] = d["blind"]
    out[_TRUMP_SHOWN] = d["trump_shown"]
    out[_TALON_TAKEN] = d["talon_taken"]
    out[_ACCEPTED] = d["accepted"]
    out[_REPLIES] = d["replies"]
    out[_REPLY_FLEK] = d["reply_flek"]
    out[_seat_place(_SEVEN_BY, d["seven_seat"], me)] = 1
    out[_seat_place(_HUNDRED_BY, d["hundred_seat"], me)] = 1
    out[_LEVEL_GAME + min(np.int64(d["levels"][0]), np.int64(_LAST_LEVEL))] = 1
    out[_LEVEL_SEVEN + min(np.int64(d["levels"][1]), np.int64(_LAST_LEVEL))] = 1
    out[_OPEN] = d["open"] & 1
    out[_OPEN + 1] = (d["open"] >> 1) & 1
    out[_NEXT_OPEN] = d["next_open"] & 1
    out[_NEXT_OPEN + 1] = (d["next_open"] >> 1) & 1
    out[_ROUND] = _small(d["round"])
    out[_place(_LED, d["led"])] = 1
    # A trick that a revoke ended as its third card stays on the table.
    out[_POSITION + min(np.int64(d["in_trick"]), np.int64(2))] = 1
    out[_seat_place(_WINNING, d["best_seat"], me)] = 1
    out[_TRICK + min(np.int64(d["tricks"]), np.int64(_LAST_TRICK))] = 1
    out[_TRICKS_WON] = d["tricks_won"][me]
    out[_TRICKS_WON + 1] = d["tricks_won"][left]
    out[_TRICKS_WON + 2] = d["tricks_won"][right]
    out[_POINTS] = d["points"][0] // 10
    out[_POINTS + 1] = d["points"][1] // 10
    if (d["marriages"][0] | d["marriages"][1] | d["marriages"][2]) != 0:
        for place in range(3):
            for suit in range(4):
                entry = _MARRIAGES + 4 * place + suit
                out[entry] = (d["marriages"][(me + place) % 3] >> suit) & 1
    if (d["totals"][0] | d["totals"][1] | d["totals"][2] | d["match_deals"]) != 0:
        for place in range(3):
            out[_TOTALS + place] = _small(d["totals"][(me + place) % 3])
        out[_MATCH_DEALS] = _small(d["match_deals"])
    out[_HEARTS] = trump == HEARTS
    out[_NOWHERE] = 0


@jit
def observe_rows(deals: Any, rules: Any, seats: Any, out: Any) -> None:
    """Writes what a seat of every row sees.

    Args:
        deals: (B,) DEAL: true deals, or views of these seats.
        rules: (1,) RULE_SET.
        seats: (B,) int64: the seat, or -1 for nobody (zeros).
        out: (B, OBSERVATION_SIZE) int8.
    """
    r = rules[0]
    words = out.view(np.uint64)
    for i in range(deals.shape[0]):
        if seats[i] < 0:
            for j in range(words.shape[1]):
                words[i, j] = 0
        else:
            encode(deals[i], r, np.int64(seats[i]), words[i], out[i])


@jit
def state_rows(deals: Any, rules: Any, seats: Any, out: Any) -> None:
    """Writes perfect-information states: the seat's observation, then what is hidden from it.

    Args:
        deals: (B,) DEAL, true ones.
        rules: (1,) RULE_SET.
        seats: (B,) int64: the seat whose view comes first.
        out: (B, STATE_SIZE) int8.
    """
    r = rules[0]
    whole = out.view(np.uint64)
    for i in range(deals.shape[0]):
        d = deals[i]
        seat = np.int64(seats[i])
        words = whole[i]
        encode(d, r, seat, words, out[i])
        _plane(words, _HAND_LEFT, d["hands"][(seat + 1) % 3])
        _plane(words, _HAND_RIGHT, d["hands"][(seat + 2) % 3])
        _plane(words, _TRUE_TALON, d["talon"])
        _plane(words, _TRUE_TRUMP_CARD, _bit(d["trump_card"]))
        _plane(words, _PENDING, d["pending"])
        words[STATE_SIZE // 8 - 1] = 0
        if d["trump"] >= 0:
            out[i, _TRUE_TRUMP + np.int64(d["trump"])] = 1
