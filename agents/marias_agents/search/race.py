"""Playing options out in many worlds, and dropping those that cannot be the best any more."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_agents.search.engine import Engine, Floats, Ints
from marias_agents.search.kernels.simulate import IMPOSSIBLE

FIRST_LOOK: Final = 64
"""Options are dropped for the first time after so many worlds, then whenever these double."""
KEPT: Final = 3.0
"""An option stays while it is no more than so many standard errors behind the best."""


class Race(NamedTuple):
    """How it ended.

    Attributes:
        possible: (m,) whether the option was legal all the way.
        alive: (a,) indices of the options that were looked at to the end.
        units: (m,) mean payments of the seat on turn, each over the worlds it was looked at in.
        wins: (m,) the share of these worlds in which the seat is paid something.
        worlds: how many were looked at.
    """

    possible: npt.NDArray[np.bool_]
    alive: Ints
    units: Floats
    wins: Floats
    worlds: int


def race(
    engine: Engine, worlds: Any, weights: Floats, rules: Any, options: Ints, solve: bool = False
) -> Race:
    """Values options for the seat on turn, the same worlds for all.

    Args:
        engine: the search.
        worlds: (n,) DEAL.
        weights: (n,) what each counts.
        rules: packed.
        options: (m, k) actions, see `simulate_rows`.
        solve: the play is solved instead of played out.
    """
    seat = int(worlds["turn"][0])
    payments = np.zeros((len(worlds), len(options)), dtype=np.float64)
    looked = np.zeros(len(options), dtype=np.int64)
    possible = np.ones(len(options), dtype=np.bool_)
    value = engine.solved if solve else engine.played
    limit = 2.0 * engine.options.cap or np.inf
    alive = np.arange(len(options))
    done = 0
    while done < len(worlds):
        stop = min(len(worlds), max(FIRST_LOOK, 2 * done))
        found = value(worlds[done:stop], rules, options[alive], seat)
        legal = (found > IMPOSSIBLE).all(axis=0)
        possible[alive[~legal]] = False
        alive = alive[legal]
        payments[done:stop, alive] = np.clip(found[:, legal], -limit, limit)
        done = stop
        looked[alive] = done
        if done < len(worlds):
            alive = alive[_still_in(payments[:done, alive], weights[:done])]
        if len(alive) == 1 or engine.late():
            break
    # Worlds that an option was not looked at in count nothing for it.
    share = np.where(np.arange(len(worlds))[:, None] < looked, weights[:, None], 0.0)
    share /= np.maximum(share.sum(axis=0), 1e-300)
    units = (share * payments).sum(axis=0)
    return Race(possible, alive, units, (share * (payments > 0)).sum(axis=0), done)


def _still_in(payments: Floats, weights: Floats) -> Ints:
    # By paired differences from the option that leads.
    share = weights / weights.sum()
    behind = payments[:, [int(np.argmax(share @ payments))]] - payments
    mean = share @ behind
    error = np.sqrt(share**2 @ (behind - mean) ** 2)
    return np.flatnonzero(mean <= KEPT * error)
