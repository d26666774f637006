"""`marias evaluate` as a program: signals, orphans, full disks, narrow terminals, closed pipes."""

from __future__ import annotations

import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from marias_env.cli import app
from marias_env.showing.grid import Grid, print_grid
from marias_training.arena import Evaluation, ResultsError, evaluate
from marias_training.arena.tables import grids, print_tables
from tests.processes import (
    MARIAS,
    PATIENCE,
    alive,
    children_of,
    lines_in,
    linux,
    posix,
    running,
    threads_of,
    wait_for,
)
from tests.training.arena_helpers import First, Last, without_time

PAIR = ["good", "random"]
LONG = ["evaluate", *PAIR, "--deals", "1000000", "--chunk", "20"]


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate([*PAIR, "random@2"], deals=60, control_deals=20)


# ---------------------------------------------------------------------------------------- tables


def numbers(text: str) -> list[str]:
    return re.findall(r"[+-]\d+\.\d+ ± [\d.∞]+", text)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_narrow_terminals_lose_columns_but_no_digits(evaluation: Evaluation, width: int) -> None:
    for grid in grids(evaluation):
        stream = io.StringIO()
        print_grid(grid, Console(file=stream, width=width, force_terminal=True, no_color=True))
        text = stream.getvalue()
        assert "…" not in text.replace("–", "")
        cells = {cell for row in grid.rows for cell in row}
        assert set(numbers(text)) <= {x for cell in cells for x in numbers(cell)}, grid.title
        kept = [head for head in grid.heads if head not in grid.optional]
        whole = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", text).split())
        for row in grid.rows:
            for head, cell in zip(grid.heads, row, strict=True):
                if head in kept and grid.numeric(grid.heads.index(head)):
                    assert cell in whole
        if "left out" in text:
            assert any(head in text.split("left out")[1] for head in grid.optional)


def test_a_table_that_nobody_watches_is_whole(evaluation: Evaluation) -> None:
    stream = io.StringIO()
    print_tables(evaluation, Console(file=stream, width=20))
    text = stream.getvalue()
    assert "left out" not in text
    for grid in grids(evaluation):
        for row in grid.rows:
            assert all(cell in text for cell in row)


def test_long_names_are_folded_before_numbers_suffer() -> None:
    name = "runs/" + "x" * 60 + "/checkpoint.pt"
    grid = Grid("T", "n", ("agent", "units"), ((name, "+295.912 ± 0.123 *"),))
    stream = io.StringIO()
    print_grid(grid, Console(file=stream, width=50, force_terminal=True, no_color=True))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()
    assert any("+295.912 ± 0.123 *" in line for line in lines)
    assert max(map(len, lines)) <= 50
    assert name in "".join(line[:28].strip() for line in lines[3:])


@pytest.mark.parametrize("encoding", ["ascii", "cp1250"])
def test_tables_in_other_encodings(evaluation: Evaluation, encoding: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict")
    print_tables(evaluation, Console(file=stream))
    stream.flush()
    assert "A minus B" in raw.getvalue().decode(encoding)


def test_json_for_machines(tmp_path: Path) -> None:
    command = ["evaluate", *PAIR, "--deals", "12", "--control", "1", "--json"]
    result = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output

    def no_constants(name: str) -> Any:
        raise AssertionError(name)

    found = json.loads(result.stdout, parse_constant=no_constants)
    assert found["agents"] == PAIR
    written = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert found == written
    expected = evaluate(PAIR, deals=12, control_deals=1).to_dict()
    assert found["pairs"][0]["raw"]["mean"] == expected["pairs"][0]["raw"]["mean"]


def test_rules_with_options() -> None:
    command = ["evaluate", *PAIR, "--deals", "3", "--control", "0", "--json", "--rules"]
    result = CliRunner().invoke(app, [*command, "online,seven_hundred_together=true"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["rules"], found["options"]) == ("online", {"seven_hundred_together": True})


def test_files_are_written_before_a_pipe_can_break(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = ["evaluate", *PAIR, "--deals", "4", "--control", "0", "--out", str(tmp_path)]
    with os.fdopen(writing, "wb") as gone:
        result = subprocess.run([*MARIAS, *command], stdout=gone, stderr=-1, check=False)
    assert result.stderr == b""
    assert (tmp_path / "evaluation.md").is_file()


# ------------------------------------------------------------------------- agents, results files


def test_a_module_in_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "my_module.py").write_text(
        "from tests.training.arena_helpers import First\n\n\n"
        "class Thing(First):\n    name = 'thing'\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(Path.cwd())])}
    script = tmp_path / "bin" / "marias"  # a console script does not have the folder on its path
    script.parent.mkdir()
    script.write_text("from marias_env.cli import app\n\nif __name__ == '__main__':\n    app()\n")
    for processes in ("1", "2"):
        result = subprocess.run(
            [sys.executable, str(script), "evaluate", "my_module:Thing", "random", "--deals", "6",
             "--chunk", "3", "--control", "0", "--json", "--processes", processes],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout)["agents"] == ["my_module:Thing", "random"]


class Failing(First):
    name = "failing"

    def act(self, views: Any, masks: Any) -> Any:
        raise OSError("no weights")


def test_a_failed_run_blocks_nothing(tmp_path: Path) -> None:
    out, games = tmp_path / "results.jsonl", tmp_path / "games.jsonl"
    for broken in ("tests.training.arena_helpers:Nobody", str(tmp_path / "no.pt"), Failing()):
        with pytest.raises((Exception,)):
            evaluate([broken, "random"], deals=10, out=out, records=games)
        assert list(tmp_path.iterdir()) == []
    # Killed before the first chunk: the header alone is in nobody's way either.
    evaluate([First(), Last()], deals=10, out=out)
    out.write_text(out.read_text().splitlines()[0] + "\n")
    evaluate(PAIR, deals=10, out=out)
    with pytest.raises(ResultsError, match="exists already"):
        evaluate(PAIR, deals=10, out=out)


def test_a_full_disk_keeps_the_chunks_before(tmp_path: Path) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))

    command = [*MARIAS, "evaluate", *PAIR, "--deals", "90", "--chunk", "10", "--control", "0"]
    command += ["--out", str(tmp_path)]
    result = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, check=False)
    assert result.returncode == 2, result.stderr
    assert result.stderr.count("\n") == 1
    assert "results.jsonl" in result.stderr
    lines = (tmp_path / "results.jsonl").read_bytes().split(b"\n")
    assert len(lines) > 2
    assert lines[-1] == b""
    assert [path.name for path in tmp_path.iterdir()] == ["results.jsonl"]
    resumed = subprocess.run([*command, "--resume", "--json"], stdout=-1, check=True)
    fresh = evaluate(PAIR, deals=90, chunk=10)
    expected = json.loads(json.dumps(without_time(fresh.to_dict())))
    assert without_time(json.loads(resumed.stdout)) == expected


# --------------------------------------------------------------------------------------- signals


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path: Path, number: signal.Signals) -> None:
    results = tmp_path / "results.jsonl"
    with running(*MARIAS, *LONG, "--processes", "2", "--out", str(tmp_path)) as process:
        wait_for(lambda: lines_in(results) > 2, process)
        workers = children_of(process.pid)
        assert len(workers) >= 2
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        output, errors = process.communicate(timeout=PATIENCE)
        wait_for(lambda: not alive(workers))
    if number == signal.SIGKILL:
        return
    assert process.returncode == 128 + number, errors
    assert "Interrupted after" in errors
    assert "--resume" in errors
    assert "Traceback" not in errors
    assert "A minus B" in output
    done = lines_in(results) - 1
    options: dict[str, Any] = {"deals": 20 * done, "chunk": 20, "control_deals": 200}
    resumed = evaluate(PAIR, out=results, resume=True, **options)
    fresh = evaluate(PAIR, **options)
    assert resumed.pair(*PAIR).raw == fresh.pair(*PAIR).raw


@posix
@pytest.mark.parametrize("delay", [0.0, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("processes", ["1", "2"])
def test_before_the_first_chunk(tmp_path: Path, processes: str, delay: float) -> None:
    out = tmp_path / "out"
    command = ["evaluate", *PAIR, "--deals", "10000000", "--chunk", "10000000", "--out", str(out)]
    with running(*MARIAS, *command, "--processes", processes) as process:
        wait_for((out / "results.jsonl").exists, process)
        time.sleep(delay)  # whatever it is doing then: importing, starting workers, playing
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "Interrupted after 0 deals. Nothing was saved" in errors
    assert output == ""
    assert list(out.iterdir()) == []


@linux
def test_the_suite_ends_at_once(tmp_path: Path) -> None:
    command = ["suite", "--out", str(tmp_path / "suite.npz"), "--deals", "100000"]
    with running(*MARIAS, *command, "--threads", "2", OPENBLAS_NUM_THREADS="1") as process:
        # Solving has begun when its two threads are there.
        wait_for(lambda: threads_of(process.pid) >= 3, process)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143
    assert errors.splitlines()[-1] == "Interrupted."
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []
