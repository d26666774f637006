"""Drawing worlds from tables: which cards lie where, exactly uniformly."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.worlds.knowledge import LEFT, RIGHT, TABLE
from marias_agents.worlds.tables import MAX_CLASSES
from marias_env.core.jit import jit, jit_wrapping
from marias_env.core.rng import advance, below, mix

_ONE = np.uint64(1)


@jit_wrapping
def half(x: Any) -> Any:
    """The upper 63 bits of a uint64, as int64."""
    return np.int64(x >> _ONE)


@jit
def draw_below(state: Any, n: Any) -> Any:
    """A number from 0 to n-1 without any bias, for n up to 2^62; returns (state, number)."""
    mask = n - 1
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> shift
    state = advance(state)
    number = half(mix(state)) & mask
    while number >= n:
        state = advance(state)
        number = half(mix(state)) & mask
    return state, number


@jit
def list_cards(num_classes: Any, cards: Any) -> Any:
    """By case, the cards of all classes in a row, (C, 32), and where each class starts, int64."""
    listed = np.zeros((cards.shape[0], 32), dtype=np.int64)
    start = np.zeros((cards.shape[0], MAX_CLASSES + 1), dtype=np.int64)
    for c in range(cards.shape[0]):
        at = 0
        for i in range(num_classes[c]):
            for card in range(32):
                if (cards[c, i] >> card) & 1:
                    listed[c, at] = card
                    at += 1
            start[c, i + 1] = at
    return listed, start


@jit
def draw_cards(
    upto: Any, case: Any, split: Any, listed: Any, start: Any, state: Any, out: Any
) -> Any:
    """Draws one world.

    Args:
        upto: see `build_tables`; so `case` and `split`. At least one table.
        case: the case of each table.
        split: the splits of each table.
        listed: see `list_cards`; its order within a class changes with every draw.
        start: where each class starts.
        state: random stream.
        out: (3,) int64, out: the cards by place.

    Returns:
        The advanced stream.
    """
    state, number = draw_below(state, upto[upto.shape[0] - 1])
    low = np.int64(0)
    high = np.int64(upto.shape[0] - 1)
    while low < high:
        middle = (low + high) // 2
        if number < upto[middle]:
            high = middle
        else:
            low = middle + 1
    order = listed[case[low]]
    bounds = start[case[low]]
    for place in range(3):
        out[place] = 0
    i = 0
    while i < MAX_CLASSES and bounds[i + 1] > bounds[i]:
        begin = bounds[i]
        end = bounds[i + 1]
        on_table = begin + np.int64(split[low, 2 * i])
        in_left = on_table + np.int64(split[low, 2 * i + 1])
        # A class that goes to one place as a whole needs no random order; nor do the last cards.
        mixed = on_table > begin and on_table < end
        mixed |= in_left > on_table and in_left < end
        for j in range(begin, end):
            if mixed and j < in_left:
                state = advance(state)
                other = j + below(state, end - j)
                card = order[other]
                order[other] = order[j]
                order[j] = card
            else:
                card = order[j]
            place = TABLE if j < on_table else (LEFT if j < in_left else RIGHT)
            out[place] |= np.int64(1) << card
        i += 1
    return state


@jit
def draw_order(cards: Any, out: Any, state: Any) -> Any:
    """Writes the cards of a set to `out[0:]` in random order; returns the advanced stream."""
    n = 0
    for card in range(32):
        if (cards >> card) & 1:
            out[n] = card
            n += 1
    for i in range(n - 1, 0, -1):
        state = advance(state)
        j = below(state, i + 1)
        card = out[i]
        out[i] = out[j]
        out[j] = card
    return state
