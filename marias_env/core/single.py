"""One deal at a time, in calls that take and return plain integers.

What costs in a call from Python is not the work but its arguments: each array has to be recognised
and unpacked. Everything about the deal therefore lies in one flat block of bytes, which is the only
array that these functions take.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import NUM_ACTIONS
from marias_env.core.bits import spread
from marias_env.core.deal import DEAL, RULE_SET
from marias_env.core.dealing import match_over, next_episode
from marias_env.core.encode import OBSERVATION_ROW, show
from marias_env.core.jit import jit
from marias_env.core.legal import draw, takes
from marias_env.core.step import step

TABLE = np.dtype(
    [
        ("deal", DEAL),
        ("rules", RULE_SET),
        ("seen", OBSERVATION_ROW),
        ("mask", np.uint64, NUM_ACTIONS // 8),
    ]
)
"""The block: a deal, its rules, and what is shown of it: an observation and an action mask."""
NOBODY_ON_TURN = -1
REFUSED = -2
"""Returned instead of a seat."""


@jit
def _show(table: Any, seat: Any) -> None:
    d = table["deal"]
    show(d, table["rules"], seat, table["seen"])
    legal = np.int64(d["legal"]) if d["turn"] == seat else np.int64(0)
    for byte in range(NUM_ACTIONS // 8):
        table["mask"][byte] = spread(legal, byte)


@jit
def show_seat(block: Any, seat: Any) -> None:
    """Writes what a seat sees and its action mask (zeros unless it is on turn).

    Args:
        block: (N,) uint8, the bytes of a TABLE.
        seat: 0, 1 or 2; -1: nobody (zeros).
    """
    _show(block.view(TABLE)[0], np.int64(seat))


@jit
def step_and_show(block: Any, action: Any) -> Any:
    """Takes an action and writes observation and mask of the seat that is on turn next.

    Args:
        block: (N,) uint8, the bytes of a TABLE.
        action: int64.

    Returns:
        The seat on turn next, NOBODY_ON_TURN when the deal is over (zeros are written); REFUSED
        when the action is illegal or the deal was over (nothing is changed).
    """
    table = block.view(TABLE)[0]
    d = table["deal"]
    if d["turn"] < 0 or not takes(d, table["rules"], action):
        return np.int64(REFUSED)
    step(d, table["rules"], action)
    seat = np.int64(d["turn"])
    _show(table, seat)
    return seat


@jit
def restart_and_show(block: Any) -> Any:
    """Starts the next episode and writes what the seat on turn sees; returns that seat.

    Args:
        block: (N,) uint8, the bytes of a TABLE.
    """
    table = block.view(TABLE)[0]
    d = table["deal"]
    next_episode(d, table["rules"])
    seat = np.int64(d["turn"])
    _show(table, seat)
    return seat


@jit
def draw_action(block: Any) -> Any:
    """A uniformly random legal action from the deal's own stream; -1 when it is over.

    Args:
        block: (N,) uint8, the bytes of a TABLE.
    """
    d = block.view(TABLE)[0]["deal"]
    if d["turn"] < 0:
        return np.int64(-1)
    return draw(d)


@jit
def episode_over(deals: Any, rules: Any) -> Any:
    """Whether the (finished) deal was the last of its episode."""
    return match_over(deals[0], rules[0])
