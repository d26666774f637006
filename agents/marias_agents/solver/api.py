"""The solver for Python callers: records, positions of a batch, many at once on several threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.solver.values import NO_VALUE, rows_cards, rows_values
from marias_agents.solver.workspace import DEFAULT_BITS, USE_ALL, new_workspace
from marias_env.actions import OVER, PHASES, PLAY
from marias_env.batch import DealBatch
from marias_env.cards import CARDS
from marias_env.core.deal import END_REVOKE
from marias_env.errors import MariasError
from marias_env.options import Maybe, Whole, check

CHUNK = 16
"""Rows a thread takes at a time."""


class SolverError(MariasError, ValueError):
    """A position that has no double-dummy value: not in play, or ended by a revoke."""


def solve(position: Mapping[str, Any] | DealBatch) -> dict[str, Any]:
    """Solves a deal double dummy from its last position.

    Args:
        position: a deal record (docs/records.md) or a batch of one row.

    Returns:
        `value`: V of RULES.md 6 (units per opponent, declarer's view) under best play of everybody,
        the two defenders as one side; `cards`: V after every legal card by its text, empty when the
        deal is over (then `value` is what was paid).

    Raises:
        RecordError: a malformed or illegal record.
        SolverError: the record stops before the play, or the deal ended by a revoke.
    """
    batch = position if isinstance(position, DealBatch) else _replayed(position)
    if len(batch) != 1:
        raise SolverError(f"a batch of {len(batch)} rows; expected one, or solve_batch")
    deal = batch.deals[0]
    if deal["phase"] == OVER:
        if deal["ending"] == END_REVOKE:
            raise SolverError("the deal ended by a revoke, which has no value for the declarer")
        return {"value": int(deal["value"]), "cards": {}}
    cards = solve_cards(batch, threads=1)[0]
    found = {CARDS[card]: int(cards[card]) for card in range(32) if cards[card] != NO_VALUE}
    best = max if deal["turn"] == deal["declarer"] else min
    return {"value": best(found.values()), "cards": found}


def solve_batch(
    batch: DealBatch, threads: int | None = None, flags: int = USE_ALL
) -> npt.NDArray[np.int64]:
    """Returns V of every row, (B,) int64.

    Args:
        batch: deals, each in play.
        threads: how many work at once; None: as many as there are cores.
        flags: the optimisations in use; the values don't depend on it.

    Raises:
        SolverError: a row is not in play.
    """
    _check_in_play(batch)
    values = np.empty(len(batch), dtype=np.int64)

    def work(workspace: Any, start: int, stop: int) -> None:
        rows_values(workspace, batch.deals[start:stop], batch.packed_rules, values[start:stop])

    _share_out(len(batch), threads, flags, work)
    return values


def solve_cards(
    batch: DealBatch, threads: int | None = None, flags: int = USE_ALL
) -> npt.NDArray[np.int64]:
    """Returns V after every legal card of every row, (B, 32) int64; `NO_VALUE` where not legal.

    Args:
        batch: deals, each in play.
        threads: how many work at once; None: as many as there are cores.
        flags: the optimisations in use; the values don't depend on it.

    Raises:
        SolverError: a row is not in play.
    """
    _check_in_play(batch)
    values = np.empty((len(batch), 32), dtype=np.int64)

    def work(workspace: Any, start: int, stop: int) -> None:
        rows_cards(workspace, batch.deals[start:stop], batch.packed_rules, values[start:stop])

    _share_out(len(batch), threads, flags, work)
    return values


def _replayed(record: Mapping[str, Any]) -> DealBatch:
    from marias_env.records import replay

    batch: DealBatch = replay(record)
    return batch


def _check_in_play(batch: DealBatch) -> None:
    for row in np.flatnonzero(batch.deals["phase"] != PLAY)[:1]:
        phase = PHASES[batch.deals["phase"][row]]
        raise SolverError(
            f"row {row} is in phase {phase}; double dummy has values for positions in phase PLAY"
        )


# Append and pop of a deque need no lock, which a child forked while it is held would wait for.
_free: deque[npt.NDArray[np.int64]] = deque()


def _share_out(
    rows: int, threads: int | None, flags: int, work: Callable[[Any, int, int], None]
) -> None:
    """Calls `work` for all rows in chunks, each thread with a workspace of its own."""
    check("threads", threads, Maybe(Whole(1)))
    workers = min(threads or os.cpu_count() or 1, -(-rows // CHUNK))

    def chunk(start: int) -> None:
        try:
            workspace = _free.pop()
        except IndexError:
            workspace = new_workspace(DEFAULT_BITS)
        workspace[0] = flags
        work(workspace, start, min(start + CHUNK, rows))
        _free.append(workspace)

    starts = range(0, rows, CHUNK)
    if workers <= 1:
        for start in starts:
            chunk(start)
        return
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(chunk, starts))
