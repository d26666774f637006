"""Other processes in tests: started, waited for, looked into, and never left behind.

Nothing here depends on how fast a machine is: a test waits for what has happened, never for a time
in which it ought to have happened, and gives up only after `PATIENCE`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PATIENCE = 300.0
"""Seconds after which a test says that something hangs; no test passes or fails by less."""
MARIAS = [sys.executable, "-c", "from marias_env.cli import app; app()"]

posix = pytest.mark.skipif(os.name != "posix", reason="signals")
linux = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")


@contextlib.contextmanager
def running(*command: str, **options: str) -> Iterator[subprocess.Popen[str]]:
    """A program in a process group of its own, which is killed at the end, children and all.

    Args:
        *command: what is run.
        **options: environment variables besides those of the test.
    """
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, **options},
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Waits until a condition holds; fails when `process` ends before, or after `PATIENCE`."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if process is not None and process.poll() is not None:
            output, errors = process.communicate()
            raise AssertionError(f"ended with {process.returncode}: {output}{errors}")
        assert time.monotonic() < deadline, f"not within {PATIENCE} s"
        time.sleep(0.05)


def lines_in(path: Path) -> int:
    """Complete lines of a file that may not be there yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def children_of(pid: int) -> list[int]:
    """Processes of this parent that are alive (Linux)."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(status.parent.name))
    return found


def alive(pids: list[int]) -> list[int]:
    """Those of the processes that have not ended (Linux)."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            found += [pid] if state != "Z" else []
    return found


def threads_of(pid: int) -> int:
    """Threads of a process (Linux)."""
    with contextlib.suppress(OSError):
        return len(list(Path(f"/proc/{pid}/task").iterdir()))
    return 0
