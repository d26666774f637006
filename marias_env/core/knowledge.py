"""Who knows what (RULES.md 8): the one place that says what of a deal a seat can know.

Event tokens, renderings and agents read a record that went through `erase`, so nothing that this
function removes can reach a player. The observation vector is written from the true record, as far
as `known_hand`, `knows_trump` and `knows_talon` allow: the functions that `erase` itself goes by.
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
from marias_env.core.history import action_of, entry_of, plays_from, seat_of
from marias_env.core.jit import jit, jit_wrapping
from marias_env.core.rng import mix


@jit
def known_hand(d: Any, seat: Any) -> Any:
    """A seat's cards as it has seen them, bit set: forehand's pending ones lie face down."""
    return np.int64(d["hands"][seat]) & ~np.int64(d["pending"])


@jit
def knows_trump(d: Any, seat: Any) -> Any:
    """Whether a seat knows trump suit and trump card, where there are any."""
    forehand = (np.int64(d["dealer"]) + 1) % 3
    return d["trump_shown"] != 0 or seat == forehand or d["phase"] == OVER


@jit
def knows_talon(d: Any, r: Any, seat: Any) -> Any:
    """Whether a seat knows which cards lie in the talon.

    The talon on the table was put away by the declarer, unless it is the dealt one.
    """
    if d["phase"] == OVER:
        return True
    put_away = r["dealing"] == DEALING_CHOSEN_TRUMP or d["talon_taken"] != 0
    return seat == d["declarer"] and put_away


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
    if d["turn"] != seat:
        d["legal"] = 0
    d["hands"][seat] = known_hand(d, seat)
    if not knows_trump(d, seat):
        d["trump"] = -1
        d["trump_card"] = NO_CARD
    d["pending"] = 0
    if not knows_talon(d, r, seat):
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
        actor = seat_of(d["history"][i])
        if action_of(d["history"][i]) < 32 and actor != seat:
            d["history"][i] = entry_of(actor, HIDDEN_ACTION)


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
