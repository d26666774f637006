"""The result of one contest: two agents, or three at one table."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_training.arena.lineups import difference
from marias_training.arena.stats import Interval, Values, intervals, top_share, trimmed_mean
from marias_training.arena.variates import ControlVariate

METRICS: Final = ("raw", "capped")
"""Units as paid, and with the units per opponent cut at 16."""

Sums = Mapping[str, npt.NDArray[np.int64]]
"""A contest's sums over all deals (`agent_sums`) by metric, `par_raw` and `par_capped` perhaps."""


@dataclasses.dataclass(frozen=True)
class Adjusted:
    """A difference after a control variate with fixed coefficients.

    Attributes:
        intervals: the adjusted difference by metric.
        saved: share of the variance that the variate took away, by metric; negative: it added some.
    """

    intervals: dict[str, Interval]
    saved: dict[str, float]

    def negated(self) -> Adjusted:
        """Returns it for B minus A."""
        return Adjusted({m: i.negated() for m, i in self.intervals.items()}, self.saved)


@dataclasses.dataclass(frozen=True)
class PairResult:
    """A against B: A's units per deal and seat minus B's, in the six mixed line-ups.

    Attributes:
        a: name of A.
        b: name of B.
        raw: difference in units.
        capped: difference with units per opponent cut at 16.
        trimmed: raw difference without the 5 % of deals at either end.
        top_share: share of the raw variance that comes from the 1 % most extreme deals.
        deviations: standard deviation of the per-deal differences by metric.
        alone_a: A's own units per deal where it sits alone against two B.
        alone_b: B's own units per deal where it sits alone against two A.
        bidding: the part of the difference that the double-dummy values of the contracts explain,
            by metric; empty unless the evaluation was run with `par`.
        play: the rest of it, by metric.
        adjusted: the difference after each control variate, by its name.
        per_deal: (D,) per-deal differences by metric.
    """

    a: str
    b: str
    raw: Interval
    capped: Interval
    trimmed: float
    top_share: float
    deviations: dict[str, float]
    alone_a: Interval
    alone_b: Interval
    bidding: dict[str, Interval]
    play: dict[str, Interval]
    adjusted: dict[str, Adjusted]
    per_deal: dict[str, Values] = dataclasses.field(repr=False)

    def swapped(self) -> PairResult:
        """Returns the same result with A and B exchanged."""
        return dataclasses.replace(
            self,
            a=self.b,
            b=self.a,
            raw=self.raw.negated(),
            capped=self.capped.negated(),
            trimmed=-self.trimmed,
            alone_a=self.alone_b,
            alone_b=self.alone_a,
            bidding={metric: part.negated() for metric, part in self.bidding.items()},
            play={metric: part.negated() for metric, part in self.play.items()},
            adjusted={name: adjusted.negated() for name, adjusted in self.adjusted.items()},
            per_deal={metric: -values for metric, values in self.per_deal.items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the per-deal values as JSON values."""

        def parts(found: Mapping[str, Interval]) -> dict[str, Any]:
            return {metric: interval.to_dict() for metric, interval in found.items()}

        return {
            "a": self.a,
            "b": self.b,
            "raw": self.raw.to_dict(),
            "capped": self.capped.to_dict(),
            "trimmed": self.trimmed,
            "top_1_percent_share": self.top_share,
            "deviations": dict(self.deviations),
            "alone_a": self.alone_a.to_dict(),
            "alone_b": self.alone_b.to_dict(),
            "bidding": parts(self.bidding),
            "play": parts(self.play),
            "adjusted": {
                name: {"saved": dict(found.saved), **parts(found.intervals)}
                for name, found in self.adjusted.items()
            },
        }


@dataclasses.dataclass(frozen=True)
class TableResult:
    """Three agents at one table, in all six orders: each one's own units per deal.

    Attributes:
        agents: the three names.
        raw: units per deal of each.
        capped: the same with units per opponent cut at 16.
        differences: for each pair of names the difference of their raw units.
    """

    agents: tuple[str, str, str]
    raw: tuple[Interval, ...]
    capped: tuple[Interval, ...]
    differences: dict[tuple[str, str], Interval]

    def to_dict(self) -> dict[str, Any]:
        """Returns it as JSON values."""
        return {
            "agents": list(self.agents),
            "raw": [interval.to_dict() for interval in self.raw],
            "capped": [interval.to_dict() for interval in self.capped],
            "differences": [
                {"a": a, "b": b, **interval.to_dict()}
                for (a, b), interval in self.differences.items()
            ],
        }


class Columns:
    """Collects per-deal values whose intervals are wanted.

    All are computed at once, so that the bootstrap resamples the same deals for all of them.
    """

    def __init__(self) -> None:
        self._columns: list[Values] = []
        self._found: list[Interval] | None = None

    def add(self, values: Values) -> Callable[[], Interval]:
        """Takes a column; the function that is returned gives its interval, once all are in."""
        place = len(self._columns)
        self._columns.append(np.asarray(values, dtype=np.float64))

        def interval() -> Interval:
            if self._found is None:
                self._found = intervals(np.stack(self._columns, axis=1))
            return self._found[place]

        return interval


def pair_result(
    names: Sequence[str],
    sums: Sums,
    variates: Sequence[tuple[ControlVariate, Values]],
    columns: Columns,
) -> Callable[[], PairResult]:
    """Returns the function that gives a pair's result once all columns are collected.

    Args:
        names: A and B.
        sums: the contest's sums.
        variates: control variates with their values in all deals.
        columns: the collection to add this pair's columns to.
    """
    per_deal = {metric: difference(sums[metric]) for metric in METRICS}
    main = {metric: columns.add(values) for metric, values in per_deal.items()}
    alone = [columns.add(sums["raw"][side] / 3.0) for side in range(2)]
    bidding, play = {}, {}
    if "par_raw" in sums:
        for metric in METRICS:
            par = difference(sums[f"par_{metric}"])
            bidding[metric] = columns.add(par)
            play[metric] = columns.add(per_deal[metric] - par)
    adjusted = []
    for variate, values in variates:
        shifted = {m: variate.adjust(m, per_deal[m], values) for m in METRICS}
        saved = {m: _saved(per_deal[m], shifted[m]) for m in METRICS}
        adjusted.append((variate, saved, {m: columns.add(shifted[m]) for m in METRICS}))

    def result() -> PairResult:
        return PairResult(
            names[0],
            names[1],
            main["raw"](),
            main["capped"](),
            trimmed_mean(per_deal["raw"]),
            top_share(per_deal["raw"]),
            {metric: _deviation(values) for metric, values in per_deal.items()},
            alone[0](),
            alone[1](),
            {metric: column() for metric, column in bidding.items()},
            {metric: column() for metric, column in play.items()},
            {
                variate.name: Adjusted(
                    {m: _with_error_of_mean(c(), variate, m) for m, c in found.items()}, saved
                )
                for variate, saved, found in adjusted
            },
            per_deal,
        )

    return result


def table_result(names: Sequence[str], sums: Sums, columns: Columns) -> Callable[[], TableResult]:
    """Returns the function that gives a table's result once all columns are collected."""
    own = {metric: [columns.add(row / 6.0) for row in sums[metric]] for metric in METRICS}
    raw = sums["raw"]
    pairs = list(itertools.combinations(range(3), 2))
    apart = [columns.add((raw[i] - raw[j]) / 6.0) for i, j in pairs]

    def result() -> TableResult:
        return TableResult(
            (names[0], names[1], names[2]),
            tuple(column() for column in own["raw"]),
            tuple(column() for column in own["capped"]),
            {(names[i], names[j]): column() for (i, j), column in zip(pairs, apart, strict=True)},
        )

    return result


def _deviation(values: Values) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def _saved(before: Values, after: Values) -> float:
    size = float(before.var()) if len(before) else 0.0
    return 1.0 - float(after.var()) / size if size > 0 else 0.0


def _with_error_of_mean(interval: Interval, variate: ControlVariate, metric: str) -> Interval:
    # The variate's mean is itself an estimate, made once for all deals.
    error = 1.96 * abs(variate.coefficients.get(metric, 0.0)) * variate.mean_error
    half = math.hypot(interval.half_width, error)
    return dataclasses.replace(interval, low=interval.mean - half, high=interval.mean + half)
