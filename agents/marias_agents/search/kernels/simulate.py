"""Playing on by the rules player: compiled, each seat from its own view of a world.

A world is a complete record, but nobody in it gets to see more than he would at the table: before
every decision the record is reduced to what the seat on turn knows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.kernel import choose
from marias_env.actions import OVER
from marias_env.core.jit import jit
from marias_env.core.knowledge import erase_position
from marias_env.core.step import step

IMPOSSIBLE = -(1 << 40)
"""Payment where an option is not legal in a world."""


@jit
def rules_choice(d: Any, r: Any, points: Any, at: Any, scratch: Any) -> Any:
    """What the rules player does in the place of the seat on turn, from what that seat knows.

    The rules player reads neither the deck nor hidden actions, so those need not be erased.

    Args:
        d: a complete DEAL record.
        r: rule set.
        points: the rules player's points.
        at: int64 buffer of MAX_TERMS.
        scratch: (1,) DEAL, overwritten.
    """
    legal = np.int64(d["legal"])
    if legal & (legal - 1) == 0:
        return choose(d, r, points, at)
    scratch[0] = d
    view = scratch[0]
    erase_position(view, r, np.int64(d["turn"]))
    return choose(view, r, points, at)


@jit
def to_end(d: Any, r: Any, points: Any, at: Any, scratch: Any) -> None:
    """Lets the rules player bid and play on for everybody, to the end of the deal."""
    while d["phase"] < OVER:
        step(d, r, rules_choice(d, r, points, at, scratch))


@jit
def simulate_rows(
    worlds: Any,
    rules: Any,
    points: Any,
    options: Any,
    seat: Any,
    end: Any,
    scratch: Any,
    at: Any,
    out: Any,
    ends: Any,
) -> None:
    """Takes each option in each world and lets the rules player go on for everybody.

    Args:
        worlds: (n,) DEAL.
        rules: (1,) RULE_SET.
        points: the rules player's points.
        options: (m, k) int64, actions one after the other, -1 where there are no more.
        seat: whose payments are asked for.
        end: the phase before which it stops: PLAY to bid only, OVER to play too.
        scratch: (2,) DEAL.
        at: int64 buffer of MAX_TERMS.
        out: (n, m) int64, out: payments of the seat; where the deal is not over, 0.
        ends: (n * m,) DEAL, out: where it stopped; or empty.
    """
    r = rules[0]
    m = options.shape[0]
    d = scratch[0]
    for i in range(worlds.shape[0]):
        for j in range(m):
            scratch[0] = worlds[i]
            out[i, j] = 0
            for k in range(options.shape[1]):
                action = options[j, k]
                if action >= 0 and out[i, j] == 0:
                    if (np.int64(d["legal"]) >> action) & 1:
                        step(d, r, action)
                    else:
                        out[i, j] = IMPOSSIBLE
            if out[i, j] == 0:
                while d["phase"] < end:
                    step(d, r, rules_choice(d, r, points, at, scratch[1:]))
                out[i, j] = d["payments"][seat]
            if ends.shape[0] > 0:
                ends[i * m + j] = d
