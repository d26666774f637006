"""What every worker process does first: it ends with the process that made it."""

from __future__ import annotations

import multiprocessing
import os
import threading
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
