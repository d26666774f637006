"""The solver's own card sets: one int64 with a lane of sixteen bits for each suit.

A lane holds a suit's cards in the order of their strength, the trump suit in the highest lane, so
that "beats" is "is greater" among cards of the suit led and trumps. Free bits between the cards
serve as fences where neighbours in strength are no equals: `EQUAL_VALUE` between K and 10 of a suit
game, the trump 7 where the last trick may pay for it, and one above every lane.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from marias_env.core.bits import STRENGTH
from marias_env.core.jit import JIT_DISABLED, jit

LANE = 0x7FF
"""Every bit of the lowest lane, its fences included."""
TRUMP_LANE = LANE << 48
PLACE = np.array([0, 2, 3, 4, 5, 6, 8, 9], dtype=np.int64)
"""Bit of each strength (0…7) within a lane."""
ALL_LANES = sum(1 << (16 * lane) for lane in range(4))
TENS = 0x300 * ALL_LANES
"""Aces and tens of a suit game."""
TOP_FENCE = 0x400 * ALL_LANES
VALUE_FENCE = 0x80 * ALL_LANES
"""Between the cards without points and the 10."""
TRUMP_SEVEN = 1 << 48
SEVEN_FENCE = 2 << 48


if JIT_DISABLED:

    def count(x: Any) -> Any:
        """Number of set bits."""
        return int(x).bit_count()

    def first(x: Any) -> Any:
        """Index of the lowest set bit."""
        return (int(x) & -int(x)).bit_length() - 1

    def last(x: Any) -> Any:
        """Index of the highest set bit."""
        return int(x).bit_length() - 1

else:

    @intrinsic
    def count(typingctx: Any, x: Any) -> Any:
        """Number of set bits: one machine instruction."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), build

    @intrinsic
    def first(typingctx: Any, x: Any) -> Any:
        """Index of the lowest set bit of a number that is not 0: one machine instruction."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), build

    @intrinsic
    def last(typingctx: Any, x: Any) -> Any:
        """Index of the highest set bit of a number that is not 0: one machine instruction."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
            return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

        return types.int64(types.int64), build


@jit
def lane_of(suit: Any, trump: Any) -> Any:
    """Lane of a suit: the trump suit has the highest, the suit of the highest lane takes its."""
    if trump < 0 or (suit == 3 and trump == 3):
        return suit
    if suit == trump:
        return np.int64(3)
    if suit == 3:
        return trump
    return suit


@jit
def card_bit(card: Any, trump: Any) -> Any:
    """Bit of a card in the solver's sets; `trump` is -1 for no trumps."""
    mode = 0 if trump >= 0 else 1
    return np.int64(1) << (16 * lane_of(card // 8, trump) + PLACE[STRENGTH[mode, card % 8]])


@jit
def to_lanes(cards: Any, trump: Any) -> Any:
    """A card set of the environment (bit = card id) as one of the solver's."""
    lanes = np.int64(0)
    for card in range(32):
        if (cards >> card) & 1:
            lanes |= card_bit(np.int64(card), trump)
    return lanes


@jit
def follow(hand: Any, led_lane: Any, best: Any, trump_lane: Any) -> Any:
    """The cards that follow a trick (RULES.md 5.2), as `core.legal.follow_mask`.

    Args:
        hand: card set.
        led_lane: all bits of the lane of the suit led.
        best: the card that wins the trick so far, one bit.
        trump_lane: all bits of the trump lane, 0 for no trumps.
    """
    same = hand & led_lane
    if same == 0:
        same = hand & trump_lane
        if same == 0:
            return hand
    # A trumped trick leaves nothing of the suit led above its best card, and every trump is above
    # a plain best card.
    over = same & -(best << 1)
    return over if over != 0 else same


@jit
def distinct(hand: Any, present: Any, fences: Any) -> Any:
    """One card, the lowest, of every block of cards that play alike.

    Args:
        hand: card set.
        present: every card still held or on the table of this trick, `hand` included.
        fences: bits that part two neighbours.
    """
    solid = present | fences
    gone = ~solid & (LANE * ALL_LANES)
    above = hand << 1
    # The bit above a card is either solid or begins a run of absent cards: adding it to the run
    # carries to the first solid bit beyond.
    neighbours = ((above & solid) | ((above & gone) + gone)) & solid
    return hand & ~neighbours
