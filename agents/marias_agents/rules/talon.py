"""Discarding to the talon, one card at a time."""

from __future__ import annotations

from typing import Any

from marias_agents.rules.sight import (
    NUM_RANK_CLASSES,
    RANK_CLASS,
    count_in,
    has_marriage,
    ranks_in,
    sharp_state,
)
from marias_agents.rules.tables import table
from marias_env.core.bits import BEATS, NO_TRUMP_MODE, SUIT_BITS, popcount
from marias_env.core.jit import jit

_PLAIN = table("talon.plain", 9, 4, NUM_RANK_CLASSES)
"""Suit game, side suits: by length in hand, sharps in hand, rank class."""
_MARRIAGE = table("talon.marriage", 9)
"""Breaking a marriage, by length."""
_SECOND = table("talon.second", 2, 9)
"""The second card: of the same suit as the first or not, by length."""
_TRUMP = table("talon.trump", 9, NUM_RANK_CLASSES)
"""A trump away, by length and rank class."""
_RANKS = table("talon.ranks", 256, 8)
"""Suit game, side suits: which ranks of the suit are held, and which goes."""
_BETL = table("talon.betl", 8, 8)
"""Betl: by holes under the card and own cards under it."""
_BETL_SUIT = table("talon.betl_suit", 9, 8)
"""Betl: by length and rank."""
_BETL_RANKS = table("talon.betl_ranks", 256, 8)
"""Betl: which ranks of the suit are held, and which goes."""
_DURCH = table("talon.durch", 8, 8)
"""Durch: by cards out above the card and own cards above it."""
_DURCH_SUIT = table("talon.durch_suit", 9, 8)
"""Durch: by length and cards out in the suit."""


@jit
def discard_suit_terms(hand: Any, put_away: Any, card: Any, trump: Any, at: Any) -> Any:
    """What speaks for putting a card away in a suit game."""
    suit = card // 8
    length = count_in(hand, suit)
    if suit == trump:
        at[0] = _TRUMP + length * NUM_RANK_CLASSES + RANK_CLASS[card % 8]
        return 1
    place = length * 4 + sharp_state(hand, suit)
    at[0] = _PLAIN + place * NUM_RANK_CLASSES + RANK_CLASS[card % 8]
    at[1] = _RANKS + ranks_in(hand, suit) * 8 + card % 8
    n = 2
    if has_marriage(hand, suit) and (card % 8 == 5 or card % 8 == 6):
        at[n] = _MARRIAGE + length
        n += 1
    if put_away != 0:
        at[n] = _SECOND + (1 if (put_away & SUIT_BITS[suit]) != 0 else 0) * 9 + length
        n += 1
    return n


@jit
def discard_betl_terms(hand: Any, out: Any, card: Any, at: Any) -> Any:
    """What speaks for putting a card away in betl."""
    suit = SUIT_BITS[card // 8]
    lower = ~BEATS[NO_TRUMP_MODE, card] & ~(1 << card)
    at[0] = _BETL + popcount(out & suit & lower) * 8 + popcount(hand & suit & lower)
    at[1] = _BETL_SUIT + popcount(hand & suit) * 8 + card % 8
    at[2] = _BETL_RANKS + ranks_in(hand, card // 8) * 8 + card % 8
    return 3


@jit
def discard_durch_terms(hand: Any, out: Any, card: Any, at: Any) -> Any:
    """What speaks for putting a card away in durch."""
    suit = SUIT_BITS[card // 8]
    above = BEATS[NO_TRUMP_MODE, card]
    at[0] = _DURCH + popcount(out & above) * 8 + popcount(hand & above)
    at[1] = _DURCH_SUIT + popcount(hand & suit) * 8 + min(popcount(out & suit), 7)
    return 2
