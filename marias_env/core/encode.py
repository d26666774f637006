"""Writes observation vectors. The layout (names, sizes, meanings) is in `marias_env.observation`.

Card planes come first so that they can be written eight entries at a time; every plane of cards is
in card-id order, every list of seats is relative: me, left (next clockwise), right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import NO_CONTRACT
from marias_env.core.jit import jit
from marias_env.core.kernels import MASK_BYTES
from marias_env.core.knowledge import erase_position
from marias_env.core.settlement import HEARTS

PLANES = 16
SCALARS_AT = 32 * PLANES
OBSERVATION_SIZE = SCALARS_AT + 120
STATE_PLANES = 5
STATE_SIZE = OBSERVATION_SIZE + 32 * STATE_PLANES + 8


@jit
def _plane(words: Any, number: Any, cards: Any) -> None:
    for byte in range(4):
        words[4 * number + byte] = MASK_BYTES[(np.int64(cards) >> (8 * byte)) & 255]


@jit
def _bit(card: Any) -> Any:
    return np.int64(0) if card < 0 else np.int64(1) << np.int64(card)


@jit
def _table_of(d: Any, seat: Any) -> Any:
    for i in range(np.int64(d["in_trick"])):
        if (np.int64(d["leader"]) + i) % 3 == seat:
            return _bit(d["table"][i])
    return np.int64(0)


@jit
def _small(value: Any) -> Any:
    return max(min(np.int64(value), np.int64(127)), np.int64(-127))


@jit
def encode(d: Any, r: Any, words: Any, out: Any) -> None:
    """Encodes an information view (or, for `state`, a whole deal with `viewer` set).

    Args:
        d: the view.
        r: rule set.
        words: (OBSERVATION_SIZE / 8,) uint64, the same memory as `out`.
        out: (OBSERVATION_SIZE,) int8.
    """
    me = np.int64(d["viewer"])
    left = (me + 1) % 3
    right = (me + 2) % 3
    _plane(words, 0, d["hands"][me])
    _plane(words, 1, d["talon"])
    _plane(words, 2, d["taken"][me])
    _plane(words, 3, d["discards"][me])
    _plane(words, 4, _bit(d["trump_card"]))
    _plane(words, 5, d["played"][me])
    _plane(words, 6, d["played"][left])
    _plane(words, 7, d["played"][right])
    _plane(words, 8, _table_of(d, me))
    _plane(words, 9, _table_of(d, left))
    _plane(words, 10, _table_of(d, right))
    _plane(words, 11, d["cannot"][left])
    _plane(words, 12, d["cannot"][right])
    _plane(words, 13, d["must"][left])
    _plane(words, 14, d["must"][right])
    _plane(words, 15, _bit(d["best_card"]))
    for i in range(SCALARS_AT // 8, OBSERVATION_SIZE // 8):
        words[i] = 0
    at = SCALARS_AT
    out[at + np.int64(d["phase"])] = 1
    at += 9
    if d["turn"] >= 0:
        out[at + (np.int64(d["turn"]) - me + 3) % 3] = 1
    at += 3
    out[at + (np.int64(d["dealer"]) - me + 3) % 3] = 1
    at += 3
    out[at + (np.int64(d["declarer"]) - me + 3) % 3] = 1
    at += 3
    if d["contract"] != NO_CONTRACT:
        out[at + np.int64(d["contract"])] = 1
    at += 5
    for contract in range(5):
        if d["named_by"][contract] >= 0:
            out[at + 3 * contract + (np.int64(d["named_by"][contract]) - me + 3) % 3] = 1
    at += 15
    if d["trump"] >= 0:
        out[at + np.int64(d["trump"])] = 1
    at += 4
    out[at] = d["blind"]
    out[at + 1] = d["trump_shown"]
    out[at + 2] = d["talon_taken"]
    out[at + 3] = d["accepted"]
    out[at + 4] = d["replies"]
    out[at + 5] = d["reply_flek"]
    at += 6
    if d["seven_seat"] >= 0:
        out[at + (np.int64(d["seven_seat"]) - me + 3) % 3] = 1
    at += 3
    if d["hundred_seat"] >= 0:
        out[at + (np.int64(d["hundred_seat"]) - me + 3) % 3] = 1
    at += 3
    out[at + min(np.int64(d["levels"][0]), np.int64(7))] = 1
    at += 8
    out[at + min(np.int64(d["levels"][1]), np.int64(7))] = 1
    at += 8
    out[at] = d["open"] & 1
    out[at + 1] = (d["open"] >> 1) & 1
    out[at + 2] = d["next_open"] & 1
    out[at + 3] = (d["next_open"] >> 1) & 1
    at += 4
    out[at] = _small(d["round"])
    at += 1
    if d["led"] >= 0:
        out[at + np.int64(d["led"])] = 1
    at += 4
    # A trick that a revoke ended as its third card stays on the table.
    out[at + min(np.int64(d["in_trick"]), np.int64(2))] = 1
    at += 3
    if d["best_seat"] >= 0:
        out[at + (np.int64(d["best_seat"]) - me + 3) % 3] = 1
    at += 3
    out[at + min(np.int64(d["tricks"]), np.int64(9))] = 1
    at += 10
    for offset in range(3):
        out[at + offset] = d["tricks_won"][(me + offset) % 3]
    at += 3
    out[at] = d["points"][0] // 10
    out[at + 1] = d["points"][1] // 10
    at += 2
    for offset in range(3):
        for suit in range(4):
            out[at + 4 * offset + suit] = (d["marriages"][(me + offset) % 3] >> suit) & 1
    at += 12
    for offset in range(3):
        out[at + offset] = _small(d["totals"][(me + offset) % 3])
    at += 3
    out[at] = _small(d["match_deals"])
    at += 1
    out[at] = d["trump"] == HEARTS


@jit
def observe_rows(deals: Any, rules: Any, seats: Any, scratch: Any, words: Any, out: Any) -> None:
    """Writes what a seat of every row sees.

    Args:
        deals: (B,) DEAL.
        rules: (1,) RULE_SET.
        seats: (B,) int64: the seat, or -1 for nobody (zeros).
        scratch: (1,) DEAL, overwritten.
        words: (B, OBSERVATION_SIZE / 8) uint64, the same memory as `out`.
        out: (B, OBSERVATION_SIZE) int8.
    """
    r = rules[0]
    for i in range(deals.shape[0]):
        seat = seats[i]
        if seat < 0:
            for j in range(words.shape[1]):
                words[i, j] = 0
            continue
        scratch[0] = deals[i]
        d = scratch[0]
        erase_position(d, r, seat)  # `encode` reads neither deck nor history
        encode(d, r, words[i], out[i])


@jit
def encode_rows(views: Any, rules: Any, words: Any, out: Any) -> None:
    """Writes the observations of information views; arrays as in `observe_rows`."""
    for i in range(views.shape[0]):
        encode(views[i], rules[0], words[i], out[i])


@jit
def state_rows(deals: Any, rules: Any, seats: Any, scratch: Any, words: Any, out: Any) -> None:
    """Writes perfect-information states: the seat's observation, then what is hidden from it.

    Args:
        deals: (B,) DEAL.
        rules: (1,) RULE_SET.
        seats: (B,) int64: the seat whose view comes first.
        scratch: (1,) DEAL, overwritten.
        words: (B, STATE_SIZE / 8) uint64, the same memory as `out`.
        out: (B, STATE_SIZE) int8.
    """
    r = rules[0]
    for i in range(deals.shape[0]):
        seat = seats[i]
        scratch[0] = deals[i]
        d = scratch[0]
        erase_position(d, r, seat)  # `encode` reads neither deck nor history
        encode(d, r, words[i], out[i])
        whole = deals[i]
        first = OBSERVATION_SIZE // 32
        tail = words[i, 4 * first + (OBSERVATION_SIZE % 32) // 8 :]
        _plane(tail, 0, whole["hands"][(seat + 1) % 3])
        _plane(tail, 1, whole["hands"][(seat + 2) % 3])
        _plane(tail, 2, whole["talon"])
        _plane(tail, 3, _bit(whole["trump_card"]))
        _plane(tail, 4, whole["pending"])
        tail[4 * STATE_PLANES] = 0
        if whole["trump"] >= 0:
            out[i, STATE_SIZE - 8 + np.int64(whole["trump"])] = 1
