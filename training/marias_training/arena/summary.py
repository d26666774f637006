"""What the chunks of an evaluation say: intervals, matrix, ratings, breakdown."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.notebook import shown
from marias_training.arena.breakdown import Counts, merge
from marias_training.arena.chunk import Chunk
from marias_training.arena.lineups import Contest, difference
from marias_training.arena.pairs import (
    METRICS,
    Columns,
    PairResult,
    TableResult,
    pair_result,
    table_result,
)
from marias_training.arena.regret import Regrets
from marias_training.arena.stats import Interval, Ratings, intervals, least_squares_ratings
from marias_training.arena.variates import ControlVariate


def stacked(chunks: Sequence[Chunk], key: str, metric: str) -> npt.NDArray[np.int64]:
    """Returns the (2 or 3, D) sums of one contest over all chunks."""
    parts = [np.asarray(chunk["contests"][key][metric], dtype=np.int64) for chunk in chunks]
    rows = len(key.split("-"))
    return np.concatenate(parts, axis=1) if parts else np.zeros((rows, 0), dtype=np.int64)


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
        self,
        header: Mapping[str, Any],
        contests: Sequence[Contest],
        chunks: Sequence[Chunk],
        variates: Sequence[ControlVariate] = (),
    ) -> None:
        self.header = dict(header)
        self.agents: tuple[str, ...] = tuple(header["agents"])
        self.deals = sum(int(chunk["deals"]) for chunk in chunks)
        self.games = sum(int(chunk["games"]) for chunk in chunks)
        self._contests = tuple(contests)
        self._chunks = tuple(chunks)
        self.pairs: dict[tuple[str, str], PairResult] = {}
        self.tables: list[TableResult] = []
        self._summarize(variates)
        self.controls: dict[str, Interval] = self._controls()

    def _repr_html_(self) -> str:
        return shown(self, "marias_training.arena.tables", "as_html")

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

    def regrets(self, agent: str) -> Regrets:
        """Returns an agent's double-dummy regrets by role and trick, or bidding phase."""
        index = str(self.agents.index(agent))
        return merge(chunk["regrets"][index] for chunk in self._chunks if "regrets" in chunk)

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
            "regrets": {name: self.regrets(name) for name in self.agents},
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

    def _summarize(self, variates: Sequence[ControlVariate]) -> None:
        columns = Columns()
        pairs, tables = [], []
        values = [
            (variate, np.concatenate([chunk["variates"][variate.name] for chunk in self._chunks]))
            for variate in variates
            if self._chunks
        ]
        for contest in self._contests:
            names = [self.agents[agent] for agent in contest.agents]
            kept = self._chunks[0]["contests"][contest.key] if self._chunks else METRICS
            sums = {
                metric: stacked(self._chunks, contest.key, metric)
                for metric in kept
                if metric != "counts"
            }
            if len(names) == 2:
                pairs.append(pair_result(names, sums, values, columns))
            else:
                tables.append(table_result(names, sums, columns))
        for result in pairs:
            pair = result()
            self.pairs[pair.a, pair.b] = pair
        self.tables = [table() for table in tables]

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
