"""The console commands of `marias_agents`: `marias solve` and `marias analyse`."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from marias_env.errors import RecordError
from marias_env.terminal import echo

if TYPE_CHECKING:
    from marias_agents.analysis import Analysis

File = Annotated[Path, typer.Argument(help="Deal records, .jsonl or .jsonl.gz.")]
Index = Annotated[int, typer.Option("--index", "-n", help="Which record, from 0.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    from marias_agents.cli_suite import register as register_suite

    app.command(name="solve")(solve_command)
    app.command(name="analyse")(analyse_command)
    register_suite(app)


def solve_command(
    file: File,
    index: Index = 0,
    at: Annotated[
        int | None, typer.Option("--at", min=0, help="Solve the position after so many actions.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Solve a recorded position double dummy: the value of each card, and the best line."""
    from marias_agents.analysis import best_line
    from marias_agents.solver import solve
    from marias_env.records import beginning

    record = _record(file, index)
    if at is not None:
        record = beginning(record, at)
    answer = solve(record)
    line = best_line(record) if answer["cards"] else []
    if as_json:
        echo(json.dumps({**answer, "line": line}))
        return
    echo(f"value {answer['value']:+d} (units per opponent, declarer's view)")
    for card, value in sorted(answer["cards"].items(), key=lambda item: -item[1]):
        echo(f"  {card}  {value:+d}")
    if line:
        echo("best line  " + "  ".join(f"{seat}:{card}" for seat, card in line))


def analyse_command(
    file: File,
    index: Index = 0,
    par: Annotated[
        bool, typer.Option("--par/--no-par", help="Also value what could have been bid.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Judge a recorded deal double dummy: what each card cost, and what could have been bid."""
    from marias_agents.analysis import analyse

    analysis = analyse(_record(file, index), par)
    if as_json:
        echo(json.dumps(_plain(analysis)))
    else:
        echo("\n".join(_lines(analysis)))


def _record(file: Path, index: int) -> dict[str, Any]:
    from marias_env.records import read_records, validate

    records = read_records(file, check=False)
    if not -len(records) <= index < len(records):
        raise RecordError(f"{file.name} has {len(records)} records; no index {index}")
    validate(records[index])
    return dict(records[index])


def _plain(analysis: Analysis) -> dict[str, Any]:
    found = dataclasses.asdict(analysis)
    for worth in found["worths"]:
        values = worth.pop("discard_values")
        worth["discard_values"] = [[*pair, value] for pair, value in values.items()]
    return found


def _lines(analysis: Analysis) -> list[str]:
    lines = ["V in units per opponent, declarer's view, all cards seen by everybody"]
    if analysis.start is not None:
        lines.append(f"at the first lead  {analysis.start:+d}")
    if analysis.value is not None:
        lines.append(f"paid               {analysis.value:+d}")
    if analysis.cards:
        lines += ["", "Cards that cost something"]
        costly = [card for card in analysis.cards if card.cost]
        lines += [
            f"  trick {card.trick:>2}  seat {card.seat}  {card.card}  cost {card.cost:>3}"
            f"  V {card.best:+d} -> {card.value:+d}  better: {' '.join(card.better)}"
            for card in costly
        ] or ["  none"]
        costs = (f"{seat}: {analysis.cost_of(seat)}" for seat in range(3))
        lines.append("  in all  " + "  ".join(costs))
    if analysis.worths:
        lines += ["", "What could have been bid (others silent, nothing doubled)"]
        lines += [
            f"  seat {worth.seat}  {worth.name:<22} V {worth.value:+5d}"
            f"  away: {' '.join(worth.discards)}"
            for worth in analysis.worths
        ]
    return lines
