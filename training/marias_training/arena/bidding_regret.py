"""Double-dummy regret of the bidding: what each trump, contract, discard, reply and call gave away.

Every legal option of a decision is taken in the true deal, the rules player bids on for everybody,
and the play that follows is solved with all cards seen. The option chosen is judged by the same
continuation as the others, so that what is compared is the options and not who went on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.actions import NUM_ACTIONS, PHASES, PLAY
from marias_env.batch import DealBatch
from marias_env.core.history import actions_of
from marias_env.rules import Rules
from marias_training.arena.lineups import CAP
from marias_training.arena.par import bidding_lengths
from marias_training.arena.regret import Regrets

BIDDING = "bidding"
"""The role under which these regrets stand; their keys are phases."""


def bidding_regrets(
    deals: npt.NDArray[Any],
    seating: npt.NDArray[np.int64],
    agents: Iterable[int],
    rules: Rules,
    threads: int | None = 1,
) -> dict[int, Regrets]:
    """Judges every bidding decision of finished deals against its alternatives.

    Args:
        deals: (N,) finished DEAL records.
        seating: (N, 3) agent index by seat.
        agents: the agents wanted.
        rules: rule set.
        threads: threads of the solver; None: one per core.

    Returns:
        For each agent `{"bidding": {phase: [decisions, optimal, units, capped units]}}`. Units are
        the seat's own payment (a declarer is paid by both others); in the capped ones payments are
        cut at 32, a declarer's 16 from each opponent, before they are compared.
    """
    found: dict[int, Regrets] = {agent: {} for agent in agents}
    lengths = bidding_lengths(deals)
    batch = DealBatch(len(deals), rules, seed=0, autoreset=False)
    batch.set_decks(deals["deck"][:, : rules.num_cards], deals["dealer"])
    keys = np.concatenate([deals["deck"], deals["dealer"][:, None].astype(np.uint8)], axis=1)
    history = deals["history"]
    for n in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > n)
        legal = batch.deals["legal"][rows]
        free = rows[(legal & (legal - 1)) != 0]
        if free.size:
            # Games that were bid alike so far are judged once.
            alike = np.concatenate([keys[free], history[free, :n]], axis=1)
            _, first, inverse = np.unique(alike, axis=0, return_index=True, return_inverse=True)
            payments = _option_payments(batch[free[first]], threads)[inverse.reshape(-1)]
            _count(found, batch, free, actions_of(history[free, n]), payments, seating)
        part = batch[rows]
        part.step(actions_of(history[rows, n]))
        batch[rows] = part
    return found


def _option_payments(batch: DealBatch, threads: int | None) -> npt.NDArray[np.int64]:
    """(B, 48) payments of the seat on turn after each option; the lowest number where illegal."""
    rows, options = np.nonzero(batch.legal_mask())
    seats = batch.turn[rows].astype(np.int64)
    tried = batch[rows]
    tried.step(options.astype(np.int64))
    _bid_on(tried)
    own = tried.payments[np.arange(len(rows)), seats]
    playing = np.flatnonzero(tried.phase == PLAY)
    if playing.size:
        from marias_agents.solver import solve_batch

        values = solve_batch(tried[playing], threads=threads)
        lone = tried.deals["declarer"][playing] == seats[playing]
        own[playing] = np.where(lone, 2 * values, -values)
    payments = np.full((len(batch), NUM_ACTIONS), np.iinfo(np.int64).min // 4)
    payments[rows, options] = own
    return payments


def _bid_on(batch: DealBatch) -> None:
    # The rules player goes on in every seat until the first lead.
    from marias_agents.registry import make

    agent = make("rules")
    while True:
        rows = np.flatnonzero((batch.turn >= 0) & (batch.phase < PLAY))
        if not rows.size:
            return
        part = batch[rows]
        views = part.views()
        part.step(agent.act(views, views.legal_mask()))
        batch[rows] = part


def _count(
    found: Mapping[int, Regrets],
    batch: DealBatch,
    rows: npt.NDArray[np.int64],
    chosen: npt.NDArray[Any],
    payments: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
) -> None:
    best = payments.max(axis=1)
    own = payments[np.arange(len(rows)), chosen]
    units = best - own
    capped = np.clip(best, -2 * CAP, 2 * CAP) - np.clip(own, -2 * CAP, 2 * CAP)
    who = seating[rows, batch.turn[rows]]
    phases = batch.phase[rows]
    for agent, regrets in found.items():
        for phase in np.unique(phases[who == agent]):
            mine = (who == agent) & (phases == phase)
            by_phase = regrets.setdefault(BIDDING, {})
            entry = by_phase.setdefault(PHASES[phase], [0, 0, 0, 0])
            sums = (mine.sum(), (units[mine] == 0).sum(), units[mine].sum(), capped[mine].sum())
            for place, value in enumerate(sums):
                entry[place] += int(value)
