"""The console commands of `marias_agents`: `marias agents`, `marias solve`, `marias analyse`."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from marias_env.core.deal import NUM_SEATS
from marias_env.errors import RecordError
from marias_env.terminal import echo, progress_bar

if TYPE_CHECKING:
    from marias_agents.analysis import Analysis

File = Annotated[Path, typer.Argument(help="Deal records, .jsonl or .jsonl.gz.")]
Index = Annotated[int, typer.Option("--index", "-n", help="Which record, from 0.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    from marias_agents.cli_suite import register as register_suite

    app.command(name="agents")(agents_command)
    app.command(name="solve")(solve_command)
    app.command(name="analyse")(analyse_command)
    register_suite(app)


def agents_command(as_json: Json = False) -> None:
    """List the agents by name, with their options."""
    from marias_agents.registry import describe

    agents = describe()
    if as_json:
        echo(json.dumps(agents))
        return
    width = max(len(agent["name"]) for agent in agents)
    for agent in agents:
        echo(f"{agent['name']:<{width}}  {agent['help']}")
        for option in agent["options"]:
            echo(f"{'':<{width}}    {option['name']}={option['default']}  ({option['expected']})")
            echo(textwrap.fill(option["help"], 96, initial_indent=" " * (width + 8),
                               subsequent_indent=" " * (width + 8)))  # fmt: skip
    echo(
        "\nAlso the path of a checkpoint file, and module:callable. Options follow a comma, a seed"
        "\nan @: pimc:10,threads=2@7."
    )


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
        bool | None,
        typer.Option(
            "--par/--no-par",
            help="Also value what could have been bid.  [yes; with --summary no, as it takes long]",
        ),
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Each player's mistakes over all records, by phase.")
    ] = False,
    tricks: Annotated[
        bool, typer.Option("--tricks", help="With --summary: every trick on a line of its own.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Judge recorded deals double dummy: what each card cost, and what could have been bid."""
    from marias_agents.analysis import analyse

    if summary:
        _summary(file, bool(par), tricks, as_json)
        return
    par = par is not False
    analysis = analyse(_record(file, index), par)
    if as_json:
        echo(json.dumps(_plain(analysis)))
    else:
        echo("\n".join(_lines(analysis)))


def _summary(file: Path, par: bool, tricks: bool, as_json: bool) -> None:
    from rich.console import Console

    from marias_agents.mistakes import Mistakes, mistakes, totals
    from marias_env.records import read_records
    from marias_env.showing.grid import Grid, print_grid

    records = read_records(file)
    with progress_bar() as report:
        rows = mistakes(records, par, lambda done: report("records", done, len(records)))
    if not tricks:
        rows = totals(rows)
    if as_json:
        echo(json.dumps({"records": len(records), "rows": [dataclasses.asdict(r) for r in rows]}))
        return

    def cells(row: Mistakes) -> tuple[str, ...]:
        each = (f"{value / row.decisions:.3f}" for value in (row.cost, row.capped))
        share = f"{row.mistakes / row.decisions:.1%}"
        worst = f"{row.worst[0]} (record {row.worst[1]})" if row.worst[0] else "–"
        return (row.player, row.role, row.phase, f"{row.decisions}", share, *each, worst)

    heads = ("player", "role", "phase", "decisions", "mistakes", "cost", "capped", "worst")
    note = (
        f"{len(records)} records; cost: units per opponent that a decision between two options or "
        "more gave away double dummy, mean over decisions; capped: values cut at 16 units"
    )
    table = tuple(cells(row) for row in rows)
    print_grid(
        Grid("Mistakes", note, heads, table, ("worst", "decisions"), sections=True), Console()
    )


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
        costs = (f"{seat}: {analysis.cost_of(seat)}" for seat in range(NUM_SEATS))
        lines.append("  in all  " + "  ".join(costs))
    if analysis.worths:
        lines += ["", "What could have been bid (others silent, nothing doubled)"]
        lines += [
            f"  seat {worth.seat}  {worth.name:<22} V {worth.value:+5d}"
            f"  away: {' '.join(worth.discards)}"
            for worth in analysis.worths
        ]
    return lines
