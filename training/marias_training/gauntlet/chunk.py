"""One chunk of a gauntlet: some deals of the common set, at every table, by everybody measured."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.agent import Agent
from marias_env.core.deal import NUM_SEATS
from marias_env.rules import Rules
from marias_training.arena.breakdown import ROLES, breakdown
from marias_training.arena.chunk import AgentLike, Chunk, common_deals, make_agent
from marias_training.arena.lineups import cap_payments
from marias_training.gauntlet.parting import PARTINGS, parting_phases
from marias_training.gauntlet.seats import AGENT, REFERENCE, Table
from marias_training.play import play

WHO = ("agent", "reference", "stranger")
"""Whose payments a table keeps, in the order of `Table.measured`."""


@dataclasses.dataclass(frozen=True)
class GauntletJob:
    """What a gauntlet plays; the same for all its chunks.

    Attributes:
        agents: the agent, the reference, then the strangers.
        tables: who sits with whom.
        rules: rule set.
        seed: seed of the common deal set.
    """

    agents: tuple[AgentLike, ...]
    tables: tuple[Table, ...]
    rules: Rules
    seed: int

    def players(self) -> list[Agent]:
        """Makes the players."""
        return [make_agent(agent) for agent in self.agents]

    def play(self, players: list[Agent], start: int, size: int) -> Chunk:
        """Plays a chunk: all tables in one batch, so that equal decisions are asked for once."""
        decks, dealers = common_deals(self.rules, self.seed, start, size)
        games = [(table, who) for table in self.tables for who in table.measured]
        lines = np.concatenate([table.seating(who) for table, who in games])
        seating = np.repeat(lines, size, axis=0)
        repeated = (np.tile(decks, (len(lines), 1)), np.tile(dealers, len(lines)))
        played = play(*repeated, seating, players, self.rules)
        chunk: Chunk = {
            "start": start,
            "deals": size,
            "games": len(played.batch),
            "tables": {},
            "use": [dataclasses.asdict(use) for use in played.use],
        }
        at = 0
        for table in self.tables:
            found: dict[int, npt.NDArray[np.int64]] = {}
            for who in table.measured:
                count = len(table.seating(who)) * size
                found[who] = np.arange(at, at + count)
                at += count
            chunk["tables"][table.label] = _result(
                table, found, played.deals, played.payments, played.seating, self.rules
            )
        return chunk


def _result(
    table: Table,
    rows: dict[int, npt.NDArray[np.int64]],
    deals: npt.NDArray[Any],
    payments: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    rules: Rules,
) -> dict[str, Any]:
    # Payments by position (forehand, middle, rear) and deal, what was declared and defended, and
    # where the agent's game parts from the reference's.
    result: dict[str, Any] = {"counts": {}}
    own: dict[str, dict[int, npt.NDArray[np.int64]]] = {"raw": {}, "capped": {}}
    size = len(rows[AGENT]) // 3
    seats = np.repeat(np.arange(NUM_SEATS), size)
    for who, name in zip(table.measured, WHO):
        paid = {"raw": payments[rows[who]], "capped": cap_payments(payments[rows[who]])}
        dealers = deals["dealer"][rows[who]].astype(np.int64)
        for metric, values in paid.items():
            if len(values) == size:  # a kind by itself is in all three seats of one game
                by_seat = values.T
            else:
                by_seat = values[np.arange(3 * size), seats].reshape(3, size)
            own[metric][who] = by_seat
            forehand = (dealers[:size] + 1) % NUM_SEATS
            order = (forehand[None, :] + np.arange(NUM_SEATS)[:, None]) % NUM_SEATS
            by_position = np.take_along_axis(by_seat, order, axis=0)
            result.setdefault(name, {})[metric] = by_position.tolist()
        found = breakdown(deals[rows[who]], payments[rows[who]], seating[rows[who]], [who], rules)
        result["counts"][name] = found[who]
    lone = deals["declarer"][rows[AGENT]] == seats
    result["roles"] = {
        role: {
            metric: (np.where(mine, (paid[AGENT] - paid[REFERENCE]).reshape(-1), 0))
            .reshape(3, size)
            .sum(axis=0)
            .tolist()
            for metric, paid in own.items()
        }
        for role, mine in zip(ROLES, (lone, ~lone))
    }
    phase = parting_phases(deals[rows[AGENT]], deals[rows[REFERENCE]], rules)
    result["parting"] = {
        PARTINGS[p]: [
            int((phase == p).sum()),
            *(
                int((own[metric][AGENT] - own[metric][REFERENCE]).reshape(-1)[phase == p].sum())
                for metric in ("raw", "capped")
            ),
        ]
        for p in np.unique(phase).tolist()
    }
    return result
