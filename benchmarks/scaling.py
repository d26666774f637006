"""How the core scales: batch size, two threads, memory.

    python benchmarks/scaling.py            # about five minutes
    python benchmarks/scaling.py --quick
    python benchmarks/scaling.py --check    # exit code 1 if a goal is missed

Writes `scaling.md`, `.jsonl` and `.png` to the output folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measure import QUICK, ROOT, Case, Result, Span, machine, run_cases
from benchmarks.report import (
    machine_line,
    markdown_table,
    number,
    plot_lines,
    result_lines,
    write_atomically,
)

RESULTS: Final = ROOT / "benchmarks" / "results"
BATCHES: Final = (1, 16, 256, 1024, 4096, 16384, 65536, 524_288)
QUICK_BATCHES: Final = (1, 64, 4096, 65536)
MEMORY_BATCHES: Final = (4096, 524_288)
STANDARD: Final = 4096
LARGE: Final = (65536, 524_288)
MOST_COST: Final = 1.3
"""Goal: a decision costs at most so many times as much in a large batch as in the standard one."""
SHARED: Final = 16384
LEAST_GAIN: Final = 1.8
"""Goal: two threads do so many times as much as one, from so many deals on."""
CORE: Final = "benchmarks.workloads:core"

SERIES: Final = {
    "1 thread": (1, False),
    "2 threads": (2, False),
    "1 thread, observations": (1, True),
    "2 threads, observations": (2, True),
}
"""Label: threads, and whether observations are written."""


def cases(batches: Sequence[int]) -> list[Case]:
    """Returns every batch size of every series, then the two sizes whose memory is compared."""
    found = [
        Case(
            f"{label}/{batch}",
            f"batch {batch}, {label}",
            CORE,
            {"batch": batch, "observe": observe, "threads": threads},
            threads=threads,
        )
        for label, (threads, observe) in SERIES.items()
        for batch in batches
        if batch >= threads
    ]
    found += [
        Case(f"memory/{batch}", f"memory of {batch} deals", CORE, {"batch": batch}, repeats=1)
        for batch in MEMORY_BATCHES
    ]
    return found


def points(results: Sequence[Result], label: str) -> list[tuple[float, float]]:
    """Returns (batch, decisions per second of the clock) of a series."""
    return [
        (float(r.name.partition("/")[2]), r.wall)
        for r in results
        if r.ok and r.name.startswith(f"{label}/")
    ]


def memory_text(results: Sequence[Result]) -> str:
    """Says what a deal takes: its record, and what a process grows by for one more deal."""
    measured = [r for r in results if r.ok and r.name.startswith("memory/")]
    if len(measured) < 2:
        return "Memory was not measured.\n"
    small, large = measured[0], measured[-1]
    rows = [float(r.name.partition("/")[2]) for r in (small, large)]
    growth = (large.extra["peak_bytes"] - small.extra["peak_bytes"]) / (rows[1] - rows[0])
    text = (
        f"A deal's record has {large.extra['record_bytes']:.0f} bytes. With payments, "
        f"buffers and what a step allocates, a process's peak grows by {growth:.0f} bytes "
        f"for each deal (from {rows[0]:,.0f} to {rows[1]:,.0f} deals).\n"
    )
    seen = [r for r in results if r.ok and "observation_bytes" in r.extra]
    if seen:
        size = seen[-1].extra["observation_bytes"]
        text += f"The observation of the seat on turn adds {size:.0f} bytes where it is written.\n"
    return text


def goal_rows(results: Sequence[Result]) -> list[tuple[str, str, str, bool]]:
    """Returns (what, figure, goal, reached) of every goal whose two cases were measured."""
    found = {r.name: r for r in results if r.ok}
    rows = []
    for label, (threads, _) in SERIES.items():
        base = found.get(f"{label}/{STANDARD}")
        for batch in LARGE:
            large = found.get(f"{label}/{batch}")
            if threads == 1 and base and large:
                cost = base.value / large.value
                what = f"{label} : cost of a decision at {batch:,} against {STANDARD:,}"
                rows.append((what, f"{cost:.2f} ×", f"≤ {MOST_COST} ×", cost <= MOST_COST))
    for name, two in found.items():
        label, _, size = name.partition("/")
        alone = label.replace("2 threads", "1 thread")
        one = found.get(f"{alone}/{size}")
        if label != alone and one and int(size) >= SHARED:
            gain = two.wall / one.wall
            what = f"{label} : {alone}, batch {int(size):,}"
            # By CPU time a busy machine can be told from threads that are in each other's way.
            figure = f"{gain:.2f} × ({two.value / one.value:.2f} × per CPU-second)"
            rows.append((what, figure, f"≥ {LEAST_GAIN} ×", gain >= LEAST_GAIN))
    return rows


def write_report(results: Sequence[Result], out: Path) -> None:
    """Writes the table and the JSON lines of the results so far."""
    found = {(r.name.partition("/")[0], r.name.partition("/")[2]): r for r in results}
    batches = sorted({int(r.name.partition("/")[2]) for r in results if r.name[0].isdigit()})
    rows = []
    for batch in batches:
        row = [f"{batch:,}"]
        for label in SERIES:
            result = found.get((label, str(batch)))
            if result is None or not result.ok:
                row.append("–")
            else:
                row.append(f"{number(result.wall)} ({number(result.value)})")
        rows.append(row)
    reasons = sorted({f"{r.status}: {r.reason}" for r in results if not r.ok})
    text = (
        "# Scaling\n\n"
        "Made by `python benchmarks/scaling.py`: decisions per second of the clock, and in "
        "brackets per CPU-second (random legal play with masks), a fresh process per case, pinned "
        "to as many cores as threads, medians. A batch is stepped in parts of 4096 rows "
        "(`DealBatch.parts`), which share their buffers. With two threads each steps its half; the "
        "compiled code releases the interpreter lock.\n\n"
        f"{machine_line(machine(), ('numpy', 'numba'))}\n\n"
        f"{markdown_table(['batch', *SERIES], rows)}\n"
        + markdown_table(
            ["", "", "goal"],
            [
                [what, figure, f"{goal} {'✓' if reached else '✗'}"]
                for what, figure, goal, reached in goal_rows(results)
            ],
        )
        + "\n"
        + memory_text(results)
        + "".join(f"\n{reason}\n" for reason in reasons)
    )
    write_atomically(out / "scaling.md", text)
    write_atomically(out / "scaling.jsonl", result_lines(results))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the cases; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="shorter, fewer repeats, four batches")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is missed")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the report")
    given = parser.parse_args(arguments)
    out: Path = given.out or (RESULTS / "quick" if given.quick else RESULTS)
    span = QUICK if given.quick else Span(repeats=5, seconds=0.6, warmup=0.3)
    batches = QUICK_BATCHES if given.quick else BATCHES
    results = run_cases(cases(batches), span, after=lambda found: write_report(found, out))
    plot_lines(
        {label: points(results, label) for label in SERIES},
        out / "scaling.png",
        "marias-env: the core by batch size",
        ("batch (deals stepped together)", "decisions per second"),
    )
    print(f"written to {out}")
    missed = [what for what, *_, reached in goal_rows(results) if not reached]
    if given.check and missed:
        print("goals missed: " + "; ".join(missed), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
