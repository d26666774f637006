"""What a gauntlet's chunks say: differences by kind and position, mean, worst, and by phase."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.notebook import shown
from marias_training.arena.breakdown import POSITIONS, ROLES, Counts, merge
from marias_training.arena.chunk import Chunk
from marias_training.arena.stats import Interval, intervals
from marias_training.gauntlet.parting import PARTINGS
from marias_training.gauntlet.seats import Table

DIFFERENCES: Final = ("agent - stranger", "agent - reference", "reference - stranger")
"""What is measured. The first two are the gauntlet's result; the third is the reference's own."""
METRICS: Final = ("capped", "raw")
Values = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Measure:
    """One difference, units per deal and seat.

    Attributes:
        capped: units per opponent cut at 16.
        raw: as paid.
    """

    capped: Interval
    raw: Interval

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as JSON values."""
        return {"capped": self.capped.to_dict(), "raw": self.raw.to_dict()}


class Gauntlet:
    """The result of a gauntlet.

    Attributes:
        header: what was played: agents, rules, seed, version.
        agent: the agent's name.
        reference: the reference's name.
        deals: deals of the common set.
        games: games played.
        kinds: the strangers' names.
        tables: by table (kinds first, then mixtures) and difference. A mixture has no stranger's
            result of its own and lacks the differences from it.
        mean: by difference, the mean over the kinds; every deal's mean is one value.
        mixtures: the same over the tables with two kinds; empty where there are none.
        positions: by position (forehand, middle, rear) and difference, the mean over the kinds.
        roles: what the games in which the agent is declarer, and those in which it defends, bring
            of `agent - reference`, the mean over the kinds; the two add up to it.
        phases: by phase in which the agent's game first parts from the reference's: how often
            (share of the deals), and what that brings (units per deal and seat, capped and raw;
            over all phases they add up to `agent - reference` over all tables).
    """

    def __init__(
        self, header: Mapping[str, Any], tables: Sequence[Table], chunks: Sequence[Chunk]
    ) -> None:
        self.header = dict(header)
        self.agent, self.reference = (str(name) for name in header["agents"][:2])
        self.kinds = tuple(table.label for table in tables if table.alike)
        self.deals = sum(int(chunk["deals"]) for chunk in chunks)
        self.games = sum(int(chunk["games"]) for chunk in chunks)
        self._chunks = tuple(chunks)
        self._columns: dict[tuple[str, str, str], Values] = {}
        mixtures = tuple(table.label for table in tables if not table.alike)
        self.tables = {
            table.label: {
                difference: self._measure([table.label], difference)
                for difference in DIFFERENCES
                if table.alike or "stranger" not in difference
            }
            for table in tables
        }
        self.mean = {name: self._measure(self.kinds, name) for name in DIFFERENCES}
        self.mixtures = (
            {DIFFERENCES[1]: self._measure(mixtures, DIFFERENCES[1])} if mixtures else {}
        )
        self.positions = {
            position: {name: self._measure(self.kinds, name, index) for name in DIFFERENCES}
            for index, position in enumerate(POSITIONS)
        }
        self.roles = {role: self._role(role) for role in ROLES}
        self.phases = self._phases([*self.kinds, *mixtures])

    def _repr_html_(self) -> str:
        return shown(self, "marias_training.gauntlet.report", "as_html")

    def worst(self, difference: str | None = None, metric: str = "capped") -> str:
        """Returns the kind against which a difference is smallest.

        Args:
            difference: one of `DIFFERENCES`; None: from the reference, and where the agent is the
                reference itself, from the stranger.
            metric: `capped` or `raw`.
        """
        name = difference or DIFFERENCES[0 if self.agent == self.reference else 1]
        return min(self.kinds, key=lambda kind: getattr(self.tables[kind][name], metric).mean)

    def counts(self, who: str = "agent", table: str | None = None) -> Counts:
        """Returns how often a player declared, defended, doubled what, over one table or the kinds.

        Args:
            who: `agent`, `reference` or `stranger`.
            table: a table's name; None: all kinds.
        """
        labels = self.kinds if table is None else (table,)
        return merge(
            chunk["tables"][label]["counts"].get(who, {})
            for chunk in self._chunks
            for label in labels
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON values."""

        def plain(measures: Mapping[str, Measure]) -> dict[str, Any]:
            return {name: measure.to_dict() for name, measure in measures.items()}

        return {
            **self.header,
            "agent": self.agent,
            "reference": self.reference,
            "deals": self.deals,
            "games": self.games,
            "tables": {label: plain(found) for label, found in self.tables.items()},
            "mean": plain(self.mean),
            "mixtures": plain(self.mixtures),
            "worst": {name: self.worst(name) for name in DIFFERENCES},
            "positions": {label: plain(found) for label, found in self.positions.items()},
            "roles": plain(self.roles),
            "phases": self.phases,
            "breakdown": {
                who: {
                    group: {
                        key: {"times": n, "won": won, "units": units}
                        for key, (n, won, units) in table.items()
                    }
                    for group, table in self.counts(who).items()
                }
                for who in ("agent", "reference", "stranger")
            },
        }

    def _values(self, label: str, who: str, metric: str) -> Values:
        # (3, D) payments by position and deal.
        key = (label, who, metric)
        if key not in self._columns:
            parts = [chunk["tables"][label][who][metric] for chunk in self._chunks]
            self._columns[key] = np.concatenate(
                [np.asarray(part, dtype=np.float64) for part in parts] or [np.zeros((3, 0))], axis=1
            )
        return self._columns[key]

    def _measure(
        self, labels: Sequence[str], difference: str, position: int | None = None
    ) -> Measure:
        one, other = difference.split(" - ")
        found = {}
        for metric in METRICS:
            apart = [
                self._values(label, one, metric) - self._values(label, other, metric)
                for label in labels
            ]
            mean = np.mean(apart, axis=0)
            column = mean.mean(axis=0) if position is None else mean[position]
            found[metric] = intervals(column[:, None])[0]
        return Measure(found["capped"], found["raw"])

    def _role(self, role: str) -> Measure:
        found = {}
        for metric in METRICS:
            parts = [
                np.mean(
                    [chunk["tables"][kind]["roles"][role][metric] for kind in self.kinds], axis=0
                )
                for chunk in self._chunks
            ]
            column = np.concatenate(parts) / 3 if parts else np.zeros(0)
            found[metric] = intervals(column[:, None])[0]
        return Measure(found["capped"], found["raw"])

    def _phases(self, labels: Sequence[str]) -> dict[str, dict[str, float]]:
        total = merge(
            {"parting": chunk["tables"][label]["parting"]}
            for chunk in self._chunks
            for label in labels
        ).get("parting", {})
        games = max(3 * self.deals * len(labels), 1)
        return {
            phase: {
                "share": total[phase][0] / games,
                "capped": total[phase][2] / games,
                "raw": total[phase][1] / games,
            }
            for phase in PARTINGS
            if phase in total
        }
