"""Control variates: known luck of a deal, taken out of the difference with a fixed coefficient.

A variate is a function of the deal alone (deck and dealer), so no agent can influence it. With x
the variate, m its mean over all deals and b a coefficient, the mean of `difference - b (x - m)` is
that of the difference, whatever b is; it varies less where the two are correlated. That holds only
if neither b nor m was chosen by looking at the deals that are evaluated: `fit_variate`
uses others.

The six seatings remove everything that is additive in the seats by themselves (whose cards were
good). What a variate can still take out is how much a deal has at stake.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.rules import Rules

DealFunction = Callable[
    [npt.NDArray[np.uint8], npt.NDArray[np.int8], Rules], npt.NDArray[np.float64]
]
"""Decks (D, n), dealers (D,) and rules to (D,) values; for several processes at module level."""


@dataclasses.dataclass(frozen=True)
class ControlVariate:
    """A variate with the numbers that were fixed beforehand.

    Attributes:
        name: its name in tables and results files.
        function: deal to value.
        mean: its mean over all deals, m.
        coefficients: b by metric, `raw` and `capped`; a metric that is missing is not adjusted.
        mean_error: standard error of `mean`; it is added to the adjusted interval.
    """

    name: str
    function: DealFunction
    mean: float
    coefficients: dict[str, float]
    mean_error: float = 0.0

    def adjust(
        self, metric: str, values: npt.NDArray[np.float64], variate: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Returns the adjusted per-deal differences."""
        return values - self.coefficients.get(metric, 0.0) * (variate - self.mean)

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers as JSON values."""
        return {
            "name": self.name,
            "mean": self.mean,
            "mean_error": self.mean_error,
            "coefficients": dict(self.coefficients),
        }


def stakes(
    decks: npt.NDArray[np.uint8], dealers: npt.NDArray[np.int8], rules: Rules
) -> npt.NDArray[np.float64]:
    """A variate: |V| double dummy of each deal as the agent `rules` bids it in all three seats."""
    return np.abs(reference_value(decks, dealers, rules))


def reference_value(
    decks: npt.NDArray[np.uint8], dealers: npt.NDArray[np.int8], rules: Rules
) -> npt.NDArray[np.float64]:
    """A variate: V double dummy of each deal as the agent `rules` bids it in all three seats."""
    from marias_agents.registry import make
    from marias_training.arena.par import par_payments
    from marias_training.play import play

    played = play(decks, dealers, [0, 0, 0], [make("rules")], rules)
    payments = par_payments(played.deals, rules)
    rows = np.arange(len(payments))
    return np.asarray(payments[rows, played.deals["declarer"].astype(np.int64)] / 2.0)
