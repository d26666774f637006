"""The console commands `marias gauntlet` and `marias exploit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from marias_env.cli_records import Rules as RulesOption
from marias_env.errors import MariasError
from marias_env.files import dump_json
from marias_env.terminal import echo, exit_code
from marias_training.cli import RESULTS, counting_bar


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command(name="gauntlet")(gauntlet_command)


def gauntlet_command(
    agent: Annotated[
        str, typer.Argument(help="The agent that is measured: a name, a checkpoint file, …")
    ],
    deals: Annotated[int, typer.Option(min=1, help="Deals.")] = 1000,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="A stranger; may be given again.  [the judging population]"),
    ] = None,
    slow: Annotated[
        bool, typer.Option("--slow", help="Also the judges that take seconds a deal (ismcts).")
    ] = False,
    reference: Annotated[str, typer.Option(help="Whom the agent is compared with.")] = "rules",
    mixed: Annotated[
        bool, typer.Option("--mixed/--no-mixed", help="Also two strangers of different kinds.")
    ] = True,
    rules: RulesOption = "traditional",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the common deal set.")] = 0,
    processes: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Folder for results, JSON, markdown and picture.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an interrupted run in the --out folder.")
    ] = False,
    chunk: Annotated[int, typer.Option(min=1, help="Deals per saved chunk.")] = 50,
    breakdown: Annotated[
        bool, typer.Option(help="Show the breakdown by role, contract and announcement.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON instead of tables.")
    ] = False,
) -> None:
    """Measure an agent alone among two strangers of every kind, on duplicate deals."""
    from marias_agents.strangers import judging_specs
    from marias_training.gauntlet import gauntlet
    from marias_training.gauntlet.run import GauntletInterrupted

    messages = Console(stderr=True)
    if resume and out is None:
        raise typer.BadParameter("needs --out, the folder to go on with", param_hint="--resume")
    try:
        with counting_bar(messages) as advance:
            result = gauntlet(
                agent,
                deals=deals,
                kinds=kind or judging_specs(slow),
                reference=reference,
                mixed=mixed,
                rules=rules,
                seed=seed,
                processes=processes,
                out=None if out is None else out / RESULTS,
                resume=resume,
                chunk=chunk,
                on_progress=advance,
            )
    except GauntletInterrupted as stopped:
        result = stopped.gauntlet
        how = (
            "nothing was saved"
            if stopped.saved is None
            else "the same command with --resume goes on"
        )
        messages.print(f"\nInterrupted after {result.deals} deals; {how}.", markup=False)
        raise typer.Exit(exit_code(stopped)) from None
    except (MariasError, ValueError, OSError) as error:
        typer.secho(f"Error: {' '.join(str(error).split())}", fg="red", err=True)
        raise typer.Exit(2) from None
    from marias_env.showing.grid import print_grid
    from marias_training.gauntlet.report import grids, write_outputs

    # Files first: whoever reads the tables through `| head` gets them all the same.
    written = [] if out is None else write_outputs(result, out)
    if as_json:
        echo(dump_json(result.to_dict()))
        return
    console = Console()
    for grid in grids(result, breakdown):
        print_grid(grid, console)
    for path in written:
        console.print(f"wrote {path}", highlight=False, markup=False, soft_wrap=True)
