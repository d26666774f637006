"""Mariáš for PettingZoo: three agents take turns through bidding, doubling and play.

    from marias_env import marias_v0

    env = marias_v0.env(rules="traditional")
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            action = None
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

| | |
|---|---|
| agents | `player_0`, `player_1`, `player_2`: the seats, clockwise; the seed draws the dealer |
| actions | `Discrete(48)` in every phase, names in `marias_env.ACTIONS` |
| observations | `observation`: int8 vector (`marias_env.observation`); `action_mask`: (48,) int8 |
| rewards | at the end of each deal the units each seat won, summing to zero; else 0.0 |
| ends | after one deal, or after a match (`episode="match"`) |

The mask is all zeros for an agent that is not on turn. An illegal action raises
`IllegalActionError` and changes nothing. Each `infos[agent]` is empty, or, once a deal has ended
and until that agent acts again, `{"payments": (units of seat 0, 1, 2), "deals_played": n}`.

Version history: v0, the first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from operator import index
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt
import pettingzoo
from pettingzoo import AECEnv

from marias_env.batch import DealBatch
from marias_env.core import aec
from marias_env.core.deal import DEAL
from marias_env.core.observe import OBSERVATION_SIZE
from marias_env.errors import ActionError, StateError
from marias_env.learners import REWARDS, find_match
from marias_env.match import Match
from marias_env.records import Record, record_of
from marias_env.rules import Rules, get_rules
from marias_env.spaces import SeatActions, check_dtype, observation_dict, state_box
from marias_env.start import START_KEYS, check_options, place, prepare

__all__ = ["AGENTS", "env", "raw_env"]

AGENTS: Final = ("player_0", "player_1", "player_2")
"""Agents by seat."""
_AFTER_RESET: Final = (
    "agents",
    "num_agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_cumulative_rewards",
)


def env(**kwargs: Any) -> raw_env:
    """Returns the environment; arguments as of `raw_env`.

    PettingZoo's own games come wrapped here, which makes every decision several times as slow.
    `raw_env` checks the order of calls and the legality of actions itself, so nothing is wrapped.
    """
    return raw_env(**kwargs)


class raw_env(AECEnv):  # noqa: N801 (PettingZoo's name for it)
    """One table of Mariáš as a PettingZoo AEC environment.

    A running game survives `pickle`, `copy.deepcopy` and `clone()`, random streams included.

    Args:
        rules: a preset's name or a rule set; it never changes afterwards.
        episode: `"deal"`: one deal. `"match"`: deals follow each other until the match is over;
            rewards come at the end of each.
        match: for `episode="match"`: a `Match`, or how many dealer rotations `standard_match`
            takes; None: the standard match of the rules.
        reward: `"units"`, or `"chips"`: units times the match's `chips_per_point`.
        max_cycles: truncates the episode after so many decisions; None: never.
        render_mode: None, `"ansi"` (`render()` returns text) or `"human"` (the table is written to
            standard output after every step).
        language: `"en"` or `"cs"`, for rendering.
        perspective: whose cards rendering shows: a seat, `"turn"` (the seat on turn; all cards once
            the deal is over) or `"all"`.
        dtype: of observations and states, int8 or float32.

    Raises:
        RulesError: unknown rules, or a number of rotations out of range.
        ValueError: an argument that is none of the above.
    """

    metadata: dict[str, Any] = {
        "name": "marias_v0",
        "render_modes": ["human", "ansi"],
        "render_fps": 2,
        "is_parallelizable": False,
    }

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
        _check_choice("reward", reward, REWARDS)
        _check_choice("render_mode", render_mode, (None, "human", "ansi"))
        _check_choice("language", language, ("en", "cs"))
        _check_choice("perspective", perspective, (0, 1, 2, "turn", "all"))
        if max_cycles is not None and (
            isinstance(max_cycles, bool) or not isinstance(max_cycles, int) or max_cycles < 1
        ):
            raise ValueError(f"max_cycles: {max_cycles!r}; expected a whole number from 1 or None")
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
        self._row: npt.NDArray[np.int8] | None = None
        self._watched = max_cycles is not None or render_mode == "human"
        self.observation_spaces = {agent: observation_dict(dtype) for agent in AGENTS}
        self.action_spaces = {agent: SeatActions(self, seat) for seat, agent in enumerate(AGENTS)}
        self.state_space = state_box(dtype)

    def _take(self, batch: DealBatch) -> None:
        # What the compiled functions are called with, at hand.
        self._batch = batch
        self._deals = batch.deals
        self._packed = batch._rules
        self._scratch = np.empty(1, dtype=DEAL)

    def __getattr__(self, name: str) -> Any:
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset()")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return self._batch.rules

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
                `record` (a deal record under the same rules, INTERFACE: it is replayed and the
                episode goes on from there; a finished one is over at once, with its rewards).
                Unknown keys are ignored with a warning.

        Raises:
            DeckError: no such deck or dealer; nothing has changed.
            RecordError: a bad record, or one of other rules; nothing has changed.
        """
        start = prepare(self._batch, check_options(options, START_KEYS))
        if seed is not None or not self._dealt:
            self._batch.reset(seed)
        else:
            self._batch.reset(indices=[0])
        place(self._batch, start)
        self._dealt = True
        self._dead = False
        self._moves += 1
        self._decisions = 0
        self._row = None
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
        if action is None or action is True or action is False:
            raise ActionError(f"action: {action!r}; expected an integer from 0 to 47")
        try:
            number = index(action)
        except TypeError as error:
            raise ActionError(f"action: {action!r}; expected an integer from 0 to 47") from error
        row = np.empty(aec.ROW_SIZE, dtype=np.int8)
        if not 0 <= number < 48:
            raise self._batch.illegal_action(0, number)
        seat = aec.step_and_observe(self._deals, self._packed, number, self._scratch, row)
        if seat < 0:
            raise self._batch.illegal_action(0, number)
        self._moves += 1
        if self._owed:
            self._collect(self.agent_selection)
        if self._paid:
            self._clear_rewards()
            self._paid = False
        if seat < 3:
            self._row = row
            self.agent_selection = AGENTS[seat]
        else:
            self._row = None
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
        if aec.episode_over(self._deals, self._packed):
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
        row = self._row
        if row is not None and agent == self.agent_selection:
            self._row = None  # handed out once: the caller may write to it
        else:
            if not self._dealt:
                raise StateError("observe() before reset()")
            if agent not in AGENTS:
                raise ValueError(f"agent: {agent!r}; expected one of {', '.join(AGENTS)}")
            row = np.empty(aec.ROW_SIZE, dtype=np.int8)
            seat = AGENTS.index(agent)
            aec.observe_seat(self._deals, self._packed, seat, self._scratch, row)
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

    # ------------------------------------------------------------------ rendering

    def render(self) -> str | None:
        """Returns the table as text (`ansi`) or writes it to standard output (`human`).

        Raises:
            StateError: before `reset`.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode; expected 'ansi' or 'human'")
            return None
        if not self._dealt:
            raise StateError("render() before reset()")
        from marias_env.render import render_text

        seat: int | None = None if self.perspective == "all" else int(self._deals["turn"][0])
        if self.perspective in (0, 1, 2):
            seat = int(self.perspective)
        human = self.render_mode == "human"
        color = human and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        seat = None if seat is not None and seat < 0 else seat
        text = render_text(self._batch, 0, seat, self.language, color)
        if not human:
            return text
        sys.stdout.write(text + "\n\n")
        return None

    def close(self) -> None:
        """Does nothing: there is nothing to release."""

    # ------------------------------------------------------------------ copies

    def clone(self) -> raw_env:
        """Returns an independent copy of the running game; both go on from here alike."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._take(self._batch.copy())
        other._row = None
        other._owed = set(self._owed)
        other.possible_agents = list(self.possible_agents)
        for name in _AFTER_RESET:
            value = self.__dict__.get(name)
            if isinstance(value, (dict, list)):
                setattr(other, name, value.copy())
        if self._dealt:
            other.infos = {agent: dict(info) for agent, info in self.infos.items()}
        other.action_spaces = {}
        for agent, space in self.action_spaces.items():
            other.action_spaces[agent] = SeatActions(other, space.seat)
            if space._np_random is not None:
                state = space._np_random.bit_generator.state
                other.action_spaces[agent].np_random.bit_generator.state = state
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> raw_env:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        dropped = ("_deals", "_packed", "_scratch", "_row")
        return {name: value for name, value in self.__dict__.items() if name not in dropped}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._row = None
        self._take(self._batch)
        for space in self.action_spaces.values():
            space.link(self)

    def __repr__(self) -> str:
        episode = "deal" if self.match is None else f"{self.match!r}"
        return f"<marias_v0 dealing={self.rules.dealing!r} episode={episode}>"


def _check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if isinstance(value, bool) or value not in choices:
        raise ValueError(f"{name}: {value!r}; expected one of {choices}")


# Newer versions of PettingZoo have a registry; there is no discovery, so it is filled here.
if hasattr(pettingzoo, "register") and "marias-v0" not in getattr(pettingzoo, "aec_registry", {}):
    pettingzoo.register("aec", "marias_v0", entry_point="marias_env.marias_v0:env")
