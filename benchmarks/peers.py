"""This package and its peers side by side, measured in one run by one method.

    python benchmarks/peers.py                   # makes .venv-peers once, then about ten minutes
    python benchmarks/peers.py --quick
    python benchmarks/peers.py --only skat --only marias/

The peers live in a virtual environment of their own, from the exact pins of requirements-peers.txt.
A peer that cannot be installed or run is a line of the report with the reason. Writes `peers.md`,
`peers.json` and `peers.png` to the output folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measure import (
    QUICK,
    ROOT,
    Case,
    NotAvailableError,
    Result,
    Span,
    machine,
    run_cases,
)
from benchmarks.peer_cases import INSTALLS, RATIOS, TITLES, Ratio, all_cases
from benchmarks.report import (
    machine_line,
    markdown_table,
    number,
    plot_bars,
    results_table,
    write_atomically,
)

RESULTS: Final = ROOT / "benchmarks" / "results"
PINS: Final = ROOT / "benchmarks" / "requirements-peers.txt"
PACKAGES: Final = (
    "marias-env",
    "numpy",
    "numba",
    "gymnasium",
    "pettingzoo",
    "open-spiel",
    "rlcard",
    "pgx",
    "jax",
    "stable-baselines3",
)


# ---------------------------------------------------------------------- the peers' environment


def pinned(package: str) -> str:
    """Returns the line of requirements-peers.txt for a package, as `name==version`."""
    for line in PINS.read_text().splitlines():
        requirement = line.partition("#")[0].strip()
        if requirement.partition("==")[0].lower().replace("_", "-") == package:
            return requirement
    raise ValueError(f"{PINS.name} has no pin of {package!r}")


def _pip(python: Path, arguments: Sequence[str]) -> str:
    """Installs with pip; returns why it failed, or an empty string."""
    quiet = {"PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", *arguments],
        cwd=ROOT,
        env={**os.environ, **quiet, "PIP_ROOT_USER_ACTION": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stderr.splitlines() if line.lower().startswith("error")]
    return (errors or done.stderr.splitlines() or ["pip failed"])[-1][:300]


def prepare(venv: Path) -> tuple[Path, dict[str, str]]:
    """Makes or updates the peers' environment.

    Args:
        venv: its folder.

    Returns:
        Its interpreter, and by group why it could not be installed.
    """
    folder = "Scripts" if os.name == "nt" else "bin"
    python = venv / folder / ("python.exe" if os.name == "nt" else "python")
    stamp = venv / "peers-installed.json"
    wanted = hashlib.sha256(
        PINS.read_bytes()
        + repr(INSTALLS).encode()
        + (ROOT / "pyproject.toml").read_bytes()
        + sys.version.encode()
    ).hexdigest()
    if stamp.exists():
        known = json.loads(stamp.read_text())
        if known["wanted"] == wanted and python.exists():
            return python, dict(known["reasons"])
    if not python.exists():
        print(f"making {venv.name}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    reasons: dict[str, str] = {}
    for group, packages in INSTALLS.items():
        arguments = [package if package == "-e" else _wanted(package) for package in packages]
        print(f"installing {group}: {' '.join(arguments)}", flush=True)
        reason = _pip(python, ["-c", str(PINS), *arguments])
        if reason:
            reasons[group] = f"not installable: {reason}"
            print(f"  {reasons[group]}", flush=True)
    if "marias" not in reasons:
        write_atomically(stamp, json.dumps({"wanted": wanted, "reasons": reasons}))
    return python, reasons


def _wanted(package: str) -> str:
    return package if package == "." else pinned(package)


def build_tripletriad(folder: Path) -> str:
    """Builds PufferLib's card game; returns why not, or an empty string."""
    from benchmarks.build_pufferlib import build

    try:
        build(pinned("pufferlib"), folder)
    except NotAvailableError as error:
        return str(error)
    except Exception as error:  # whatever happens to a peer is a line of the report
        return f"{type(error).__name__}: {error}"[:300]
    return ""


# ---------------------------------------------------------------------- the report


def best(results: Sequence[Result], names: Sequence[str]) -> Result | None:
    """Returns the fastest measured case named in `names`, where `group/*` is a whole group."""
    found = [
        r
        for r in results
        if r.ok
        and any(r.name == n or (n.endswith("*") and r.name.startswith(n[:-1])) for n in names)
    ]
    return max(found, key=lambda r: r.value, default=None)


def ratio_rows(results: Sequence[Result], ratios: Sequence[Ratio] = RATIOS) -> list[list[str]]:
    """Returns the rows of the comparison: ours, theirs, how many times, the goal."""
    rows = []
    for ratio in ratios:
        ours = best(results, [ratio.ours])
        theirs = best(results, ratio.theirs)
        goal = f"≥ {ratio.goal:g} ×" if ratio.goal else ""
        cells = [ratio.label]
        cells += [f"{number(r.value)} ({r.label})" if r else "–" for r in (ours, theirs)]
        if ours is None or theirs is None:
            cells += ["not measured", goal]
        else:
            factor = ours.value / theirs.value
            if ratio.goal:
                goal += " ✓" if factor >= ratio.goal else " ✗"
            cells += [f"{factor:.2g} ×" if factor < 10 else f"{factor:.0f} ×", goal]
        rows.append(cells)
    return rows


def write_report(results: Sequence[Result], out: Path, method: str) -> None:
    """Writes the tables and the JSON of the results so far."""
    head = machine_line(machine(), PACKAGES)
    sections = []
    for group, title in TITLES.items():
        members = [r for r in results if r.name.partition("/")[0] == group]
        if members:
            sections.append(f"## {title}\n\n{results_table(members)}")
    text = (
        "# Speed against the peers\n\n"
        "Made by `python benchmarks/peers.py`. A decision is one player's action; dealing and dead "
        f"steps do not count. Uniformly random legal play, the drawing included. {method}\n\n"
        f"{head}\n\n"
        "## Ratios\n\n"
        + markdown_table(["", "ours", "theirs, fastest", "ratio", "goal"], ratio_rows(results))
        + "\nGames differ in length and in work per decision: each table gives games too.\n\n"
        + "\n".join(sections)
    )
    write_atomically(out / "peers.md", text)
    record = {"machine": head, "method": method, "results": [asdict(r) for r in results]}
    write_atomically(out / "peers.json", json.dumps(record, ensure_ascii=False, indent=1) + "\n")


def measure_all(
    cases: Sequence[Case], reasons: Mapping[str, str], span: Span, out: Path, method: str
) -> list[Result]:
    """Measures what is installed; what is not becomes a result with the reason."""
    missing = [
        Result(case.name, case.label, status="not available", reason=reasons[case.group])
        for case in cases
        if case.group in reasons
    ]
    for result in missing:
        print(f"{result.name:36s} {result.status}: {result.reason}", flush=True)
    here = [case for case in cases if case.group not in reasons]
    order = {case.name: place for place, case in enumerate(cases)}

    def merged(found: Sequence[Result]) -> list[Result]:
        return sorted([*found, *missing], key=lambda r: order[r.name])

    return merged(
        run_cases(here, span, after=lambda found: write_report(merged(found), out, method))
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the environment, goes on in it, measures, reports; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="shorter, fewer repeats")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="cases with this in the name"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the report")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv-peers", metavar="DIR")
    parser.add_argument("--list", action="store_true", help="list the cases and end")
    given = parser.parse_args(arguments)
    venv: Path = given.venv.resolve()
    puffer = venv / "pufferlib-build"
    cases = [
        c
        for c in all_cases(str(puffer))
        if not given.only or any(part in c.name for part in given.only)
    ]
    if given.list or not cases:
        print("\n".join(f"{c.name:32s} {c.label}" for c in all_cases(str(puffer))))
        return 0 if given.list else 2
    python, reasons = prepare(venv)
    if "marias" in reasons:
        print(reasons["marias"], file=sys.stderr)
        return 1
    if Path(sys.prefix).resolve() != venv:
        command = [str(python), str(Path(__file__).resolve()), *(arguments or sys.argv[1:])]
        return subprocess.run(command, check=False).returncode
    if any(case.group == "pufferlib" for case in cases):
        reason = build_tripletriad(puffer)
        if reason:
            reasons["pufferlib"] = reason
    out: Path = given.out or (RESULTS / "quick" if given.quick or given.only else RESULTS)
    span = QUICK if given.quick else Span()
    method = (
        f"A fresh process per case, pinned to one core; median of {span.repeats} repeats of "
        f"{span.seconds:g} CPU-seconds each after {span.warmup:g} of warm-up."
    )
    results = measure_all(cases, reasons, span, out, method)
    write_report(results, out, method)
    plot_bars(results, out / "peers.png", "Random legal play: decisions per CPU-second")
    print()
    for row in ratio_rows(results):
        print(" | ".join(row))
    print(f"written to {out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
