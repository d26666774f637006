"""Mariáš for Gymnasium, many deals at once: `make_vec("marias_env:Marias-v0", 1024)`.

Two ways to use it:

- One learner per row (default): the opponents play inside, a step is one decision of every learner.
  Rows with random opponents never leave compiled code; other opponents are asked once per step for
  all rows in which they are on turn.
- `all_seats=True`: every row is a decision of the seat on turn, for self-play. `info["seat"]` names
  that seat. `rewards[i]` belongs to the same seat: what it was paid since its row before, so every
  seat gets its own payment, with its next row, even if that row is in the next deal
  (`info["first"]`). Summed by seat, the rewards of each deal are its payments, whose sum is zero.

Version history: v0, the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from marias_env.actions import NUM_ACTIONS
from marias_env.batch import DealBatch
from marias_env.checks import deck_ids
from marias_env.core.deal import NUM_SEATS
from marias_env.errors import OptionError, StateError
from marias_env.faces.gym_env import OBSERVATIONS
from marias_env.faces.learner_options import LearnerOptions, with_learner_options
from marias_env.faces.learners import Learners, check_all_seats
from marias_env.faces.spaces import check_render_mode, observation_box, observation_dict
from marias_env.faces.start import check_options
from marias_env.options import Choice, Real, check
from marias_env.rules import Rules
from marias_env.seeds import Seed, row_seeds

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in `typing` from Python 3.11 on

NO_ACTION = -1
"""What a finished row takes while `autoreset_mode` is DISABLED."""


def _mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        names = ", ".join(repr(one.value) for one in AutoresetMode)
        raise OptionError(f"autoreset_mode: {mode!r}; expected one of {names}") from None


class MariasVectorEnv(VectorEnv[Any, Any, Any]):
    """A batch of tables under one rule set.

    Args:
        num_envs: number of rows B.
        all_seats: every row is a decision of the seat on turn; without `opponents` and `seat`.
        autoreset_mode: what happens to a row whose episode is over. NEXT_STEP: the next step deals
            anew and ignores that row's action. SAME_STEP: it is dealt anew within the step; the
            last observation is in `info["final_obs"]`. DISABLED: it stays over, takes the action
            -1 only, and `reset(options={"reset_mask": mask})` starts it again.
        illegal_penalty: for `illegal="penalty"`.
        observation: `"dict"` or `"vector"`, as in `MariasEnv`.
        first_index: index of row 0 in the seeding, to split one batch over several processes.
        render_mode: None; one table is drawn by `MariasEnv`, or by `DealBatch` and `marias show`.
        **options: `LearnerOptions`: `opponents`, `rules`, `seat`, `episode`, `match`, `reward`,
            `illegal` (`"random"` by default; `"error"` changes no row), `dtype`.

    `info` always has, for every row: `action_mask` (B, 48) int8, zeros in rows that are over;
    `seat` (B,) int8, whose decision (observation, mask) the row is; `payments` (B, 3) int64, units
    paid to each seat during this call; `illegal_action` (B,) bool; with `all_seats` also `first`
    (B,) bool: the seat's first row of an episode, so that its reward belongs to the episode before
    (for rows of a `reset`, which returns no rewards, these are in `info["rewards"]`). In mode
    SAME_STEP, when rows ended: `final_obs` and `final_info` with `_final_obs` and `_final_info`.

    Raises:
        AgentError: no such opponents.
        RulesError: no such rules.
        OptionError: another argument that is none of the above.
    """

    @with_learner_options(illegal="random")
    def __init__(
        self,
        num_envs: int = 1,
        *,
        all_seats: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        illegal_penalty: float = 1.0,
        observation: str = "dict",
        first_index: int = 0,
        render_mode: str | None = None,
        **options: Unpack[LearnerOptions],
    ) -> None:
        check("observation", observation, Choice(*OBSERVATIONS))
        check_render_mode(render_mode, ())
        check_all_seats(all_seats, options)
        self._mode = _mode(autoreset_mode)
        self.render_mode = render_mode
        self.metadata = {"autoreset_mode": self._mode, "render_modes": []}
        self._learners = Learners(num_envs, all_seats=all_seats, first_index=first_index, **options)
        self.num_envs = num_envs = len(self._learners)
        self._penalty = check("illegal_penalty", illegal_penalty, Real())
        self._as_dict = observation == "dict"
        self._dealt = False
        # With all seats: what each seat has been paid and not yet been told, and who is new.
        self._pending = np.zeros((num_envs, NUM_SEATS), dtype=np.int64)
        self._new = np.ones((num_envs, NUM_SEATS), dtype=np.bool_)
        self._rows = np.arange(num_envs)
        single: spaces.Space[Any] = (observation_dict if self._as_dict else observation_box)(
            self._learners.dtype
        )
        self.single_observation_space = single
        self.observation_space = batch_space(single, num_envs)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def batch(self) -> DealBatch:
        """The deals, hidden cards included, to be looked at; steps go through the environment."""
        return self._learners.batch

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return self._learners.batch.rules

    @property
    def all_seats(self) -> bool:
        """Whether every row is a decision of the seat on turn."""
        return self._learners.all_seats

    # ------------------------------------------------------------------ reset

    def reset(
        self, *, seed: Seed = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts episodes.

        Args:
            seed: a whole number (rows are seeded by it and their index) or B of them, one for each
                row, as a list or array; None goes on with the rows' random streams.
            options: `reset_mask` (B,) bool: only these rows. `deck` (texts or ids, for all rows, or
                (B, n) ids) and `dealer` (a seat, or (B,) seats), both or neither, for all rows.

        Raises:
            DeckError: no such deck or dealer.
            OptionError: a bad seed, a mask of another shape or without True, or beside a deck.
            TypeError: a mask that is not a bool array.
        """
        chosen = check_options(options, ("reset_mask", "deck", "dealer"))
        learners = self._learners
        rows: npt.NDArray[np.int64] | None = None
        decks = self._decks(chosen)
        if "reset_mask" in chosen:
            rows = self._masked(chosen["reset_mask"])
            if decks is not None:
                raise OptionError("reset: a deck is for all rows; give no reset_mask")
        seed = row_seeds(seed, self.num_envs)
        super().reset(seed=None if isinstance(seed, list) else seed)
        learners.deal(seed, rows)
        if decks is not None:
            learners.batch.set_decks(*decks)
        if rows is None:
            self._pending[:] = 0
            self._new[:] = True
        else:
            learners.gained[rows] = 0
            learners.refused[rows] = False
            self._new[rows] = True
        learners.begin(rows)
        self._dealt = True
        viewers = learners.viewers()
        info = self._info(viewers)
        if self.all_seats:
            info["rewards"] = self._deliver(viewers, info)
        return self._observation(viewers, info), info

    def _decks(self, options: dict[str, Any]) -> tuple[Any, Any] | None:
        if "deck" not in options and "dealer" not in options:
            return None
        if "deck" not in options or "dealer" not in options:
            raise OptionError("reset: give deck and dealer, or neither")
        deck = options["deck"]
        if np.ndim(deck) == 1:
            deck = np.array(deck_ids(deck, self.rules), dtype=np.int64)
        return deck, options["dealer"]

    def _masked(self, mask: Any) -> npt.NDArray[np.int64]:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"reset_mask: {type(mask).__name__}; expected a bool array")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise OptionError(
                f"reset_mask of shape {mask.shape}; expected ({self.num_envs},), at least one True"
            )
        return np.flatnonzero(mask)

    # ------------------------------------------------------------------ step

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        Any,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Takes one action per row.

        Args:
            actions: (B,) integers.

        Returns:
            Observations, rewards (B,) float64, terminations (B,) bool, truncations (all False) and
            info, in new arrays.

        Raises:
            ActionError: wrong shape or dtype.
            IllegalActionError: with `illegal="error"`. No row is changed.
            StateError: before `reset`, or an action for a row that is over (mode DISABLED).
        """
        if not self._dealt:
            raise StateError("step() before reset()")
        learners = self._learners
        chosen = learners.as_actions(actions)
        finished = learners.over
        if self._mode is AutoresetMode.DISABLED and (finished & (chosen != NO_ACTION)).any():
            rows = np.flatnonzero(finished & (chosen != NO_ACTION)).tolist()
            raise StateError(
                f"rows {rows} are over; reset them (options reset_mask) or give them {NO_ACTION}"
            )
        learners.act(chosen)
        if self._mode is not AutoresetMode.DISABLED and finished.any():
            self._again(np.flatnonzero(finished))
        terminations = learners.over
        rewards = learners.rewards()
        final: dict[str, Any] = {}
        self._pending += learners.gained
        if self._mode is AutoresetMode.SAME_STEP and terminations.any():
            ended = np.flatnonzero(terminations)
            final = self._final(ended, terminations)
            self._again(ended)
        viewers = learners.viewers()
        info = self._info(viewers)
        info.update(final)
        if self.all_seats:
            rewards = self._deliver(viewers, info)
        if learners.penalises:
            rewards = rewards - self._penalty * learners.refused
        observation = self._observation(viewers, info)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        return observation, rewards, terminations, truncations, info

    def _again(self, rows: npt.NDArray[np.int64]) -> None:
        self._learners.deal(None, rows)
        self._learners.begin(rows)
        self._new[rows] = True

    def _deliver(
        self, viewers: npt.NDArray[np.int64], info: dict[str, Any]
    ) -> npt.NDArray[np.float64]:
        # Each row's seat is told what it has been paid since its row before.
        rewards = self._pending[self._rows, viewers] * self._learners.unit
        self._pending[self._rows, viewers] = 0
        info["first"] = self._new[self._rows, viewers]
        self._new[self._rows, viewers] = False
        return rewards.astype(np.float64)

    # ------------------------------------------------------------------ what is returned

    def _observation(self, viewers: npt.NDArray[np.int64], info: dict[str, Any]) -> Any:
        vectors = self._learners.observe(viewers)
        if self._as_dict:
            return {"observation": vectors, "action_mask": info["action_mask"].copy()}
        return vectors

    def _info(self, viewers: npt.NDArray[np.int64]) -> dict[str, Any]:
        return {
            "action_mask": self._learners.masks(),
            "seat": viewers.astype(np.int8),
            "payments": self._learners.gained.copy(),
            "illegal_action": self._learners.refused.copy(),
        }

    def _final(
        self, ended: npt.NDArray[np.int64], terminations: npt.NDArray[np.bool_]
    ) -> dict[str, Any]:
        # What Gymnasium's own vector environments report of rows reset within the step.
        viewers = self._learners.viewers()
        vectors = self._learners.observe(viewers[ended], ended)
        observations = np.full(self.num_envs, None, dtype=object)
        for row, vector in zip(ended.tolist(), vectors):
            one: Any = vector.copy()
            if self._as_dict:
                one = {"observation": one, "action_mask": np.zeros(NUM_ACTIONS, dtype=np.int8)}
            observations[row] = one
        info: dict[str, Any] = {}
        for name, values in self._info(viewers).items():
            values[~terminations] = 0
            info[name] = values
            info[f"_{name}"] = terminations.copy()
        return {
            "final_obs": observations,
            "_final_obs": terminations.copy(),
            "final_info": info,
            "_final_info": terminations.copy(),
        }

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Returns the (B, 48) int8 masks of the present rows, zeros in rows that are over."""
        return self._learners.masks()

    def close_extras(self, **kwargs: Any) -> None:
        """Does nothing: there is nothing to release."""
