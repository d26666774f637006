"""Runs an evaluation: chunks on one or several processes, adaptive size, resumable."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import hashlib
import itertools
import json
import math
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import marias_env
from marias_agents.registry import file_of
from marias_env.errors import AgentError
from marias_env.options import Bound, Choice, Maybe, Real, Whole, check
from marias_env.rules import Rules, get_rules, preset_and_options
from marias_training.arena.chunk import AgentLike, Chunk, Job, Players, make_agent
from marias_training.arena.lineups import Contest, difference
from marias_training.arena.pairs import METRICS, PairResult
from marias_training.arena.records import merge_records, remove_parts
from marias_training.arena.results import ResultsFile
from marias_training.arena.stats import intervals, t_half_widths
from marias_training.arena.summary import Evaluation, stacked
from marias_training.arena.variates import ControlVariate
from marias_training.arena.workers import chunks_here, chunks_in_processes, chunks_on

CHUNK: Final = 250
"""Deals per chunk: what a killed run loses at most, per process."""
MIN_DEALS: Final = 500
"""An adaptive run looks at its intervals from here on."""
MAX_DEALS: Final = 100_000
"""An adaptive run ends here, unless told otherwise."""
BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {
        "deals": Maybe(Whole(1)),
        "until": Maybe(Real(0, above=True)),
        "metric": Choice(*METRICS),
        "seed": Whole(0),
        "processes": Whole(1),
        "control_deals": Whole(0),
        "regret_deals": Whole(0),
        "chunk": Whole(1),
        "min_deals": Whole(1),
    }
)
"""What the options of `evaluate` may be."""


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far an evaluation is.

    Attributes:
        deals: deals done.
        wanted: deals after which it ends at the latest.
        half_width: the widest half-width of the pairs so far, of the metric that `until` looks at
            (inf below two deals).
        resumed: deals that were taken over from the results file.
    """

    deals: int
    wanted: int
    half_width: float
    resumed: int


class EvaluationInterrupted(KeyboardInterrupt):
    """Ctrl-C during an evaluation.

    Attributes:
        evaluation: what the finished chunks say: all of them, also those that were finished before
            an earlier one.
        saved: the results file they are in, or None.
    """

    def __init__(self, evaluation: Evaluation, saved: Path | None) -> None:
        super().__init__("evaluation interrupted")
        self.evaluation = evaluation
        self.saved = saved


def evaluate(
    agents: Sequence[AgentLike],
    *,
    deals: int | None = None,
    until: float | None = None,
    metric: str = "raw",
    rules: str | Rules = "traditional",
    seed: int = 0,
    processes: int = 1,
    executor: concurrent.futures.Executor | None = None,
    control_deals: int = 0,
    tables: bool | None = None,
    par: bool = False,
    variates: Sequence[ControlVariate] = (),
    regret_deals: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    records: str | Path | None = None,
    chunk: int = CHUNK,
    min_deals: int = MIN_DEALS,
    on_progress: Callable[[Progress], None] | None = None,
) -> Evaluation:
    """Measures agents against each other on duplicate deals.

    Every pair plays the common deals in the six mixed line-ups (ABB BAB BBA BAA ABA AAB). The
    result depends on agents, rules, seed and number of deals only: not on processes, chunks, or
    interruptions.

    Args:
        agents: two or more specs (`"rules"`, `"pimc:10"`, a checkpoint's path) or agents. The same
            spec twice makes two instances.
        deals: number of deals; with `until` the largest number. None: 1000, with `until` 100,000.
        until: stop as soon as every pair's interval is no wider than ± this many units.
        metric: `raw` or `capped`, what `until` looks at.
        rules: a preset's name or a rule set.
        seed: seed of the common deal set.
        processes: worker processes; 1 plays in this process. Agents given as objects must then be
            picklable.
        executor: plays the chunks instead, for example a `RayExecutor` on many machines; it is not
            shut down. Its attribute `workers`, or `processes`, tells how much is given out at once.
        control_deals: on the first so many deals every agent also plays a second instance of itself
            (the identity control).
        tables: also play three agents at one table in all six orders, for every three of them.
            None: if there are exactly three.
        par: also solve every game double dummy from its first lead, which splits each difference
            into bidding and card play (`marias_training.arena.par`).
        variates: control variates with fixed coefficients (`marias_training.arena.variates`).
        regret_deals: on the first so many deals, judge every card double dummy
            (`marias_training.arena.regret`).
        out: results file (`.jsonl`), one line a chunk.
        resume: go on with an existing results file of the same evaluation.
        records: file for the replayable records of all games of the contests.
        chunk: deals per chunk.
        min_deals: with `until`, the smallest number of deals.
        on_progress: called after every chunk.

    Returns:
        The evaluation.

    Raises:
        AgentError: an unknown agent, or one that chose an illegal action.
        ResultsError: `out` exists without `resume`, or is of another evaluation.
        ValueError: an argument out of range.
        EvaluationInterrupted: Ctrl-C; a KeyboardInterrupt that holds what is done.
    """
    _check(
        agents,
        deals=deals,
        until=until,
        metric=metric,
        seed=seed,
        processes=processes,
        control_deals=control_deals,
        regret_deals=regret_deals,
        chunk=chunk,
        min_deals=min_deals,
    )
    wanted = deals if deals is not None else MAX_DEALS if until is not None else 1000
    job = Job(
        agents=tuple(agents),
        labels=agent_labels(agents),
        rules=get_rules(rules),
        seed=seed,
        contests=_contests(len(agents), tables),
        control_deals=control_deals,
        par=par,
        variates=tuple(variates),
        regret_deals=regret_deals,
    )
    header = _header(job, chunk)
    if records is not None:
        # Its own folder for each evaluation: what another one left behind is not taken for ours.
        digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode()).hexdigest()[:8]
        job = dataclasses.replace(job, records=Path(f"{records}.parts-{digest}"))
    # Before anything is written; and in a worker a wrong name would only break the pool.
    players = Players(job)
    file = None if out is None else ResultsFile(out, header, resume)
    run = _Run(job, file, chunk, wanted, until, metric, min_deals, on_progress)
    try:
        if file is not None:
            file.begin()
        done = run.go(players, processes, executor)
        if records is not None:
            merge_records(records, job, done)
    except KeyboardInterrupt:
        chunks = [run.done[piece] for piece in sorted(run.done)]
        partial = Evaluation(header, job.contests, chunks, job.variates)
        saved = file.path if file is not None and file.chunks else None
        raise EvaluationInterrupted(partial, saved) from None
    finally:
        if file is not None:
            file.discard_empty()
        if file is None or not file.chunks:
            remove_parts(job)  # no later run could use them
    return Evaluation(header, job.contests, done, job.variates)


def compare(a: AgentLike, b: AgentLike, **options: Any) -> PairResult:
    """Returns A against B: `evaluate([a, b], **options)` reduced to its one pair."""
    evaluation = evaluate([a, b], **options)
    return next(iter(evaluation.pairs.values()))


def agent_labels(agents: Sequence[AgentLike]) -> tuple[str, ...]:
    """Returns the agents' names, made different by `#2`, `#3`, … where they are equal."""
    names = [agent if isinstance(agent, str) else agent.name for agent in agents]
    seen: dict[str, int] = {}
    labels = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        labels.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return tuple(labels)


def _check(agents: Sequence[AgentLike], **options: Any) -> None:
    if isinstance(agents, str) or len(agents) < 2:
        raise AgentError(f"agents: {agents!r}; expected two or more, to play each other")
    for agent in agents:
        if not isinstance(agent, str):
            make_agent(agent)
    for name, value in options.items():
        check(name, value, BOUNDS[name])


def _contests(n: int, tables: bool | None) -> tuple[Contest, ...]:
    pairs = [Contest(pair) for pair in itertools.combinations(range(n), 2)]
    if tables or (tables is None and n == 3):
        pairs += [Contest(three) for three in itertools.combinations(range(n), 3)]
    return tuple(pairs)


def header_of(
    agents: Sequence[AgentLike], labels: Sequence[str], rules: Rules, seed: int, chunk: int
) -> dict[str, Any]:
    """Returns what must be equal for chunks to belong to one evaluation, whatever is measured."""
    preset, options = preset_and_options(rules)
    specs = [agent for agent in agents if isinstance(agent, str)]
    files = {
        agent: hashlib.sha256(path.read_bytes()).hexdigest()
        for agent in specs
        if (path := file_of(agent)) is not None
    }
    return {
        "agents": list(labels),
        "files": files,  # a checkpoint that was trained on is another agent
        "rules": preset,
        "options": options,
        "seed": seed,
        "version": marias_env.__version__,
        "chunk": chunk,
    }


def _header(job: Job, chunk: int) -> dict[str, Any]:
    return {
        **header_of(job.agents, job.labels, job.rules, job.seed, chunk),
        "contests": [contest.key for contest in job.contests],
        "control_deals": job.control_deals,
        "par": job.par,
        "regret_deals": job.regret_deals,
        "variates": [variate.to_dict() for variate in job.variates],
    }


class _Run:
    """One run: which chunks there are, which are done, and when it ends."""

    def __init__(
        self,
        job: Job,
        file: ResultsFile | None,
        chunk: int,
        wanted: int,
        until: float | None,
        metric: str,
        min_deals: int,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self.job = job
        self.file = file
        self.until = until
        self.metric = metric
        self.min_deals = min_deals
        self.on_progress = on_progress
        self.wanted = wanted
        self.pieces = [(at, min(chunk, wanted - at)) for at in range(0, wanted, chunk)]
        self.done: dict[tuple[int, int], Chunk] = {}
        self.prefix: list[Chunk] = []
        self._columns: list[npt.NDArray[np.float64]] = []
        self.half_width = math.inf
        self.finished = False
        self.resumed = 0

    def go(
        self, players: Players, processes: int, executor: concurrent.futures.Executor | None
    ) -> list[Chunk]:
        """Plays what is missing; returns the chunks that count, in order."""
        if self.file is not None:
            for piece in self.pieces:
                if piece in self.file.chunks and self._has_records(piece):
                    self.done[piece] = self.file.chunks[piece]
        self._advance()
        self.resumed = sum(int(chunk["deals"]) for chunk in self.prefix)
        self._report()
        if not self.finished:
            # Closed at once when the run ends or fails: workers must not play on.
            with contextlib.closing(self._play(players, processes, executor)) as chunks:
                for chunk in chunks:
                    if self.file is not None:
                        self.file.append(chunk)
                    self.done[chunk["start"], chunk["deals"]] = chunk
                    self._advance()
                    self._report()
                    if self.finished:
                        break
        return self.prefix

    def _has_records(self, piece: tuple[int, int]) -> bool:
        path = self.job.records_file(*piece)
        return path is None or path.is_file()

    def _play(
        self, players: Players, processes: int, executor: concurrent.futures.Executor | None
    ) -> Generator[Chunk, None, None]:
        missing = [piece for piece in self.pieces if piece not in self.done]
        if executor is not None:
            ahead = 2 * int(getattr(executor, "workers", processes))
            yield from chunks_on(executor, self.job, missing, ahead)
        elif processes == 1:
            yield from chunks_here(self.job, players, missing)
        else:
            yield from chunks_in_processes(self.job, missing, processes)

    def _advance(self) -> None:
        # Only the chunks from the first on without a gap count, one more at a time: so an adaptive
        # run ends at the same deal whatever the order in which processes finish.
        while not self.finished and len(self.prefix) < len(self.pieces):
            chunk = self.done.get(self.pieces[len(self.prefix)])
            if chunk is None:
                return
            self.prefix.append(chunk)
            self._columns.append(self._values(chunk))
            self.finished = len(self.prefix) == len(self.pieces) or self._precise()

    def _precise(self) -> bool:
        deals = sum(int(chunk["deals"]) for chunk in self.prefix)
        if self.until is None:
            return False
        columns = np.concatenate(self._columns)
        self.half_width = float(np.max(t_half_widths(columns)))
        if deals < self.min_deals or self.half_width > self.until:
            return False
        # What is reported, which takes longer than the t-interval when it is a bootstrap.
        self.half_width = max(interval.half_width for interval in intervals(columns))
        return self.half_width <= self.until

    def _values(self, chunk: Chunk) -> npt.NDArray[np.float64]:
        # (deals, pairs): the differences that `until` looks at.
        pairs = [contest for contest in self.job.contests if len(contest.agents) == 2]
        return np.stack(
            [difference(stacked([chunk], pair.key, self.metric)) for pair in pairs], axis=1
        )

    def _report(self) -> None:
        if self.on_progress is None:
            return
        deals = sum(int(chunk["deals"]) for chunk in self.prefix)
        if self.until is None and self.prefix:
            self.half_width = float(np.max(t_half_widths(np.concatenate(self._columns))))
        self.on_progress(Progress(deals, self.wanted, self.half_width, self.resumed))
