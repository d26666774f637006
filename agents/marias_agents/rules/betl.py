"""Betl: how safe a hand is, and how both sides play it.

A hole is a card out that is lower than a card held: whoever leads it makes the holder win, since
heading is compulsory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.core.bits import BEATS, NO_TRUMP_MODE, SUIT_BITS, popcount
from marias_env.core.jit import jit


@jit
def holes_under(card: Any, out: Any) -> Any:
    """Number of cards out of the card's suit that are lower."""
    suit = out & SUIT_BITS[card // 8]
    return popcount(suit & ~BEATS[NO_TRUMP_MODE, card])


@jit
def betl_danger(hand: Any, out: Any) -> Any:
    """Holes of the whole hand, those under low cards counted less than those under high ones."""
    danger = np.int64(0)
    for card in range(32):
        if (hand >> card) & 1:
            danger += holes_under(card, out)
    return danger


@jit
def most_dangerous(cards: Any, out: Any) -> Any:
    """The card one would most like to be rid of in betl."""
    best = np.int64(-1)
    worst = np.int64(-1)
    for card in range(32):
        if (cards >> card) & 1:
            danger = 16 * holes_under(card, out) + card % 8
            if danger > worst:
                worst = danger
                best = np.int64(card)
    return best


@jit
def lead_betl_declarer(legal: Any, out: Any) -> Any:
    """The declarer's lead: the card with fewest holes under it, the highest of such."""
    best = np.int64(-1)
    least = np.int64(1 << 20)
    for card in range(32):
        if (legal >> card) & 1:
            danger = 16 * holes_under(card, out) - card % 8
            if danger < least:
                least = danger
                best = np.int64(card)
    return best


@jit
def highest_loser(legal: Any, best_card: Any, out: Any) -> Any:
    """Following in betl: the highest card that does not win, else the most dangerous one."""
    losing = legal & ~BEATS[NO_TRUMP_MODE, best_card]
    if losing != 0:
        return most_dangerous(losing, out)
    return most_dangerous(legal, out)


@jit
def lowest(cards: Any) -> Any:
    """The lowest card by rank, of the suit with most cards among equals."""
    best = np.int64(-1)
    least = np.int64(1 << 20)
    for card in range(32):
        if (cards >> card) & 1:
            length = popcount(cards & SUIT_BITS[card // 8])
            key = 16 * (card % 8) - length
            if key < least:
                least = key
                best = np.int64(card)
    return best


@jit
def highest(cards: Any) -> Any:
    """The highest card by rank in no trumps."""
    best = np.int64(-1)
    most = np.int64(-(1 << 20))
    for card in range(32):
        if (cards >> card) & 1 and card % 8 > most:
            most = np.int64(card % 8)
            best = np.int64(card)
    return best
