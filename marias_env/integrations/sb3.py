"""Mariáš as a native Stable-Baselines3 `VecEnv`, for sb3-contrib's `MaskablePPO` without a wrapper.

    from sb3_contrib import MaskablePPO
    from marias_env.integrations.sb3 import MariasVecEnv

    env = MariasVecEnv(num_envs=256, opponents="random")
    model = MaskablePPO("MlpPolicy", env)
    model.learn(1_000_000)

All rows are one array inside: a step of 1024 environments is a handful of compiled calls, not 1024
Python ones, and the masks come as one array.
"""

from __future__ import annotations

import io
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecNormalize
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvWrapper

from marias_env.actions import NUM_ACTIONS
from marias_env.errors import StateError
from marias_env.faces.learner_options import LearnerOptions, with_learner_options
from marias_env.faces.learners import Learners, check_transform
from marias_env.faces.spaces import observation_box
from marias_env.options import Real, check
from marias_env.seeds import Seed, drawn_seed, row_seeds

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in `typing` from Python 3.11 on

Indices = None | int | Iterable[int]


class MariasVecEnv(VecEnv):
    """Rows of deals with one learner each; opponents play inside, finished rows are dealt anew.

    Args:
        num_envs: number of rows.
        reward_transform: applied to the array of rewards before the learner gets them, say
            `lambda r: np.sign(r) * np.log2(1 + np.abs(r))`: payments double with every flek, and a
            value function copes badly with a few of a thousand. `episode["r"]` stays as it was.
        illegal_penalty: for `illegal="penalty"`.
        seed: first seed; `seed()`, which SB3 calls with a model's seed, overrides it.
        **options: `LearnerOptions`: `opponents`, `rules`, `seat`, `episode`, `match`, `reward`,
            `illegal`, `dtype`: int8 keeps rollout buffers at a quarter of the size. Under SB3's
            `VecNormalize` (with `norm_obs`, its default) it must be float32: buffers have the dtype
            of the space and would cut the fractions off. A `reset` through one warns.

    The info of a row that ended has `terminal_observation`, `TimeLimit.truncated` (False),
    `payments` (units of seat 0, 1, 2), `seat` (the learner's) and `episode` (as SB3's `Monitor`
    writes it, so none is needed). Other infos are empty, but for `illegal_action`.

    Raises:
        AgentError: no such opponents.
        RulesError: no such rules.
        OptionError: another argument that is none of the above.
    """

    @with_learner_options()
    def __init__(
        self,
        num_envs: int = 1,
        *,
        reward_transform: Callable[[npt.NDArray[np.float64]], npt.NDArray[Any]] | None = None,
        illegal_penalty: float = 1.0,
        seed: Seed = None,
        **options: Unpack[LearnerOptions],
    ) -> None:
        self.render_mode: str | None = None
        self.learners = Learners(num_envs, **options)
        num_envs = len(self.learners)
        self._transform = check_transform(reward_transform)
        self._penalty = check("illegal_penalty", illegal_penalty, Real())
        self._warned = False
        self._seed: int | list[int] | None = None
        self._actions: npt.NDArray[np.int64] | None = None
        self._dealt = False
        self._returns = np.zeros(num_envs, dtype=np.float64)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._start = time.time()
        super().__init__(
            num_envs, observation_box(self.learners.dtype), spaces.Discrete(NUM_ACTIONS)
        )
        if seed is not None:
            self.seed(seed)

    # ------------------------------------------------------------------ playing

    def reset(self) -> npt.NDArray[Any]:
        """Starts new episodes in all rows.

        Returns:
            (B, F) observations of the learners.
        """
        self.learners.deal(self._seed)
        self._seed = None
        self._reset_seeds()
        self._reset_options()
        self.learners.begin()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._returns[:] = 0
        self._lengths[:] = 0
        self._actions = None
        self._dealt = True
        self._warn_of_truncation()
        return self.learners.observe(self.learners.seats)

    def step_async(self, actions: npt.ArrayLike) -> None:
        """Takes note of the actions of the next `step_wait`.

        Raises:
            ActionError: not (B,) integers.
            StateError: before `reset`.
        """
        if not self._dealt:
            raise StateError("step() before reset()")
        self._actions = self.learners.as_actions(actions)

    def step_wait(
        self,
    ) -> tuple[
        npt.NDArray[Any], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]
    ]:
        """Takes the actions, plays until the learners are on turn, and deals finished rows anew.

        Returns:
            Observations (B, F), rewards (B,) float32, dones (B,) bool, infos; in new arrays.

        Raises:
            IllegalActionError: with `illegal="error"`; no row is changed. The usual cause is a
                policy without masks: use `MaskablePPO`, and `predict(..., action_masks=...)`.
        """
        if self._actions is None:
            raise StateError("step_wait() without step_async()")
        learners = self.learners
        learners.act(self._actions)
        self._actions = None
        dones = learners.over
        rewards = learners.rewards()
        if learners.penalises:
            rewards -= self._penalty * learners.refused
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if learners.refused.any():
            for row in np.flatnonzero(learners.refused).tolist():
                infos[row]["illegal_action"] = True
        if dones.any():
            self._end(np.flatnonzero(dones), infos)
        given = rewards if self._transform is None else self._transform(rewards)
        vectors = learners.observe(learners.seats)
        return vectors, np.asarray(given, dtype=np.float32), dones, infos

    def _end(self, rows: npt.NDArray[np.int64], infos: list[dict[str, Any]]) -> None:
        learners = self.learners
        last = learners.observe(learners.seats[rows], rows)
        elapsed = round(time.time() - self._start, 6)
        payments = learners.gained[rows].tolist()
        seats = learners.seats[rows].tolist()
        returns = self._returns[rows].tolist()
        lengths = self._lengths[rows].tolist()
        for n, row in enumerate(rows.tolist()):
            infos[row].update(
                {
                    "terminal_observation": last[n],
                    "TimeLimit.truncated": False,
                    "payments": tuple(payments[n]),
                    "seat": seats[n],
                    "episode": {"r": returns[n], "l": lengths[n], "t": elapsed},
                }
            )
        self._returns[rows] = 0
        self._lengths[rows] = 0
        learners.deal(None, rows)
        learners.begin(rows)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns the (B, 48) bool masks of all rows."""
        return self.learners.masks().view(np.bool_)

    def close(self) -> None:
        """Does nothing: there is nothing to release."""

    def seed(self, seed: Seed = None) -> Sequence[int | None]:
        """Sets the seed of the next `reset`, from which every row gets a stream of its own.

        Args:
            seed: a whole number, or one for each row; None draws one.

        Returns:
            One seed per row, as SB3 has it.

        Raises:
            OptionError: a bad seed.
        """
        chosen = row_seeds(seed, self.num_envs)
        self._seed = drawn_seed() if chosen is None else chosen
        first = self._seed
        self._seeds = (
            list(first)
            if isinstance(first, list)
            else [first + row for row in range(self.num_envs)]
        )
        return self._seeds

    def _warn_of_truncation(self) -> None:
        # SB3's `VecNormalize` keeps the dtype of the space it wraps, and buffers take it from
        # there. An environment is not told what wraps it, but the wrappers are its callers.
        if self._warned or self.learners.dtype != np.int8:
            return
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and isinstance(frame.f_locals.get("self"), VecEnvWrapper):
            wrapper = frame.f_locals["self"]
            if isinstance(wrapper, VecNormalize) and wrapper.norm_obs:
                self._warned = True
                warnings.warn(
                    "VecNormalize makes fractions of observations, which buffers of int8 cut to "
                    'whole numbers: make the environment with dtype="float32", or wrap it with '
                    "norm_obs=False (all but a few entries are 0 or 1 already)",
                    stacklevel=2,
                )
            frame = frame.f_back

    # ------------------------------------------------------------------ bytes

    def to_bytes(self) -> bytes:
        """Returns the deals under way and their random streams, as bytes for `from_bytes`.

        Raises:
            StateError: before `reset`.
        """
        if not self._dealt:
            raise StateError("to_bytes() before reset()")
        buffer = io.BytesIO()
        np.savez(
            buffer,
            batch=np.frombuffer(self.learners.batch.to_bytes(), dtype=np.uint8),
            seats=self.learners.seats,
            returns=self._returns,
            lengths=self._lengths,
        )
        return buffer.getvalue()

    def from_bytes(self, data: bytes) -> None:
        """Goes on from where an environment of the same arguments was at its `to_bytes`.

        Raises:
            StateError: not such bytes, or of another number of rows or other rules; nothing has
                changed.
        """
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as saved:
                parts = {name: saved[name] for name in ("batch", "seats", "returns", "lengths")}
        except Exception as error:
            raise StateError(f"not the bytes of a MariasVecEnv: {error}") from error
        batch = self.learners.batch.copy()
        batch.from_bytes(parts["batch"].tobytes())
        rows = (self.num_envs,)
        if len(batch) != self.num_envs or any(
            parts[n].shape != rows for n in parts if n != "batch"
        ):
            raise StateError(f"bytes of {len(batch)} rows; expected {self.num_envs}")
        seats = parts["seats"].astype(np.int64)
        if ((seats < 0) | (seats > 2)).any() or (batch.turn != seats).any():
            raise StateError("the learners' seats are not those on turn")
        self.learners.batch.deals[:] = batch.deals
        self.learners.seats[:] = seats
        self.learners.resume()
        self._returns[:] = parts["returns"]
        self._lengths[:] = parts["lengths"]
        self._seed = None
        self._actions = None
        self._dealt = True

    # ------------------------------------------------------------------ rows as SB3 addresses them

    def _action_mask_of(self, row: int) -> npt.NDArray[np.bool_]:
        mask: npt.NDArray[np.bool_] = self.action_masks()[row]
        return mask

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Returns what a method of each row returns; `action_masks` is the one there is.

        Raises:
            AttributeError: another method.
        """
        if method_name != "action_masks" or method_args or method_kwargs:
            raise AttributeError(f"rows have the method action_masks() alone, not {method_name!r}")
        masks = self.action_masks()
        return list(masks if indices is None else masks[list(self._get_indices(indices))])

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Returns an attribute of each row: `render_mode`, `rules`, `seat` or `action_masks`.

        Raises:
            AttributeError: another attribute.
        """
        rows = list(self._get_indices(indices))
        if attr_name == "action_masks":
            return [partial(self._action_mask_of, row) for row in rows]
        if attr_name == "seat":
            return [int(self.learners.seats[row]) for row in rows]
        if attr_name == "render_mode":
            return [None for _ in rows]
        if attr_name == "rules":
            return [self.learners.batch.rules for _ in rows]
        raise AttributeError(f"rows have no attribute {attr_name!r}")

    def has_attr(self, attr_name: str) -> bool:
        """Whether rows have an attribute (MaskablePPO asks for `action_masks`)."""
        return attr_name in ("action_masks", "seat", "render_mode", "rules")

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Refuses: the configuration does not change.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"{attr_name!r} cannot be set: the configuration does not change")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Returns for each row whether it does what a wrapper does.

        True for `Monitor`: infos have `episode`, so `evaluate_policy` reports the units of whole
        episodes and not what `reward_transform` or a `VecNormalize` makes of them.
        """
        monitors = isinstance(wrapper_class, type) and issubclass(wrapper_class, Monitor)
        return [monitors for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[npt.NDArray[Any] | None]:
        """Returns None for each row: tables are rendered as text (`MariasEnv`)."""
        return [None] * self.num_envs
