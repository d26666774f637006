"""How long this process has compiled, and a word to whoever waits for it at a terminal.

Numba compiles on first use, for half a minute where nothing is kept on disk yet, and loads what is
kept in a second. That time belongs to nobody's playing (`compile_seconds`), and a person who sees
nothing happen for so long is told.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from numba.core import event as numba_event

_event: Any = numba_event  # Numba's functions carry no types
PATIENCE = 1.0
"""Seconds of compiling after which a person is told."""
EVERY = 5.0
"""Seconds between the lines after the first."""


class _Clock(numba_event.Listener):
    # Numba has one lock around compiling and loading; what is nested in it counts once. A thread
    # that waits for the lock while another one compiles waits for the compiler, too.

    def __init__(self) -> None:
        self._seconds = 0.0
        self.forget()

    def forget(self) -> None:
        # In a forked child the threads that were compiling, or held the lock, do not go on.
        self._lock = threading.Lock()
        self._depth = 0
        self._since = 0.0

    def on_start(self, event: Any) -> None:
        with self._lock:
            if self._depth == 0:
                self._since = time.perf_counter()
            self._depth += 1

    def on_end(self, event: Any) -> None:
        with self._lock:
            self._depth = max(0, self._depth - 1)
            if self._depth == 0 and self._since:
                self._seconds += time.perf_counter() - self._since

    def seconds(self) -> float:
        with self._lock:
            running = time.perf_counter() - self._since if self._depth else 0.0
            return self._seconds + running


class _Notice(numba_event.Listener):
    # Lines on standard error, after the first second.

    def __init__(self) -> None:
        self.functions = 0
        self.tell: Callable[[str], None] | None = _to_stderr
        self._began: float | None = None
        self._told: float | None = None

    def on_start(self, event: Any) -> None:
        if self._began is None:
            self._began = time.perf_counter()
        self._say()

    def on_end(self, event: Any) -> None:
        self.functions += 1
        self._say()

    def _say(self) -> None:
        now = time.perf_counter()
        if self.tell is None or _clock.seconds() < PATIENCE:
            return
        if self._told is None:
            self.tell(
                "marias-env: compiling for the first use on this machine, about half a minute; "
                "kept on disk (`marias warmup` does all of it ahead)"
            )
        elif now - self._told >= EVERY:
            self.tell(f"marias-env: {self.functions} functions in {_clock.seconds():.0f} s ...")
        else:
            return
        self._told = now


def _to_stderr(line: str) -> None:
    # Only where somebody waits, and only the first of several workers.
    name = multiprocessing.current_process().name
    worker = multiprocessing.parent_process() is not None and not name.endswith("-1")
    watched = sys.stderr is not None and sys.stderr.isatty()
    if watched and not worker:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


_clock = _Clock()
_notice = _Notice()


def listen() -> None:
    """Starts the clock and the notice; called once, before anything is compiled."""
    _event.register("numba:compiler_lock", _clock)
    _event.register("numba:compile", _notice)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_clock.forget)


def compile_seconds() -> float:
    """Returns the wall-clock seconds that this process has spent compiling and loading code."""
    return _clock.seconds()


def compiled_functions() -> int:
    """Returns how many functions this process has compiled, not loaded."""
    return _notice.functions


def tell(line: Callable[[str], None] | None) -> None:
    """Gives the notice another way to speak; None silences it."""
    _notice.tell = line
