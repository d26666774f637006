"""Cards that play alike: of these one is enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.lanes import (
    SEVEN_FENCE,
    TOP_FENCE,
    VALUE_FENCE,
    card_bit,
    distinct,
    to_lanes,
)
from marias_env.actions import SUIT_GAME
from marias_env.core.bits import marriages_in
from marias_env.core.jit import jit


@jit
def different_cards(view: Any, r: Any) -> Any:
    """The legal cards less those that play like another one; bit set.

    Of neighbours in one hand, with no card between them that anybody could still hold, one is
    enough: they win the same tricks, count the same and leave the same behind.
    """
    me = np.int64(view["viewer"])
    legal = np.int64(view["legal"])
    suit_game = view["contract"] == SUIT_GAME
    hand = np.int64(view["hands"][me])
    trump = np.int64(view["trump"]) if suit_game else np.int64(-1)
    gone = np.int64(view["played"][0] | view["played"][1] | view["played"][2])
    table = np.int64(0)
    for i in range(view["in_trick"]):
        table |= np.int64(1) << np.int64(view["table"][i])
    present = (np.int64(r["deck"]) & ~gone & ~np.int64(view["talon"])) | table
    fences = np.int64(TOP_FENCE)
    if suit_game:
        fences |= np.int64(VALUE_FENCE) | np.int64(SEVEN_FENCE)
    apart = distinct(to_lanes(hand & legal, trump), to_lanes(present, trump), fences)
    cards = np.int64(0)
    for card in range(32):
        if (legal >> card) & 1 and (card_bit(np.int64(card), trump) & apart) != 0:
            cards |= np.int64(1) << card
    if suit_game and r["queen_forced"] == 0:
        # With a king in front of its queen goes the marriage, so it is no neighbour.
        cards |= legal & (marriages_in(hand) << 1)
    return cards


@jit
def different_rows(views: Any, rules: Any) -> Any:
    """`different_cards` of row 0."""
    return different_cards(views[0], rules[0])
