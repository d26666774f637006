"""Who knows what (RULES.md 8): the one place where a deal is reduced to what a seat can know.

Observations, masks of other seats, renderings and agents all read a record that went through
`erase`, so nothing that this function removes can reach a player.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import OVER, TRUMP
from marias_env.core.deal import (
    DEALING_CHOSEN_TRUMP,
    HIDDEN_ACTION,
    NO_CARD,
    NO_PLACE,
    UNKNOWN_CARD,
)
from marias_env.core.jit import jit, jit_wrapping
from marias_env.core.rng import mix


@jit
def plays_from(d: Any) -> Any:
    """Index in the history of the first card played; cards named before it were private."""
    return np.int64(d["num_actions"]) - 3 * np.int64(d["tricks"]) - np.int64(d["in_trick"])


@jit
def erase_position(d: Any, r: Any, seat: Any) -> Any:
    """The part of `erase` that what a seat sees now depends on: all but deck and history.

    Returns:
        Whether anything is secret, which it is until the deal is over.
    """
    d["viewer"] = seat
    d["key"] = 0
    d["rng"] = 0
    d["episode"] = 0
    if d["phase"] == OVER:
        return False
    forehand = (d["dealer"] + 1) % 3
    if d["turn"] != seat:
        d["legal"] = 0
    if seat == forehand:
        d["hands"][seat] = np.int64(d["hands"][seat]) & ~np.int64(d["pending"])
    elif d["trump_shown"] == 0:
        d["trump"] = -1
        d["trump_card"] = NO_CARD
    d["pending"] = 0
    # The talon on the table was put away by the declarer, unless it is the dealt one.
    dealt = r["dealing"] != DEALING_CHOSEN_TRUMP and d["talon_taken"] == 0
    if seat != d["declarer"] or dealt:
        d["talon"] = 0
    for other in range(3):
        if other != seat:
            d["hands"][other] = 0
            d["discards"][other] = 0
            d["taken"][other] = 0
            d["taken_before"][other] = 0
    return True


@jit
def erase(d: Any, r: Any, seat: Any) -> None:
    """Reduces a record to what a seat knows, in place.

    A finished deal is public. Random streams never are: they would give the next cards away.

    Args:
        d: a copy of the deal.
        r: rule set.
        seat: 0, 1 or 2.
    """
    # Forehand has not looked at the second packet while trumps are being chosen.
    unseen = d["phase"] == TRUMP
    if not erase_position(d, r, seat):
        return
    # A seat knows the places of the cards it was dealt and has looked at.
    first = 2 * ((seat - np.int64(d["dealer"]) + 2) % 3)
    second = NO_PLACE if first == 0 and unseen else first + 1
    for i in range(32):
        place = np.int64(r["places"][i])
        if place not in (first, second, NO_PLACE):
            d["deck"][i] = UNKNOWN_CARD
    for i in range(plays_from(d)):
        entry = np.int64(d["history"][i])
        if (entry & 63) < 32 and (entry >> 6) != seat:
            d["history"][i] = HIDDEN_ACTION | (entry & 0xC0)


@jit_wrapping
def fingerprint(words: Any) -> Any:
    """A hash of a record seen as uint64 words."""
    h = np.uint64(0)
    for i in range(words.shape[0]):
        h = mix(h ^ words[i]) + np.uint64(i)
    return h


@jit
def view_rows(deals: Any, rules: Any, rows: Any, seats: Any, out: Any, words: Any) -> None:
    """Writes information views; each view's `rng` is a hash of what the seat knows.

    Args:
        deals: (B,) DEAL.
        rules: (1,) RULE_SET.
        rows: (N,) int64.
        seats: (N,) int64.
        out: (N,) DEAL.
        words: (N, W) uint64, the same memory as `out`.
    """
    for n in range(rows.shape[0]):
        out[n] = deals[rows[n]]
        erase(out[n], rules[0], seats[n])
        out[n]["rng"] = fingerprint(words[n])
