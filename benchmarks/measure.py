"""The measuring method that all speed benchmarks share.

One case is one fresh process, pinned to its own core(s). The process builds a workload, warms it
up, and then runs it several times for a fixed span of CPU time; the figure is the median of the
work done per CPU-second (`time.process_time`: user and system time of all threads, so that a busy
neighbour costs little).
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
MARK: Final = "@@result "
"""Starts the one line of a child's output that is its result; whatever else it prints is noise."""

THREAD_VARIABLES: Final = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""Set to 1 in every child: one core is measured."""


class NotAvailableError(Exception):
    """Raised by a workload whose library, build or interface does not exist here."""


@dataclass(frozen=True)
class Workload:
    """What a child measures.

    Attributes:
        chunk: does some work, 1 to 300 ms of it, and returns (decisions, finished games).
        note: what a reader must know to compare the figure.
        extra: further numbers for the report.
    """

    chunk: Callable[[], tuple[int, int]]
    note: str = ""
    extra: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One line of a report.

    Attributes:
        name: unique, `group/what`.
        label: for the reader.
        target: `module:function`, called in the child with `arguments`. Of a `rate` case it returns
            a `Workload`; of a `seconds` case it just runs, and the figure is the whole process's.
        arguments: keyword arguments, JSON.
        kind: `rate` (decisions per CPU-second, more is better) or `seconds` (CPU-seconds of a
            process from its start, less is better).
        goal: figure to reach (`rate`) or not to exceed (`seconds`).
        threads: cores the process may use.
        repeats: repeats, where the run's own number does not fit.
        environment: further environment variables; a value `{tmp}` becomes a fresh folder.
        timeout: seconds after which the process is given up.
    """

    name: str
    label: str
    target: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "rate"
    goal: float | None = None
    threads: int = 1
    repeats: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 600.0

    @property
    def group(self) -> str:
        """Part of the name before the first slash."""
        return self.name.partition("/")[0]


@dataclass(frozen=True)
class Span:
    """How long to measure: `repeats` times `seconds` of CPU time after `warmup` of it."""

    repeats: int = 5
    seconds: float = 1.0
    warmup: float = 0.5


QUICK: Final = Span(repeats=3, seconds=0.2, warmup=0.1)


@dataclass(frozen=True)
class Result:
    """What came out of a case.

    Attributes:
        status: `ok`, `not available` or `failed`; `reason` says why.
        value: median of the samples; `low` and `high` are their extremes.
        wall: median of the same by the wall clock.
        games: finished games (deals, episodes) per CPU-second, 0 where not counted.
    """

    name: str
    label: str
    kind: str = "rate"
    status: str = "ok"
    reason: str = ""
    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    wall: float = 0.0
    games: float = 0.0
    goal: float | None = None
    threads: int = 1
    pinned: bool = False
    note: str = ""
    extra: Mapping[str, float] = field(default_factory=dict)
    samples: Sequence[float] = ()

    @property
    def ok(self) -> bool:
        """Was it measured?"""
        return self.status == "ok"

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None if there is none."""
        if self.goal is None:
            return None
        if not self.ok:
            return False
        return self.value >= self.goal if self.kind == "rate" else self.value <= self.goal


# ---------------------------------------------------------------------- in the child


def pin(threads: int) -> bool:
    """Binds this process to its last `threads` allowed cores, if the system can.

    The last ones, since interrupts and other people's work tend to gather on the first.
    """
    if not hasattr(os, "sched_setaffinity"):
        return False
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < threads:
        return False
    os.sched_setaffinity(0, cores[-threads:])
    return True


def sample_rates(workload: Workload, span: Span) -> list[tuple[float, float, float]]:
    """Runs a workload; returns per repeat (decisions per CPU-s, per wall-s, games per CPU-s)."""
    start = time.process_time()
    workload.chunk()
    while time.process_time() - start < span.warmup:
        workload.chunk()
    samples = []
    for _ in range(span.repeats):
        decisions = games = 0
        wall, start = time.perf_counter(), time.process_time()
        while True:
            done, finished = workload.chunk()
            decisions += done
            games += finished
            cpu = time.process_time() - start
            if cpu >= span.seconds:
                break
        wall = time.perf_counter() - wall
        samples.append((decisions / cpu, decisions / wall, games / cpu))
    return samples


def load(target: str) -> Callable[..., Any]:
    """Resolves `module:function`."""
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def peak_memory() -> float:
    """Returns the largest resident size of this process so far, in bytes; 0 where unknown."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak if sys.platform == "darwin" else peak * 1024)


def measure_here(case: Mapping[str, Any], span: Span) -> dict[str, Any]:
    """Measures a case in this process; returns the fields of its `Result` that it knows."""
    pinned = pin(int(case["threads"]))
    try:
        if case["kind"] == "seconds":
            load(case["target"])(**case["arguments"])
            return {"pinned": pinned, "value": time.process_time()}
        workload: Workload = load(case["target"])(**case["arguments"])
        samples = sample_rates(workload, span)
    except NotAvailableError as error:
        return {"status": "not available", "reason": str(error)}
    except ImportError as error:
        return {"status": "not available", "reason": f"not importable: {error}"}
    except Exception as error:  # a peer may raise anything, and that is its result
        return {"status": "failed", "reason": f"{type(error).__name__}: {error}"[:400]}
    rates = [rate for rate, _, _ in samples]
    return {
        "pinned": pinned,
        "value": statistics.median(rates),
        "low": min(rates),
        "high": max(rates),
        "wall": statistics.median(wall for _, wall, _ in samples),
        "games": statistics.median(games for _, _, games in samples),
        "note": workload.note,
        "extra": {**workload.extra, "peak_bytes": peak_memory()},
        "samples": rates,
    }


def child(message: str) -> None:
    """Entry of the fresh process: measures the case in a JSON message and prints its result."""
    request = json.loads(message)
    out = measure_here(request["case"], Span(**request["span"]))
    sys.stdout.flush()
    print("\n" + MARK + json.dumps(out), flush=True)


# ---------------------------------------------------------------------- in the parent


def _spawn(
    case: Case, span: Span, python: str, environment: Mapping[str, str]
) -> tuple[dict[str, Any], float]:
    """Runs a case in one fresh process; returns what it said and its wall-clock seconds."""
    message = json.dumps({"case": asdict(case), "span": asdict(span)})
    command = [
        python,
        "-c",
        "import sys; from benchmarks.measure import child; child(sys.argv[1])",
        message,
    ]
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1"), **environment},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=case.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"status": "failed", "reason": f"no result within {case.timeout:.0f} s"}, 0.0
    wall = time.perf_counter() - start
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(MARK):
            found: dict[str, Any] = json.loads(line[len(MARK) :])
            return found, wall
    tail = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    reason = f"process ended with code {done.returncode}: {tail[-1][:300] if tail else 'no output'}"
    return {"status": "failed", "reason": reason}, wall


def run_case(case: Case, span: Span, python: str = sys.executable) -> Result:
    """Measures one case in a fresh process (a `seconds` case: one per repeat)."""
    runs: list[tuple[dict[str, Any], float]] = []
    if case.repeats is not None:
        span = Span(case.repeats, span.seconds, span.warmup)
    for _ in range(span.repeats if case.kind == "seconds" else 1):
        with tempfile.TemporaryDirectory(prefix="marias-bench-") as folder:
            variables = {k: v.replace("{tmp}", folder) for k, v in case.environment.items()}
            runs.append(_spawn(case, span, python, variables))
        if runs[-1][0].get("status", "ok") != "ok":
            break
    found, _ = runs[-1]
    known: dict[str, Any] = {
        "name": case.name,
        "label": case.label,
        "kind": case.kind,
        "goal": case.goal,
        "threads": case.threads,
    }
    if case.kind == "seconds" and found.get("status", "ok") == "ok":
        values = [float(one["value"]) for one, _ in runs]
        found = {
            **found,
            "value": statistics.median(values),
            "low": min(values),
            "high": max(values),
            "wall": statistics.median(wall for _, wall in runs),
            "samples": values,
        }
    return Result(**known, **found)


def run_cases(
    cases: Iterable[Case],
    span: Span,
    python: str = sys.executable,
    after: Callable[[list[Result]], None] | None = None,
) -> list[Result]:
    """Measures cases one after another, each printed as it comes.

    Args:
        cases: what to measure.
        span: how long.
        python: interpreter of the fresh processes.
        after: called with the results so far after every case, to save them.
    """
    results: list[Result] = []
    for case in cases:
        result = run_case(case, span, python)
        results.append(result)
        print(f"{result.name:36s} {describe(result)}", flush=True)
        if after is not None:
            after(results)
    return results


def describe(result: Result) -> str:
    """Returns a result's figure or the reason why there is none, as one line."""
    if not result.ok:
        return f"{result.status}: {result.reason}"
    if result.kind == "seconds":
        text = f"{result.value:10.2f} CPU-seconds ({result.wall:.2f} s by the clock)"
    else:
        text = f"{result.value:14,.0f} decisions per CPU-second"
    if result.goal is not None:
        sign = "≥" if result.kind == "rate" else "≤"
        text += f"  ({sign} {result.goal:,.10g}: {'reached' if result.reached else 'MISSED'})"
    return text


def machine() -> dict[str, str]:
    """Describes the machine and the interpreter, for the head of a report."""
    model = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(errors="replace").splitlines():
            if line.lower().startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return {
        "cpu": model or platform.processor() or platform.machine(),
        "cores": str(os.cpu_count() or 0),
        "system": platform.system(),
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
