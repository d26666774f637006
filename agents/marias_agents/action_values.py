"""What each legal action was worth, in every phase: the deal as it lay, all cards seen.

In play that is the double-dummy value of each card. Before play it is what the deal comes to if
the others say nothing more (they accept, and double nothing), the declarer still chooses the best
contract, trumps, discards and announcements that it can, and everybody then plays double dummy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from marias_agents.solver import NO_VALUE, solve_batch, solve_cards
from marias_env.actions import (
    ACTIONS,
    ANNOUNCE,
    CONTRACT,
    DISCARD,
    GOOD,
    NAME_TRUMP,
    NUM_ACTIONS,
    OVER,
    PLAY,
    TRUMP,
)
from marias_env.batch import DealBatch
from marias_env.core.deal import END_REVOKE
from marias_env.records import replay

_CHOSEN: Final = (TRUMP, CONTRACT, DISCARD, NAME_TRUMP, ANNOUNCE)
"""Phases in which the one on turn makes the contract that it will play, or lets it be."""


def action_values(position: Mapping[str, Any] | DealBatch) -> dict[str, int]:
    """Returns what each legal action is worth to the side of the seat on turn.

    Args:
        position: a deal record, of which the last position counts, or a batch of one row.

    Returns:
        Units per opponent by action text, from the side of the seat on turn (V of RULES.md 6, with
        its sign turned for a defender); empty when the deal is over. An action after which the deal
        has no such value, a forbidden card that ends it (a revoke), is left out.

    Raises:
        RecordError: a malformed or illegal record.
        ValueError: a batch of more than one row.
    """
    batch = position if isinstance(position, DealBatch) else replay(position)
    if len(batch) != 1:
        raise ValueError(f"a batch of {len(batch)} rows; expected one")
    deal = batch.deals[0]
    seat, phase = int(deal["turn"]), int(deal["phase"])
    if phase == OVER:
        return {}
    if phase == PLAY:
        values = solve_cards(batch, threads=1)[0]
        sign = 1 if seat == deal["declarer"] else -1
        return {
            ACTIONS[card]: sign * int(values[card])
            for card in range(32)
            if values[card] != NO_VALUE
        }
    leaves = _leaves(batch)
    found: dict[str, int] = {}
    for action, declarer, value in leaves:
        # The declarer chooses on the way, so of the ways on the best for it counts.
        gain, text = (value if declarer == seat else -value), ACTIONS[action]
        better = max if declarer == seat else min
        found[text] = better(found[text], gain) if text in found else gain
    return found


def _leaves(batch: DealBatch) -> list[tuple[int, int, int]]:
    # (first action, declarer, V) of every way to the play in which the others are silent.
    done: list[tuple[Any, DealBatch]] = []
    first = np.flatnonzero(_legal(batch)[0])
    rows = batch[np.zeros(len(first), dtype=np.int64)]
    rows.step(first)
    # The first discard of a way, -1 where there is none: two cards put away are one choice.
    before = np.full(len(first), -1)
    while True:
        over = rows.phase >= PLAY
        if over.any():
            done.append((first[over], rows[over]))
        if over.all():
            break
        rows, first, before = rows[~over], first[~over], before[~over]
        allowed = _legal(rows)
        silent = ~np.isin(rows.phase, _CHOSEN)
        allowed[silent] = False
        allowed[silent, GOOD] = True
        for row in np.flatnonzero(before >= 0):
            allowed[row, : before[row]] = False
        again, actions = np.nonzero(allowed)
        put_away = rows.phase[again] == DISCARD
        before = np.where(put_away & (before[again] < 0), actions, -1)
        rows, first = rows[again], first[again]
        rows.step(actions)
        before = np.where(rows.phase == DISCARD, before, -1)
    found: list[tuple[int, int, int]] = []
    for actions, ends in done:
        paid = ends.phase == OVER
        value = ends.deals["value"].astype(np.int64)
        if not paid.all():
            value[~paid] = solve_batch(ends[~paid])
        revoked = paid & (ends.deals["ending"] == END_REVOKE)
        kept = ~revoked
        declarers = ends.deals["declarer"]
        found += [
            (int(a), int(d), int(v)) for a, d, v in zip(actions[kept], declarers[kept], value[kept])
        ]
    return found


def _legal(rows: DealBatch) -> Any:
    bits = rows.legal_bits[:, None] >> np.arange(NUM_ACTIONS, dtype=np.uint64)
    return (bits & np.uint64(1)).astype(bool)
