"""What all decisions of a search agent share: worlds, solving, playing out, on several threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.rules.tables import MAX_TERMS, load_points
from marias_agents.search.kernels.believe import believe_rows
from marias_agents.search.kernels.simulate import IMPOSSIBLE, simulate_rows
from marias_agents.search.options import PimcOptions
from marias_agents.search.skill import corrections
from marias_agents.solver.values import rows_cards, rows_values
from marias_agents.solver.workspace import new_workspace
from marias_agents.worlds import kernels as sampler
from marias_env.actions import OVER, PLAY
from marias_env.core.deal import DEAL
from marias_env.threads import Threads

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

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

    def misses(self, view: Any, rules: Any, worlds: Any, own_choice: bool) -> Ints:
        """Replays the bidding of worlds, in place; see `believe_rows`."""
        out = np.empty((len(worlds), 2), dtype=np.int64)

        def work(worker: _Worker, part: slice) -> None:
            believe_rows(
                view,
                rules,
                self.points,
                worlds[part],
                own_choice,
                worker.scratch,
                worker.at,
                out[part],
            )

        self._share(len(worlds), work)
        return out

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

    def played(self, worlds: Any, rules: Any, options: Ints, seat: int) -> Ints:
        """Returns (n, options) payments of a seat when the rules player plays on for everybody."""
        out = np.empty((len(worlds), len(options)), dtype=np.int64)

        def work(worker: _Worker, part: slice) -> None:
            self._simulate(worker, worlds[part], rules, options, seat, OVER, out[part], None)

        self._share(len(worlds), work)
        return out

    def solved(self, worlds: Any, rules: Any, options: Ints, seat: int) -> Floats:
        """As `played`, but only the bidding is; the play is solved, with the skill correction."""
        m = len(options)
        out = np.empty((len(worlds), m), dtype=np.float64)

        def work(worker: _Worker, part: slice) -> None:
            paid = np.empty(out[part].shape, dtype=np.int64)
            ends = np.empty((part.stop - part.start) * m, dtype=DEAL)
            self._simulate(worker, worlds[part], rules, options, seat, PLAY, paid, ends)
            values = np.empty(len(ends), dtype=np.int64)
            rows_values(worker.workspace, ends, rules, values)
            corrected = (values + corrections(ends)) * np.where(ends["declarer"] == seat, 2, -1)
            solved = (ends["phase"] == PLAY).reshape(-1, m) & (paid > IMPOSSIBLE)
            out[part] = np.where(solved, corrected.reshape(-1, m), paid)

        self._share(len(worlds), work)
        return out

    def _simulate(
        self,
        worker: _Worker,
        worlds: Any,
        rules: Any,
        options: Ints,
        seat: int,
        end: int,
        out: Ints,
        ends: Any,
    ) -> None:
        simulate_rows(
            worlds,
            rules,
            self.points,
            options,
            seat,
            end,
            worker.scratch,
            worker.at,
            out,
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
