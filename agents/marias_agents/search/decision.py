"""What a search found out about one decision, and how it is told in one line."""

from __future__ import annotations

import dataclasses
from typing import Final

from marias_env.actions import ACTIONS

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
