"""What every command does the same way: text that any terminal can show, and a quiet end."""

from __future__ import annotations

import codecs
import contextlib
import importlib.util
import os
import shutil
import signal
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from types import FrameType
from typing import IO, Any, Final

import typer

from marias_env.errors import MariasError

EXIT_INTERRUPTED: Final = 130
"""Ctrl-C, as shells count it: 128 and the number of the signal."""
EXIT_TERMINATED: Final = 143
"""`kill -TERM`."""

_ERRORS: Final = "marias-plain"
_PLAIN: Final = {
    "♠": "s", "♣": "c", "♦": "d", "♥": "h",  # as in card texts
    "−": "-", "–": "-", "—": "-", "→": ">", "·": ".", "×": "x", "▒": "#", "µ": "u", "…": "...",
    "▶": ">", "±": "~", "≤": "<=", "≥": ">=", "≈": "~", "√": "sqrt", "✓": "+", "✗": "x",
    "│": "|", "┃": "|", "║": "|", "─": "-", "━": "-", "═": "=", "╌": "-",
}  # fmt: skip


class Terminated(KeyboardInterrupt):
    """`kill -TERM`, which ends everything as Ctrl-C does: what is done is kept."""


class MissingExtraError(MariasError, ImportError):
    """A library that a command needs is not installed."""


def plain(text: str, encoding: str | None) -> str:
    """Returns a text with what an encoding lacks written in ASCII: `♥` as `h`, `ř` as `r`.

    Args:
        text: the text.
        encoding: of the stream it is for; None: any text is shown as it is.
    """
    return text if encoding is None else text.encode(encoding, _ERRORS).decode(encoding)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = []
    for character in error.object[error.start : error.end]:
        letters = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
        frame = "+" if "\u2500" <= character <= "\u257f" else "?"  # corners of boxes
        found.append(_PLAIN.get(character) or letters or frame)
    return "".join(found), error.end


codecs.register_error(_ERRORS, _replace)


def echo(text: str) -> None:
    """Prints a line to standard output, in letters that it has; colours only on a terminal."""
    # Click would write UTF-8 where the encoding is ASCII.
    typer.echo(plain(text, getattr(sys.stdout, "encoding", None)))


def columns(least: int, most: int) -> int:
    """Returns the width of the terminal that standard output is; `most` where it is none."""
    if not sys.stdout.isatty():
        return most
    # One column stays empty: some terminals break the line after a character in the last one.
    return min(max(shutil.get_terminal_size().columns - 1, least), most)


def require(*modules: str, extra: str) -> None:
    """Checks that a command has what it needs.

    Args:
        *modules: the modules it imports.
        extra: the extra of this distribution that has them.

    Raises:
        MissingExtraError: one of them is not installed.
    """
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"this command needs {', '.join(missing)}: pip install 'marias-env[{extra}]'"
        )


def make_printable(*streams: IO[str]) -> None:
    """Lets streams take any text, whatever their encoding."""
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and getattr(stream, "errors", "") == "strict":
            reconfigure(errors=_ERRORS)


def forget_output() -> None:
    """After a broken pipe (`| head`): nothing more is written, also not when Python ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def term_as_interrupt() -> Iterator[None]:
    """Makes `kill -TERM` raise `Terminated`, a KeyboardInterrupt, so that it ends as Ctrl-C does.

    Outside the main thread, where Python takes no signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        raise Terminated

    before: Any = signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def exit_code(error: KeyboardInterrupt) -> int:
    """Returns the exit code of a command that a signal ended."""
    ended = isinstance(error, Terminated) or isinstance(error.__context__, Terminated)
    return EXIT_TERMINATED if ended else EXIT_INTERRUPTED


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Shows on standard error how far the stages of a long command are, where a terminal is.

    Yields:
        A function to call with a stage's name, how much is done, and how much there is.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TaskID as Task

    tasks: dict[str, Task] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    quiet = not console.is_terminal
    with Progress(*columns, TimeElapsedColumn(), console=console, disable=quiet) as bar:

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done)

        yield report
