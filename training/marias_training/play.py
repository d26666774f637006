"""The batched driver: any number of deals to their end, any agent in any seat."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.agent import Agent
from marias_env.actions import ACTIONS, NUM_ACTIONS, PHASES
from marias_env.batch import DealBatch
from marias_env.core.compiling import compile_seconds
from marias_env.core.kernels import NO_ACTION
from marias_env.errors import AgentError
from marias_env.records import Record, record_of
from marias_env.rules import Rules


@dataclasses.dataclass
class AgentUse:
    """What one agent was asked during a run.

    Attributes:
        decisions: decisions made for it in the deals.
        asked: views it was given; fewer than decisions where equal views were asked once.
        calls: calls of `act`.
        seconds: wall-clock time inside `act`, without what was compiled or loaded meanwhile.
    """

    decisions: int = 0
    asked: int = 0
    calls: int = 0
    seconds: float = 0.0


@dataclasses.dataclass
class Played:
    """Deals played to the end.

    Attributes:
        batch: the finished deals, one row each.
        seating: (N, 3) index of the agent in each seat.
        agents: the agents' names.
        use: what each agent was asked.
    """

    batch: DealBatch
    seating: npt.NDArray[np.int64]
    agents: tuple[str, ...]
    use: tuple[AgentUse, ...]

    @property
    def deals(self) -> npt.NDArray[Any]:
        """(N,) DEAL: the final records."""
        return self.batch.deals

    @property
    def payments(self) -> npt.NDArray[np.int64]:
        """(N, 3) units by seat."""
        return self.batch.deals["payments"].astype(np.int64)

    def record(self, row: int, **extra: Any) -> Record:
        """Returns the replayable record of one deal, with the agents by seat under `agents`."""
        names = [self.agents[index] for index in self.seating[row]]
        return record_of(self.batch, row, agents=names, **extra)


def play(
    decks: npt.ArrayLike,
    dealers: npt.ArrayLike | int,
    seating: npt.ArrayLike,
    agents: Sequence[Agent],
    rules: str | Rules = "traditional",
    share: bool = True,
) -> Played:
    """Plays given deals to the end.

    All rows advance together: a sweep takes one action in every running row, with one `act` call
    per agent for all rows it is on turn in.

    Args:
        decks: (N, n) card ids in dealing order.
        dealers: (N,) or one seat.
        seating: (N, 3) or (3,) index into `agents` for each seat.
        agents: the players. The same agent may sit anywhere, also in several seats of one deal.
        rules: a preset's name or a rule set.
        share: ask an agent once for equal views of different rows. An agent's choice is a function
            of the view, so this changes nothing but the time: the seatings of one deck have their
            first decisions in common.

    Returns:
        The finished deals.

    Raises:
        AgentError: an agent returned something that is not a legal action for each of its views.
            No row has taken the sweep in which that happened.
        DeckError: a deck or dealer is wrong.
        ValueError: the seating is wrong.
    """
    cards = np.atleast_2d(np.asarray(decks))
    seats = np.asarray(seating, dtype=np.int64)
    seats = np.ascontiguousarray(np.broadcast_to(seats, (len(cards), 3)))
    if not len(agents) or (seats < 0).any() or (seats >= len(agents)).any():
        raise ValueError(f"seating: expected indices below {len(agents)}, the number of agents")
    batch = DealBatch(len(cards), rules, seed=0, autoreset=False)
    batch.set_decks(cards, dealers)
    use = tuple(AgentUse() for _ in agents)
    actions = np.full(len(batch), NO_ACTION, dtype=np.int64)
    while True:
        turn = batch.deals["turn"]
        running = np.flatnonzero(turn >= 0)
        if not running.size:
            break
        on_turn = seats[running, turn[running]]
        actions[:] = NO_ACTION
        for index, agent in enumerate(agents):
            rows = running[on_turn == index]
            if rows.size:
                actions[rows] = _ask(agent, batch, rows, use[index], share)
        batch.step(actions)
    return Played(batch, seats, tuple(agent.name for agent in agents), use)


def _ask(
    agent: Agent, batch: DealBatch, rows: npt.NDArray[np.int64], use: AgentUse, share: bool
) -> npt.NDArray[np.int64]:
    # The agent's actions in some rows, checked.
    views = batch.views(rows)
    use.decisions += len(rows)
    inverse = None
    asked_rows = rows
    if share:
        # A view's `rng` is a 64-bit hash of the whole view, so equal hashes mean equal views.
        _, first, inverse = np.unique(views.deals["rng"], return_index=True, return_inverse=True)
        if len(first) < len(rows):
            views = views[first]
            asked_rows = rows[first]
        else:
            inverse = None
    masks = views.legal_mask()
    start = time.perf_counter() - compile_seconds()
    # A copy, since an agent that writes to its masks must not be able to make an action legal.
    answer = agent.act(views, masks.copy())
    use.seconds += time.perf_counter() - compile_seconds() - start
    use.asked += len(asked_rows)
    use.calls += 1
    chosen = _checked(agent, answer, masks, batch, asked_rows)
    return chosen if inverse is None else chosen[inverse]


def _checked(
    agent: Agent,
    answer: Any,
    masks: npt.NDArray[np.int8],
    batch: DealBatch,
    rows: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    chosen = np.asarray(answer)
    if chosen.shape != (len(rows),) or chosen.dtype.kind not in "iu":
        raise AgentError(
            f"agent {agent.name!r}: `act` returned an array of shape {chosen.shape} and dtype "
            f"{chosen.dtype}; expected ({len(rows)},) integers"
        )
    in_range = (chosen >= 0) & (chosen < NUM_ACTIONS)
    actions = np.where(in_range, chosen, 0).astype(np.int64)
    bad = np.flatnonzero(~in_range | (masks[np.arange(len(rows)), actions] == 0))
    if bad.size:
        at = int(bad[0])
        row, action = int(rows[at]), int(chosen[at])
        deal = batch.deals[row]
        text = ACTIONS[action] if 0 <= action < NUM_ACTIONS else "out of range"
        legal = ", ".join(ACTIONS[a] for a in np.flatnonzero(masks[at]))
        raise AgentError(
            f"agent {agent.name!r}: action {action} ({text}) is not legal for seat {deal['turn']} "
            f"in phase {PHASES[deal['phase']]} (row {row}); expected one of {legal}"
        )
    return actions
