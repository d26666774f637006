"""Decisions per CPU-second of this package through each of its faces, on one core.

    python benchmarks/throughput.py            # about three minutes
    python benchmarks/throughput.py --quick    # less than one; first use is still compiled in full

Writes `throughput.md`, `.jsonl` and `.png` to the output folder. With `--check` the exit code is 1
if a goal is missed or could not be measured.
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
    plot_bars,
    result_lines,
    results_table,
    write_atomically,
)

WORK: Final = "benchmarks.workloads:"
RESULTS: Final = ROOT / "benchmarks" / "results"
FRESH_CACHE: Final = {"NUMBA_CACHE_DIR": "{tmp}"}

CASES: Final = (
    Case(
        "marias/first-use",
        "first use ever: import, compile everything, play",
        WORK + "first_use",
        kind="seconds",
        goal=45,
        repeats=1,
        environment=FRESH_CACHE,
    ),
    Case("marias/import", "import marias_env", WORK + "import_only", kind="seconds", goal=0.5),
    Case(
        "marias/warm-start",
        "import and first reset, compiled before",
        WORK + "warm_start",
        kind="seconds",
        goal=2,
    ),
    Case("marias/core", "core, batch 4096", WORK + "core", {"batch": 4096}, goal=10e6),
    Case(
        "marias/core-observe",
        "core with observations, batch 4096",
        WORK + "core",
        {"batch": 4096, "observe": True},
        goal=3e6,
    ),
    Case(
        "marias/core-online",
        "core, batch 4096, rules online",
        WORK + "core",
        {"batch": 4096, "rules": "online"},
    ),
    Case("marias/one", "core, batch of one", WORK + "core", {"batch": 1}, goal=150e3),
    Case(
        "marias/one-observe",
        "core with observations, batch of one",
        WORK + "core",
        {"batch": 1, "observe": True},
    ),
    Case("marias/one-deal", "OneDeal, observation and mask", WORK + "one_deal"),
    Case(
        "marias/raw-env",
        "marias_v0.raw_env",
        WORK + "marias_aec",
        {"maker": "raw_env"},
        goal=80e3,
    ),
    Case("marias/env", "marias_v0.env", WORK + "marias_aec", goal=60e3),
    Case(
        "marias/env-wrapped",
        "marias_v0.env in three wrappers",
        WORK + "marias_aec",
        {"wrapped": True},
    ),
    Case("marias/gym", "Gymnasium Marias-v0, random opponents", WORK + "gym"),
    Case("marias/vector", "Gymnasium VectorEnv, 1024, random opponents", WORK + "vector"),
    Case(
        "marias/vector-seats",
        "Gymnasium VectorEnv, 1024, all seats",
        WORK + "vector",
        {"all_seats": True},
    ),
    Case("marias/sb3", "SB3 MariasVecEnv, 1024 environments", WORK + "sb3", goal=500e3),
)


def write_report(results: Sequence[Result], out: Path) -> None:
    """Writes the table and the JSON lines of the results so far."""
    text = (
        "# Throughput\n\n"
        "Made by `python benchmarks/throughput.py`: uniformly random legal play of full deals, one "
        "pinned core, a fresh process per case, medians, CPU-seconds.\n\n"
        f"{machine_line(machine(), ('numpy', 'numba', 'gymnasium', 'pettingzoo'))}\n\n"
        f"{results_table(results)}"
    )
    write_atomically(out / "throughput.md", text)
    write_atomically(out / "throughput.jsonl", result_lines(results))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the cases; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="shorter and fewer repeats")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is missed")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="cases with this in the name"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the report")
    given = parser.parse_args(arguments)
    out: Path = given.out or (RESULTS / "quick" if given.quick else RESULTS)
    cases = [c for c in CASES if not given.only or any(part in c.name for part in given.only)]
    if not cases:
        parser.error(f"--only: no such case; there are {', '.join(c.name for c in CASES)}")
    span = QUICK if given.quick else Span()
    results = run_cases(cases, span, after=lambda found: write_report(found, out))
    plot_bars(results, out / "throughput.png", "marias-env: random legal play")
    print(f"written to {out}")
    missed = [result.name for result in results if result.reached is False]
    if given.check and missed:
        print(f"goals missed: {', '.join(missed)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
