"""One deal, one decision at a time: a step and the next observation in a single compiled call.

A call from Python costs more than the work it does here, so the PettingZoo face makes one per
decision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import NUM_ACTIONS
from marias_env.core.bits import spread
from marias_env.core.dealing import match_over
from marias_env.core.encode import encode
from marias_env.core.jit import jit
from marias_env.core.layout import OBSERVATION_SIZE
from marias_env.core.step import step
from marias_env.core.turns import takes

ROW_SIZE = OBSERVATION_SIZE + NUM_ACTIONS
"""An observation and the action mask behind it, as one int8 vector."""
REFUSED = -1
ENDED = 3
"""Returned instead of a seat."""


@jit
def _write(d: Any, r: Any, seat: Any, out: Any) -> None:
    words = out.view(np.uint64)
    encode(d, r, seat, words, out)
    legal = np.int64(d["legal"]) if d["turn"] == seat else np.int64(0)
    for byte in range(NUM_ACTIONS // 8):
        words[OBSERVATION_SIZE // 8 + byte] = spread(legal, byte)


@jit
def observe_seat(deals: Any, rules: Any, seat: Any, out: Any) -> None:
    """Writes what a seat sees and its action mask (zeros unless it is on turn).

    Args:
        deals: (1,) DEAL.
        rules: (1,) RULE_SET.
        seat: 0, 1 or 2.
        out: (ROW_SIZE,) int8.
    """
    _write(deals[0], rules[0], np.int64(seat), out)


@jit
def step_and_observe(deals: Any, rules: Any, action: Any, out: Any) -> Any:
    """Takes an action and writes the observation and mask of the seat that is on turn next.

    Args:
        deals: (1,) DEAL, not over.
        rules: (1,) RULE_SET.
        action: int64.
        out: (ROW_SIZE,) int8.

    Returns:
        The seat on turn next; ENDED when the deal is over (nothing is written); REFUSED when the
        action is illegal (nothing is changed).
    """
    d = deals[0]
    if not takes(d, rules[0], action):
        return np.int64(REFUSED)
    step(d, rules[0], action)
    if d["turn"] < 0:
        return np.int64(ENDED)
    seat = np.int64(d["turn"])
    _write(d, rules[0], seat, out)
    return seat


@jit
def episode_over(deals: Any, rules: Any) -> Any:
    """Whether the (finished) deal was the last of its episode."""
    return match_over(deals[0], rules[0])
