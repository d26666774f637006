"""`Learners`: rows of deals with one learner each, opponents included.

Every face with a learner (Gymnasium, its vector form, Stable-Baselines3) is built on it and adds
its library's types and reset rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.actions import NUM_ACTIONS, OVER
from marias_env.batch import DealBatch
from marias_env.checks import check_count, check_seat
from marias_env.core import kernels, turns
from marias_env.core.deal import NUM_SEATS
from marias_env.core.encode import observe_rows
from marias_env.core.layout import OBSERVATION_SIZE
from marias_env.errors import OptionError
from marias_env.faces.opponents import RANDOM, Opponent, Opponents, ask, resolve
from marias_env.faces.spaces import check_dtype
from marias_env.match import Match, match_of, standard_match
from marias_env.options import Choice, Flag, check
from marias_env.rules import Rules, get_rules
from marias_env.seeds import Seed, drawn_seed

SEATS: Final = {
    0: 0,
    1: 1,
    2: 2,
    "rotate": turns.SEAT_ROTATES,
    "random": turns.SEAT_RANDOM,
}
"""Values of `seat`."""
ILLEGAL: Final = {
    "error": turns.ILLEGAL_ERROR,
    "penalty": turns.ILLEGAL_PENALTY,
    "random": turns.ILLEGAL_RANDOM,
}
"""Values of `illegal`."""
EPISODES: Final = ("deal", "match")
REWARDS: Final = ("units", "chips")


class Learners:
    """B rows; after every call each row is over or waits for its learner.

    Args:
        num_envs: number of rows B.
        rules, opponents, seat, episode, match, reward, illegal, dtype: see `LearnerOptions`.
        all_seats: every row is a decision of the seat on turn; opponents and `seat` play no part.
        first_index: index of row 0 in the seeding.

    Attributes:
        batch: the deals.
        seats: (B,) int64: each row's learner, -1 with `all_seats`.
        gained: (B, 3) int64: units paid by seat during the last call.
        refused: (B,) bool: the row's last action was illegal.

    Raises:
        AgentError: no such opponents.
        RulesError: no such rules or match.
        OptionError: another argument that is not one of the above.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "traditional",
        opponents: Opponents = RANDOM,
        seat: int | str = 0,
        all_seats: bool = False,
        episode: str = "deal",
        match: Match | int | None = None,
        reward: str = "units",
        illegal: str = "error",
        dtype: npt.DTypeLike = np.int8,
        first_index: int = 0,
    ) -> None:
        num_envs = check_count("num_envs", num_envs, 1)
        if not isinstance(seat, str):
            seat = check_seat("seat", seat)
        elif seat not in SEATS:
            raise OptionError(f"seat: {seat!r}; expected one of {list(SEATS)}")
        check("illegal", illegal, Choice(*ILLEGAL))
        check("reward", reward, Choice(*REWARDS))
        self.dtype = check_dtype(dtype)
        found = find_match(get_rules(rules), episode, match)
        self.batch = DealBatch(
            num_envs, rules, seed=0, autoreset=False, match=found, first_index=first_index
        )
        self.unit = float(found.chips_per_point) if found and reward == "chips" else 1.0
        self.all_seats = all_seats
        self.opponents = (None, None) if all_seats else resolve(opponents)
        self._where = turns.EVERY_SEAT if all_seats else SEATS[seat]
        self._illegal = ILLEGAL[illegal]
        self._dealt = False
        self.seats = np.full(num_envs, self._where if self._where < 3 else 0, dtype=np.int64)
        self.gained = np.zeros((num_envs, NUM_SEATS), dtype=np.int64)
        self.refused = np.zeros(num_envs, dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.batch)

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """(B,) bool: the row's episode is over."""
        over: npt.NDArray[np.bool_] = self.batch.deals["phase"] == OVER
        return over

    @property
    def penalises(self) -> bool:
        """Whether an illegal action leaves everything as it is and costs a penalty."""
        return self._illegal == turns.ILLEGAL_PENALTY

    # ------------------------------------------------------------------ episodes

    def deal(self, seed: Seed = None, rows: npt.NDArray[np.int64] | None = None) -> None:
        """Deals new episodes; `begin` has to follow.

        Args:
            seed: as of `DealBatch.reset`; None goes on with the rows' streams (the first time:
                draws a seed).
            rows: (N,) rows; None: all.

        Raises:
            OptionError: a bad seed, or not B of them; no row is changed.
        """
        if seed is None and not self._dealt:
            seed = drawn_seed()
        if seed is None and rows is None:
            rows = np.arange(len(self))
        self.batch.reset(seed, rows)
        self._dealt = True

    def begin(self, rows: npt.NDArray[np.int64] | None = None, seat: int | None = None) -> None:
        """Seats the learner in freshly dealt rows and plays until it is on turn.

        Args:
            rows: (N,) rows; None: all.
            seat: the learner's seat in these episodes, instead of what `seat` says.
        """
        if rows is None:
            rows = np.arange(len(self))
            self.gained[:] = 0
            self.refused[:] = False
        left, right = self._random
        turns.seat_rows(
            self.batch.deals,
            self.batch.packed_rules,
            rows,
            self._where if seat is None else seat,
            self.batch.first_index,
            self.seats,
            left,
            right,
            self.gained,
        )
        self._ask_opponents()

    def resume(self) -> None:
        """Goes on with deals and seats that were put in place from outside."""
        self.gained[:] = 0
        self.refused[:] = False
        self._dealt = True

    @property
    def _random(self) -> tuple[bool, bool]:
        return self.opponents[0] is None, self.opponents[1] is None

    # ------------------------------------------------------------------ actions

    def as_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Returns actions as (B,) int64.

        Raises:
            ActionError: wrong shape or dtype.
        """
        return self.batch.as_actions(actions)

    def act(self, actions: npt.NDArray[np.int64]) -> None:
        """Takes one action per row (not in rows that are over) and plays until the learners' turn.

        Raises:
            AgentError: an opponent failed; no row is changed.
            IllegalActionError: with `illegal="error"`; no row is changed.
        """
        left, right = self._random
        before = None if left and right else self.batch.deals.copy()
        bad = turns.act_rows(
            self.batch.deals,
            self.batch.packed_rules,
            actions,
            self.seats,
            left,
            right,
            self._illegal,
            self.gained,
            self.refused,
        )
        if bad >= 0:
            raise self.batch.illegal_action(int(bad), int(actions[bad]))
        if before is not None:
            try:
                self._ask_opponents()
            except BaseException:
                self.batch.deals[:] = before
                raise

    def _ask_opponents(self) -> None:
        left, right = self._random
        if self.all_seats or (left and right):
            return
        groups: list[tuple[Opponent, list[int]]] = []
        for place, opponent in enumerate(self.opponents, start=1):
            if opponent is None:
                continue
            if groups and groups[0][0] is opponent:
                groups[0][1].append(place)
            else:
                groups.append((opponent, [place]))
        deals, rules = self.batch.deals, self.batch.packed_rules
        while True:
            turn = deals["turn"]
            place_on_turn = np.where(turn >= 0, (turn - self.seats) % NUM_SEATS, 0)
            if not place_on_turn.any():
                return
            for opponent, places in groups:
                rows = np.flatnonzero(np.isin(place_on_turn, places))
                if rows.size:
                    chosen = ask(opponent, self.batch.views(rows))
                    turns.answer_rows(
                        deals, rules, rows, chosen, self.seats, left, right, self.gained
                    )

    # ------------------------------------------------------------------ what the learners get

    def viewers(self) -> npt.NDArray[np.int64]:
        """Returns (B,) int64: whose observation each row is (the seat on turn with `all_seats`)."""
        out = np.empty(len(self), dtype=np.int64)
        turns.viewer_rows(self.batch.deals, self.seats, out)
        return out

    def observe(
        self, viewers: npt.NDArray[np.int64], rows: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[Any]:
        """Returns (N, F) observations of all or some rows in a new array.

        Args:
            viewers: (N,) int64 seats.
            rows: (N,) rows; None: all.
        """
        deals = self.batch.deals if rows is None else self.batch.deals[rows]
        out = np.empty((len(deals), OBSERVATION_SIZE), dtype=np.int8)
        observe_rows(deals, self.batch.packed_rules, viewers, out)
        return out if self.dtype == np.int8 else out.astype(self.dtype)

    def masks(self) -> npt.NDArray[np.int8]:
        """Returns (B, 48) int8 action masks in a new array; zeros in rows that are over."""
        out = np.empty((len(self), NUM_ACTIONS), dtype=np.int8)
        kernels.legal_rows(self.batch.deals, out.view(np.uint64))
        return out

    def rewards(self) -> npt.NDArray[np.float64]:
        """Returns (B,) float64: what each row's learner was paid during the last call."""
        paid = self.gained[np.arange(len(self)), self.seats]
        return paid.astype(np.float64) * self.unit


def check_all_seats(all_seats: bool, options: Mapping[str, Any]) -> None:
    """Refuses `all_seats` beside what only a learner has.

    Raises:
        OptionError: a learner's seat or opponents are given, or `all_seats` is no flag.
    """
    check("all_seats", all_seats, Flag())
    seat, opponents = options.get("seat", 0), options.get("opponents", RANDOM)
    if all_seats and not (seat == 0 and isinstance(opponents, str) and opponents == RANDOM):
        raise OptionError("all_seats: there is no learner's seat and there are no opponents")


def check_transform(transform: Any) -> Callable[[npt.NDArray[np.float64]], npt.NDArray[Any]] | None:
    """Returns a face's `reward_transform`.

    Raises:
        OptionError: neither None nor a function.
    """
    if transform is not None and (not callable(transform) or isinstance(transform, type)):
        raise OptionError(f"reward_transform: {transform!r}; expected a function or None")
    found: Callable[[npt.NDArray[np.float64]], npt.NDArray[Any]] | None = transform
    return found


def find_match(rules: Rules, episode: str, match: Match | int | None) -> Match | None:
    """Returns the match of an episode, None where it is one deal.

    Raises:
        OptionError: no such episode, or a match beside `episode="deal"`.
        RulesError: a number of rotations out of range, or no match.
    """
    check("episode", episode, Choice(*EPISODES))
    if episode == "deal":
        if match is not None:
            raise OptionError('match: only with episode="match"')
        return None
    if isinstance(match, Match):
        return match
    if isinstance(match, Mapping):  # as a Gymnasium spec's JSON has it
        return match_of(match)
    return standard_match(rules, 1 if match is None else match)
