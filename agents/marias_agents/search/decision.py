"""What a search found out about one decision, and how it is told in one line."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.actions import ACTIONS


@dataclasses.dataclass
class Decision:
    """One decision.

    Attributes:
        action: what is done.
        how: what it rests on, in a few words.
        alternatives: the options left at the end, each as the actions it consists of.
        units: expected payment of the seat, by alternative.
        wins: share of the worlds in which the seat is paid something, by alternative.
    """

    action: int
    how: str
    alternatives: list[tuple[int, ...]] = dataclasses.field(default_factory=list)
    units: list[float] = dataclasses.field(default_factory=list)
    wins: list[float] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        order = sorted(range(len(self.units)), key=lambda i: -self.units[i])
        told = [
            f"{' '.join(ACTIONS[action] for action in self.alternatives[i])} "
            f"{self.units[i]:+.2f} ({self.wins[i]:.0%})"
            for i in order
        ]
        return f"{ACTIONS[self.action]}: {'; '.join([*told, self.how])}"


def judged(
    action: int,
    how: str,
    alternatives: Sequence[int | tuple[int, ...]],
    units: npt.NDArray[np.float64],
    payments: npt.NDArray[Any],
    weights: npt.NDArray[np.float64],
) -> Decision:
    """Returns a decision from the payments in every world.

    Args:
        action: what is done.
        how: what it rests on.
        alternatives: options.
        units: (m,) what they are worth.
        payments: (worlds, m) units.
        weights: (worlds,) what each world counts.
    """
    return Decision(
        action,
        how,
        [option if isinstance(option, tuple) else (option,) for option in alternatives],
        units.tolist(),
        (weights @ (payments > 0) / weights.sum()).tolist(),
    )
