"""The console commands that check and make record files: `marias validate`, `marias from-hands`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from marias_env.terminal import echo

EXIT_FOUND_BAD = 1
"""`validate` ends with it where a line is bad; 2, as everywhere, where a file cannot be read."""

Rules = Annotated[
    str,
    typer.Option(
        "--rules",
        help="Rules: traditional, online or additive; options after commas, such as "
        "online,seven_hundred_together=true.",
    ),
]
"""The option that every command with rules has."""


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command(name="validate")(validate_command)
    app.command(name="from-hands")(from_hands_command)


def validate_command(
    files: Annotated[list[Path], typer.Argument(help="Deal records, .jsonl or .jsonl.gz.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check whole files of deal records: every bad line with its reason; exit code 1 if any."""
    from marias_env.errors import RecordError
    from marias_env.records import each_record

    found: list[dict[str, Any]] = []
    for file in files:
        good = 0
        bad: list[dict[str, Any]] = []
        for number, record in each_record(file):
            if isinstance(record, RecordError):
                bad.append({"line": number, "action": record.index, "reason": record.reason})
                if not as_json:
                    where = "" if record.index is None else f", action {record.index}"
                    echo(f"{file}, line {number}{where}: {record.reason}")
            else:
                good += 1
        found.append({"file": str(file), "valid": good, "bad": bad})
        if not as_json:
            echo(f"{file}: {good} valid, {len(bad)} bad")
    if as_json:
        echo(json.dumps(found))
    if any(entry["bad"] for entry in found):
        raise typer.Exit(EXIT_FOUND_BAD)


def from_hands_command(
    hands: Annotated[
        list[str],
        typer.Argument(metavar="HAND HAND HAND", help="Cards of seats 0, 1, 2: 'Qh Th 7s …'."),
    ],
    talon: Annotated[str, typer.Option(help="Two cards; or they stand in forehand's hand.")] = "",
    dealer: Annotated[int, typer.Option(min=0, max=2, help="Seat; forehand is the next.")] = 2,
    rules: Rules = "traditional",
    actions: Annotated[
        str, typer.Option(help="What was done, in order: 'Qh suit 7s 8s good …'.")
    ] = "",
) -> None:
    """Make a deal record from hands: prints one line of a record file.

    Where trumps are chosen, forehand's first seven cards are those it chooses from.
    """
    from marias_env.hands import parse_actions, record_from_hands

    if len(hands) != 3:
        raise typer.BadParameter(f"{len(hands)} hands; expected three, each in quotes")
    record = record_from_hands(hands, talon, dealer, rules, parse_actions(actions))
    echo(json.dumps(record))
