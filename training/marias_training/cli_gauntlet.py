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
from marias_training.cli_options import AsJson, Breakdown, Chunk, Processes, Resume


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command(name="gauntlet")(gauntlet_command)
    app.command(name="exploit")(exploit_command)


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
    processes: Processes = 1,
    out: Annotated[
        Path | None, typer.Option(help="Folder for results, JSON, markdown and picture.")
    ] = None,
    resume: Resume = False,
    chunk: Chunk = 50,
    breakdown: Breakdown = True,
    as_json: AsJson = False,
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


def exploit_command(
    agent: Annotated[str, typer.Argument(help="The agent whose weaknesses are looked for.")],
    deals: Annotated[int, typer.Option(min=1, help="Held-out deals that judge.")] = 300,
    worlds: Annotated[int, typer.Option(min=2, help="Worlds in which the search tries.")] = 32,
    decisions: Annotated[
        int | None, typer.Option(min=1, help="Also train a response for so many decisions.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="Also train a response for so many minutes.")
    ] = None,
    start: Annotated[
        str, typer.Option(help="Weights the training starts from: a file, or none.")
    ] = "none",
    rules: RulesOption = "traditional",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the deals that judge.")] = 0,
    processes: Processes = 1,
    out: Annotated[
        Path | None, typer.Option(help="Folder for results, JSON and the trained response.")
    ] = None,
    resume: Resume = False,
    chunk: Chunk = 20,
    as_json: AsJson = False,
) -> None:
    """Bound an agent's exploitability from below: best responses to two frozen copies of it."""
    from marias_env.files import write_text_atomic
    from marias_training.exploit import exploit

    messages = Console(stderr=True)
    needs = "--resume" if resume else "--decisions" if decisions or minutes else ""
    if needs and out is None:
        raise typer.BadParameter("needs --out, a folder", param_hint=needs)
    try:
        with counting_bar(messages) as advance:
            found = exploit(
                agent,
                deals=deals,
                worlds=worlds,
                decisions=decisions,
                minutes=minutes,
                start=start,
                rules=rules,
                seed=seed,
                processes=processes,
                out=out,
                resume=resume,
                chunk=chunk,
                on_progress=advance,
                on_training=lambda share: advance(int(100 * share), 100),
            )
    except KeyboardInterrupt as stopped:
        how = "nothing was saved" if out is None else "the same command with --resume goes on"
        messages.print(f"\nInterrupted; {how}.", markup=False)
        raise typer.Exit(exit_code(stopped)) from None
    except (MariasError, ValueError, OSError, ImportError) as error:
        typer.secho(f"Error: {' '.join(str(error).split())}", fg="red", err=True)
        raise typer.Exit(2) from None
    text = dump_json(found.to_dict(), indent=1) + "\n"
    if out is not None:
        write_text_atomic(out / "exploit.json", text)
    if as_json:
        echo(dump_json(found.to_dict()))
        return
    from marias_env.showing.grid import Grid, print_grid
    from marias_training.arena.tables import show
    from marias_training.exploit import GAIN

    rows = []
    for method, response in found.responses.items():
        parts = {"all": response.mean[GAIN], **response.roles}
        parts.update({p: m[GAIN] for p, m in response.positions.items()})
        rows += [(method, part, show(m.capped), show(m.raw)) for part, m in parts.items()]
    note = (
        f"units per deal and seat that a best response wins more than {found.agent} among two "
        f"copies, {deals} deals, 95 % intervals; declarer and defender add up to all. Lower bound "
        f"of exploitability (by {found.method}): {show(found.bound.capped)} capped"
    )
    heads = ("response", "games", "capped", "raw")
    print_grid(Grid(f"Exploiting {found.agent}", note, heads, tuple(rows)), Console())
