"""The console command `marias warmup`: compiles ahead what is otherwise compiled on first use."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from typing import Final

import typer

from marias_env.terminal import echo, progress_bar

Step = tuple[str, Callable[[], None]]
"""What is made ready, in words, and a function that uses all of it."""

_PACKAGES: Final = (
    "marias_env.warmup",
    "marias_agents.warmup",
    "marias_table.warmup",
    "marias_training.warmup",
)
"""Modules with a function `steps() -> Iterator[Step]`; a package adds its own here."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(name="warmup")(warmup_command)


def warmup_command() -> None:
    """Compile once what playing, training and evaluation need, so that nothing waits later."""
    from marias_env.core import compiling, jit

    if jit.JIT_DISABLED:
        echo("Nothing to compile: NUMBA_DISABLE_JIT is set.")
        return
    compiling.tell(None)  # the bar says it
    began = time.monotonic()
    todo = list(_steps())
    with progress_bar() as report:
        for number, (what, use) in enumerate(todo):
            report("compiling", number, len(todo))
            report(what, 0, 1)
            use()
            report(what, 1, 1)
        report("compiling", len(todo), len(todo))
    echo(
        f"{compiling.compiled_functions()} functions compiled, the others were there: "
        f"{time.monotonic() - began:.0f} s"
    )


def _steps() -> Iterator[Step]:
    for name in _PACKAGES:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name not in (name, name.partition(".")[0]):
                raise
            continue
        yield from module.steps()
