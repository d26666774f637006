"""Choosing trumps: from forehand's first packet, or by name after the exchange."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import NAME_TRUMP_0
from marias_env.core.bits import (
    RANK_7,
    RANK_A,
    RANK_K,
    RANK_Q,
    RANK_T,
    SUIT_BITS,
    popcount,
)
from marias_env.core.jit import jit

PLAINNESS = np.array([3, 8, 7, 1, 6, 4, 2, 0], dtype=np.int64)
"""Which card of the suit is shown as the trump card, by rank: the one that tells least."""


@jit
def trump_worth(hand: Any, suit: Any) -> Any:
    """How good a suit would be as trumps, in hundredths of a card's length."""
    cards = (hand >> (8 * suit)) & 255
    worth = 100 * popcount(cards)
    worth += 90 * ((cards >> RANK_A) & 1)
    worth += 50 * ((cards >> RANK_T) & 1)
    worth += 35 * ((cards >> RANK_7) & 1)
    worth += 120 * ((cards >> RANK_K) & (cards >> RANK_Q) & 1)
    if suit == 3:
        worth += 10
    return worth


@jit
def best_trump(hand: Any, allowed: Any) -> Any:
    """The suit to make trumps, among those with a bit in `allowed`."""
    best = np.int64(-1)
    worth = np.int64(-1)
    for suit in range(4):
        if (allowed >> suit) & 1:
            candidate = trump_worth(hand, suit)
            if candidate > worth:
                best = np.int64(suit)
                worth = candidate
    return best


@jit
def choose_trump_card(hand: Any) -> Any:
    """TRUMP: the trump card out of the first packet. Never blind: seven cards know more than none."""
    allowed = np.int64(0)
    for suit in range(4):
        if (hand & SUIT_BITS[suit]) != 0:
            allowed |= 1 << suit
    suit = best_trump(hand, allowed)
    shown = np.int64(-1)
    for rank in range(8):
        if (hand >> (8 * suit + rank)) & 1 and (
            shown < 0 or PLAINNESS[rank] > PLAINNESS[shown % 8]
        ):
            shown = 8 * suit + rank
    return shown


@jit
def choose_trump_name(hand: Any, legal: Any) -> Any:
    """NAME_TRUMP: the suit named after the exchange."""
    return NAME_TRUMP_0 + best_trump(hand, (legal >> NAME_TRUMP_0) & 15)
