"""Who sits where: the line-ups of a contest and the statistic that each deal yields."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Final

import numpy as np
import numpy.typing as npt

ALONE: Final = ("ABB", "BAB", "BBA")
"""Line-ups with one A."""
PAIRED: Final = ("BAA", "ABA", "AAB")
"""Line-ups with one B."""
TABLE: Final = tuple("".join(seats) for seats in itertools.permutations("ABC"))
"""Line-ups of three agents."""

CAP: Final = 16
"""Units per opponent at which capped payments are cut, in both directions."""


@dataclasses.dataclass(frozen=True)
class Contest:
    """Two agents in their six mixed line-ups, or three in their six orders, on one deal set.

    Attributes:
        agents: two or three agent indices.
    """

    agents: tuple[int, ...]

    @property
    def key(self) -> str:
        """Its name in results files, `0-1` or `0-1-2`."""
        return "-".join(str(agent) for agent in self.agents)

    @property
    def names(self) -> tuple[str, ...]:
        """The line-ups' names, letters by seat."""
        return (*ALONE, *PAIRED) if len(self.agents) == 2 else TABLE

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """(6, 3) agent index by line-up and seat."""
        letters = [["ABC".index(letter) for letter in name] for name in self.names]
        seats: npt.NDArray[np.int64] = np.array(self.agents, dtype=np.int64)[np.array(letters)]
        return seats


def cap_payments(payments: npt.NDArray[np.int64], cap: int = CAP) -> npt.NDArray[np.int64]:
    """Returns payments (..., 3) with the units per opponent cut at `cap`; every deal sums to zero.

    Every deal has one seat that pays or receives twice the others' units (the declarer, or whoever
    revoked): that seat's payment is cut at twice the cap.
    """
    sizes = np.abs(payments)
    lone = sizes == sizes.max(axis=-1, keepdims=True)
    limit = np.where(lone, 2 * cap, cap)
    return np.clip(payments, -limit, limit)


def agent_sums(contest: Contest, payments: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns what a contest keeps of each deal: integer sums, so nothing is rounded.

    Args:
        contest: the contest.
        payments: (6, D, 3) units by line-up, deal and seat.

    Returns:
        (2, D) for two agents: the sum of A's payments where A sits alone against two B, and of B's
        where B sits alone against two A. (3, D) for three: the sum of each agent's payments.
    """
    letters = np.array([["ABC".index(letter) for letter in name] for name in contest.names])
    if len(contest.agents) == 2:
        alone = [payments[line, :, int(letters[line].argmin())] for line in range(3)]
        paired = [payments[line, :, int(letters[line].argmax())] for line in range(3, 6)]
        return np.stack([np.sum(alone, axis=0), np.sum(paired, axis=0)]).astype(np.int64)
    sums = [
        np.sum([payments[line, :, int(np.argmax(letters[line] == agent))] for line in range(6)], 0)
        for agent in range(3)
    ]
    return np.stack(sums).astype(np.int64)


def difference(sums: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Returns (D,) the statistic of each deal for A minus B.

    Two agents: the mean over the six line-ups of (mean payment of the A seats minus mean payment of
    the B seats). With A alone its payment is a and each B has -a/2 on average, so that line-up
    counts 3a/2; with B alone it counts -3b/2; six of them make (sum of a - sum of b) / 4.

    Three agents: the mean over the line-ups of A's payment minus B's.
    """
    if len(sums) == 2:
        return np.asarray((sums[0] - sums[1]) / 4.0, dtype=np.float64)
    return np.asarray((sums[0] - sums[1]) / 6.0, dtype=np.float64)
