"""Whatever ends `marias play`, `--resume` goes on exactly there, and the deals stay the same."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from marias_table.terminal import sitting as sittings
from tests.table.terminal import QUICK, finished, play, records, same

LIMIT = 600
START = ("--rules", "additive", "--match", "2", "--seed", "8", "--agent", "rules")
COMMAND = (sys.executable, "-m", "marias_env.cli", "play")
ALWAYS = ("--adviser", "rules", "--no-analysis")


def whole(file: Path, typed: str) -> None:
    told = play(typed, str(file), *START, *ALWAYS)
    assert told.exit_code == 0, told.output


def test_a_process_for_every_line_plays_the_same_match(tmp_path: Path) -> None:
    # Enter deals the next deal; in a deal it takes the only choice, or means nothing.
    lines = ["1", ""] * 45
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    whole(one, "".join(f"{line}\n" for line in lines))
    play("", str(many), *START, *ALWAYS)
    for line in lines:
        told = play(f"{line}\n", "--resume", str(many), *ALWAYS)
        assert told.exit_code == 0, told.output
    assert len(finished(one)) >= 2
    assert same(one, many)


def actions_of_the_person(file: Path) -> int:
    if not file.exists():
        return 0
    return sum(record["by"].count("person") for record in records(file))


def wait_for(file: Path, actions: int) -> None:
    until = time.monotonic() + LIMIT
    while actions_of_the_person(file) < actions:
        assert time.monotonic() < until, "the process has not played"
        time.sleep(0.05)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals")
@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_a_killed_process_loses_nothing(number: str, tmp_path: Path) -> None:
    one, killed = tmp_path / "one.jsonl", tmp_path / "killed.jsonl"
    rest = "1\n\n" * 45
    whole(one, "1\n" * 4 + rest)
    with subprocess.Popen(
        [*COMMAND, str(killed), *START, *ALWAYS],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write("1\n" * 4)
        process.stdin.flush()
        wait_for(killed, 4)
        process.send_signal(getattr(signal, number))
        code = process.wait(LIMIT)
    assert code == {"SIGKILL": -signal.SIGKILL, "SIGTERM": 143, "SIGINT": 130}[number]
    assert actions_of_the_person(killed) == 4
    told = play(rest, "--resume", str(killed), *ALWAYS)
    assert told.exit_code == 0, told.output
    assert len(finished(one)) >= 2
    assert same(one, killed)


def terminal(*arguments: str, columns: int = 60, **environment: str) -> Any:
    """`marias play` in a terminal."""
    pexpect = pytest.importorskip("pexpect")
    if os.name != "posix":
        pytest.skip("no terminals to test in")
    # Where these are set they count for more than the terminal's own size.
    inherited = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    return pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], *arguments],
        dimensions=(40, columns),
        timeout=LIMIT,
        encoding="utf-8",
        env={**inherited, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm", **environment},
    )


def waits(child: Any) -> str:
    """Waits until it is ready for keys, and returns what it has written."""
    # Pasting in brackets is asked for with each line that is read.
    child.expect_exact("\x1b[?2004h")
    return str(child.before)


def ends(child: Any) -> tuple[str, int]:
    """What it writes to its end, and its exit code."""
    child.expect(sys.modules["pexpect"].EOF)
    child.close()
    return str(child.before), child.exitstatus


def test_arrow_keys_and_interruptions_in_a_terminal(tmp_path: Path) -> None:
    one, broken = tmp_path / "one.jsonl", tmp_path / "broken.jsonl"
    rest = "1\n\n" * 45
    whole(one, "1\n2\n1\n" + rest)

    child = terminal(str(broken), *START, *ALWAYS)
    waits(child)
    child.send("\x1b[B\r")  # down: the first
    wait_for(broken, 1)
    waits(child)
    child.send("\x1b[C\x1b[C\r")  # right twice: the second
    wait_for(broken, 2)
    waits(child)
    child.send("\x03")
    said, code = ends(child)
    assert "--resume" in said
    assert code == 130

    child = terminal("--resume", str(broken), *ALWAYS)
    waits(child)
    child.send("\x1b[A\x1b[C\r")  # up to the last, right: round to the first
    wait_for(broken, 3)
    waits(child)
    child.send("\x04")
    said, code = ends(child)
    assert "--resume" in said
    assert code == 0
    assert actions_of_the_person(broken) == 3
    play(rest, "--resume", str(broken), *ALWAYS)
    assert same(one, broken)


def test_ctrl_c_while_an_agent_thinks(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    agent = ("--agent", "tests.table.bad_agents:Hanging", "--limit", "1000")
    child = terminal(str(file), "--seed", "3", *agent, "--adviser", "rules")
    for _ in range(2):
        waits(child)
        child.send("1\r")
    wait_for(file, 2)
    child.expect("(is thinking|is getting ready)")
    child.send("\x03")
    said, code = ends(child)
    assert "--resume" in said
    assert "Traceback" not in said
    assert code == 130
    assert records(file)[0]["seats"][1]["agent"] == agent[1]  # nobody is replaced


@pytest.mark.parametrize("language", ["en", "cs"])
def test_a_narrow_terminal_without_colours_and_letters(language: str, tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    plain = {"NO_COLOR": "1", "PYTHONIOENCODING": "ascii"}
    child = terminal(str(file), "--seed", "3", *QUICK, "-l", language, **plain)
    told = ""
    for typed in ("?", "why", "help", "1", "1", "\x1b[C", "quit"):
        told += waits(child)
        child.send(f"{typed}\r")
    told += ends(child)[0]
    assert told.isascii()
    assert records(file)[0]["by"].count("person+hint") == 1
    assert actions_of_the_person(file) == 2
    assert not re.search(r"\x1b\[[0-9;]*[1-9]m", told.replace("\x1b[0;7m", ""))
    tables = [line for line in told.splitlines() if line.startswith(("|", "+"))]
    assert len(tables) > 20
    assert {len(line) for line in tables} == {59}


def test_the_last_game_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typer.get_app_dir", lambda name: str(tmp_path / name))
    told = play("", "--resume", *ALWAYS)
    assert told.exit_code == 2
    assert "no game to go on with" in told.stderr
    for seed in ("1", "2"):
        play("1\n", "--seed", seed, *QUICK)
    files = sorted((tmp_path / "marias" / "play").iterdir())
    assert len(files) == 2
    os.utime(files[0], (1, 1))
    before = files[0].read_bytes()
    told = play("1\n", "--resume", *ALWAYS)
    assert str(files[1]) in told.stdout.replace("\n", "")
    assert actions_of_the_person(files[1]) == 2
    assert files[0].read_bytes() == before


def changed(file: Path, change: Any) -> None:
    *lines, last = file.read_text("utf-8").splitlines()
    record = json.loads(last)
    change(record)
    file.write_text("\n".join([*lines, json.dumps(record)]) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.pop("sitting"), "no key 'sitting'"),
        (lambda r: r["sitting"].update(seed=-1), "seed: "),
        (lambda r: r["sitting"].update(number=7), "deal 7 of its match"),
        (lambda r: r["sitting"].update(match={"deals": 0}), "match.deals: "),
        (lambda r: r["sitting"].update(more=1), "more: "),
        (lambda r: r.update(seats=[{"kind": "person"}] * 3), "two people"),
        (lambda r: r.update(seats=[{"kind": "agent"}] * 3), "an agent without a spec"),
        (lambda r: r.update(seats=None), "expected a file that marias play has written"),
        (lambda r: r.update(players=["a"]), "seats and players"),
        (lambda r: r.pop("by"), "by"),
        (lambda r: r.update(deal="x"), "expected a file that marias play has written"),
        (lambda r: r["by"].append("person"), "by; expected an entry for each action"),
        (lambda r: r["seats"][1].update(agent="nobody"), "--agent nobody"),
        (lambda r: r["actions"].append([0, "Kh"]), "line 1"),
        (lambda r: r.update(deck=r["deck"][:-1]), "line 1"),
    ],
)
def test_a_file_that_cannot_be_gone_on_with(change: Any, message: str, tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    play("1\n", str(file), "--seed", "3", *QUICK)
    changed(file, change)
    before = file.read_bytes()
    told = play("1\n", "--resume", str(file), *ALWAYS)
    assert told.exit_code == 2, told.output
    assert message in told.stderr
    assert told.stderr.count("\n") == 1
    assert file.read_bytes() == before


def test_files_that_are_none(tmp_path: Path) -> None:
    there = tmp_path / "there.jsonl"
    there.write_text("")
    told = play("", str(there), "--seed", "1", *QUICK)
    assert told.exit_code == 2
    assert "--resume goes on with it" in told.stderr
    assert there.read_text() == ""
    told = play("", "--resume", str(there), *ALWAYS)
    assert "empty" in told.stderr
    told = play("", "--resume", str(tmp_path / "missing.jsonl"), *ALWAYS)
    assert told.exit_code == 2
    assert "missing.jsonl" in told.stderr
    told = play("", str(tmp_path / "no" / "folder.jsonl"), "--seed", "1", *QUICK)
    assert told.exit_code == 2
    assert "folder.jsonl" in told.stderr


@pytest.mark.parametrize("option", ["--rules", "--match", "--seat", "--agent", "--seed", "--name"])
def test_a_game_goes_on_as_it_was_begun(option: str, tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    play("1\n", str(file), "--seed", "3", *QUICK)
    told = play("", "--resume", str(file), option, "1")
    assert told.exit_code == 2
    assert f"{option} with --resume" in told.stderr


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    play("", str(file), "--seed", "3", *QUICK)
    first, second = sittings.resume(file), sittings.resume(file)
    legal = sorted(map(int, first.batch.legal_mask()[0].nonzero()[0]))
    first.play(0, legal[0], "person")
    after = file.read_bytes()
    with pytest.raises(sittings.SittingError, match="changed by another program"):
        second.play(0, legal[1], "person")
    assert file.read_bytes() == after


def test_language_and_adviser_may_be_others(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    play("1\n", str(file), "--seed", "3", *QUICK, "--lang", "cs")
    assert "Flekujete" in play("", "--resume", str(file), *ALWAYS).stdout
    assert "Do you double" in play("", "--resume", str(file), *ALWAYS, "-l", "en").stdout


# Whatever is loaded first counts too, so one that only raises has a long time.
@pytest.mark.parametrize(
    ("agent", "said", "limit"), [("Raising", "failed", "1000"), ("Hanging", "took too long", "1")]
)
def test_agents_that_fail_are_replaced_for_good(
    agent: str, said: str, limit: str, tmp_path: Path
) -> None:
    file = tmp_path / "deals.jsonl"
    spec = f"tests.table.bad_agents:{agent}"
    told = play("1\n" * 10, str(file), "--seed", "3", "--agent", spec, "--agent", "rules",
                "--limit", limit, *ALWAYS)  # fmt: skip
    assert told.exit_code == 0, told.output
    assert f"{said}; rules plays instead" in told.stdout
    last = records(file)[-1]
    assert [seat.get("agent") for seat in last["seats"]] == [None, "rules", "rules"]
    if agent == "Raising":
        assert spec in last["by"]  # what it did before stays its own
    copy = tmp_path / "copy.jsonl"
    shutil.copy(file, copy)
    again = play("1\n" * 40, "--resume", str(copy), *ALWAYS)
    assert said not in again.stdout
    assert finished(copy)
