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
    SCALARS_AT,
    STATE_SIZE,
    STATE_SLICES,
)
from marias_env.rules import HEARTS


def _word(name: str) -> int:
    """Returns the first word (eight entries) of a slice of cards."""
    return STATE_SLICES[name].start // 8


def _entry(name: str) -> int:
    """Returns the first entry of a slice."""
    return STATE_SLICES[name].start


_LOW_BYTES = 7


def _bit_of(name: str, high: bool) -> int:
    """Returns the bit at which a slice of zeros and ones begins, in one of two words of bits.

    The entries behind the planes are put together as bits and spread over entries at the end. The
    low word's bits begin with the first of these entries, the high word's `_LOW_BYTES` further on;
    where they overlap both count, so that no slice has to be cut in two.
    """
    part = OBSERVATION_SLICES[name]
    base = SCALARS_AT + (8 * _LOW_BYTES if high else 0)
    if not 0 <= part.start - base <= part.stop - base < 64:
        raise AssertionError(f"slice {name} does not fit into its word of bits")
    return part.start - base


OBSERVATION_ROW = np.dtype(
    {
        "names": ["words", "entries"],
        "formats": [(np.uint64, OBSERVATION_SIZE // 8), (np.int8, OBSERVATION_SIZE)],
        "offsets": [0, 0],
    }
)
"""An observation as compiled code writes it: the same memory, eight entries at a time or singly.

A row of an array would be counted as a reference at every turn, which costs more than to fill it;
a record is not.
"""
STATE_ROW = np.dtype(
    {
        "names": ["words", "seen"],
        "formats": [(np.uint64, STATE_SIZE // 8), OBSERVATION_ROW],
        "offsets": [0, 0],
        "itemsize": STATE_SIZE,
    }
)
"""A state: as a whole, and the observation that it begins with."""

# Compiled code takes all of these as constants.
_HAND, _TALON, _TAKEN, _DISCARDS = map(_word, ("hand", "talon", "taken", "discards"))
_PLAYED_ME, _PLAYED_LEFT, _PLAYED_RIGHT = map(_word, ("played_me", "played_left", "played_right"))
_CANNOT_LEFT, _CANNOT_RIGHT = map(_word, ("cannot_left", "cannot_right"))
_MUST_LEFT, _MUST_RIGHT = map(_word, ("must_left", "must_right"))
_TRUMP_CARD, _BEST_CARD = map(_entry, ("trump_card", "best_card"))
_TABLE_ME = _entry("table_me")

_LOW = ("phase", "turn", "dealer", "declarer", "contract", "named", "trump", "blind",
        "trump_shown", "talon_taken", "accepted", "reply_flek", "seven_by", "hundred_by",
        "level_game")  # fmt: skip
(_PHASE, _TURN, _DEALER, _DECLARER, _CONTRACT, _NAMED, _TRUMP, _BLIND, _TRUMP_SHOWN, _TALON_TAKEN,
 _ACCEPTED, _REPLY_FLEK, _SEVEN_BY, _HUNDRED_BY, _LEVEL_GAME) = (
    _bit_of(name, False) for name in _LOW
)  # fmt: skip
_HIGH = ("level_seven", "open", "next_open", "led", "position", "winning", "trick", "marriages",
         "hearts")  # fmt: skip
(_LEVEL_SEVEN, _OPEN, _NEXT_OPEN, _LED, _POSITION, _WINNING, _TRICK, _MARRIAGES, _HEARTS) = (
    _bit_of(name, True) for name in _HIGH
)
_REPLIES, _ROUND, _TRICKS_WON, _POINTS = map(_entry, ("replies", "round", "tricks_won", "points"))
_TOTALS, _MATCH_DEALS = map(_entry, ("totals", "match_deals"))
_NOWHERE = _entry("padding")
"""Where a card that does not exist is written; overwritten with 0 at the end."""
_LAST_LEVEL = OBSERVATION_SLICES["level_game"].size - 1
_LAST_TRICK = OBSERVATION_SLICES["trick"].size - 1
_CLIP = OBSERVATION_SLICES["totals"].bound

_FIRST_SINGLE, _AFTER_SINGLE = _word("trump_card"), _word("played_me")
_FIRST_TABLE, _AFTER_TABLE = _word("table_me"), _word("cannot_left")
_FIRST_BEST, _FIRST_SCALAR = _word("best_card"), SCALARS_AT // 8
"""Words of the slices that hold one card at most, and the first behind the planes."""
_HIGH_BYTES = OBSERVATION_SIZE // 8 - _FIRST_SCALAR - _LOW_BYTES

_RELATIVE = np.array([[0] + [1 << (seat - me) % 3 for seat in range(3)] for me in range(3)]).ravel()
"""At 4 * me + 1 + seat: the bits for me, left, right."""

_HAND_LEFT, _HAND_RIGHT, _TRUE_TALON = map(_word, ("hand_left", "hand_right", "true_talon"))
_TRUE_TRUMP_CARD, _PENDING = map(_word, ("true_trump_card", "pending"))


@jit
def _plane(row: Any, at: Any, cards: Any) -> None:
    for byte in range(4):
        row["words"][at + byte] = spread(np.int64(cards), byte)


@jit
def _place(at: Any, card: Any) -> Any:
    """The entry of a card in the slice at `at`, the one that is nowhere for NO_CARD."""
    return at + np.int64(card) if card >= 0 else np.int64(_NOWHERE)


@jit
def _one(index: Any) -> Any:
    """Bit `index`; none for -1."""
    return (np.int64(1) << (np.int64(index) + 1)) >> 1


@jit
def _whose(seat: Any, me: Any) -> Any:
    """One of the bits for me, left, right; none for seat -1."""
    return _RELATIVE[np.uint64(4 * me + 1 + np.int64(seat))]


@jit
def _small(value: Any) -> Any:
    return max(min(np.int64(value), np.int64(_CLIP)), np.int64(-_CLIP))


@jit
def encode(d: Any, r: Any, me: Any, row: Any) -> None:
    """Encodes what a seat sees of a deal, or of its own view of it.

    Args:
        d: the deal.
        r: rule set.
        me: the seat, int64.
        row: OBSERVATION_ROW, overwritten.
    """
    left = me + 1 if me < 2 else me - 2
    right = me + 2 if me < 1 else me - 1
    # Planes of any number of cards, eight entries at a time.
    _plane(row, _HAND, known_hand(d, me))
    _plane(row, _TALON, d["talon"] if knows_talon(d, r, me) else np.uint32(0))
    _plane(row, _TAKEN, d["taken"][me])
    _plane(row, _DISCARDS, d["discards"][me])
    _plane(row, _PLAYED_ME, d["played"][me])
    _plane(row, _PLAYED_LEFT, d["played"][left])
    _plane(row, _PLAYED_RIGHT, d["played"][right])
    _plane(row, _CANNOT_LEFT, d["cannot"][left])
    _plane(row, _CANNOT_RIGHT, d["cannot"][right])
    if (d["must"][left] | d["must"][right]) != 0:  # rare
        _plane(row, _MUST_LEFT, d["must"][left])
        _plane(row, _MUST_RIGHT, d["must"][right])
    else:
        for i in range(_MUST_LEFT, _FIRST_BEST):
            row["words"][i] = 0
    # Planes of one card at most.
    for i in range(_FIRST_SINGLE, _AFTER_SINGLE):
        row["words"][i] = 0
    for i in range(_FIRST_TABLE, _AFTER_TABLE):
        row["words"][i] = 0
    for i in range(_FIRST_BEST, _FIRST_SCALAR):
        row["words"][i] = 0
    trump = np.int64(-1)
    trump_card = np.int64(-1)
    if knows_trump(d, me):
        trump = np.int64(d["trump"])
        trump_card = np.int64(d["trump_card"])
    # What is behind the planes, written before the cards: one that is nowhere falls there.
    low = _one(d["phase"]) << _PHASE
    low |= _whose(d["turn"], me) << _TURN
    low |= _whose(d["dealer"], me) << _DEALER
    low |= _whose(d["declarer"], me) << _DECLARER
    low |= _one(d["contract"]) << _CONTRACT
    for contract in range(5):
        low |= _whose(d["named_by"][contract], me) << (_NAMED + 3 * contract)
    low |= _one(trump) << _TRUMP
    low |= np.int64(d["blind"]) << _BLIND
    low |= np.int64(d["trump_shown"]) << _TRUMP_SHOWN
    low |= np.int64(d["talon_taken"]) << _TALON_TAKEN
    low |= np.int64(d["accepted"]) << _ACCEPTED
    low |= np.int64(d["reply_flek"]) << _REPLY_FLEK
    low |= _whose(d["seven_seat"], me) << _SEVEN_BY
    low |= _whose(d["hundred_seat"], me) << _HUNDRED_BY
    low |= _one(min(np.int64(d["levels"][0]), np.int64(_LAST_LEVEL))) << _LEVEL_GAME
    high = low >> (8 * _LOW_BYTES)
    high |= _one(min(np.int64(d["levels"][1]), np.int64(_LAST_LEVEL))) << _LEVEL_SEVEN
    high |= np.int64(d["open"]) << _OPEN
    high |= np.int64(d["next_open"]) << _NEXT_OPEN
    high |= _one(d["led"]) << _LED
    # A trick that a revoke ended as its third card stays on the table.
    high |= _one(min(np.int64(d["in_trick"]), np.int64(2))) << _POSITION
    high |= _whose(d["best_seat"], me) << _WINNING
    high |= _one(min(np.int64(d["tricks"]), np.int64(_LAST_TRICK))) << _TRICK
    high |= np.int64(d["marriages"][me]) << _MARRIAGES
    high |= np.int64(d["marriages"][left]) << (_MARRIAGES + 4)
    high |= np.int64(d["marriages"][right]) << (_MARRIAGES + 8)
    if trump == HEARTS:
        high |= np.int64(1) << _HEARTS
    for byte in range(_LOW_BYTES):
        row["words"][_FIRST_SCALAR + byte] = spread(low, byte)
    for byte in range(_HIGH_BYTES):
        row["words"][_FIRST_SCALAR + _LOW_BYTES + byte] = spread(high, byte)
    row["entries"][_REPLIES] = d["replies"]
    row["entries"][_ROUND] = _small(d["round"])
    row["entries"][_TRICKS_WON] = d["tricks_won"][me]
    row["entries"][_TRICKS_WON + 1] = d["tricks_won"][left]
    row["entries"][_TRICKS_WON + 2] = d["tricks_won"][right]
    row["entries"][_POINTS] = d["points"][0] // 10
    row["entries"][_POINTS + 1] = d["points"][1] // 10
    if (d["totals"][0] | d["totals"][1] | d["totals"][2] | d["match_deals"]) != 0:
        row["entries"][_TOTALS] = _small(d["totals"][me])
        row["entries"][_TOTALS + 1] = _small(d["totals"][left])
        row["entries"][_TOTALS + 2] = _small(d["totals"][right])
        row["entries"][_MATCH_DEALS] = _small(d["match_deals"])
    row["entries"][_place(_TRUMP_CARD, trump_card)] = 1
    row["entries"][_place(_BEST_CARD, d["best_card"])] = 1
    for i in range(3):
        place = np.int64(d["leader"]) + i - me
        place = place + 3 if place < 0 else place
        place = place - 3 if place >= 3 else place
        row["entries"][_place(_TABLE_ME + 32 * place, d["table"][i])] = 1
    row["entries"][_NOWHERE] = 0


@jit
def show(d: Any, r: Any, seat: Any, row: Any) -> None:
    """Encodes what a seat sees; for seat -1, nobody, zeros. Arguments as of `encode`."""
    if seat < 0:
        for i in range(OBSERVATION_SIZE // 8):
            row["words"][i] = 0
    else:
        encode(d, r, seat, row)


@jit
def observe_rows(deals: Any, rules: Any, seats: Any, out: Any) -> None:
    """Writes what a seat of every row sees.

    Args:
        deals: (B,) DEAL: true deals, or views of these seats.
        rules: (1,) RULE_SET.
        seats: (B,) int64: the seat, or -1 for nobody (zeros); (0,): the seats on turn.
        out: (B, OBSERVATION_SIZE) int8.
    """
    rows = out.view(OBSERVATION_ROW)
    for i in range(deals.shape[0]):
        d = deals[i]
        seat = np.int64(d["turn"]) if seats.shape[0] == 0 else np.int64(seats[i])
        show(d, rules[0], seat, rows[i, 0])


@jit
def state_rows(deals: Any, rules: Any, seats: Any, out: Any) -> None:
    """Writes perfect-information states: the seat's observation, then what is hidden from it.

    Args:
        deals: (B,) DEAL, true ones.
        rules: (1,) RULE_SET.
        seats: (B,) int64: the seat whose view comes first.
        out: (B, STATE_SIZE) int8.
    """
    rows = out.view(STATE_ROW)
    for i in range(deals.shape[0]):
        d = deals[i]
        seat = np.int64(seats[i])
        row = rows[i, 0]
        encode(d, rules[0], seat, row["seen"])
        _plane(row, _HAND_LEFT, d["hands"][(seat + 1) % 3])
        _plane(row, _HAND_RIGHT, d["hands"][(seat + 2) % 3])
        _plane(row, _TRUE_TALON, d["talon"])
        _plane(row, _TRUE_TRUMP_CARD, _one(d["trump_card"]))
        _plane(row, _PENDING, d["pending"])
        row["words"][STATE_SIZE // 8 - 1] = spread(_one(d["trump"]), 0)
