"""Bit sets of cards in int64, and the tables over cards that the rules look up.

Everything is int64: mixing Numba's uint64 with signed numbers would turn into float.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.core.jit import jit

SUIT_MODE = 0
"""Strength A 10 K Q J 9 8 7 (suit game)."""
NO_TRUMP_MODE = 1
"""Strength A K Q J 10 9 8 7 (betl, durch)."""

RANK_7, RANK_8, RANK_9, RANK_T, RANK_J, RANK_Q, RANK_K, RANK_A = range(8)

STRENGTH = np.array([[0, 1, 2, 6, 3, 4, 5, 7], [0, 1, 2, 3, 4, 5, 6, 7]], dtype=np.int64)
"""Strength of each rank within its suit, by mode."""

SUIT_BITS = np.array([0xFF << (8 * suit) for suit in range(4)], dtype=np.int64)
"""All cards of a suit."""

RANK_BITS = np.array([0x01010101 << rank for rank in range(8)], dtype=np.int64)
"""All cards of a rank."""

SHARPS = int(RANK_BITS[RANK_T] | RANK_BITS[RANK_A])
QUEENS = int(RANK_BITS[RANK_Q])


def _beats() -> Any:
    table = np.zeros((2, 32), dtype=np.int64)
    for mode in range(2):
        for card in range(32):
            suit, rank = divmod(card, 8)
            for other in range(8):
                if STRENGTH[mode, other] > STRENGTH[mode, rank]:
                    table[mode, card] |= 1 << (8 * suit + other)
    return table


BEATS = _beats()
"""`BEATS[mode, card]`: the cards of the same suit that beat a card."""

_BYTE_BITS = np.array([[(byte >> bit) & 1 for bit in range(8)] for byte in range(256)], np.int8)
_SPREAD = _BYTE_BITS.view(np.uint64).reshape(256).copy()


@jit
def spread(bits: Any, byte: Any) -> Any:
    """Byte `byte` of a bit set as eight int8 entries of 0 and 1, in one uint64."""
    return _SPREAD[(bits >> (8 * byte)) & 255]


@jit
def popcount(x: Any) -> Any:
    """Number of set bits of a non-negative int64."""
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    x = x + (x >> 8)
    x = x + (x >> 16)
    x = x + (x >> 32)
    return x & 0x7F


@jit
def lowest_bit(x: Any) -> Any:
    """Index of the lowest set bit of a positive int64."""
    return popcount((x & -x) - 1)


@jit
def nth_bit(x: Any, n: Any) -> Any:
    """Index of the n-th set bit (from 0) of a non-negative int64 with more than n bits."""
    for _ in range(n):
        x &= x - 1
    return lowest_bit(x)


@jit
def marriages_in(hand: Any) -> Any:
    """The queens whose king is in the same hand (RULES.md 5.3)."""
    return hand & QUEENS & (hand >> 1)
