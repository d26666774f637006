from __future__ import annotations

import csv
import io
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

import marias_training.arena as arena
from marias_env.records import read_records
from marias_training.arena import Evaluation, Progress, evaluate
from marias_training.arena.outputs import write_outputs
from marias_training.arena.plots import plot
from marias_training.arena.tables import breakdown_csv, grids, markdown, pairs_csv, print_tables
from marias_training.cli import register
from tests.training.arena_helpers import First


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(["good", "random", "random@2"], deals=60, control_deals=20)


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()
    register(app)
    app.command("other")(lambda: None)  # with one command alone typer drops its name
    return app


def test_grids_are_rectangular(evaluation: Evaluation) -> None:
    titles = []
    for grid in grids(evaluation):
        titles.append(grid.title)
        assert grid.rows
        assert all(len(row) == len(grid.heads) for row in grid.rows)
    assert titles[0] == "A minus B"
    assert {"Matrix, raw units", "One table", "Identity control", "Breakdown"} <= set(titles)


def test_a_notebook_shows_the_tables(evaluation: Evaluation) -> None:
    html = evaluation._repr_html_()
    for grid in grids(evaluation, breakdown=False):
        assert f"<strong>{grid.title}</strong>" in html
        assert all(f">{cell}</td>" in html for row in grid.rows for cell in row if cell)
    assert "Breakdown" not in html


def test_screen(evaluation: Evaluation) -> None:
    stream = io.StringIO()
    print_tables(evaluation, Console(file=stream, width=160))
    text = stream.getvalue()
    pair = evaluation.pair("good", "random")
    assert f"{pair.raw.mean:+.3f} ± {pair.raw.half_width:.3f} *" in text
    assert "durch" in text


def test_names_with_brackets_are_no_markup() -> None:
    agents = [First(), First()]
    for agent, name in zip(agents, ("runs/[bold]a", "runs/[/b]")):
        agent.name = name
    stream = io.StringIO()
    print_tables(evaluate(agents, deals=2, control_deals=0), Console(file=stream, width=160))
    assert "runs/[bold]a" in stream.getvalue()
    assert "runs/[/b]" in stream.getvalue()


def test_markdown(evaluation: Evaluation) -> None:
    text = markdown(evaluation)
    assert text.startswith("# good · random · random@2\n\nRules `traditional`, seed 0, 60 deals")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows
    assert all(row.endswith("|") for row in rows)


def test_csv(evaluation: Evaluation) -> None:
    rows = list(csv.DictReader(io.StringIO(pairs_csv(evaluation))))
    assert [(row["a"], row["b"]) for row in rows] == list(evaluation.pairs)
    assert float(rows[0]["raw_mean"]) == evaluation.pair("good", "random").raw.mean
    counted = list(csv.DictReader(io.StringIO(breakdown_csv(evaluation))))
    forehand = [r for r in counted if r["agent"] == "good" and r["key"] == "forehand"]
    assert [int(row["times"]) for row in forehand] == [180, 180]


def test_json_and_files(evaluation: Evaluation, tmp_path: Path) -> None:
    written = write_outputs(evaluation, tmp_path / "new" / "folder")
    assert {path.name for path in written} == {
        "evaluation.json",
        "evaluation.md",
        "evaluation.png",
        "pairs.csv",
        "breakdown.csv",
    }
    assert sorted(path.name for path in written[0].parent.iterdir()) == sorted(
        path.name for path in written
    )
    assert json.loads(written[0].read_text()) == json.loads(json.dumps(evaluation.to_dict()))
    picture = next(path for path in written if path.suffix == ".png")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_long_names_leave_the_picture_its_room(tmp_path: Path) -> None:
    agents = [First(), First(), First()]
    for number, agent in enumerate(agents):
        agent.name = "/somewhere" * 12 + f"/run{number}/checkpoint.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a layout that collapsed
        plot(evaluate(agents, deals=2), tmp_path / "wide.png")


def test_cli(app: typer.Typer, tmp_path: Path) -> None:
    run = CliRunner()
    out, games = tmp_path / "out", tmp_path / "games.jsonl"
    command = ["evaluate", "good", "random", "--deals", "30", "--chunk", "10", "--control", "5"]
    command += ["--out", str(out), "--records", str(games)]
    first = run.invoke(app, command)
    assert first.exit_code == 0, first.output
    assert "A minus B" in first.output
    assert (out / "results.jsonl").is_file()
    assert (out / "evaluation.png").is_file()
    assert len(read_records(games)) == 180
    again = run.invoke(app, command)
    assert again.exit_code == 2
    assert "--resume" in again.output
    resumed = run.invoke(app, [*command, "--resume"])
    assert resumed.exit_code == 0, resumed.output


def test_cli_errors(app: typer.Typer) -> None:
    run = CliRunner()
    for arguments, message in (
        (["good", "nobody"], "nobody"),
        (["good", "[/red]nobody"], "[/red]nobody"),
        (["good"], "two or more"),
        (["good", "random", "--rules", "poker"], "poker"),
        (["good", "random", "--metric", "elo"], "elo"),
        (["good", "random", "--resume"], "--out"),
    ):
        result = run.invoke(app, ["evaluate", *arguments, "--deals", "5"])
        assert result.exit_code == 2, result.output
        assert message in result.output
        assert "Traceback" not in result.output
        if "Usage:" not in result.output:
            assert result.output.count("\n") == 1  # one line, however long


@pytest.mark.parametrize("saved", [True, False])
def test_cli_interrupted(
    app: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: bool
) -> None:
    def stopping(*args: Any, **options: Any) -> Evaluation:
        report = options.pop("on_progress")

        def stop(done: Progress) -> None:
            report(done)
            if done.deals >= 20:
                raise KeyboardInterrupt

        return evaluate(*args, on_progress=stop, **options)

    command = ["evaluate", "good", "random", "--deals", "60", "--chunk", "10"]
    command += ["--out", str(tmp_path / "out")] if saved else []
    monkeypatch.setattr(arena, "evaluate", stopping)
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 130
    assert "Interrupted after 20 deals" in result.output
    assert ("--resume" in result.output) == saved
    assert "good" in result.output
    if saved:
        monkeypatch.undo()
        assert CliRunner().invoke(app, [*command, "--resume"]).exit_code == 0
