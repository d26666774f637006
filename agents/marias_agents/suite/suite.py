"""The suite: making it, its contents, its fingerprint, and the positions of its decisions."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_agents.suite.contracts import solve_contracts
from marias_agents.suite.games import NOT_LEGAL, play_games
from marias_env.actions import CONTRACTS, PLAY
from marias_env.batch import DealBatch
from marias_env.checks import check_count
from marias_env.core.deal import DEAL
from marias_env.core.history import actions_of
from marias_env.core.kernels import NO_ACTION
from marias_env.errors import DeckError, IllegalActionError, MariasError
from marias_env.rules import Rules, get_rules, preset_and_options
from marias_env.views import Views

FORMAT: Final = "marias-suite"
VERSION: Final = 1
"""Version of the contents: what is solved, how cards are put away, how the games are played."""

ARRAYS: Final[dict[str, tuple[str, tuple[str | int, ...]]]] = {
    "decks": ("|u1", ("deals", "cards")),
    "dealers": ("|u1", ("deals",)),
    "values": ("<i8", ("deals", 6)),
    "discards": ("|i1", ("deals", 6, 2)),
    "game_decks": ("|u1", ("games", "cards")),
    "game_dealers": ("|u1", ("games",)),
    "history": ("|u1", ("games", 112)),
    "num_actions": ("|u1", ("games",)),
    "decision_game": ("<i4", ("decisions",)),
    "decision_step": ("|u1", ("decisions",)),
    "best": ("<i8", ("decisions",)),
    "regrets": ("<i8", ("decisions", 32)),
}
"""Contents of a suite by name: type, and dimensions by name or size."""


class SuiteError(MariasError, ValueError):
    """A file that is no suite, one of another version, or one whose contents are damaged."""


@dataclasses.dataclass(frozen=True)
class Decisions:
    """Decisions of a suite, each between two legal cards or more.

    Attributes:
        batch: the positions, one row each.
        rows: (D,) their numbers in the suite.
        game: (D,) the game each is from.
        seat: (D,) who is on turn.
        declarer: (D,) bool, whether that is the declarer.
        contract: (D,) id, names in `CONTRACTS`.
        trick: (D,) from 1.
        best: (D,) units per opponent, what the best card is worth to the mover's side.
        regrets: (D, 32) units per opponent given away by card id, -1 where a card is not legal.
    """

    batch: DealBatch
    rows: npt.NDArray[np.int64]
    game: npt.NDArray[np.int64]
    seat: npt.NDArray[np.int64]
    declarer: npt.NDArray[np.bool_]
    contract: npt.NDArray[np.int64]
    trick: npt.NDArray[np.int64]
    best: npt.NDArray[np.int64]
    regrets: npt.NDArray[np.int64]

    def views(self) -> Views:
        """Returns what an agent is given."""
        return self.batch.views()

    def observations(self) -> npt.NDArray[np.int8]:
        """Returns (D, F) int8, what the seat on turn sees (`marias_env.observation`)."""
        return self.batch.observe()

    def masks(self) -> npt.NDArray[np.int8]:
        """Returns (D, 48) int8, the legal actions."""
        return self.batch.legal_mask()

    def names(self) -> list[str]:
        """Returns the contracts' names."""
        return [CONTRACTS[contract] for contract in self.contract]

    def __len__(self) -> int:
        return len(self.rows)


@dataclasses.dataclass(frozen=True)
class Suite:
    """A benchmark suite; `make_suite` makes it, `load_suite` reads it.

    Attributes:
        rules: rule set of all its deals.
        seed: of the deals, and of the random cards of the games.
        arrays: the contents by the names of `ARRAYS`.
    """

    rules: Rules
    seed: int
    arrays: dict[str, npt.NDArray[Any]] = dataclasses.field(repr=False)

    @property
    def deals(self) -> int:
        """Number of deals with solved contracts."""
        return len(self.arrays["decks"])

    @property
    def games(self) -> int:
        """Number of games whose decisions are labelled."""
        return len(self.arrays["history"])

    @property
    def num_decisions(self) -> int:
        """Number of labelled decisions."""
        return len(self.arrays["regrets"])

    @property
    def values(self) -> npt.NDArray[np.int64]:
        """(N, 6) V by `CONTRACT_NAMES`; `MISSING` where there is no such contract."""
        return self.arrays["values"]

    @property
    def discards(self) -> npt.NDArray[np.int8]:
        """(N, 6, 2) the cards put away for these values; -1 where there is no such contract."""
        return self.arrays["discards"]

    def deal_batch(self) -> DealBatch:
        """Returns the deals with solved contracts, as dealt."""
        return self._dealt(self.arrays["decks"], self.arrays["dealers"])

    def decisions(self, rows: npt.ArrayLike | slice | None = None) -> Decisions:
        """Replays games up to labelled decisions.

        Args:
            rows: numbers, a mask or a slice; None: all decisions.

        Raises:
            IndexError: no such decision, or none at all.
            SuiteError: the games cannot be replayed, or the labels are of other positions.
        """
        wanted: Any = slice(None) if rows is None else rows
        chosen = np.atleast_1d(np.arange(self.num_decisions)[wanted])
        if not chosen.size:
            raise IndexError("no decisions selected")
        game = self.arrays["decision_game"][chosen].astype(np.int64)
        step = self.arrays["decision_step"][chosen].astype(np.int64)
        batch = self._positions(game, step)
        regrets = self.arrays["regrets"][chosen]
        deals = batch.deals
        legal = batch.legal_mask()[:, :32] != 0
        if (deals["phase"] != PLAY).any() or not np.array_equal(regrets != NOT_LEGAL, legal):
            raise SuiteError("suite: the labels are not those of its games' positions")
        seat = deals["turn"].astype(np.int64)
        return Decisions(
            batch,
            chosen,
            game,
            seat,
            seat == deals["declarer"],
            deals["contract"].astype(np.int64),
            deals["tricks"].astype(np.int64) + 1,
            self.arrays["best"][chosen],
            regrets,
        )

    def header(self) -> dict[str, Any]:
        """Returns what the fingerprint says of the suite besides its arrays."""
        preset, options = preset_and_options(self.rules)
        return {
            "format": FORMAT,
            "version": VERSION,
            "rules": preset,
            "options": options,
            "seed": self.seed,
        }

    def fingerprint(self) -> str:
        """Returns the SHA-256 of the contents, in hex: equal suites have equal ones.

        It is taken over the header as JSON (sorted keys, no spaces) and a line feed, then, for each
        array by name, the line `name type shape` (shape as `2x6`) and the little-endian bytes in C
        order.
        """
        text = json.dumps(self.header(), sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(f"{text}\n".encode())
        for name in sorted(ARRAYS):
            kind = ARRAYS[name][0]
            array = np.ascontiguousarray(self.arrays[name], dtype=kind)
            shape = "x".join(str(size) for size in array.shape)
            digest.update(f"{name} {kind} {shape}\n".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    def _dealt(self, decks: npt.NDArray[Any], dealers: npt.NDArray[Any]) -> DealBatch:
        batch = DealBatch(len(decks), self.rules, seed=0, autoreset=False)
        try:
            batch.set_decks(decks, dealers)
        except DeckError as error:
            raise SuiteError(f"suite: {error}") from error
        return batch

    def _positions(self, game: npt.NDArray[np.int64], step: npt.NDArray[np.int64]) -> DealBatch:
        needed, place = np.unique(game, return_inverse=True)
        place = place.reshape(-1)
        history = self.arrays["history"][needed]
        lengths = self.arrays["num_actions"][needed].astype(np.int64)
        batch = self._dealt(self.arrays["game_decks"][needed], self.arrays["game_dealers"][needed])
        out = np.empty(len(game), dtype=DEAL)
        for count in range(int(step.max()) + 1):
            here = np.flatnonzero(step == count)
            out[here] = batch.deals[place[here]]
            actions = actions_of(history[:, count])
            actions[count >= lengths] = NO_ACTION
            try:
                batch.step(actions)
            except IllegalActionError as error:
                raise SuiteError(f"suite: a game cannot be replayed: {error}") from error
        return DealBatch.from_deals(out, batch.rules)


def make_suite(
    deals: int = 10_000,
    seed: int = 2026,
    rules: str | Rules = "traditional",
    games: int = 1_000,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Suite:
    """Makes a suite. The first deals and games of a larger one with the same seed are the same.

    Deal and game number i are row i of a `DealBatch` of this seed.

    Args:
        deals: deals whose contracts are solved.
        seed: a whole number.
        rules: a preset's name or a rule set.
        games: games whose decisions are labelled.
        threads: of the solver; None: one per core. They make no difference to the contents.
        progress: called with `deals` or `games`, how many are done and how many there are.

    Raises:
        RulesError: unknown rules.
        ValueError: a number that is too small.
    """
    check_count("seed", seed, 0)
    check_count("games", games, 1)
    check_count("deals", deals, 1)
    chosen = get_rules(rules)

    def report(stage: str) -> Callable[[int, int], None] | None:
        if progress is None:
            return None
        return lambda done, total: progress(stage, done, total)

    dealt = DealBatch(deals, chosen, seed=seed, autoreset=False)
    played = DealBatch(games, chosen, seed=seed, autoreset=False)
    cards = chosen.num_cards
    arrays: dict[str, npt.NDArray[Any]] = {
        "decks": dealt.deals["deck"][:, :cards].copy(),
        "dealers": dealt.dealer,
        "game_decks": played.deals["deck"][:, :cards].copy(),
        "game_dealers": played.dealer,
    }
    values, discards = solve_contracts(dealt, threads, report("deals"))
    arrays.update(values=values, discards=discards)
    arrays.update(play_games(played, seed, threads, report("games")))
    typed = {name: arrays[name].astype(kind) for name, (kind, _) in ARRAYS.items()}
    return Suite(chosen, seed, typed)
