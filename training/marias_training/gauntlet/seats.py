"""Who sits at a gauntlet's tables: the agent, the reference or a stranger in one seat in turn."""

from __future__ import annotations

import dataclasses
from typing import Final

import numpy as np
import numpy.typing as npt

AGENT: Final = 0
REFERENCE: Final = 1
FIRST_KIND: Final = 2
"""Indices of the players: the agent, the reference (`rules`), then the kinds of strangers."""


@dataclasses.dataclass(frozen=True)
class Table:
    """Two strangers, whom the player that is measured meets at every seat.

    Attributes:
        label: its name in tables, a kind's or two kinds'.
        left: player index of the stranger on the measured player's left.
        right: of the one on his right.
    """

    label: str
    left: int
    right: int

    @property
    def alike(self) -> bool:
        """Whether both strangers are of one kind, which then has a result of its own."""
        return self.left == self.right

    @property
    def measured(self) -> tuple[int, ...]:
        """Whom the table is played with: agent, reference, and the kind itself."""
        return (AGENT, REFERENCE, self.left) if self.alike else (AGENT, REFERENCE)

    def seating(self, player: int) -> npt.NDArray[np.int64]:
        """Returns (G, 3) the games of a player: he at each seat; a kind by itself plays one."""
        if self.alike and player == self.left:
            return np.full((1, 3), player, dtype=np.int64)
        found = np.empty((3, 3), dtype=np.int64)
        for seat in range(3):
            found[seat, seat] = player
            found[seat, (seat + 1) % 3] = self.left
            found[seat, (seat + 2) % 3] = self.right
        return found


def tables_of(kinds: tuple[str, ...], mixed: bool) -> tuple[Table, ...]:
    """Returns a table for every kind and, if wanted, one for each kind and the next in the list."""
    at = range(FIRST_KIND, FIRST_KIND + len(kinds))
    tables = [Table(kind, index, index) for kind, index in zip(kinds, at)]
    if mixed and len(kinds) > 1:
        after = [*at[1:], at[0]] if len(kinds) > 2 else [at[1]]
        for left, right in zip(at, after):
            label = f"{kinds[left - FIRST_KIND]} + {kinds[right - FIRST_KIND]}"
            tables.append(Table(label, left, right))
    return tuple(tables)
