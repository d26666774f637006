"""The AEC environment's game loop: turns, rewards, dead steps, observations."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from marias_env.batch import DealBatch
from marias_env.checks import check_seat
from marias_env.core import single
from marias_env.core.layout import OBSERVATION_SIZE
from marias_env.errors import ActionError, OptionError, StateError
from marias_env.faces.learners import REWARDS, find_match
from marias_env.faces.rendering import check_table_mode
from marias_env.faces.spaces import (
    SeatActions,
    check_dtype,
    observation_dict,
    state_box,
)
from marias_env.faces.start import START_KEYS, check_options, place, prepare
from marias_env.match import Match
from marias_env.one_deal import OneDeal
from marias_env.options import Choice, Maybe, Whole, check
from marias_env.records import Record, record_of
from marias_env.rules import Rules, get_rules
from marias_env.seeds import check_seed

AGENTS: Final = ("player_0", "player_1", "player_2")
"""Agents by seat."""
AFTER_RESET: Final = (
    "agents",
    "num_agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_cumulative_rewards",
)


class Table(AECEnv):
    """One table; see `marias_v0.raw_env`, which adds rendering and copies."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        rules: str | Rules = "traditional",
        episode: str = "deal",
        match: Match | int | None = None,
        reward: str = "units",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        language: str = "en",
        perspective: int | str = "turn",
        dtype: npt.DTypeLike = np.int8,
    ) -> None:
        super().__init__()
        check("reward", reward, Choice(*REWARDS))
        check_table_mode(render_mode)
        check("language", language, Choice("en", "cs"))
        if not isinstance(perspective, str):
            perspective = check_seat("perspective", perspective)
        elif perspective not in ("turn", "all"):
            raise OptionError(f"perspective: {perspective!r}; expected a seat, 'turn' or 'all'")
        max_cycles = check("max_cycles", max_cycles, Maybe(Whole(1)))
        self.render_mode = render_mode
        self.language = language
        self.perspective = perspective
        self.max_cycles = max_cycles
        self.possible_agents = list(AGENTS)
        self._dtype = check_dtype(dtype)
        self._as_int8 = self._dtype == np.int8
        found = find_match(get_rules(rules), episode, match)
        batch = DealBatch(1, rules, seed=0, autoreset=False, match=found)
        self._unit = float(found.chips_per_point) if found and reward == "chips" else 1.0
        self._take(batch)
        self._dealt = False
        self._dead = True
        self._moves = 0
        self._decisions = 0
        self._paid = False
        self._owed: set[str] = set()
        self._shown = False  # whether the one row holds what the agent on turn sees
        self._watched = max_cycles is not None or render_mode == "human"
        self.observation_spaces = {agent: observation_dict(dtype) for agent in AGENTS}
        self.action_spaces = {agent: SeatActions(self, seat) for seat, agent in enumerate(AGENTS)}
        self.state_space = state_box(dtype)

    def _take(self, batch: DealBatch) -> None:
        self._one = OneDeal.of(batch)
        self._batch = self._one.batch
        self._deals = self._batch.deals
        self._packed = self._batch.packed_rules

    def __getattr__(self, name: str) -> Any:
        if name in AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset()")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return self._batch.rules

    @property
    def batch(self) -> DealBatch:
        """A copy of the deal as a `DealBatch` of one row: everything, hidden cards included."""
        return self._batch.copy()

    @property
    def match(self) -> Match | None:
        """The match, None where an episode is one deal."""
        return self._batch.match

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """Returns the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> SeatActions:
        """Returns the action space of an agent: `Discrete(48)`, sampling legal actions."""
        return self.action_spaces[agent]

    # ------------------------------------------------------------------ playing

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Starts an episode.

        Args:
            seed: starts the random streams anew; None goes on with them (the first time: draws a
                seed), and the deal rotates.
            options: `deck` (card texts or ids in dealing order) and/or `dealer` (a seat), or
                `record` (a deal record under the same rules: it is replayed and the
                episode goes on from there; a finished one is over at once, with its rewards).
                Unknown keys are ignored with a warning.

        Raises:
            DeckError: no such deck or dealer; nothing has changed.
            OptionError: a bad seed; nothing has changed.
            RecordError: a bad record, or one of other rules; nothing has changed.
        """
        start = prepare(self._batch, check_options(options, START_KEYS))
        seed = check_seed(seed)
        if seed is not None or not self._dealt:
            self._batch.reset(seed)
        else:
            self._one.reset()
        place(self._batch, start)
        self._dealt = True
        self._dead = False
        self._moves += 1
        self._decisions = 0
        self._shown = False
        self._paid = False
        self._owed = set()
        self._skip_agent_selection = None
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        turn = int(self._deals["turn"][0])
        if turn < 0:
            self._deal_ended()
        else:
            self.agent_selection = AGENTS[turn]
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Takes the action of `agent_selection`; None for an agent whose episode is over.

        Raises:
            ActionError: not an integer, or not None for an agent whose episode is over.
            IllegalActionError: an action that is not legal; nothing has changed.
            StateError: before `reset`, or after the last agent has left.
        """
        if self._dead:
            self._leave(action)
            return
        seat = self._one.step(action)
        self._moves += 1
        if self._owed:
            self._collect(self.agent_selection)
        if self._paid:
            self._clear_rewards()
            self._paid = False
        if seat >= 0:
            self._shown = True
            self.agent_selection = AGENTS[seat]
        else:
            self._shown = False
            self._deal_ended()
        if self._watched:
            self._watch()

    def _collect(self, agent: str) -> None:
        # An agent that acts has seen its rewards of the deal before.
        if agent in self._owed:
            self._owed.discard(agent)
            self._cumulative_rewards[agent] = 0.0
            self.infos[agent] = {}

    def _clear_rewards(self) -> None:
        self.rewards = dict.fromkeys(self.rewards, 0.0)

    def _deal_ended(self) -> None:
        deal = self._deals[0]
        payments = tuple(int(units) for units in deal["payments"])
        played = max(int(deal["match_deals"]), 1)
        for agent, units in zip(AGENTS, payments):
            self.rewards[agent] = units * self._unit
            self._cumulative_rewards[agent] += units * self._unit
            self.infos[agent] = {"payments": payments, "deals_played": played}
        self._paid = True
        self._owed = set(AGENTS)
        if single.episode_over(self._deals, self._packed):
            self._end(self.terminations)
            return
        self._batch.next_deals([0])
        self.agent_selection = AGENTS[int(self._deals["turn"][0])]

    def _end(self, ends: dict[str, bool]) -> None:
        for agent in AGENTS:
            ends[agent] = True
        self._dead = True
        self.agent_selection = AGENTS[0]

    def _watch(self) -> None:
        self._decisions += 1
        if not self._dead and self.max_cycles is not None and self._decisions >= self.max_cycles:
            self._end(self.truncations)
        if self.render_mode == "human":
            self.render()

    def _leave(self, action: Any) -> None:
        if not self._dealt:
            raise StateError("step() before reset()")
        if not self.agents:
            raise StateError("step() after the last agent has left; reset() starts an episode")
        if action is not None:
            raise ActionError(
                f"action {action!r} of {self.agent_selection}, whose episode is over; expected None"
            )
        self._moves += 1
        self._was_dead_step(None)

    # ------------------------------------------------------------------ what agents see

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """Returns what an agent sees now, in arrays of its own.

        Returns:
            `observation`: (F,) int8 or float32. `action_mask`: (48,) int8, zeros for an agent that
            is not on turn.

        Raises:
            StateError: before `reset`.
            ValueError: no such agent.
        """
        if not self._shown or agent != self.agent_selection:
            if not self._dealt:
                raise StateError("observe() before reset()")
            if agent not in AGENTS:
                raise ValueError(f"agent: {agent!r}; expected one of {', '.join(AGENTS)}")
            self._one.show(AGENTS.index(agent))
            self._shown = False
        row = self._one.row.copy()
        mask = row[OBSERVATION_SIZE:]
        if self._dead:
            mask[:] = 0  # a truncated deal still has a seat on turn
        vector = row[:OBSERVATION_SIZE]
        return {
            "observation": vector if self._as_int8 else vector.astype(self._dtype),
            "action_mask": mask,
        }

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, npt.NDArray[Any]] | None, float, bool, bool, dict[str, Any]]:
        """Returns observation, reward since its last action, ends and info of the agent on turn.

        Raises:
            StateError: after the last agent has left.
        """
        agent = self.agent_selection
        if agent not in self.infos:
            raise StateError("last() after the last agent has left; reset() starts an episode")
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yields the agent on turn until the last agent has left; `step()` between two of them.

        Args:
            max_iter: yields at most so many.

        Raises:
            StateError: before `reset`, or no `step()` since the agent before.
        """
        if not self._dealt:
            raise StateError("agent_iter() before reset()")
        return self._iterate(max_iter)

    def _iterate(self, max_iter: int) -> Iterator[str]:
        seen = -1
        for _ in range(min(max_iter, sys.maxsize)):
            if not self.agents:
                return
            if self._moves == seen:
                raise StateError("no step() or reset() since the last agent of agent_iter()")
            seen = self._moves
            yield self.agent_selection

    def legal_mask(self, seat: int) -> npt.NDArray[np.int8] | None:
        """Returns the (48,) int8 mask of a seat, None unless it is on turn."""
        if self._dead or int(self._deals["turn"][0]) != seat:
            return None
        mask: npt.NDArray[np.int8] = self._batch.legal_mask()[0]
        return mask

    def state(self) -> npt.NDArray[Any]:
        """Returns the (S,) perfect-information state as seat 0 sees it, int8 or float32.

        Raises:
            StateError: before `reset`.
        """
        if not self._dealt:
            raise StateError("state() before reset()")
        vector: npt.NDArray[Any] = self._batch.state(perspective=0)[0].astype(self._dtype)
        return vector

    def record(self, **extra: Any) -> Record:
        """Returns the record of the present deal (`marias_env.records`), finished or not."""
        if not self._dealt:
            raise StateError("record() before reset()")
        return record_of(self._batch, 0, **extra)
