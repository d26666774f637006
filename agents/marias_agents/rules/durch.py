"""Durch: how many losers a hand has, and how both sides play it."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.core.bits import BEATS, NO_TRUMP_MODE, SUIT_BITS, popcount
from marias_env.core.jit import jit


@jit
def top_cards(hand: Any, out: Any, suit: Any) -> Any:
    """Cards of a suit in hand that nothing out beats."""
    number = np.int64(0)
    for rank in range(8):
        card = 8 * suit + rank
        if (hand >> card) & 1 and (BEATS[NO_TRUMP_MODE, card] & out) == 0:
            number += 1
    return number


@jit
def durch_losers(hand: Any, out: Any) -> Any:
    """Cards that may lose a trick with the worst split: not top, and not all out fall under tops."""
    losers = np.int64(0)
    for suit in range(4):
        length = popcount(hand & SUIT_BITS[suit])
        tops = top_cards(hand, out, suit)
        if length > tops:
            losers += min(length - tops, max(popcount(out & SUIT_BITS[suit]) - tops, 0))
    return losers


@jit
def lead_durch_declarer(legal: Any, out: Any) -> Any:
    """The declarer's lead: the highest card of the longest suit that still has a top card."""
    best = np.int64(-1)
    most = np.int64(-(1 << 20))
    for card in range(32):
        if (legal >> card) & 1:
            suit = card // 8
            key = popcount(legal & SUIT_BITS[suit]) * 8 + card % 8
            if (BEATS[NO_TRUMP_MODE, card] & out) == 0:
                key += 1000
            if key > most:
                most = key
                best = np.int64(card)
    return best


@jit
def discard_against_durch(legal: Any, hand: Any, out: Any) -> Any:
    """A defender's card when he cannot take the trick: keeps what may still catch the declarer."""
    best = np.int64(-1)
    least = np.int64(1 << 20)
    for card in range(32):
        if (legal >> card) & 1:
            suit = card // 8
            over = popcount(BEATS[NO_TRUMP_MODE, card] & out)
            length = popcount(hand & SUIT_BITS[suit])
            # As many cards as beat the highest are needed beside it for it to become a catcher.
            key = card % 8
            if over < length:
                key += 20
            if key < least:
                least = key
                best = np.int64(card)
    return best
