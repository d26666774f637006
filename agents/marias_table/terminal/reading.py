"""Where lines come from: a terminal with cursor keys, or any other standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from marias_env.terminal import echo, plain

PROMPT = "> "


class Reader(Protocol):
    """Asks a person for a line."""

    def read(self, draw: Callable[[int | None], Sequence[str]], typed: Sequence[str]) -> str:
        """Shows a choice and returns the line that answers it.

        Args:
            draw: returns the lines that show the choice, with the cursor on one of them.
            typed: what each of them is on the input line.

        Raises:
            EOFError: there are no more lines.
            KeyboardInterrupt: Ctrl-C.
        """
        ...


class LineReader:
    """Reads lines from standard input, which need not be a terminal."""

    def __init__(self) -> None:
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a stray byte is a bad answer and no failure

    def read(self, draw: Callable[[int | None], Sequence[str]], typed: Sequence[str]) -> str:
        """As `Reader.read`; what was read is repeated where nobody has seen it typed."""
        for line in draw(None):
            echo(line)
        seen = sys.stdin.isatty()
        if seen:
            sys.stdout.write(PROMPT)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        line = "".join(letter for letter in line if letter.isprintable())
        if not seen:
            echo(f"{PROMPT}{line}".rstrip())
        return line


class KeyReader:
    """From a terminal: arrow keys move over the choice, Enter takes it, or a line is typed."""

    def __init__(self) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.filters import Condition
        from prompt_toolkit.formatted_text import ANSI
        from prompt_toolkit.key_binding import KeyBindings
        from prompt_toolkit.key_binding.key_processor import KeyPressEvent

        self._typed: Sequence[str] = ()
        self._chosen: int | None = None
        self._draw: Callable[[int | None], Sequence[str]] = lambda chosen: ()
        keys = KeyBindings()

        @Condition
        def choosing() -> bool:
            return bool(self._typed) and self._on_choice()

        def move(event: KeyPressEvent, by: int) -> None:
            start = -1 if by > 0 else 0
            at = start if self._chosen is None else self._chosen
            self._chosen = (at + by) % len(self._typed)
            event.current_buffer.text = self._typed[self._chosen]
            event.current_buffer.cursor_position = len(event.current_buffer.text)

        for names, by in ((("right", "down", "tab"), 1), (("left", "up", "s-tab"), -1)):
            for name in names:
                keys.add(name, filter=choosing)(lambda event, by=by: move(event, by))

        def message() -> ANSI:
            chosen = self._chosen if self._on_choice() else None
            text = "\n".join([*self._draw(chosen), PROMPT])
            return ANSI(plain(text, getattr(sys.stdout, "encoding", None)))

        self._message = message
        self._session: PromptSession[str] = PromptSession(key_bindings=keys)

    def _on_choice(self) -> bool:
        # The line is empty, or is what the cursor has put there.
        text = self._session.default_buffer.text
        if self._chosen is not None and text == self._typed[self._chosen]:
            return True
        return not text

    def read(self, draw: Callable[[int | None], Sequence[str]], typed: Sequence[str]) -> str:
        """As `Reader.read`."""
        self._draw, self._chosen = draw, None
        # The buffer, too, holds only what the terminal can show.
        encoding = getattr(sys.stdout, "encoding", None)
        self._typed = [plain(text, encoding) for text in typed]
        return self._session.prompt(self._message)


def reader_for_terminal() -> Reader:
    """Returns the reader that fits standard input and output."""
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        return KeyReader()
    return LineReader()
