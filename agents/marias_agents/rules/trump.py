"""Choosing trumps: from forehand's first packet, or by name after the exchange."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.sight import count_in, has_marriage, honours, ranks_in, sharp_state
from marias_agents.rules.tables import table
from marias_env.core.bits import SUIT_BITS
from marias_env.core.jit import jit
from marias_env.rules import HEARTS

_LENGTH = table("trump.length", 2, 9, 2)
"""By packet (0: the first seven cards, 1: the whole hand), length, hearts."""
_HONOURS = table("trump.honours", 2, 4, 32)
"""By packet, length (up to 2, 3, 4, more), A T K Q 7 held."""
_SIDE = table("trump.side", 2, 3, 4, 4, 2)
"""For each other suit: by packet, length (0, 1, 2, 3 …) less one, its sharps, its marriage."""
_RANKS = table("trump.ranks", 2, 256)
"""By packet, which ranks of the suit are held."""
_SIDE_RANKS = table("trump.side_ranks", 2, 256)
"""For each other suit: by packet, which ranks of it are held."""

PLAINNESS = np.array([3, 8, 7, 1, 6, 4, 2, 0], dtype=np.int64)
"""Which card of the suit is shown as the trump card, by rank: the one that tells least."""


@jit
def trump_terms(hand: Any, suit: Any, packet: Any, at: Any) -> Any:
    """What speaks for a suit as trumps.

    Args:
        hand: the cards seen.
        suit: the suit.
        packet: 0 for the first packet, 1 for a whole hand.
        at: int64 buffer, out.

    Returns:
        The number of terms.
    """
    length = count_in(hand, suit)
    at[0] = _LENGTH + (packet * 9 + length) * 2 + (1 if suit == HEARTS else 0)
    size = min(max(length - 2, 0), 3)
    at[1] = _HONOURS + (packet * 4 + size) * 32 + honours(hand, suit)
    at[2] = _RANKS + packet * 256 + ranks_in(hand, suit)
    n = 3
    for other in range(4):
        if other != suit:
            at[n] = _SIDE_RANKS + packet * 256 + ranks_in(hand, other)
            n += 1
            cards = count_in(hand, other)
            if cards > 0:
                place = (packet * 3 + min(cards, 3) - 1) * 4 + sharp_state(hand, other)
                at[n] = _SIDE + place * 2 + has_marriage(hand, other)
                n += 1
    return n


@jit
def best_trump(hand: Any, allowed: Any, packet: Any, points: Any, at: Any) -> Any:
    """The suit to make trumps, among those with a bit in `allowed`."""
    best = np.int64(-1)
    most = np.int64(-(1 << 40))
    for suit in range(4):
        if (allowed >> suit) & 1:
            worth = np.int64(0)
            for i in range(trump_terms(hand, suit, packet, at)):
                worth += points[at[i]]
            if worth > most:
                best = np.int64(suit)
                most = worth
    return best


@jit
def plainest(hand: Any, suit: Any) -> Any:
    """The card of a suit that tells the others least when it is shown."""
    shown = np.int64(-1)
    for rank in range(8):
        if (hand >> (8 * suit + rank)) & 1 and (
            shown < 0 or PLAINNESS[rank] > PLAINNESS[shown % 8]
        ):
            shown = np.int64(8 * suit + rank)
    return shown


@jit
def suits_of(hand: Any) -> Any:
    """The suits of a hand as four bits."""
    suits = np.int64(0)
    for suit in range(4):
        if (hand & SUIT_BITS[suit]) != 0:
            suits |= 1 << suit
    return suits
