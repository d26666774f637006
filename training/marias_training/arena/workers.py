"""Who plays the chunks of an evaluation: this process, several processes, or a cluster."""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import itertools
import multiprocessing
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol, TypeVar

from marias_env.errors import MariasError
from marias_env.workers import end_with_parent
from marias_training.arena.chunk import Chunk

T = TypeVar("T")
Piece = tuple[int, int]
"""First deal and number of deals of a chunk."""


class Work(Protocol):
    """What is played in chunks; picklable where worker processes play it."""

    def players(self) -> Any:
        """Makes what plays: once per process."""

    def play(self, players: Any, start: int, size: int) -> Chunk:
        """Plays deals `start` to `start + size`; the chunk names both under `start`, `deals`."""


class WorkerError(MariasError, RuntimeError):
    """A worker process ended without a result; the finished chunks are kept."""


def chunks_here(job: Work, players: Any, pieces: Sequence[Piece]) -> Iterator[Chunk]:
    """Plays chunks in this process, in order."""
    for start, size in pieces:
        yield job.play(players, start, size)


def chunks_in_processes(job: Work, pieces: Sequence[Piece], processes: int) -> Iterator[Chunk]:
    """Plays chunks in processes of this machine; they come as they are finished."""
    before = {child.pid for child in multiprocessing.active_children()}
    # Spawned, since forking a process with threads (torch, Numba) can deadlock.
    pool = _Pool(
        processes, mp_context=multiprocessing.get_context("spawn"), initializer=start_worker
    )
    try:
        yield from chunks_on(pool, job, pieces, processes + 1)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        # A chunk may take minutes; nobody waits for those that no longer count.
        for child in multiprocessing.active_children():
            if child.pid not in before:
                child.kill()


def chunks_on(
    pool: concurrent.futures.Executor, job: Work, pieces: Sequence[Piece], ahead: int
) -> Iterator[Chunk]:
    """Plays chunks on any executor whose workers have this package; they come as finished.

    Args:
        pool: the executor.
        job: the job; its agents must be specs or picklable.
        pieces: the chunks wanted.
        ahead: how many are given out at a time. Not all at once, so that an adaptive run plays
            little that it does not need.

    Raises:
        WorkerError: a worker ended without a result.
    """
    payload = pickle.dumps(job)
    todo = iter(pieces)
    running: set[concurrent.futures.Future[Chunk]] = set()
    while True:
        for start, size in itertools.islice(todo, ahead - len(running)):
            running.add(pool.submit(_work, payload, start, size))
        if not running:
            return
        ready, running = concurrent.futures.wait(
            running, return_when=concurrent.futures.FIRST_COMPLETED
        )
        failed = [future for future in ready if future.exception() is not None]
        # What is finished is kept, whatever happened beside it.
        found = [future.result() for future in ready if future not in failed]
        yield from sorted(found, key=lambda chunk: int(chunk["start"]))
        for future in failed:
            try:
                future.result()
            except BrokenProcessPool as error:
                raise WorkerError(
                    "a worker process ended unexpectedly (out of memory?); finished chunks are kept"
                ) from error


class _Pool(concurrent.futures.ProcessPoolExecutor):
    # Ctrl-C goes to every process of the terminal, also to one that has only just been started and
    # does not ignore it yet: it inherits a mask that holds the signal back.

    def submit(
        self, fn: Callable[..., T], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[T]:
        with _interrupts_held():
            return super().submit(fn, *args, **kwargs)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_worker() -> None:
    """Prepares a worker process: its parent alone decides when it ends, and it ends with it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    end_with_parent()


_made: dict[str, tuple[Work, Any]] = {}
"""What this worker plays with: agents are made once, not once a chunk."""


def _work(payload: bytes, start: int, size: int) -> Chunk:
    key = hashlib.sha256(payload).hexdigest()
    if key not in _made:
        _made.clear()
        job: Work = pickle.loads(payload)
        _made[key] = (job, job.players())
        torch: Any = sys.modules.get("torch")
        if torch is not None:
            torch.set_num_threads(1)  # the workers share the cores already
    job, players = _made[key]
    return job.play(players, start, size)
