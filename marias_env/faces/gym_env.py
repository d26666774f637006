"""Mariáš for Gymnasium: one learner, the other seats played by agents inside the environment.

    import gymnasium

    env = gymnasium.make("marias_env:Marias-v0", opponents="random", rules="traditional")
    observation, info = env.reset(seed=42)
    terminated = False
    while not terminated:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)

One step is one decision of the learner. The opponents' decisions before and after it are part of
it, so every reward of the deal reaches the learner, also when somebody else made the last move.

Version history: v0, the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from marias_env.actions import NUM_ACTIONS
from marias_env.batch import DealBatch
from marias_env.checks import check_seat, one_action
from marias_env.core import single
from marias_env.core.deal import NUM_SEATS
from marias_env.errors import DeckError, StateError
from marias_env.faces.learner_options import LearnerOptions, with_learner_options
from marias_env.faces.learners import Learners
from marias_env.faces.rendering import (
    RENDER_FPS,
    RENDER_MODES,
    check_table_mode,
    render_table,
)
from marias_env.faces.spaces import observation_box, observation_dict
from marias_env.faces.start import START_KEYS, check_options, place, prepare
from marias_env.observation import OBSERVATION_SIZE
from marias_env.one_deal import OneDeal
from marias_env.options import Choice, Real, check
from marias_env.records import Record, record_of
from marias_env.rules import Rules
from marias_env.seeds import check_seed

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in `typing` from Python 3.11 on

OBSERVATIONS: Final = ("dict", "vector")
"""Values of `observation`: with the mask beside it, or the bare vector."""


class MariasEnv(gymnasium.Env[Any, Any]):
    """One learner at a table of three.

    Args:
        illegal_penalty: for `illegal="penalty"`.
        observation: `"dict"`: {"observation": (F,), "action_mask": (48,) int8}; `"vector"`: the
            observation alone, the mask is in `info["action_mask"]` and `action_masks()`.
        render_mode: None, `"ansi"`, `"rgb_array"` or `"human"`: the table with the learner's cards.
        language: `"en"` or `"cs"`, for rendering.
        **options: `LearnerOptions`: `opponents`, `rules`, `seat`, `episode`, `match`, `reward`,
            `illegal` (`"random"` by default), `dtype`.

    `info` has `action_mask` (48,) int8, `seat` (the learner's), `illegal_action` (bool) and
    `payments` (3,) int64: the units paid to each seat during this step, which sum to zero.

    Raises:
        AgentError: no such opponents.
        RulesError: no such rules.
        OptionError: another argument that is none of the above; `RenderModeError`, which is a
            `TypeError` too, for a render mode.
    """

    metadata: dict[str, Any] = {
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    @with_learner_options(illegal="random")
    def __init__(
        self,
        *,
        illegal_penalty: float = 1.0,
        observation: str = "dict",
        render_mode: str | None = None,
        language: str = "en",
        **options: Unpack[LearnerOptions],
    ) -> None:
        check("observation", observation, Choice(*OBSERVATIONS))
        check_table_mode(render_mode)
        check("language", language, Choice("en", "cs"))
        self._learners = Learners(1, **options)
        self.render_mode = render_mode
        self.language = language
        self._penalty = check("illegal_penalty", illegal_penalty, Real())
        self._as_dict = observation == "dict"
        self._running = False
        self._left_over = False
        self._carry = np.zeros((1, NUM_SEATS), dtype=np.int64)
        self._owed = False
        # The learners' one row, with one place for what the learner sees of it.
        self._one = OneDeal.of(self._learners.batch)
        self._learners.batch = self._one.batch
        self._chosen = np.zeros(1, dtype=np.int64)
        self.observation_space: spaces.Space[Any] = (
            observation_dict if self._as_dict else observation_box
        )(self._learners.dtype)
        self.action_space = spaces.Discrete(NUM_ACTIONS)

    @property
    def batch(self) -> DealBatch:
        """The deals, hidden cards included, to be looked at; steps go through the environment."""
        return self._learners.batch

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return self._learners.batch.rules

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        return int(self._learners.seats[0])

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode and plays until the learner is on turn.

        Args:
            seed: starts the random streams anew; None goes on with them.
            options: `deck` and/or `dealer`, or `record`, as in `marias_v0.raw_env.reset`; `seat`:
                the learner's in this episode. Where a record leaves the learner nothing to decide,
                the mask is all zeros, and the next step takes any action and ends the episode.

        Raises:
            DeckError: no such deck, dealer or seat; nothing has changed.
            OptionError: a bad seed; nothing has changed.
            RecordError: a bad record, or one of other rules; nothing has changed.
        """
        chosen = check_options(options, (*START_KEYS, "seat"))
        seat = chosen.pop("seat", None)
        if seat is not None:
            seat = check_seat("seat", seat, DeckError)
        seed = check_seed(seed)
        start = prepare(self._learners.batch, chosen)
        super().reset(seed=seed)
        self._learners.deal(seed)
        place(self._learners.batch, start)
        self._carry[:] = 0
        if start is not None and bool(self._learners.over[0]):
            self._carry[:] = self._learners.batch.deals[0]["payments"]
            if not single.episode_over(
                self._learners.batch.deals, self._learners.batch.packed_rules
            ):
                self._learners.batch.next_deals([0])
        self._learners.begin(seat=seat)
        # What was paid before the learner's first action comes with its first step.
        self._carry += self._learners.gained
        self._owed = bool(self._carry.any())
        self._learners.gained[:] = 0
        observation = self._observation()
        self._left_over = self._one.turn < 0
        self._running = True
        if self.render_mode == "human":
            self.render()
        return observation, self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes the learner's action and plays until it is on turn again or the episode is over.

        Raises:
            ActionError: not an integer.
            IllegalActionError: with `illegal="error"`; the state is unchanged.
            StateError: before `reset`, or after the end of the episode.
        """
        if not self._running:
            raise StateError("step() without a running episode; reset() starts one")
        learners = self._learners
        number = one_action(action)
        if not self._left_over:
            if 0 <= number < NUM_ACTIONS:
                self._chosen[0] = number
                learners.act(self._chosen)
            else:
                learners.act(learners.as_actions([number]))
        if self._owed:
            learners.gained += self._carry
            self._carry[:] = 0
            self._owed = False
        self._left_over = False
        observation = self._observation()
        terminated = self._one.turn < 0
        reward = float(learners.gained[0, self.seat]) * learners.unit
        if learners.penalises and learners.refused[0]:
            reward -= self._penalty
        self._running = not terminated
        if self.render_mode == "human":
            self.render()
        return observation, reward, terminated, False, self._info()

    def _observation(self) -> Any:
        self._one.show(self.seat)
        row = self._one.row.copy()
        vector = row[:OBSERVATION_SIZE]
        if self._learners.dtype != np.int8:
            vector = vector.astype(self._learners.dtype)
        if self._as_dict:
            return {"observation": vector, "action_mask": row[OBSERVATION_SIZE:]}
        return vector

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self.action_masks(),
            "seat": self.seat,
            "illegal_action": bool(self._learners.refused[0]),
            "payments": self._learners.gained[0].copy(),
        }

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Returns the (48,) int8 mask, as sb3-contrib's MaskablePPO asks for it."""
        mask: npt.NDArray[np.int8] = self._one.mask.copy()
        return mask

    def record(self, **extra: Any) -> Record:
        """Returns the record of the present deal (`marias_env.records`), finished or not."""
        return record_of(self._learners.batch, 0, **extra)

    def render(self) -> Any:
        """Returns the table as text or pixels, or writes it; see `faces.rendering.RENDER_MODES`."""
        return render_table(self.render_mode, self._learners.batch, self.seat, self.language)
