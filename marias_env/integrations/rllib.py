"""Mariáš for RLlib: a turn-based `MultiAgentEnv`, and an RLModule that obeys the masks.

    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from marias_env.integrations.rllib import MariasMultiAgentEnv, MaskedRLModule

    config = (
        PPOConfig()
        .environment(MariasMultiAgentEnv, env_config={"rules": "traditional"})
        .env_runners(num_env_runners=2, num_envs_per_env_runner=8)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, *args, **kw: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedRLModule))
    )

Only the seat on turn is in the dict of observations. When a deal ends, all three seats are paid,
and when the episode ends, all three get their last observation, so RLlib closes the trajectory of
each with its own reward, whoever moved last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from torch import nn

from marias_env.actions import NUM_ACTIONS
from marias_env.batch import DealBatch
from marias_env.checks import one_action
from marias_env.core.deal import NUM_SEATS
from marias_env.errors import ActionError, StateError
from marias_env.faces.learners import Learners, check_transform
from marias_env.faces.spaces import SeatActions, check_dtype, observation_box
from marias_env.faces.start import START_KEYS, check_options, place, prepare
from marias_env.match import Match
from marias_env.records import Record, record_of
from marias_env.rules import Rules
from marias_env.seeds import check_seed

AGENTS = ("player_0", "player_1", "player_2")
_ROWS_PER_WORKER = 1 << 20

MultiAgentStep = tuple[
    dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]
]


class MariasMultiAgentEnv(MultiAgentEnv):
    """One table; the agents are the seats `player_0`, `player_1`, `player_2`.

    Observations are `{"observations": (F,), "action_mask": (48,)}`, the names that RLlib's own
    masking example uses. The mask is all zeros in last observations. `sample()` of the action space
    of the seat on turn draws a legal action, so RLlib's environment check passes.

    Args:
        config: the `env_config` of an `AlgorithmConfig` (or a dict): the arguments below by name.
            Workers draw different deals from one seed.
        rules: a preset's name or a rule set.
        episode: `"deal"` or `"match"`.
        match: for matches: a `Match` or a number of dealer rotations; None: the standard match.
        reward: `"units"` or `"chips"`.
        reward_transform: applied to the (3,) array of rewards when a deal ends, say
            `lambda r: np.sign(r) * np.log2(1 + np.abs(r))`: payments double with every flek.
        dtype: of observations and masks: float32 (default) or int8.

    The info of each seat, when a deal has ended: `payments` (units of seat 0, 1, 2).

    Raises:
        RulesError: no such rules or match.
        TypeError: an unknown argument in `config`.
        OptionError: another argument that is none of the above.
    """

    def __init__(self, config: Mapping[str, Any] | None = None, **arguments: Any) -> None:
        super().__init__()
        self._set_up(
            int(getattr(config, "worker_index", 0) or 0), **{**(config or {}), **arguments}
        )

    def _set_up(
        self,
        worker: int,
        rules: str | Rules = "traditional",
        episode: str = "deal",
        match: Match | int | None = None,
        reward: str = "units",
        reward_transform: Callable[[npt.NDArray[np.float64]], npt.NDArray[Any]] | None = None,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        self._dtype = check_dtype(dtype)
        self._learners = Learners(
            1,
            rules,
            all_seats=True,
            episode=episode,
            match=match,
            reward=reward,
            dtype=dtype,
            first_index=worker * _ROWS_PER_WORKER,
        )
        self._transform = check_transform(reward_transform)
        self._dealt = False
        self.metadata: dict[str, Any] = {"render_modes": []}  # RLlib writes to it
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        mask = spaces.Box(0, 1, (NUM_ACTIONS,), self._dtype.type)
        self.observation_spaces = {
            agent: spaces.Dict({"observations": observation_box(dtype), "action_mask": mask})
            for agent in AGENTS
        }
        self.action_spaces = {agent: SeatActions(self, seat) for seat, agent in enumerate(AGENTS)}

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return self._learners.batch.rules

    @property
    def batch(self) -> DealBatch:
        """The deal, a batch of one row."""
        return self._learners.batch

    # ------------------------------------------------------------------ playing

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: starts the random streams anew; None goes on with them.
            options: `deck`, `dealer` or `record`, as in `marias_v0`; the record of an unfinished
                deal.

        Returns:
            The observation of the seat on turn, and an empty info for it.

        Raises:
            DeckError: no such deck or dealer.
            OptionError: a bad seed.
            RecordError: a bad record, one of other rules, or one of a finished deal.
        """
        start = prepare(self.batch, check_options(options, START_KEYS))
        seed = check_seed(seed)
        if isinstance(start, DealBatch) and start.turn[0] < 0:
            raise StateError("the record is of a finished deal: there is nothing to decide")
        self._learners.deal(seed)
        place(self.batch, start)
        self._learners.begin()
        self._dealt = True
        agent = AGENTS[self._turn]
        return {agent: self._see(self._turn)}, {agent: {}}

    def step(self, action_dict: Mapping[str, Any]) -> MultiAgentStep:
        """Takes the action of the seat on turn.

        Args:
            action_dict: one agent and its action.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            ActionError: not exactly one action of the agent on turn.
            IllegalActionError: an action that is not legal; nothing has changed.
            StateError: before `reset`, or after the end.
        """
        if not self._dealt or self._turn < 0:
            raise StateError("step() before reset(), or after the end of the episode")
        if set(action_dict) != {AGENTS[self._turn]}:
            raise ActionError(
                f"actions of {sorted(action_dict)}; expected one of {AGENTS[self._turn]}, "
                "who is on turn"
            )
        learners = self._learners
        learners.act(learners.as_actions([one_action(action_dict[AGENTS[self._turn]])]))
        over = bool(learners.over[0])
        seats = range(NUM_SEATS) if over else (self._turn,)
        observations = {AGENTS[seat]: self._see(seat) for seat in seats}
        rewards = dict.fromkeys(observations, 0.0)
        infos: dict[str, Any] = {agent: {} for agent in observations}
        if over or learners.gained[0].any():
            paid = learners.gained[0].astype(np.float64) * learners.unit
            if self._transform is not None:
                paid = np.asarray(self._transform(paid), dtype=np.float64)
            rewards = dict(zip(AGENTS, paid.tolist()))
            payments = tuple(learners.gained[0].tolist())
            infos = {agent: {"payments": payments} for agent in observations}
        ends = dict.fromkeys((*observations, "__all__"), over)
        return observations, rewards, ends, dict.fromkeys(ends, False), infos

    @property
    def _turn(self) -> int:
        return int(self.batch.deals["turn"][0])

    def _see(self, seat: int) -> dict[str, npt.NDArray[Any]]:
        mask = self._learners.masks()[0]  # zeros when the episode is over
        vector = self._learners.observe(np.array([seat], dtype=np.int64))[0]
        return {"observations": vector, "action_mask": mask.astype(self._dtype)}

    def legal_mask(self, seat: int) -> npt.NDArray[np.int8] | None:
        """Returns the (48,) int8 mask of a seat, None unless it is on turn."""
        if not self._dealt or self._turn != seat:
            return None
        mask: npt.NDArray[np.int8] = self._learners.masks()[0]
        return mask

    def record(self, **extra: Any) -> Record:
        """Returns the record of the present deal (`marias_env.records`), finished or not."""
        if not self._dealt:
            raise StateError("record() before reset()")
        return record_of(self.batch, 0, **extra)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for space in self.action_spaces.values():
            space.link(self)


class MaskedRLModule(TorchRLModule, ValueFunctionAPI):
    """A policy and a value network (MLPs) for PPO and the like; illegal actions get probability 0.

    `model_config={"hiddens": (256, 256)}` sets the layers of both.
    """

    def setup(self) -> None:
        """Makes the networks (called by RLlib)."""
        hiddens = tuple((self.model_config or {}).get("hiddens", (256, 256)))
        size = self.observation_space["observations"].shape[0]
        self.policy = _mlp(size, hiddens, NUM_ACTIONS)
        self.value = _mlp(size, hiddens, 1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        given = batch[Columns.OBS]
        logits = self.policy(given["observations"].float())
        # Finite, so that a last observation, which has no legal action, makes no NaN.
        lowest = torch.finfo(logits.dtype).min
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(given["action_mask"] == 0, lowest)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Returns the (N,) values of the observations in a batch."""
        return self.value(batch[Columns.OBS]["observations"].float()).squeeze(-1)


def _mlp(size: int, hiddens: tuple[int, ...], out: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for width in hiddens:
        layers += [nn.Linear(size, width), nn.ReLU()]
        size = width
    return nn.Sequential(*layers, nn.Linear(size, out))
