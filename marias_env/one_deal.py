"""`OneDeal`: one deal at a time, as fast as a call from Python can be."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.actions import NUM_ACTIONS
from marias_env.batch import DealBatch
from marias_env.checks import check_seat, one_action
from marias_env.core.layout import OBSERVATION_SIZE
from marias_env.core.single import (
    REFUSED,
    TABLE,
    draw_action,
    restart_and_show,
    show_seat,
    step_and_show,
)
from marias_env.errors import StateError
from marias_env.match import Match
from marias_env.notebook import shown
from marias_env.rules import Rules
from marias_env.seeds import Seed


def _at(name: str) -> int:
    assert TABLE.fields is not None
    return int(TABLE.fields[name][1])


_DEAL_STOP = _at("rules")
_ROW = slice(_at("seen"), TABLE.itemsize)


class OneDeal:
    """One deal whose calls take and return plain integers and reuse their buffers.

    Played to its end::

        one = OneDeal(seed=0)
        while one.turn >= 0:
            action = one.sample_legal()  # or one that `one.mask` allows, from `one.observation`
            one.step(action)
        one.payments

    It plays the same deals as a `DealBatch` of one row with the same seed. Nothing is dealt anew by
    itself: `reset` starts the next episode, `next_deal` goes on within a match.

    Args:
        rules: a preset's name or a rule set.
        seed: a whole number from 0; None draws one.
        match: None: an episode is one deal. A `Match`: `next_deal` deals on until it is over.

    Attributes:
        turn: seat on turn, -1 when the deal is over.
        observation: (632,) int8, read-only: what the seat on turn sees (`marias_env.observation`),
            zeros when the deal is over. The next call overwrites it; copy what you keep.
        mask: (48,) int8, read-only: its legal actions, overwritten likewise.
        row: (680,) int8, read-only: both of them, one behind the other.

    Raises:
        RulesError: unknown rules.
    """

    __slots__ = ("__weakref__", "_batch", "_block", "mask", "observation", "row", "turn")

    turn: int
    observation: npt.NDArray[np.int8]
    mask: npt.NDArray[np.int8]
    row: npt.NDArray[np.int8]

    def __init__(
        self,
        rules: str | Rules = "traditional",
        seed: Seed = None,
        match: Match | None = None,
    ) -> None:
        self._take(DealBatch(1, rules, seed, autoreset=False, match=match))

    @classmethod
    def of(cls, batch: DealBatch, row: int = 0) -> OneDeal:
        """Returns a copy of one row of a batch, random streams included."""
        one = object.__new__(cls)
        one._take(batch[row])
        return one

    def _take(self, batch: DealBatch) -> None:
        # The batch of one row goes on living, for all that is not done in every step; its row
        # moves into the block.
        block = np.zeros(TABLE.itemsize, dtype=np.uint8)
        block.view(TABLE)["deal"] = batch.deals
        block.view(TABLE)["rules"] = batch.packed_rules
        batch.deals = block[:_DEAL_STOP].view(batch.deals.dtype)
        self._batch = batch
        self._block = block
        self.row = block[_ROW].view(np.int8)
        self.row.flags.writeable = False
        self.observation = self.row[:OBSERVATION_SIZE]
        self.mask = self.row[OBSERVATION_SIZE:]
        self.show()

    # ------------------------------------------------------------------ playing

    def reset(self, seed: Seed = None) -> int:
        """Starts an episode; returns the seat on turn.

        Args:
            seed: starts the random streams anew; None: the next episode of the present ones, in
                which the deal has rotated.
        """
        if seed is not None:
            self._batch.reset(seed)
            return self.show()
        self.turn = restart_and_show(self._block)
        return self.turn

    def next_deal(self) -> int:
        """Deals on after the end: the match's next deal or a new episode; returns the seat on turn.

        Raises:
            StateError: the deal is not over.
        """
        if self.turn >= 0:
            raise StateError("next_deal() before the deal is over")
        self._batch.next_deals([0])
        return self.show()

    def step(self, action: int) -> int:
        """Takes the action of the seat on turn; returns the seat on turn next, -1 at the end.

        Args:
            action: id, 0 to 47.

        Raises:
            ActionError: not an integer (`marias_env.checks.one_action`).
            IllegalActionError: not legal, or the deal is over; nothing has changed.
        """
        if action.__class__ is not int or not 0 <= action < NUM_ACTIONS:
            action = self._number(action)
        turn: int = step_and_show(self._block, action)
        if turn == REFUSED:
            raise self._batch.illegal_action(0, action)
        self.turn = turn
        return turn

    def _number(self, action: Any) -> int:
        number = one_action(action)
        if not 0 <= number < NUM_ACTIONS:
            raise self._batch.illegal_action(0, number)
        return number

    def sample_legal(self) -> int:
        """Draws a uniformly random legal action from the deal's own stream; -1 when it is over."""
        action: int = draw_action(self._block)
        return action

    def show(self, seat: int | None = None) -> int:
        """Writes what a seat sees into `observation` and `mask`, until the next call.

        Args:
            seat: 0, 1 or 2; None: the seat on turn. The mask is all zeros for a seat that is not.

        Returns:
            The seat on turn, read from the deal anew.

        Raises:
            OptionError: no such seat.
        """
        self.turn = int(self._batch.deals["turn"][0])
        if seat is None:
            seat = self.turn
        else:
            seat = check_seat("seat", seat)
        show_seat(self._block, seat)
        return self.turn

    # ------------------------------------------------------------------ what can be read

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return self._batch.rules

    @property
    def phase(self) -> int:
        """Phase id, names in `PHASES`."""
        return int(self._batch.deals["phase"][0])

    @property
    def dealer(self) -> int:
        """Dealer's seat."""
        return int(self._batch.deals["dealer"][0])

    @property
    def legal_bits(self) -> int:
        """The legal actions of the seat on turn as a bit set, bit a for action a."""
        return int(self._batch.deals["legal"][0])

    @property
    def payments(self) -> tuple[int, int, int]:
        """Units by seat that the deal paid; zeros until it is over."""
        first, second, third = self._batch.deals["payments"][0].tolist()
        return first, second, third

    @property
    def batch(self) -> DealBatch:
        """The deal as a `DealBatch` of one row that shares its memory, hidden cards included.

        For whatever is not done in every step: decks, records, states, views. Call `show()` after a
        change.
        """
        return self._batch

    def __repr__(self) -> str:
        return f"OneDeal(dealing={self.rules.dealing!r}, turn={self.turn})"

    def _repr_html_(self) -> str:
        return shown(self._batch, "marias_env.showing.notebook", "batch_html")

    # ------------------------------------------------------------------ copies

    def clone(self) -> OneDeal:
        """Returns an independent copy: the same deal, the same random streams."""
        other = object.__new__(type(self))
        other._take(self._batch.copy())
        return other

    def __copy__(self) -> OneDeal:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> OneDeal:
        # Whoever is copied along with it and holds the batch goes on sharing it.
        other = object.__new__(type(self))
        other._take(copy.deepcopy(self._batch, memo))
        return other

    def __getstate__(self) -> DealBatch:
        return self._batch

    def __setstate__(self, batch: DealBatch) -> None:
        self._take(batch)
