from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

import typer
from typer.testing import CliRunner

from marias_agents import make
from marias_env import replay
from marias_env.records import read_records
from marias_training.checkpoints import load_trainer
from marias_training.cli import register
from marias_training.config import PPOConfig
from marias_training.run_log import read_log
from marias_training.runs import Schedule, clear_run, train
from tests.processes import MARIAS, PATIENCE, lines_in, posix, running, wait_for

SMALL = ["--deals", "64", "--minibatch", "256", "--hidden", "16", "--precision", "float32"]
TINY = PPOConfig(
    steps=15_000, minutes=0, deals=64, minibatch=256, hidden=16, precision="float32", seed=3
)


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()
    register(app)
    return app


def test_the_demo_goes_the_whole_way(app: typer.Typer, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    command = ["demo", "--minutes", "0.1", "--deals", "50", "--out", str(out)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    for name in ("checkpoint.pt", "log.jsonl", "learning_curve.png", "deal.jsonl"):
        assert (out / name).stat().st_size > 0, name
        assert name in result.output
    assert (out / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert "Identity control" in result.output
    assert "against rules" in result.output
    assert re.search(r"M of 20 M decisions in \d+\.\d minutes, the limit", result.output)
    assert "float" in result.output  # whether in bfloat16 or not
    [record] = read_records(out / "deal.jsonl")
    assert replay(record).turn[0] == -1
    assert str(out / "checkpoint.pt") in record["agents"]
    updates, evaluations = read_log(out / "log.jsonl")
    assert updates
    assert evaluations[0]["update"] == 0
    assert evaluations[-1]["progress"] >= 1
    assert make(str(out / "checkpoint.pt"))
    # The next one replaces it.
    clear_run(out)
    assert not (out / "checkpoint.pt").exists()
    assert (out / "deal.jsonl").exists()


def test_train_and_resume_by_command(app: typer.Typer, tmp_path: Path) -> None:
    out = tmp_path / "run"
    options = ["--out", str(out), "--evaluations", "2", "--evaluation-deals", "20"]
    first = CliRunner().invoke(app, ["train", "--steps", "6000", *options, *SMALL])
    assert first.exit_code == 0, first.output
    assert "against random" in first.output
    trainer = load_trainer(out / "checkpoint.pt")
    assert trainer.config.steps == 6000
    assert (trainer.config.hidden, trainer.config.deals) == (16, 64)
    again = CliRunner().invoke(app, ["train", "--steps", "6000", *options, *SMALL])
    assert again.exit_code != 0
    more = CliRunner().invoke(app, ["train", "--resume", "--steps", "12000", *options])
    assert more.exit_code == 0, more.output
    assert "learning curve:" in more.output
    updates, _ = read_log(out / "log.jsonl")
    assert [line["update"] for line in updates] == list(range(1, len(updates) + 1))
    assert updates[-1]["decisions"] >= 12000
    assert list((out / "tensorboard").glob("events.out.tfevents.*"))


def test_no_learning_curve_is_promised_where_none_is_drawn(
    app: typer.Typer, tmp_path: Path
) -> None:
    out = tmp_path / "[/b] run"
    options = ["--out", str(out), "--evaluation-deals", "0", "--steps", "1000"]
    result = CliRunner().invoke(app, ["train", *options, *SMALL])
    assert result.exit_code == 0, result.output
    assert f"checkpoint: {out}/checkpoint.pt" in result.output
    assert ("learning curve:" in result.output) == (out / "learning_curve.png").exists()


@pytest.mark.parametrize(
    "options",
    [["--reward", "raw"], ["--deals", "0"], ["--resume"], ["--minutes", "0"], ["--rules", "xyz"]],
)
def test_bad_options_end_with_a_message(
    app: typer.Typer, tmp_path: Path, options: list[str]
) -> None:
    result = CliRunner().invoke(app, ["train", "--out", str(tmp_path / "x"), *options])
    assert result.exit_code != 0
    assert not (tmp_path / "x" / "checkpoint.pt").exists()


def test_what_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    from marias_env.cli import app as marias

    out = tmp_path / "run"
    for options, reason in (
        (["--opponent", "ruls", "--opponent-fraction", "0.5"], "registered are"),
        (["--opponent", "rules"], "opponent_fraction"),
    ):
        result = CliRunner().invoke(marias, ["train", "--out", str(out), *options])
        assert result.exit_code == 2, result.output
        assert reason in " ".join(result.stderr.replace("│", " ").split())
        assert not out.exists()


@pytest.mark.parametrize("missing", ["torch", "matplotlib"])
@pytest.mark.parametrize("command", ["train", "demo"])
def test_without_the_extra(command: str, missing: str, tmp_path: Path) -> None:
    program = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        f"from marias_env.cli import app; app([{command!r}, '--out', {str(tmp_path / 'x')!r}])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert result.stderr == (
        f"Error: this command needs {missing}: pip install 'marias-env[train]'\n"
    )


def test_an_interrupted_run_resumes_exactly(tmp_path: Path) -> None:
    schedule = Schedule(evaluations=2, evaluation_deals=10)
    train(TINY, tmp_path / "whole", schedule=schedule)
    # Stopped after three updates, then killed after two more that no checkpoint holds.
    train(TINY, tmp_path / "parts", schedule=replace(schedule, max_updates=3))
    saved = (tmp_path / "parts" / "checkpoint.pt").read_bytes()
    train(None, tmp_path / "parts", resume=True, schedule=replace(schedule, max_updates=2))
    (tmp_path / "parts" / "checkpoint.pt").write_bytes(saved)
    with (tmp_path / "parts" / "log.jsonl").open("a") as log:
        log.write('{"update": 6, "entro')
    train(None, tmp_path / "parts", resume=True, schedule=schedule)
    logs = []
    for name in ("whole", "parts"):
        updates, evaluations = read_log(tmp_path / name / "log.jsonl")
        for line in updates + evaluations:
            for timing in ("seconds", "steps_per_second", "rollout_share"):
                line.pop(timing, None)
        logs.append((updates, evaluations))
    assert logs[0] == logs[1]
    whole, parts = (
        load_trainer(tmp_path / name / "checkpoint.pt").policy.state_dict()
        for name in ("whole", "parts")
    )
    assert whole
    for name, weights in whole.items():
        assert weights.equal(parts[name]), name


def test_a_run_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    schedule = Schedule(evaluation_deals=0, max_updates=1)
    train(TINY, tmp_path, schedule=schedule)
    with pytest.raises(FileExistsError):
        train(TINY, tmp_path, schedule=schedule)
    with pytest.raises(FileNotFoundError):
        train(None, tmp_path / "nothing", resume=True)


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "run"
    options = ["--minutes", "30", "--out", str(out), "--evaluation-deals", "0"]
    with running(*MARIAS, "train", *options, *SMALL) as process:
        wait_for(lambda: lines_in(out / "log.jsonl") > 0, process)
        process.send_signal(number)
        output, errors = process.communicate(timeout=PATIENCE)
    output += errors
    assert process.returncode == 128 + number, output
    assert "--resume" in output
    last = json.loads((out / "log.jsonl").read_text().splitlines()[-1])
    assert load_trainer(out / "checkpoint.pt").updates == last["update"]


def test_the_demo_ends_by_decisions_where_time_is_left(app: typer.Typer, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    command = ["demo", "--steps", "20000", "--deals", "4", "--out", str(out)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "the limit" not in result.output
    trainer = load_trainer(out / "checkpoint.pt")
    assert trainer.decisions >= 20_000
    assert trainer.progress == 1
    # The schedule goes with the time where that is shorter, and with the decisions again without.
    trainer.decisions, trainer.seconds = 5_000, 60 * 5.5 / 2
    assert trainer.progress == 0.5
    assert load_trainer(out / "checkpoint.pt", steps=10**9, limit_minutes=0).progress < 0.01
