"""What the search agents have in common: one decision per view, and the reason for it."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import Final

import numpy as np
import numpy.typing as npt

from marias_agents.rules.kernel import act_rows
from marias_agents.search.engine import Engine
from marias_env.actions import ACTIONS
from marias_env.views import Views

TOLD: Final = 8
"""Of two discards there can be 66: more than the best few nobody reads."""


@dataclasses.dataclass
class Decision:
    """One decision.

    Attributes:
        action: what is done.
        how: what it rests on, in a few words.
        alternatives: the options, each as the actions it consists of.
        units: expected payment of the seat, by alternative; those that fell behind early were not
            looked at in all worlds.
        wins: share of the worlds in which the seat is paid something, by alternative.
        chosen: the alternative that begins with, or contains, the action.
    """

    action: int
    how: str
    alternatives: list[tuple[int, ...]] = dataclasses.field(default_factory=list)
    units: list[float] = dataclasses.field(default_factory=list)
    wins: list[float] = dataclasses.field(default_factory=list)
    chosen: tuple[int, ...] = ()

    def __str__(self) -> str:
        order = sorted(
            range(len(self.units)),
            key=lambda i: (self.alternatives[i] != self.chosen, -self.units[i]),
        )
        told = [
            f"{' '.join(ACTIONS[action] for action in self.alternatives[i])} "
            f"{self.units[i]:+.2f} ({self.wins[i]:.0%})"
            for i in order[:TOLD]
        ]
        if len(order) > TOLD:
            told.append(f"{len(order) - TOLD} more")
        return f"{ACTIONS[self.action]}: {'; '.join([*told, self.how])}"


class Searcher(ABC):
    """Decides view by view; a subclass says how.

    Args:
        engine: random streams, workspaces and the rules player's points.
        seed: agents of different seeds sample different worlds.
        name: what tables call it.
    """

    def __init__(self, engine: Engine, seed: int, name: str) -> None:
        self.name = name
        self.seed = seed
        self._engine = engine

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses an action for every view (the masks are in the views)."""
        return np.array([decision.action for decision in self.decide(views)], dtype=np.int64)

    def explain(self, views: Views) -> list[str]:
        """Returns a line for every view: what each alternative is worth, and how often it wins."""
        return [str(decision) for decision in self.decide(views)]

    def decide(self, views: Views) -> list[Decision]:
        """Returns what is done in every view, and why."""
        first = self._first(views)
        return [self._decide(views, i, int(first[i])) for i in range(len(views))]

    def _first(self, views: Views) -> npt.NDArray[np.int64]:
        # What is done where nothing is searched, or where all else is equal.
        first = np.empty(len(views), dtype=np.int64)
        act_rows(views.deals, views.packed_rules, self._engine.points, first)
        return first

    @abstractmethod
    def _decide(self, views: Views, i: int, base_action: int) -> Decision:
        """Decides view `i`, where the player without search would take `base_action`."""
