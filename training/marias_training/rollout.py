"""A rollout: the decisions of played deals, and how much better each turned out than expected."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.actions import CONTRACTS
from marias_env.core.jit import jit
from marias_training.self_play import Record

FloatArray = npt.NDArray[np.float32]


@dataclass
class Rollout:
    """The decisions of some deals that had a choice and were the learner's.

    Attributes:
        record: what was seen and done.
        values: (N,) the critic's estimates.
        advantages: (N,) how much better than the estimate it went.
        deals: (deals,) DEAL at their end.
    """

    record: Record
    values: FloatArray
    advantages: FloatArray
    deals: npt.NDArray[Any]

    @property
    def payments(self) -> npt.NDArray[np.int64]:
        """(deals, 3) units."""
        found: npt.NDArray[np.int64] = self.deals["payments"]
        return found


def join(parts: list[Rollout]) -> Rollout:
    """Returns several threads' decisions as one rollout; deals are numbered through."""
    first = 0
    for part in parts:
        part.record.rows[:] += first
        first += len(part.deals)
    whole = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Rollout)[1:]
    }
    records = zip(*(part.record for part in parts))
    return Rollout(Record._make(np.concatenate(columns) for columns in records), **whole)


@jit
def seat_advantages(
    rewards: FloatArray, values: FloatArray, rows: Any, seats: Any, lam: Any, out: FloatArray
) -> None:
    """Generalised advantage estimation along each seat's own decisions in each deal, with γ = 1.

    What follows a decision is the same seat's next decision, never another player's; after its
    last one comes the end of the deal with this seat's reward, even if others still play on. A row
    is one deal, so nothing leaks from one deal into the next. Forced decisions are left out: they
    have no estimate of their own.

    Args:
        rewards: (deals, 3) float32 at the end of the deal, by seat.
        values: (N,) float32 estimates for the seat that decides.
        rows: (N,) int64 deal of each decision; a deal's decisions in order of time.
        seats: (N,) int64 seat of each decision.
        lam: GAE's λ, float32.
        out: (N,) float32, out.
    """
    next_value = rewards.copy()
    next_advantage = np.zeros_like(rewards)
    for i in range(values.shape[0] - 1, -1, -1):
        row, seat = rows[i], seats[i]
        out[i] = next_value[row, seat] - values[i] + lam * next_advantage[row, seat]
        next_value[row, seat] = values[i]
        next_advantage[row, seat] = out[i]


def deal_stats(deals: npt.NDArray[Any]) -> dict[str, float]:
    """Describes finished deals: contract frequencies, raises, size of payments."""
    stats = {
        f"contract/{name}": float((deals["contract"] == number).mean())
        for number, name in enumerate(CONTRACTS)
    }
    stats["raises"] = float(deals["levels"].max(axis=1).mean())
    stats["declarer_units"] = float(deals["value"].mean())
    stats["units_size"] = float(np.abs(deals["value"]).mean())
    return stats
