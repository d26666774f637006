"""Discarding to the talon, one card at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.betl import holes_under
from marias_env.core.bits import (
    BEATS,
    NO_TRUMP_MODE,
    RANK_A,
    RANK_K,
    RANK_Q,
    RANK_T,
    SUIT_BITS,
    popcount,
)
from marias_env.core.jit import jit


@jit
def suit_keep(hand: Any, card: Any, trump: Any) -> Any:
    """How much a card is worth keeping in a suit game (the lowest goes to the talon)."""
    suit = card // 8
    rank = card % 8
    cards = (hand >> (8 * suit)) & 255
    length = popcount(cards)
    keep = np.int64(0)
    if suit == trump:
        keep += 1000 + 10 * rank
    if rank == RANK_A or rank == RANK_T:
        keep += 500
    if (rank == RANK_K or rank == RANK_Q) and (cards >> RANK_K) & (cards >> RANK_Q) & 1:
        keep += 400
    ace = (cards >> RANK_A) & 1
    ten = (cards >> RANK_T) & 1
    # A void is worth most where the suit has no sharps; a ten needs cards beside it.
    if ten and not ace:
        keep += 60 - 8 * length
    elif ace:
        keep += 10
    keep += 12 * length
    if rank == RANK_K or rank == RANK_Q:
        keep += 3
    return keep + rank


@jit
def discard_suit(hand: Any, legal: Any, trump: Any) -> Any:
    """DISCARD in a suit game."""
    best = np.int64(-1)
    least = np.int64(1 << 40)
    for card in range(32):
        if (legal >> card) & 1:
            keep = suit_keep(hand, card, trump)
            if keep < least:
                least = keep
                best = np.int64(card)
    return best


@jit
def discard_betl(hand: Any, legal: Any, out: Any) -> Any:
    """DISCARD in betl: the cards with most holes under them."""
    best = np.int64(-1)
    most = np.int64(-(1 << 20))
    for card in range(32):
        if (legal >> card) & 1:
            own_lower = popcount(hand & SUIT_BITS[card // 8] & ~BEATS[NO_TRUMP_MODE, card])
            key = 16 * holes_under(card, out) - 4 * own_lower + card % 8
            if key > most:
                most = key
                best = np.int64(card)
    return best


@jit
def discard_durch(hand: Any, legal: Any, out: Any) -> Any:
    """DISCARD in durch: losers from the suit where most cards are out above them."""
    best = np.int64(-1)
    most = np.int64(-(1 << 20))
    for card in range(32):
        if (legal >> card) & 1:
            over = popcount(BEATS[NO_TRUMP_MODE, card] & out)
            key = 64 * over - 8 * popcount(hand & SUIT_BITS[card // 8]) + 8 - card % 8
            if key > most:
                most = key
                best = np.int64(card)
    return best
