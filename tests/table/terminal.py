"""The table in a terminal, driven from a test."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from marias_env.cli import app
from marias_env.records import read_records

QUICK = ("--agent", "rules", "--adviser", "rules")


def play(typed: str, *arguments: str, env: dict[str, str] | None = None) -> Result:
    """Runs `marias play` with these lines typed."""
    return CliRunner(env=env).invoke(app, ["play", *arguments], input=typed)


def numbers(seed: int, count: int = 400) -> str:
    """So many answers, most of them possible."""
    rng = random.Random(seed)
    return "".join(f"{rng.randint(1, 4)}\n1\n" for _ in range(count // 2))


def records(path: Path) -> list[dict[str, Any]]:
    """The records of a file, each valid, without the time."""
    found = read_records(path)
    for record in found:
        record.pop("time")
    return found


def finished(path: Path) -> list[dict[str, Any]]:
    """The records of the deals that are over."""
    return [record for record in records(path) if record["payments"] is not None]


def same(first: Path, second: Path) -> bool:
    """Whether two files hold the same sitting."""
    return json.dumps(records(first)) == json.dumps(records(second))
