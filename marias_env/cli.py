"""The console command `marias`. Imports that take time wait for the command that needs them."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from marias_env.errors import MariasError, RecordError
from marias_env.terminal import (
    columns,
    echo,
    exit_code,
    forget_output,
    make_printable,
    term_as_interrupt,
)

if TYPE_CHECKING:
    from marias_env.batch import DealBatch

EXIT_BAD_INPUT: Final = 2
EXIT_BROKEN_PIPE: Final = 141
"""As shells count a program that SIGPIPE ended."""
_SUB_COMMANDS: Final = (
    "marias_env.cli_records",
    "marias_env.cli_warmup",
    "marias_agents.cli",
    "marias_table.terminal.command",
    "marias_table.cli",
    "marias_training.cli",
)
"""Modules with a function `register(app: typer.Typer)` that adds commands; each may be missing.

A package adds its commands by a module of this kind and a line here. Such a module imports typer,
rich and `marias_env.errors` at its top and everything else inside its commands, since `marias
--help` imports them all. Errors of this package and of files, signals, closed pipes and odd
encodings are taken care of by the group; a command that is interrupted raises KeyboardInterrupt.
"""


class _Group(TyperGroup):
    """Ends every command in order: errors of ours or of a file, and signals, as one line."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        make_printable(sys.stdout, sys.stderr)  # before the help, too
        return super().main(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        # As `python -m` does, but last: a file here must not take the place of an installed module.
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)
        try:
            with term_as_interrupt():
                found = super().invoke(ctx)
                sys.stdout.flush()
                return found
        except BrokenPipeError as error:
            forget_output()
            raise typer.Exit(EXIT_BROKEN_PIPE) from error
        except KeyboardInterrupt as error:
            typer.echo("Interrupted.", err=True)
            raise typer.Exit(exit_code(error)) from error
        except (MariasError, OSError) as error:
            typer.secho(f"Error: {' '.join(str(error).split())}", fg="red", err=True)
            raise typer.Exit(EXIT_BAD_INPUT) from error


app = typer.Typer(
    name="marias",
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(shown: bool) -> None:
    if shown:
        from importlib.metadata import version

        typer.echo(f"marias-env {version('marias-env')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Mariáš for reinforcement learning: records, agents, training, evaluation."""


Language = Annotated[str, typer.Option("--language", "-l", help="en or cs.")]
Seat = Annotated[
    int | None, typer.Option("--seat", min=0, max=2, help="Show only what this seat knows.")
]
Svg = Annotated[Path | None, typer.Option("--svg", help="Also write a picture of the table.")]


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="Deal records, .jsonl or .jsonl.gz.")],
    index: Annotated[int, typer.Option("--index", "-n", help="Which record, from 0.")] = 0,
    at: Annotated[
        int | None,
        typer.Option("--at", min=0, help="Show the card table after this many actions."),
    ] = None,
    seat: Seat = None,
    language: Language = "en",
    svg: Svg = None,
) -> None:
    """Show a recorded deal: bidding, trick by trick, and how it was settled."""
    from marias_env.records import beginning, read_records, validate
    from marias_env.records import replay as replay_record
    from marias_env.showing.transcript import transcript

    _check_language(language)
    records = read_records(file, check=False)
    if not -len(records) <= index < len(records):
        raise RecordError(f"{file.name} has {len(records)} records; no index {index}")
    record = records[index]
    # The whole record is checked, also where only its beginning is shown.
    validate(record)
    batch = replay_record(record if at is None else beginning(record, at))
    if len(records) > 1:
        echo(f"Record {index % len(records)} of {len(records)}")
    if at is None and seat is None:
        echo(transcript(batch, language=language, color=_color()))
    else:
        _show_table(batch, seat, language)
    if svg is not None:
        _write_svg(svg, batch, seat, language)


@app.command()
def position(
    text: Annotated[str, typer.Argument(help="A position text, quoted.")],
    seat: Seat = None,
    language: Language = "en",
    svg: Svg = None,
) -> None:
    """Show the card table of a one-line position text."""
    from marias_env.positions import from_position

    _check_language(language)
    batch = from_position(text)
    _show_table(batch, seat, language)
    if svg is not None:
        _write_svg(svg, batch, seat, language)


def _check_language(language: str) -> None:
    from marias_env.showing.phrases import LANGUAGES

    if language not in LANGUAGES:
        raise typer.BadParameter(f"{language!r}; expected one of {', '.join(LANGUAGES)}")


def _show_table(batch: DealBatch, seat: int | None, language: str) -> None:
    from marias_env.showing.render import MIN_WIDTH, WIDTH, render_text

    width = columns(MIN_WIDTH, WIDTH)
    echo(render_text(batch, 0, seat, language, _color(), width))


def _color() -> bool:
    # `echo` takes the colours out again where the output is no terminal.
    return not os.environ.get("NO_COLOR")


def _write_svg(path: Path, batch: DealBatch, seat: int | None, language: str) -> None:
    from marias_env.files import write_text_atomic
    from marias_env.showing.svg import render_svg

    write_text_atomic(path, render_svg(batch, 0, seat, language))
    echo(f"Wrote {path}")


def _register(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        # Only the module itself may be missing, not something that it needs.
        if error.name not in (name, name.partition(".")[0]):
            raise
        return
    module.register(app)


for _name in _SUB_COMMANDS:
    _register(_name)


if __name__ == "__main__":
    app()
