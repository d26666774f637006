"""`DealBatch`: thousands of deals at once, the vectorized core."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.actions import ACTIONS, NUM_ACTIONS, OVER, PHASES
from marias_env.checks import (
    AUTORESET_MODES,
    autoreset_mode,
    buffer,
    check_count,
    row_actions,
    row_numbers,
    row_seats,
)
from marias_env.core import kernels
from marias_env.core.deal import DEAL, NUM_SEATS, pack_rules
from marias_env.core.encode import observe_rows, state_rows
from marias_env.core.events import TOKENS_LENGTH, token_rows
from marias_env.core.kernels import NO_ACTION
from marias_env.core.layout import OBSERVATION_SIZE, STATE_SIZE
from marias_env.core.pack import PACKED_SIZE, pack_rows
from marias_env.errors import DeckError, IllegalActionError, OptionError, StateError
from marias_env.match import Match
from marias_env.notebook import shown
from marias_env.rules import Rules, get_rules
from marias_env.saved_rows import check_replays, read_rows, write_rows
from marias_env.seeds import Seed, row_seeds, seed_rows
from marias_env.views import Views, make_views

_NO_MASK: Final = np.empty((0, NUM_ACTIONS), dtype=np.int8)
_NO_OBSERVATION: Final = np.empty((0, OBSERVATION_SIZE), dtype=np.int8)
"""Buffers that are not wanted."""
_ON_TURN: Final = np.empty(0, dtype=np.int64)
"""Whose observation: the seat on turn."""


class DealBatch:
    """A batch of independent deals, one row each, stepped together in compiled code.

    A row's cards depend on (seed, row index, episode) only, never on the batch size or on other
    rows.

    Args:
        num_deals: number of rows B.
        rules: a preset's name or a rule set.
        seed: a whole number from 0, or B of them, one for each row; None draws one.
        autoreset: what happens to a row whose deal has ended. `True` or `"same_step"`: it is dealt
            anew within the same `step` (the deal rotates). `"next_step"`: the next `step` deals
            anew and ignores that row's action. `False` or `"disabled"`: it stays over, takes only
            the action -1, and `reset(indices=...)` starts it again.
        match: None: an episode is one deal. A `Match`: deals go on until the match is over.
        first_index: index of row 0 in the seeding, to split one batch over several processes.

    Attributes:
        deals: (B,) DEAL, the records, whole truth included.
        packed_rules: (1,) RULE_SET, the rules as compiled functions take them; not to be changed.

    Raises:
        RulesError: unknown rules.
        OptionError: `num_deals` below 1, a bad seed or an unknown autoreset mode.
    """

    def __init__(
        self,
        num_deals: int = 1,
        rules: str | Rules = "traditional",
        seed: Seed = None,
        autoreset: bool | str = True,
        match: Match | None = None,
        first_index: int = 0,
    ) -> None:
        num_deals = check_count("num_deals", num_deals, 1)
        first_index = check_count("first_index", first_index, 0)
        if not isinstance(match, (Match, type(None))):
            raise OptionError(f"match: {match!r}; expected a Match or None")
        self.rules = get_rules(rules)
        self.match = match
        self.first_index = first_index
        self._autoreset = autoreset_mode(autoreset)
        self.packed_rules = pack_rules(
            self.rules, match.deals if match else 0, (match.points or 0) if match else 0
        )
        self.deals: npt.NDArray[Any] = np.zeros(num_deals, dtype=DEAL)
        self._payments = np.zeros((num_deals, NUM_SEATS), dtype=np.int64)
        self.reset(seed)

    # ------------------------------------------------------------------ seeding and dealing

    def reset(
        self,
        seed: Seed = None,
        indices: npt.ArrayLike | None = None,
    ) -> None:
        """Starts new episodes.

        Args:
            seed: seeds rows and starts their episode 0: a whole number (what a row is dealt
                depends on its index too), or B of them (a row is dealt as the first row of a batch
                with that seed). None draws one; with `indices`, their streams go on.
            indices: only these rows.

        Raises:
            OptionError: a bad seed, or not B of them; no row is changed.
            IndexError: an index out of range.
        """
        seeds = row_seeds(seed, len(self))
        rows = None if indices is None else row_numbers(indices, len(self))
        if rows is not None and seeds is None:
            kernels.restart_rows(self.deals, self.packed_rules, rows)
            return
        seed_rows(self.deals, self.packed_rules, seeds, rows, self.first_index)
        self._payments[slice(None) if rows is None else rows] = 0

    def set_decks(self, decks: npt.ArrayLike, dealers: npt.ArrayLike | int) -> None:
        """Deals given decks.

        Args:
            decks: (B, n) or (n,) card ids in dealing order (docs/records.md), n cards of the rules.
            dealers: (B,) or one seat.

        Raises:
            DeckError: a row is not an ordering of exactly the cards of the rules, or a dealer is no
                seat; no row is changed.
        """
        n = self.rules.num_cards
        cards = np.array(decks)  # a copy: they may be a part of this batch's own rows
        if cards.ndim == 1:
            cards = cards[None, :]
        if cards.ndim != 2 or cards.shape[1] != n or cards.shape[0] not in (1, len(self)):
            raise DeckError(
                f"decks of shape {np.shape(decks)}; expected ({len(self)}, {n}) or ({n},)"
            )
        if cards.dtype.kind not in "iu":
            raise DeckError(f"decks of dtype {cards.dtype}; expected integer card ids")
        whole = [card for card in range(32) if self.rules.deck_mask >> card & 1]
        wrong = np.flatnonzero((np.sort(cards, axis=1) != whole).any(axis=1))
        if wrong.size:
            raise DeckError(
                f"deck of row {wrong[0]}: {cards[wrong[0]].tolist()}; expected every one of the "
                f"{n} cards of the rules once"
            )
        seats = np.asarray(dealers)
        if seats.dtype.kind not in "iu" or ((seats < 0) | (seats > 2)).any():
            raise DeckError(f"dealer: {dealers!r}; expected a seat 0, 1 or 2")
        if seats.ndim > 1 or (seats.ndim == 1 and seats.shape[0] not in (1, len(self))):
            raise DeckError(f"dealers of shape {seats.shape}; expected ({len(self)},)")
        self.deals["deck"] = 0
        self.deals["deck"][:, :n] = cards
        self.deals["dealer"] = seats
        kernels.deal_rows(self.deals, self.packed_rules)

    def next_deals(self, indices: npt.ArrayLike) -> None:
        """Deals on in finished rows: the next deal of their match, or a new episode."""
        kernels.continue_rows(self.deals, self.packed_rules, row_numbers(indices, len(self)))

    # ------------------------------------------------------------------ stepping

    def step(
        self,
        actions: npt.ArrayLike,
        mask: npt.NDArray[np.int8] | None = None,
        observation: npt.NDArray[np.int8] | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Takes one action in every row.

        Given the buffers, it also writes what `legal_mask` and `observe` would write afterwards,
        each row while it is at hand, which is quicker than to call them.

        Args:
            actions: (B,) integer action ids; -1 for rows that are over (autoreset disabled).
            mask: C-contiguous (B, 48) int8 buffer to write the next legal actions to.
            observation: C-contiguous (B, F) int8 buffer to write the next observations to.

        Returns:
            (B,) bool: the deal of this row ended with this action.

        Raises:
            ActionError: wrong shape or dtype.
            IllegalActionError: an action out of range or not legal. No row is changed.
            ValueError: a buffer of another kind.
        """
        chosen = self.as_actions(actions)
        size = len(self)
        done = np.empty(size, dtype=np.bool_)
        bad = kernels.step_rows(
            self.deals,
            self.packed_rules,
            chosen,
            done,
            self._payments,
            self._autoreset,
            _NO_MASK if mask is None else buffer(mask, (size, NUM_ACTIONS), np.int8, "mask"),
            _NO_OBSERVATION
            if observation is None
            else buffer(observation, (size, OBSERVATION_SIZE), np.int8, "observation"),
        )
        if bad >= 0:
            raise self.illegal_action(int(bad), int(chosen[bad]))
        return done

    def as_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Returns actions as the (B,) int64 array that compiled code takes.

        Raises:
            ActionError: wrong shape or dtype.
        """
        return row_actions(actions, len(self))

    def illegal_action(self, row: int, action: int) -> IllegalActionError:
        """Returns the error that names row, seat, phase, action and what was legal."""
        deal = self.deals[row]
        legal = tuple(a for a in range(NUM_ACTIONS) if int(deal["legal"]) >> a & 1)
        text = ACTIONS[action] if 0 <= action < NUM_ACTIONS else "out of range"
        if deal["phase"] == OVER:
            what = f"the deal is over; expected {NO_ACTION} (no action) or a reset"
        else:
            what = (
                f"not legal for seat {deal['turn']} in phase {PHASES[deal['phase']]}; "
                f"expected one of {', '.join(ACTIONS[a] for a in legal)}"
            )
        return IllegalActionError(
            f"row {row}: action {action} ({text}): {what}", action=action, legal=legal, row=row
        )

    def sample_legal(self, out: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """Draws uniformly random legal actions from the rows' own streams.

        Args:
            out: (B,) int64 buffer to write to.

        Returns:
            (B,) int64; -1 for rows that are over.
        """
        actions = buffer(out, (len(self),), np.int64)
        kernels.sample_rows(self.deals, actions)
        return actions

    # ------------------------------------------------------------------ what can be read

    def legal_mask(self, out: npt.NDArray[np.int8] | None = None) -> npt.NDArray[np.int8]:
        """Returns (B, 48) int8: 1 where an action is legal for the seat on turn; 0 when over.

        Args:
            out: C-contiguous (B, 48) int8 buffer to write to.
        """
        mask = buffer(out, (len(self), NUM_ACTIONS), np.int8)
        kernels.legal_rows(self.deals, mask.view(np.uint64))
        return mask

    def _seats(self, perspective: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
        return _ON_TURN if perspective is None else row_seats(perspective, len(self))

    def observe(
        self,
        perspective: npt.ArrayLike | None = None,
        out: npt.NDArray[np.int8] | None = None,
    ) -> npt.NDArray[np.int8]:
        """Returns (B, F) int8: what a seat sees, in the layout of `marias_env.observation`.

        Args:
            perspective: seat, or (B,) seats; None: the seat on turn (zeros for rows that are over).
            out: C-contiguous (B, F) int8 buffer to write to.
        """
        seats = self._seats(perspective)
        vectors = buffer(out, (len(self), OBSERVATION_SIZE), np.int8)
        observe_rows(self.deals, self.packed_rules, seats, vectors)
        return vectors

    def observe_packed(
        self,
        perspective: npt.ArrayLike | None = None,
        out: npt.NDArray[np.uint8] | None = None,
    ) -> npt.NDArray[np.uint8]:
        """Returns (B, 90) uint8: observations in a seventh of the memory (`marias_env.packed`).

        Args:
            perspective: as of `observe`.
            out: C-contiguous (B, 90) uint8 buffer to write to.
        """
        packed = buffer(out, (len(self), PACKED_SIZE), np.uint8)
        pack_rows(self.deals, self.packed_rules, self._seats(perspective), packed)
        return packed

    def state(
        self,
        perspective: npt.ArrayLike | None = 0,
        out: npt.NDArray[np.int8] | None = None,
    ) -> npt.NDArray[np.int8]:
        """Returns (B, S) int8 perfect-information states, for critics and oracles.

        Args:
            perspective: seat whose observation comes first; None: the seat on turn (0 when over).
            out: C-contiguous (B, S) int8 buffer to write to.
        """
        seats = np.maximum(self.deals["turn"], 0, dtype=np.int64)
        if perspective is not None:
            seats = self._seats(perspective)
        vectors = buffer(out, (len(self), STATE_SIZE), np.int8)
        state_rows(self.deals, self.packed_rules, seats, vectors)
        return vectors

    def tokens(
        self, perspective: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int64]]:
        """Returns the event tokens of a seat: its full information state (`marias_env.tokens`).

        Args:
            perspective: seat, or (B,) seats; None: the seat on turn (no tokens for rows that are
                over).

        Returns:
            (B, T) int16 token ids, padded with 0, and (B,) int64 numbers of tokens.
        """
        seats = self._seats(perspective)
        if not seats.size:
            seats = self.deals["turn"].astype(np.int64)
        tokens = np.empty((len(self), TOKENS_LENGTH), dtype=np.int16)
        lengths = np.empty(len(self), dtype=np.int64)
        scratch = np.empty(1, dtype=DEAL)
        token_rows(self.deals, self.packed_rules, seats, scratch, tokens, lengths)
        return tokens, lengths

    def views(self, rows: npt.ArrayLike | None = None, seats: npt.ArrayLike | None = None) -> Views:
        """Returns information views: all that an agent may be given.

        Args:
            rows: (N,) row indices; None: all rows, which must then not be over unless `seats` is
                given.
            seats: (N,) seats; None: the seat on turn.

        Raises:
            ValueError: a row without a seat on turn and no `seats`, or something that is no seat.
        """
        chosen = row_numbers(slice(None) if rows is None else rows, len(self))
        whose = self.deals["turn"][chosen] if seats is None else np.asarray(seats)
        if whose.size and whose.dtype.kind not in "iu":
            raise ValueError(f"views: seats of dtype {whose.dtype}; expected seats 0 to 2")
        whose = np.ascontiguousarray(np.broadcast_to(whose, chosen.shape), dtype=np.int64)
        if ((whose < 0) | (whose > 2)).any():
            raise ValueError(
                "views: a row has no seat on turn (the deal is over); give seats 0 to 2"
            )
        return make_views(self.deals, self.rules, self.packed_rules, chosen, whose)

    @property
    def legal_bits(self) -> npt.NDArray[np.uint64]:
        """(B,) uint64: the masks packed, bit a for action a."""
        return np.array(self.deals["legal"], dtype=np.uint64)

    @property
    def turn(self) -> npt.NDArray[np.int8]:
        """(B,) int8: seat to act, -1 when over."""
        return np.array(self.deals["turn"])

    @property
    def phase(self) -> npt.NDArray[np.int8]:
        """(B,) int8: phase ids, names in `PHASES`."""
        return np.array(self.deals["phase"])

    @property
    def dealer(self) -> npt.NDArray[np.int8]:
        """(B,) int8: dealer's seat."""
        return np.array(self.deals["dealer"])

    @property
    def payments(self) -> npt.NDArray[np.int64]:
        """(B, 3) int64: units by seat of each row's last finished deal; zeros before the first."""
        return np.array(self._payments)

    @property
    def totals(self) -> npt.NDArray[np.int64]:
        """(B, 3) int64: units by seat since the row's match (or single deal) began."""
        return np.array(self.deals["totals"])

    @property
    def autoreset(self) -> str:
        """`disabled`, `same_step` or `next_step`."""
        return next(name for name, mode in AUTORESET_MODES.items() if mode == self._autoreset)

    def __len__(self) -> int:
        return int(self.deals.shape[0])

    def __repr__(self) -> str:
        return (
            f"DealBatch(num_deals={len(self)}, dealing={self.rules.dealing!r}, "
            f"autoreset={self.autoreset!r})"
        )

    def _repr_html_(self) -> str:
        return shown(self, "marias_env.showing.notebook", "batch_html")

    # ------------------------------------------------------------------ copies and bytes

    @classmethod
    def from_deals(cls, deals: npt.NDArray[Any], rules: str | Rules = "traditional") -> DealBatch:
        """Returns a batch of DEAL records, which stay over when they end (no autoreset).

        Args:
            deals: (B,) DEAL, complete records such as `batch.deals` or sampled worlds; shared
                where they are contiguous.
            rules: those of the records; not checked against them.

        Raises:
            RulesError: unknown rules.
            OptionError: not an array of at least one record.
        """
        if not isinstance(deals, np.ndarray) or deals.dtype != DEAL or deals.ndim != 1:
            raise OptionError(f"deals: {type(deals).__name__}; expected a (B,) array of DEAL")
        check_count("deals", len(deals), 1)
        paid = np.zeros((len(deals), NUM_SEATS), dtype=np.int64)
        return cls(1, rules, seed=0, autoreset=False)._like(deals, paid)

    def _like(self, deals: npt.NDArray[Any], payments: npt.NDArray[np.int64]) -> DealBatch:
        other = object.__new__(DealBatch)
        other.rules = self.rules
        other.match = self.match
        other.first_index = self.first_index
        other._autoreset = self._autoreset
        other.packed_rules = self.packed_rules
        other.deals = np.ascontiguousarray(deals)
        other._payments = np.ascontiguousarray(payments)
        return other

    def parts(self, rows: int = 4096) -> list[DealBatch]:
        """Returns the batch in parts of consecutive rows that share its memory.

        What is done part by part finds its rows in the processor's cache; parts may be stepped in
        threads, since the compiled code releases the interpreter lock (docs/batches.md).

        Args:
            rows: of each part; the last one may be smaller.
        """
        check_count("rows", rows, 1)
        found = []
        for start in range(0, len(self), rows):
            some = slice(start, start + rows)
            part = self._like(self.deals[some], self._payments[some])
            part.first_index = self.first_index + start
            found.append(part)
        return found

    def copy(self) -> DealBatch:
        """Returns an independent copy: same rows, same random streams."""
        return self._like(self.deals.copy(), self._payments.copy())

    def __deepcopy__(self, memo: Any) -> DealBatch:
        return self.copy()

    def __getitem__(self, rows: Any) -> DealBatch:
        """Returns copies of some rows: an index, a slice, an index array or a bool mask."""
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        if chosen.size == 0:
            raise IndexError("no rows selected; a batch has at least one")
        return self._like(self.deals[chosen], self._payments[chosen])

    def __setitem__(self, rows: Any, other: DealBatch) -> None:
        """Overwrites some rows with the rows of another batch of the same rules."""
        if other.rules != self.rules:
            raise StateError("rows of a batch with other rules cannot be copied in")
        self.deals[rows] = other.deals if len(other) > 1 else other.deals[0]
        self._payments[rows] = other._payments if len(other) > 1 else other._payments[0]

    def to_bytes(self) -> bytes:
        """Returns the state of all rows, streams included, as bytes for `from_bytes`."""
        return write_rows(self.packed_rules, (self.deals, self._payments))

    def from_bytes(self, data: bytes) -> None:
        """Restores what `to_bytes` of a batch with the same rules returned, row count included.

        Raises:
            StateError: not such bytes, another layout version, or other rules; nothing is changed.
        """
        deals, payments = read_rows(data, self.packed_rules)
        fresh = DealBatch(len(deals), self.rules, seed=0, autoreset=False)
        try:
            fresh.set_decks(deals["deck"][:, : self.rules.num_cards], deals["dealer"])
        except DeckError as error:
            raise StateError(f"saved rows: {error}") from error
        check_replays(deals, fresh.deals, fresh.packed_rules)
        if len(deals) == len(self):
            self.deals[:] = deals  # in place: others may share the memory
            self._payments[:] = payments
        else:
            self.deals, self._payments = deals, payments

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.rules, self.match, self.first_index, self.autoreset, self.to_bytes())


def _restore(
    rules: Rules, match: Match | None, first_index: int, autoreset: str, data: bytes
) -> DealBatch:
    batch = DealBatch(1, rules, 0, autoreset, match, first_index)
    batch.from_bytes(data)
    return batch
