"""What the console command does with encodings, pipes, signals, folders and whole files."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from marias_env.cards import CARD_IDS
from marias_env.cli import app
from marias_env.records import record_of, replay
from marias_env.terminal import plain
from tests.env.helpers import DATA, PRESETS, traces
from tests.processes import PATIENCE, posix, running

runner = CliRunner()
FILE = str(DATA / "traces_traditional.jsonl.gz")
MARIAS = [sys.executable, "-c", "from marias_env.cli import app; app()"]


def marias(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run(
        [*MARIAS, *arguments], capture_output=True, check=False, env=environment, **options
    )


def written(path: Path, *lines: str | bytes) -> str:
    path.write_bytes(b"".join(x if isinstance(x, bytes) else x.encode() + b"\n" for x in lines))
    return str(path)


def a_record(number: int = 0) -> dict[str, Any]:
    return record_of(replay(traces("online")[number]))


# ------------------------------------------------------------------------------ encodings, pipes


@pytest.mark.parametrize("encoding", ["ascii", "cp1250", "latin-1", "utf-8"])
@pytest.mark.parametrize("arguments", [["replay", FILE, "-l", "cs"], ["replay", FILE, "--at", "9"]])
def test_any_encoding_of_the_output(encoding: str, arguments: list[str]) -> None:
    result = marias(*arguments, env={"PYTHONIOENCODING": encoding})
    assert result.returncode == 0, result.stderr
    assert not result.stderr
    text = result.stdout.decode(encoding)
    assert "Mari" in text
    assert "?" not in text  # every letter and sign has a stand-in


def test_help_in_ascii() -> None:
    result = marias("--help", env={"PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0, result.stderr
    assert b"replay" in result.stdout


def test_plain_text_by_encoding() -> None:
    assert plain("10♥ ±1 → řeka −2 │", "ascii") == "10h ~1 > reka -2 |"
    assert plain("10♥ ±1 ř", "cp1250") == "10h ±1 ř"
    assert plain("10♥", None) == plain("10♥", "utf-8") == "10♥"


def test_a_closed_pipe_ends_quietly() -> None:
    for arguments in (["replay", FILE], ["validate", FILE], ["--help"]):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as gone:
            result = subprocess.run(
                [*MARIAS, *arguments], stdout=gone, stderr=subprocess.PIPE, check=False
            )
        assert result.stderr == b"", arguments
        assert result.returncode in (1, 141), arguments


# --------------------------------------------------------------------------------------- signals


SLEEPER = """
import sys, time, typer
from marias_env.cli import app

@app.command()
def sleep() -> None:
    sys.stderr.write("ready\\n")
    sys.stderr.flush()
    time.sleep(3600)

app(["sleep"])
"""


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_end_every_command_the_same_way(number: signal.Signals, code: int) -> None:
    with running(sys.executable, "-c", SLEEPER) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "ready\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert errors == "Interrupted.\n"


# ----------------------------------------------------------------------------- validate, records


def test_validate_names_every_bad_line(tmp_path: Path) -> None:
    good = json.dumps(a_record())
    wrong = a_record()
    wrong["actions"][3][0] = 0
    twice = good.replace('"dealer":', '"dealer": 1, "dealer":', 1)
    nan = good[:-1] + ', "score": NaN}'
    lines = (good, "", json.dumps(wrong), "{", twice, nan, b'{"a": "\xff"}\n', good)
    file = written(tmp_path / "mixed.jsonl", *lines)
    result = runner.invoke(app, ["validate", file])
    assert result.exit_code == 1
    found = result.output.splitlines()
    assert found[0].startswith(f"{file}, line 3, action 3: seat 0 ")
    assert [re.sub(r".*, line (\d+).*", r"\1", line) for line in found[1:-1]] == list("4567")
    assert "'dealer' twice" in found[2]
    assert "NaN" in found[3]
    assert "not UTF-8" in found[4]
    assert found[-1] == f"{file}: 2 valid, 5 bad"
    answer = json.loads(runner.invoke(app, ["validate", file, FILE, "--json"]).stdout)
    assert [entry["valid"] for entry in answer] == [2, 300]
    assert [bad["line"] for bad in answer[0]["bad"]] == [3, 4, 5, 6, 7]
    assert runner.invoke(app, ["validate", FILE]).exit_code == 0


@pytest.mark.parametrize(
    ("encoding", "named"),
    [
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
        ("utf-32", "UTF-32"),
        ("utf-8-sig", "byte order mark"),
    ],
)
def test_other_encodings_of_files_are_named(tmp_path: Path, encoding: str, named: str) -> None:
    text = "\n".join(json.dumps(a_record(number)) for number in range(3))
    plain_file = tmp_path / "deals.jsonl"
    plain_file.write_text(text, encoding=encoding)
    packed = tmp_path / "deals.jsonl.gz"
    packed.write_bytes(gzip.compress(text.encode(encoding)))
    for file in (plain_file, packed):
        for command in ("validate", "replay"):
            result = runner.invoke(app, [command, str(file)])
            assert result.exit_code == 2
            assert named in result.stderr
            assert file.name in result.stderr
            assert "line" not in result.stderr


def test_from_hands() -> None:
    batch = replay({**a_record(), "actions": [], "payments": None})
    deck = a_record()["deck"]
    forehand = [*deck[:5], *deck[15:20]]
    second = [*deck[5:10], *deck[20:25]]
    third = [*deck[10:15], *deck[25:30]]
    order = [forehand, second, third]
    dealer = int(batch.dealer[0])
    hands = [" ".join(order[(seat - dealer - 1) % 3]) for seat in range(3)]
    options = ["--talon", " ".join(deck[30:]), "--dealer", str(dealer), "--rules", "online"]
    acts = ["--actions", " ".join(text for _, text in a_record()["actions"])]
    result = runner.invoke(app, ["from-hands", *hands, *options, *acts])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == a_record()
    assert runner.invoke(app, ["from-hands", *hands[:2], *options]).exit_code == 2
    odd = runner.invoke(app, ["from-hands", *hands, *options, "--rules", "online,suits=s"])
    assert odd.stderr.startswith("Error: ")


@pytest.mark.parametrize("language", ["en", "cs"])
def test_cards_are_written_as_everywhere(language: str) -> None:
    # What `replay` prints can be put into `from-hands`.
    result = runner.invoke(app, ["replay", FILE, "--language", language])
    assert not set(result.output) & set("♠♣♦♥")
    dealt = result.output.splitlines()[4:7]
    assert all(len([w for w in line.split() if w in CARD_IDS]) >= 10 for line in dealt)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("command", ["replay", "solve"])
def test_at_beyond_the_end(preset: str, command: str) -> None:
    file = str(DATA / f"traces_{preset}.jsonl.gz")
    there = len(traces(preset)[0]["actions"])
    result = runner.invoke(app, [command, file, "--at", "500"])
    assert result.exit_code == 2
    assert f"it has {there} actions; there is no position after 500" in result.stderr
    assert runner.invoke(app, [command, file, "--at", str(there)]).exit_code == 0
