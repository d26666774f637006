"""What worker processes have in common: they end with their maker, and Ctrl-C is his to hear."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any


def end_with_parent() -> None:
    """Ends this process as soon as its parent has ended, however that came about.

    A parent that was killed cannot tell its workers, and they would wait for work for ever. Does
    nothing in a process that `multiprocessing` has not made.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait_for, args=(parent,), daemon=True).start()


def _wait_for(parent: Any) -> None:
    parent.join()
    os._exit(1)


@contextlib.contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Ignores Ctrl-C while processes are started, which inherit that from their first import on.

    Outside the main thread, where Python takes no signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
