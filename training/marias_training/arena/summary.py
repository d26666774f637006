"""What the chunks of an evaluation say: intervals, matrix, ratings, breakdown."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_training.arena.breakdown import Counts, merge
from marias_training.arena.chunk import Chunk
from marias_training.arena.lineups import Contest, difference
from marias_training.arena.stats import (
    Interval,
    Ratings,
    intervals,
    least_squares_ratings,
    top_share,
    trimmed_mean,
)

METRICS: Final = ("raw", "capped")
"""Units as paid, and with the units per opponent cut at 16."""


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
        deviations: standard deviation of the per-deal differences, raw and capped.
        alone_a: A's own units per deal where it sits alone against two B.
        alone_b: B's own units per deal where it sits alone against two A.
        values: (D,) the per-deal raw differences.
    """

    a: str
    b: str
    raw: Interval
    capped: Interval
    trimmed: float
    top_share: float
    deviations: tuple[float, float]
    alone_a: Interval
    alone_b: Interval
    values: npt.NDArray[np.float64] = dataclasses.field(repr=False)

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
            values=-self.values,
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the per-deal values as JSON values."""
        return {
            "a": self.a,
            "b": self.b,
            "raw": self.raw.to_dict(),
            "capped": self.capped.to_dict(),
            "trimmed": self.trimmed,
            "top_1_percent_share": self.top_share,
            "deviation_raw": self.deviations[0],
            "deviation_capped": self.deviations[1],
            "alone_a": self.alone_a.to_dict(),
            "alone_b": self.alone_b.to_dict(),
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


def stacked(chunks: Sequence[Chunk], key: str, metric: str) -> npt.NDArray[np.int64]:
    """Returns the (2 or 3, D) sums of one contest over all chunks."""
    parts = [np.asarray(chunk["contests"][key][metric], dtype=np.int64) for chunk in chunks]
    return np.concatenate(parts, axis=1) if parts else np.zeros((2, 0), dtype=np.int64)


class Evaluation:
    """The result of an evaluation.

    Attributes:
        header: what was evaluated: agents, rules, seed, version.
        agents: the agents' names.
        deals: deals of the common set.
        games: games played, the control's not included.
        pairs: the result of each pair (in the agents' order), by names.
        tables: the results of three agents at one table.
        controls: for each agent the difference between two instances of itself; must contain zero,
            and is exactly zero for an agent that is a function of its views.
    """

    def __init__(
        self, header: Mapping[str, Any], contests: Sequence[Contest], chunks: Sequence[Chunk]
    ) -> None:
        self.header = dict(header)
        self.agents: tuple[str, ...] = tuple(header["agents"])
        self.deals = sum(int(chunk["deals"]) for chunk in chunks)
        self.games = sum(int(chunk["games"]) for chunk in chunks)
        self._contests = tuple(contests)
        self._chunks = tuple(chunks)
        self.pairs: dict[tuple[str, str], PairResult] = {}
        self.tables: list[TableResult] = []
        self._summarize()
        self.controls: dict[str, Interval] = self._controls()

    # ------------------------------------------------------------------ results

    def pair(self, a: str, b: str) -> PairResult:
        """Returns A against B, in either order of the names.

        Raises:
            KeyError: they did not play each other.
        """
        if (a, b) in self.pairs:
            return self.pairs[a, b]
        return self.pairs[b, a].swapped()

    def matrix(self, metric: str = "raw") -> npt.NDArray[np.float64]:
        """Returns (N, N) mean differences, row minus column; nan on the diagonal."""
        n = len(self.agents)
        cells = np.full((n, n), math.nan)
        for i, j in itertools.permutations(range(n), 2):
            if self._played(i, j):
                cells[i, j] = getattr(self.pair(self.agents[i], self.agents[j]), metric).mean
        return cells

    def ratings(self, metric: str = "raw") -> Ratings:
        """Returns additive strengths fitted to the matrix, with what they leave unexplained."""
        return least_squares_ratings(self.matrix(metric))

    def counts(self, agent: str, opponent: str | None = None) -> Counts:
        """Returns an agent's breakdown over all its pair contests, or against one opponent."""
        index = self.agents.index(agent)
        wanted = None if opponent is None else self.agents.index(opponent)
        parts = []
        for contest in self._contests:
            if len(contest.agents) != 2 or index not in contest.agents:
                continue
            if wanted is not None and wanted not in contest.agents:
                continue
            for chunk in self._chunks:
                parts.append(chunk["contests"][contest.key]["counts"].get(str(index), {}))
        return merge(parts)

    def use(self, agent: str) -> dict[str, float]:
        """Returns an agent's decisions, views asked, calls and seconds, without the control."""
        index = self.agents.index(agent)
        total = {"decisions": 0.0, "asked": 0.0, "calls": 0.0, "seconds": 0.0}
        for chunk in self._chunks:
            for key in total:
                total[key] += float(chunk["use"][index][key])
        return total

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON values."""
        found: dict[str, Any] = {
            **self.header,
            "deals": self.deals,
            "games": self.games,
            "pairs": [pair.to_dict() for pair in self.pairs.values()],
            "tables": [table.to_dict() for table in self.tables],
            "control": {name: interval.to_dict() for name, interval in self.controls.items()},
            "breakdown": {
                name: {
                    group: {
                        key: {"times": n, "won": won, "units": units}
                        for key, (n, won, units) in table.items()
                    }
                    for group, table in self.counts(name).items()
                }
                for name in self.agents
            },
            "use": {name: self.use(name) for name in self.agents},
        }
        if len(self.agents) > 2:
            found["ratings"] = {}
            for metric in METRICS:
                rating = self.ratings(metric)
                found["ratings"][metric] = {
                    "values": dict(zip(self.agents, rating.values.tolist(), strict=True)),
                    "residual": rating.residual,
                    "residual_share": rating.share,
                }
        return found

    # ------------------------------------------------------------------ how they are made

    def _played(self, i: int, j: int) -> bool:
        a, b = self.agents[i], self.agents[j]
        return (a, b) in self.pairs or (b, a) in self.pairs

    def _summarize(self) -> None:
        # All columns together, so that the bootstrap resamples the same deals for all of them.
        columns: list[npt.NDArray[np.float64]] = []
        for contest in self._contests:
            raw = stacked(self._chunks, contest.key, "raw")
            capped = stacked(self._chunks, contest.key, "capped")
            if len(contest.agents) == 2:
                columns += [difference(raw), difference(capped), raw[0] / 3.0, raw[1] / 3.0]
            else:
                columns += [row / 6.0 for row in raw] + [row / 6.0 for row in capped]
                columns += [(raw[i] - raw[j]) / 6.0 for i, j in itertools.combinations(range(3), 2)]
        found = intervals(np.stack(columns, axis=1)) if columns else []
        at = 0
        for contest in self._contests:
            names = tuple(self.agents[agent] for agent in contest.agents)
            if len(names) == 2:
                raw_values, capped_values = columns[at], columns[at + 1]
                spread = tuple(
                    float(values.std(ddof=1)) if self.deals > 1 else math.nan
                    for values in (raw_values, capped_values)
                )
                self.pairs[names[0], names[1]] = PairResult(
                    names[0],
                    names[1],
                    found[at],
                    found[at + 1],
                    trimmed_mean(raw_values),
                    top_share(raw_values),
                    (spread[0], spread[1]),
                    found[at + 2],
                    found[at + 3],
                    raw_values,
                )
                at += 4
            else:
                pairs = itertools.combinations(names, 2)
                self.tables.append(
                    TableResult(
                        (names[0], names[1], names[2]),
                        tuple(found[at : at + 3]),
                        tuple(found[at + 3 : at + 6]),
                        dict(zip(pairs, found[at + 6 : at + 9], strict=True)),
                    )
                )
                at += 9

    def _controls(self) -> dict[str, Interval]:
        controls = {}
        for index, name in enumerate(self.agents):
            parts = [
                np.asarray(chunk["control"][str(index)]["raw"], dtype=np.int64)
                for chunk in self._chunks
                if "control" in chunk
            ]
            if parts:
                values = difference(np.concatenate(parts, axis=1))
                controls[name] = intervals(values[:, None])[0]
        return controls
