"""What every face must agree on with the core, checked on a record of the deal played anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import marias_env
from marias_env.actions import OVER
from marias_env.batch import DealBatch
from marias_env.records import record_of
from tests.hidden import permuted


def check_mask(batch: DealBatch, row: int, mask: Any) -> None:
    """The mask is that of a deal replayed from the record of this one."""
    core = marias_env.replay(record_of(batch, row))
    assert core.turn[0] == batch.turn[row] >= 0
    assert (core.legal_mask()[0] == np.asarray(mask, dtype=np.int8)).all()


def paid(batch: DealBatch, row: int) -> list[int]:
    """The payments of a finished deal, from its record played anew; they sum to zero."""
    core = marias_env.replay(record_of(batch, row))
    assert core.phase[0] == OVER
    payments = core.payments[0].tolist()
    assert sum(payments) == 0
    return payments


def permute_hidden(
    batch: DealBatch, seats: npt.NDArray[np.int64], rng: np.random.Generator
) -> tuple[npt.NDArray[Any], int]:
    """Copies of the deals with cards permuted that the seats cannot see, and how many differ."""
    deals, changed = batch.deals.copy(), 0
    for row, seat in enumerate(seats.tolist()):
        other = permuted(batch.deals[row], seat, batch.rules, rng)
        if other is not None:
            deals[row] = other
            changed += 1
    return deals, changed
