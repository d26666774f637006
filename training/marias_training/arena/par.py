"""The double-dummy side of finished games: what a contract was worth, whoever then played it how.

A game's payments are the double-dummy payments at its first lead plus what play added to them. So a
difference between two agents falls into two parts that add up exactly: what they made of the
bidding (contract, talon, announcements, doubling) and what they made of the cards. Double dummy
all players see all cards, so the split says where a difference comes from, not how well either part
was done in absolute terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.actions import PLAY
from marias_env.batch import DealBatch
from marias_env.core.deal import END_REVOKE, HISTORY
from marias_env.core.history import action_of
from marias_env.core.jit import jit
from marias_env.core.step import step
from marias_env.rules import Rules


@jit
def _replay_rows(deals: Any, rules: Any, histories: Any, lengths: Any) -> None:
    for i in range(deals.shape[0]):
        for n in range(lengths[i]):
            step(deals[i], rules[0], action_of(histories[i, n]))


def bidding_lengths(deals: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Returns (N,) how many actions of each finished deal came before its first lead."""
    played = 3 * deals["tricks"].astype(np.int64) + deals["in_trick"]
    return np.asarray(deals["num_actions"].astype(np.int64) - played, dtype=np.int64)


def first_leads(deals: npt.NDArray[Any], rules: Rules, lengths: npt.NDArray[np.int64]) -> DealBatch:
    """Returns the positions of finished deals before their first lead."""
    batch = DealBatch(len(deals), rules, seed=0, autoreset=False)
    batch.set_decks(deals["deck"][:, : rules.num_cards], deals["dealer"])
    _replay_rows(batch.deals, batch.packed_rules, np.ascontiguousarray(deals["history"]), lengths)
    return batch


def par_payments(
    deals: npt.NDArray[Any], rules: Rules, threads: int | None = 1
) -> npt.NDArray[np.int64]:
    """Returns (N, 3) the double-dummy payments of finished deals at their first lead.

    Deals that were not played (paid without play) have what was paid. Games that were bid
    alike on the same deck are solved once.

    Args:
        deals: (N,) finished DEAL records; none of them ended by a revoke.
        rules: rule set.
        threads: threads of the solver; None: one per core.

    Raises:
        ValueError: a deal ended by a revoke.
        SolverError: an option of the rules makes the solver inexact.
    """
    # Imported here: compiling the solver takes longer than the rest of the arena together.
    from marias_agents.solver import solve_batch

    if (deals["ending"] == END_REVOKE).any():
        raise ValueError("a deal ended by a revoke has no double-dummy payment")
    lengths = bidding_lengths(deals)
    keys = np.zeros((len(deals), 33 + HISTORY), dtype=np.uint8)
    keys[:, :32] = deals["deck"]
    keys[:, 32] = deals["dealer"]
    keys[:, 33:] = np.where(np.arange(HISTORY) < lengths[:, None], deals["history"], 255)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    distinct = deals[first]
    batch = first_leads(distinct, rules, lengths[first])
    values = distinct["value"].astype(np.int64)
    playing = np.flatnonzero(batch.deals["phase"] == PLAY)
    if playing.size:
        values[playing] = solve_batch(batch[playing], threads=threads)
    payments = np.repeat(-values[inverse][:, None], 3, axis=1)
    rows = np.arange(len(deals))
    payments[rows, deals["declarer"].astype(np.int64)] *= -2
    return payments
