"""The console commands of `marias_training`: `marias evaluate`, and those of `cli_train`."""

from __future__ import annotations

import contextlib
import importlib.util
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from marias_env.cli_records import Rules as RulesOption
from marias_env.errors import MariasError
from marias_env.files import dump_json
from marias_env.terminal import echo, exit_code
from marias_training.cli_options import AsJson, Breakdown, Chunk, Processes, Resume

if TYPE_CHECKING:
    # The arena loads compiled code, for which `marias --help` shall not wait.
    from marias_training.arena import Evaluation, EvaluationInterrupted
    from marias_training.arena import Progress as Done
    from marias_training.arena.ray_pool import RayExecutor

RESULTS = "results.jsonl"
"""Name of the results file in the folder given by `--out`."""


def register(app: typer.Typer) -> None:
    """Adds the training package's commands to the console application."""
    app.command(name="evaluate")(evaluate_command)
    importlib.import_module("marias_training.cli_gauntlet").register(app)
    if importlib.util.find_spec("marias_training.cli_train") is not None:
        importlib.import_module("marias_training.cli_train").register(app)


def evaluate_command(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …",
            help="Two or more agents: names (rules, random, pimc:10), checkpoint files, or "
            "module:callable; @seed may follow.",
        ),
    ],
    deals: Annotated[
        int | None,
        typer.Option(min=1, help="Deals; with --until at most so many.  [1000; 100000]"),
    ] = None,
    until: Annotated[
        float | None,
        typer.Option(help="Go on until every interval is no wider than ± this many units."),
    ] = None,
    metric: Annotated[
        str, typer.Option(help="What --until looks at: raw units, or capped (at 16 per opponent).")
    ] = "raw",
    rules: RulesOption = "traditional",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the common deal set.")] = 0,
    processes: Processes = 1,
    ray: Annotated[
        bool, typer.Option("--ray", help="Play on a Ray cluster instead (extra `rllib`).")
    ] = False,
    control: Annotated[
        int,
        typer.Option(min=0, help="Deals on which every agent also plays itself, as a control."),
    ] = 200,
    tables: Annotated[
        bool | None,
        typer.Option(
            "--tables/--no-tables",
            help="Also three agents at one table.  [where there are exactly three]",
        ),
    ] = None,
    par: Annotated[
        bool,
        typer.Option(
            "--par", help="Also solve every game double dummy: splits bidding from card play."
        ),
    ] = False,
    regret: Annotated[
        int, typer.Option(min=0, help="Deals on which every bid and card is judged double dummy.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for results, JSON, CSV, markdown and plot."),
    ] = None,
    resume: Resume = False,
    records: Annotated[
        Path | None,
        typer.Option(help="File for the replayable records of all games (.jsonl or .jsonl.gz)."),
    ] = None,
    chunk: Chunk = 250,
    breakdown: Breakdown = True,
    as_json: AsJson = False,
) -> None:
    """Measure agents against each other on duplicate deals, every pair in all six seatings."""
    from marias_training.arena import EvaluationInterrupted, evaluate

    console, messages = Console(), Console(stderr=True)
    if resume and out is None:
        raise typer.BadParameter(
            "needs --out, the folder of the run to go on with", param_hint="--resume"
        )
    try:
        with _bar(messages) as bar:
            task = bar.add_task("deals", total=None, width="")
            evaluation = evaluate(
                agents,
                deals=deals,
                until=until,
                metric=metric,
                rules=rules,
                seed=seed,
                processes=processes,
                executor=_ray_executor() if ray else None,
                control_deals=control,
                tables=tables,
                par=par,
                regret_deals=regret,
                out=None if out is None else out / RESULTS,
                resume=resume,
                records=records,
                chunk=chunk,
                on_progress=lambda done: _advance(bar, task, done),
            )
    except EvaluationInterrupted as stopped:
        _finish(stopped.evaluation, out, breakdown, as_json, console)
        messages.print(
            f"\nInterrupted after {stopped.evaluation.deals} deals. {_how_on(stopped, out)}",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(exit_code(stopped)) from None
    except (MariasError, ValueError, OSError) as error:
        # As one line, whatever the width; a name in it may hold what Rich would take for markup.
        typer.secho(f"Error: {' '.join(str(error).split())}", fg="red", err=True)
        raise typer.Exit(2) from None
    _finish(evaluation, out, breakdown, as_json, console)
    if records is not None and not as_json:
        console.print(f"records: {records}", highlight=False, markup=False, soft_wrap=True)


def _ray_executor() -> RayExecutor:
    from marias_training.arena.ray_pool import RayExecutor

    try:
        return RayExecutor()
    except ImportError as error:
        raise typer.BadParameter(
            f"{error}; install marias-env[rllib]", param_hint="--ray"
        ) from error


def _how_on(stopped: EvaluationInterrupted, out: Path | None) -> str:
    if stopped.saved is None:
        return (
            "Nothing was saved: what --out keeps are finished chunks (--chunk deals)."
            if out is not None
            else "Nothing was saved; with --out DIR a run can be resumed."
        )
    return f"They are saved in {stopped.saved}: the same command with --resume goes on."


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[width]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,  # it would leave an empty line there
    )


@contextlib.contextmanager
def counting_bar(console: Console) -> Iterator[Callable[[int, int], None]]:
    """A progress bar of deals; yields what is called with the deals done and wanted."""
    with _bar(console) as bar:
        task = bar.add_task("deals", total=None, width="")
        yield lambda done, wanted: bar.update(task, completed=done, total=wanted)


def _advance(bar: Progress, task: TaskID, done: Done) -> None:
    width = "" if math.isinf(done.half_width) else f"± {done.half_width:.3f}"
    bar.update(task, completed=done.deals, total=done.wanted, width=width)


def _finish(
    evaluation: Evaluation, out: Path | None, breakdown: bool, as_json: bool, console: Console
) -> None:
    # Imported here: what the table needs is not needed to list the commands.
    from marias_training.arena.outputs import write_outputs
    from marias_training.arena.tables import print_tables

    if evaluation.deals == 0:
        return
    # Files first: whoever reads the tables through `| head` gets them all the same.
    written = [] if out is None else write_outputs(evaluation, out)
    if as_json:
        echo(dump_json(evaluation.to_dict()))
        return
    print_tables(evaluation, console, breakdown)
    for path in written:
        console.print(f"wrote {path}", highlight=False, markup=False, soft_wrap=True)
