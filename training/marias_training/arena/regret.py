"""Double-dummy regret: what each card played gave away, had all cards been seen by everybody.

A dashboard that needs few deals, not a measure of strength: the best card double dummy is not
always the best card to somebody who sees only his own, so a regret of zero is nobody's aim.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.batch import DealBatch
from marias_env.core.history import actions_of
from marias_env.rules import Rules
from marias_training.arena.lineups import CAP
from marias_training.arena.par import bidding_lengths, first_leads

Regrets = dict[str, dict[str, list[int]]]
"""`declarer` or `defender` -> trick (`1` …) -> [decisions, optimal, units, capped units].

Only decisions between two legal cards or more count. Units are per opponent; in the capped ones
both values are cut at 16 before they are compared.
"""


def card_regrets(
    deals: npt.NDArray[Any],
    seating: npt.NDArray[np.int64],
    agents: Iterable[int],
    rules: Rules,
    threads: int | None = 1,
) -> dict[int, Regrets]:
    """Solves every card of finished deals against its alternatives.

    Args:
        deals: (N,) finished DEAL records, none of them ended by a revoke.
        seating: (N, 3) agent index by seat.
        agents: the agents wanted.
        rules: rule set.
        threads: threads of the solver; None: one per core.

    Returns:
        The regrets of each agent.
    """
    found: dict[int, Regrets] = {agent: {} for agent in agents}
    lengths = bidding_lengths(deals)
    batch = first_leads(deals, rules, lengths)
    # Games that were bid and played alike so far have equal numbers here, and are solved once.
    alike = _numbered(np.concatenate([deals["deck"], deals["dealer"][:, None]], axis=1))
    alike = _with_actions(alike, deals["history"], lengths)
    played = deals["num_actions"].astype(np.int64) - lengths
    actions = np.full(len(deals), -1, dtype=np.int64)
    for card in range(int(played.max(initial=0))):
        running = np.flatnonzero(played > card)
        chosen = actions_of(deals["history"][running, lengths[running] + card])
        _count(found, batch, running, chosen, seating, alike, card // 3, threads)
        actions[:] = -1
        actions[running] = chosen
        batch.step(actions)
        alike = _numbered(np.stack([alike, actions], axis=1))
    return found


def _numbered(keys: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    numbers = np.unique(keys, axis=0, return_inverse=True)[1]
    return np.asarray(numbers.reshape(-1), dtype=np.int64)


def _with_actions(
    alike: npt.NDArray[np.int64], history: npt.NDArray[Any], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    before = np.arange(history.shape[1]) < lengths[:, None]
    bidding = np.where(before, history.astype(np.int64), -1)
    return _numbered(np.concatenate([alike[:, None], bidding], axis=1))


def _count(
    found: Mapping[int, Regrets],
    batch: DealBatch,
    rows: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    alike: npt.NDArray[np.int64],
    trick: int,
    threads: int | None,
) -> None:
    from marias_agents.solver import NO_VALUE, solve_cards

    legal = batch.deals["legal"][rows]
    free = (legal & (legal - 1)) != 0
    rows, chosen = rows[free], chosen[free]
    if not rows.size:
        return
    _, first, inverse = np.unique(alike[rows], return_index=True, return_inverse=True)
    values = solve_cards(batch[rows[first]], threads=threads)[inverse.reshape(-1)]
    seat = batch.deals["turn"][rows].astype(np.int64)
    lone = seat == batch.deals["declarer"][rows]
    # From the side of the one who plays, and what is not legal below everything.
    own = np.where(
        values == NO_VALUE, np.int64(-(1 << 60)), np.where(lone[:, None], values, -values)
    )
    at = (np.arange(len(rows)), chosen)
    best = own.max(axis=1)
    units = best - own[at]
    capped = np.clip(best, -CAP, CAP) - np.clip(own[at], -CAP, CAP)
    who = seating[rows, seat]
    for agent, regrets in found.items():
        for role, side in (("declarer", lone), ("defender", ~lone)):
            mine = (who == agent) & side
            if not mine.any():
                continue
            entry = regrets.setdefault(role, {}).setdefault(str(trick + 1), [0, 0, 0, 0])
            sums = (mine.sum(), (units[mine] == 0).sum(), units[mine].sum(), capped[mine].sum())
            for place, value in enumerate(sums):
                entry[place] += int(value)
