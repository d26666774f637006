"""Threads that a forked process does not miss.

`fork` copies a process's memory but only the thread that forks. A pool made before it has, in the
child, a list of threads that do not run, and whoever gives it work waits for ever. Gymnasium's
`AsyncVectorEnv` and torch's `DataLoader` fork on Linux, so agents meet this.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class Threads:
    """A fixed number of threads: started on first use, and anew in every process.

    Copies and pickles of it have threads of their own.

    Args:
        count: how many; with 1 the calling thread does the work.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def map(self, function: Callable[..., T], *columns: Iterable[Any]) -> list[T]:
        """Calls the function with each row of the columns; returns the results in order."""
        if self.count == 1:
            return [function(*row) for row in zip(*columns)]
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self.count)
            self._process = os.getpid()
        return list(self._pool.map(function, *columns))

    def __reduce__(self) -> tuple[Any, ...]:
        return Threads, (self.count,)
