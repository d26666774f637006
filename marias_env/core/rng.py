"""Random numbers that live in the deal record: splitmix64, counter based for the deck.

A deal's cards are a function of (seed, row index, episode, deal of the match) alone, so they depend
neither on the batch size nor on what other rows do. Actions are sampled from a second stream.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.core.bits import nth_bit, popcount
from marias_env.core.jit import jit, jit_wrapping

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@jit_wrapping
def mix(x: Any) -> Any:
    """A bijective scramble of a uint64 (the output function of splitmix64)."""
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@jit_wrapping
def advance(state: Any) -> Any:
    """The next state of a stream; its random number is `mix` of it."""
    return state + _GOLDEN


@jit_wrapping
def stream(key: Any, number: Any) -> Any:
    """The start of stream `number` (non-negative) of a key."""
    return mix(key + (np.uint64(number) + np.uint64(1)) * _GOLDEN)


@jit_wrapping
def below(state: Any, n: Any) -> Any:
    """A number from 0 to n-1 out of a stream's state, as int64; bias below 2^-24 for n ≤ 256."""
    return np.int64(((mix(state) >> _S32) * np.uint64(n)) >> _S32)


@jit
def random_bit(bits: Any, state: Any) -> Any:
    """Index of a set bit of a positive int64, each equally likely, out of a stream's state."""
    return nth_bit(bits, below(state, popcount(bits)))


@jit
def shuffle_deck(deck: Any, size: Any, state: Any) -> Any:
    """Shuffles `deck[:size]` in place (Fisher–Yates); returns the advanced state."""
    for i in range(size - 1, 0, -1):
        state = advance(state)
        j = below(state, i + 1)
        card = deck[i]
        deck[i] = deck[j]
        deck[j] = card
    return state
