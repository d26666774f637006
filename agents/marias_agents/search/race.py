"""Playing options out in many worlds, and dropping those that cannot be the best any more."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from marias_agents.search.engine import Engine, Floats, Ints
from marias_agents.search.kernels.simulate import IMPOSSIBLE

FIRST_LOOK: Final = 32
"""Options are dropped for the first time after so many worlds, then whenever these double."""
KEPT: Final = 2.5
"""An option stays while it is no more than so many standard errors behind the best."""


def race(
    engine: Engine, worlds: Any, weights: Floats, rules: Any, options: Ints, solve: bool = False
) -> tuple[Ints, Floats, Floats]:
    """Values options for the seat on turn, the same worlds for all.

    Args:
        engine: the search.
        worlds: (n,) DEAL.
        weights: (n,) what each counts.
        rules: packed.
        options: (m, k) actions, see `simulate_rows`.
        solve: the play is solved instead of played out.

    Returns:
        Which options are left, (a,) indices; their payments, (worlds looked at, a), and the weights
        of these worlds.
    """
    seat = int(worlds["turn"][0])
    payments = np.zeros((len(worlds), len(options)), dtype=np.float64)
    value = engine.solved if solve else engine.played
    limit = 2.0 * engine.options.cap or np.inf
    alive = np.arange(len(options))
    done = 0
    while done < len(worlds):
        stop = min(len(worlds), max(FIRST_LOOK, 2 * done))
        found = value(worlds[done:stop], rules, options[alive], seat)
        possible = (found > IMPOSSIBLE).all(axis=0)
        alive = alive[possible]
        payments[done:stop, alive] = np.clip(found[:, possible], -limit, limit)
        done = stop
        if done < len(worlds):
            alive = alive[_still_in(payments[:done, alive], weights[:done])]
        if len(alive) == 1 or engine.late():
            break
    return alive, payments[:done, alive], weights[:done]


def _still_in(payments: Floats, weights: Floats) -> Ints:
    # By paired differences from the option that leads.
    share = weights / weights.sum()
    behind = payments[:, [int(np.argmax(share @ payments))]] - payments
    mean = share @ behind
    error = np.sqrt(share**2 @ (behind - mean) ** 2)
    return np.flatnonzero(mean <= KEPT * error)
