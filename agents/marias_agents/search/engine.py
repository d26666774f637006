"""What all decisions of a search agent share: worlds, solving, playing out, on several threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_agents.rules.tables import MAX_TERMS, load_points
from marias_agents.search.options import PimcOptions
from marias_agents.search.playouts import IMPOSSIBLE, believe_rows, simulate_rows
from marias_agents.search.skill import corrections
from marias_agents.solver.values import rows_cards, rows_values
from marias_agents.solver.workspace import new_workspace
from marias_agents.strangers.styles import tuning_points
from marias_agents.worlds import kernels as sampler
from marias_env.actions import OVER, PLAY
from marias_env.core.deal import DEAL
from marias_env.threads import Threads

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""Its products have bits that the draw of worlds does not use."""
_SALT = np.uint64(0x6C8E9CF570932BD5)
"""Keeps these draws apart from other uses of a view's hash."""


class _Worker:
    """What one thread needs to itself."""

    def __init__(self) -> None:
        self.workspace = new_workspace()
        self.scratch = np.zeros(2, dtype=DEAL)
        self.at = np.empty(MAX_TERMS, dtype=np.int64)


class Engine:
    """The compiled parts of a search, called from Python block by block.

    Whatever is random comes from the view's hash and the key, and every world is worked on by
    itself: the number of threads makes no difference to the numbers.

    Args:
        options: how to search.
        seed: of the worlds.
    """

    def __init__(self, options: PimcOptions, seed: int) -> None:
        self.options = options
        self.points = load_points()
        self.players = [self.points]
        if options.models == "mixed":
            self.players += [self.points, *tuning_points()]
        self.key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] ^ _SALT
        self._workers = [_Worker() for _ in range(options.threads)]
        self._threads = Threads(options.threads)
        self._deadline = 0.0

    def start_clock(self) -> None:
        """Begins a decision."""
        self._deadline = time.monotonic() + self.options.ms / 1000

    def late(self) -> bool:
        """Whether a decision's time is over."""
        return self.options.ms > 0 and time.monotonic() > self._deadline

    def worlds(self, view: Any, rules: Any, room: int) -> Any:
        """Returns all worlds of a view if there is room for them, else a sample of this size."""
        count = np.empty(1, dtype=np.int64)
        sampler.count_rows(view, rules, count)
        if count[0] == 0:
            raise ValueError("no deal gives this view")
        worlds = np.empty(min(int(count[0]), room), dtype=DEAL)
        if count[0] <= room:
            sampler.enumerate_row(view, rules, self.key, worlds)
        else:
            sampler.sample_rows(view, rules, self.key, worlds)
        return worlds

    def models(self, worlds: Any) -> Ints:
        """Returns (n,) who the others are in each world: rows of `players`, by lot.

        The rules player stands there twice, so that he is met more often than another.
        """
        lots = (worlds["rng"] * _SPREAD) >> np.uint64(40)
        return np.asarray(lots % np.uint64(len(self.players)), dtype=np.int64)

    def misses(
        self, view: Any, rules: Any, worlds: Any, own_choice: bool, models: Ints | None = None
    ) -> Ints:
        """Replays the bidding of worlds, in place; see `believe_rows`.

        Args:
            view: (1,) DEAL.
            rules: packed.
            worlds: (n,) DEAL of the view.
            own_choice: see `believe_rows`.
            models: (n,) see `models`; None: the rules player.
        """
        out = np.empty((len(worlds), 2), dtype=np.int64)
        for rows, points in self._by_model(len(worlds), models):
            some, found = worlds[rows], out[rows]
            work = partial(self._believe, view, rules, points, some, own_choice, found)
            self._share(len(some), work)
            worlds[rows], out[rows] = some, found
        return out

    @staticmethod
    def _believe(
        view: Any,
        rules: Any,
        points: Ints,
        worlds: Any,
        own_choice: bool,
        out: Ints,
        worker: _Worker,
        part: slice,
    ) -> None:
        believe_rows(
            view, rules, points, worlds[part], own_choice, worker.scratch, worker.at, out[part]
        )

    def _by_model(self, n: int, models: Ints | None) -> Iterator[tuple[Any, Ints]]:
        # Rows with one player in them, and his points.
        if models is None or len(self.players) == 1:
            yield slice(0, n), self.points
            return
        for i, points in enumerate(self.players):
            rows = np.flatnonzero(models == i)
            if rows.size:
                yield rows, points

    def solved_cards(self, worlds: Any, rules: Any, cards: Sequence[int], sign: int) -> Ints:
        """Returns (n, cards) double-dummy payments of the seat on turn; narrows `legal`.

        Args:
            worlds: in play.
            rules: packed.
            cards: legal in all of them.
            sign: what V is to the seat.
        """
        worlds["legal"] &= sum(1 << card for card in cards)
        out = np.empty((len(worlds), 32), dtype=np.int64)

        def work(worker: _Worker, part: slice) -> None:
            rows_cards(worker.workspace, worlds[part], rules, out[part])

        self._share(len(worlds), work)
        return sign * out[:, list(cards)]

    def played(
        self, worlds: Any, rules: Any, options: Ints, seat: int, models: Ints | None = None
    ) -> Ints:
        """Returns (n, options) payments of a seat when a model plays on for everybody.

        Args:
            worlds: (n,) DEAL.
            rules: packed.
            options: (m, k) see `simulate_rows`.
            seat: whose payments are asked for.
            models: (n,) who plays on in each world, see `models`; None: the rules player.
        """
        out = np.empty((len(worlds), len(options)), dtype=np.int64)
        for rows, points in self._by_model(len(worlds), models):
            some, found = worlds[rows], out[rows]
            work = partial(self._simulate, points, some, rules, options, seat, OVER, found, None)
            self._share(len(some), work)
            out[rows] = found
        return out

    def solved(
        self, worlds: Any, rules: Any, options: Ints, seat: int, models: Ints | None = None
    ) -> Floats:
        """As `played`, but only the bidding is; the play is solved, with the skill correction."""
        if models is not None:
            out = np.empty((len(worlds), len(options)), dtype=np.float64)
            for rows, points in self._by_model(len(worlds), models):
                out[rows] = self._solved(points, worlds[rows], rules, options, seat)
            return out
        return self._solved(self.points, worlds, rules, options, seat)

    def _solved(self, points: Ints, worlds: Any, rules: Any, options: Ints, seat: int) -> Floats:
        m = len(options)
        out = np.empty((len(worlds), m), dtype=np.float64)

        def work(worker: _Worker, part: slice) -> None:
            paid = np.empty(out[part].shape, dtype=np.int64)
            ends = np.empty((part.stop - part.start) * m, dtype=DEAL)
            self._simulate(
                points, worlds[part], rules, options, seat, PLAY, paid, ends, worker,
                slice(0, len(paid)),
            )  # fmt: skip
            values = np.empty(len(ends), dtype=np.int64)
            rows_values(worker.workspace, ends, rules, values)
            corrected = (values + corrections(ends)) * np.where(ends["declarer"] == seat, 2, -1)
            solved = (ends["phase"] == PLAY).reshape(-1, m) & (paid > IMPOSSIBLE)
            out[part] = np.where(solved, corrected.reshape(-1, m), paid)

        self._share(len(worlds), work)
        return out

    def _simulate(
        self,
        points: Ints,
        worlds: Any,
        rules: Any,
        options: Ints,
        seat: int,
        end: int,
        out: Ints,
        ends: Any,
        worker: _Worker,
        part: slice,
    ) -> None:
        simulate_rows(
            worlds[part],
            rules,
            points,
            options,
            seat,
            end,
            worker.scratch,
            worker.at,
            out[part],
            worker.scratch[:0] if ends is None else ends,
        )

    def _share(self, rows: int, work: Callable[[_Worker, slice], None]) -> None:
        # Each worker one part of the rows.
        n = len(self._workers)
        if n == 1 or rows < 2:
            work(self._workers[0], slice(0, rows))
            return
        parts = [slice(rows * i // n, rows * (i + 1) // n) for i in range(n)]
        self._threads.map(work, self._workers, parts)


FIRST_LOOK: Final = 64
"""Options are dropped for the first time after so many worlds, then whenever these double."""
DISTRUST: Final = 2
"""How much more a world counts in which a raise loses, with every reason to fear it."""
KEPT: Final = 3.0
"""An option stays while it is no more than so many standard errors behind the best."""


class Race(NamedTuple):
    """How it ended.

    Attributes:
        possible: (m,) whether the option was legal all the way.
        alive: (a,) indices of the options that were looked at to the end.
        units: (m,) mean payments of the seat on turn, each over the worlds it was looked at in.
        wins: (m,) the share of these worlds in which the seat is paid something.
        worlds: how many were looked at.
    """

    possible: npt.NDArray[np.bool_]
    alive: Ints
    units: Floats
    wins: Floats
    worlds: int


class Doubt(NamedTuple):
    """How far the other side's raises are believed, see `doubted`.

    Attributes:
        good: the option that raises nothing.
        reasons: (m,) for each option, how many reasons there are to fear that it loses.
    """

    good: int
    reasons: Ints


def doubted(share: Floats, payments: Floats, doubt: Doubt) -> Floats:
    """Returns (n, m) what worlds count for each option if the other side knows why it raised.

    A world in which a raise pays less than `good` counts `DISTRUST` times as much for it with every
    reason there is: whoever named a strong contract, or raised before, has seen his own cards.

    Args:
        share: (n, m) what each world counts for each option; a column adds up to 1, or to 0.
        payments: (n, m) of the seat on turn.
        doubt: see there.
    """
    worse = payments < payments[:, [doubt.good]]
    share = share * np.where(worse, float(DISTRUST) ** doubt.reasons, 1.0)
    return np.asarray(share / np.maximum(share.sum(axis=0), 1e-300))


def race(
    engine: Engine,
    worlds: Any,
    weights: Floats,
    rules: Any,
    options: Ints,
    solve: bool = False,
    doubt: Doubt | None = None,
    models: Ints | None = None,
) -> Race:
    """Values options for the seat on turn, the same worlds for all.

    Args:
        engine: the search.
        worlds: (n,) DEAL.
        weights: (n,) what each counts.
        rules: packed.
        options: (m, k) actions, see `simulate_rows`.
        solve: the play is solved instead of played out.
        doubt: of raises, if any are among the options.
        models: (n,) who plays on in each world, see `Engine.models`; None: the rules player.
    """
    seat = int(worlds["turn"][0])
    payments = np.zeros((len(worlds), len(options)), dtype=np.float64)
    looked = np.zeros(len(options), dtype=np.int64)
    possible = np.ones(len(options), dtype=np.bool_)
    value = engine.solved if solve else engine.played
    limit = 2.0 * engine.options.cap or np.inf
    alive = np.arange(len(options))
    done = 0
    while done < len(worlds):
        stop = min(len(worlds), max(FIRST_LOOK, 2 * done))
        who = None if models is None else models[done:stop]
        found = value(worlds[done:stop], rules, options[alive], seat, who)
        legal = (found > IMPOSSIBLE).all(axis=0)
        possible[alive[~legal]] = False
        alive = alive[legal]
        payments[done:stop, alive] = np.clip(found[:, legal], -limit, limit)
        done = stop
        looked[alive] = done
        if done < len(worlds):
            kept = alive[_still_in(payments[:done, alive], weights[:done])]
            # What raises are measured against has to be looked at as long as they are.
            alive = kept if doubt is None else np.union1d(kept, alive[alive == doubt.good])
        if len(alive) == 1 or engine.late():
            break
    # Worlds that an option was not looked at in count nothing for it.
    share = np.where(np.arange(len(worlds))[:, None] < looked, weights[:, None], 0.0)
    share /= np.maximum(share.sum(axis=0), 1e-300)
    if doubt is not None:
        share = doubted(share, payments, doubt)
    units = (share * payments).sum(axis=0)
    return Race(possible, alive, units, (share * (payments > 0)).sum(axis=0), done)


def _still_in(payments: Floats, weights: Floats) -> Ints:
    # By paired differences from the option that leads.
    share = weights / weights.sum()
    behind = payments[:, [int(np.argmax(share @ payments))]] - payments
    mean = share @ behind
    error = np.sqrt(share**2 @ (behind - mean) ** 2)
    return np.flatnonzero(mean <= KEPT * error)
