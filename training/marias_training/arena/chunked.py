"""Plays a fixed number of deals in chunks, in this process or several, resumable."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from marias_training.arena.chunk import Chunk
from marias_training.arena.results import ResultsFile
from marias_training.arena.workers import Work, chunks_here, chunks_in_processes


class ChunksInterrupted(KeyboardInterrupt):
    """Ctrl-C between chunks.

    Attributes:
        chunks: the finished ones in the order of their deals; where several processes play, an
            earlier one may be missing.
        saved: the results file they are in, or None.
    """

    def __init__(self, chunks: list[Chunk], saved: Path | None) -> None:
        super().__init__("interrupted")
        self.chunks = chunks
        self.saved = saved


def run_chunks(
    job: Work,
    header: Mapping[str, Any],
    deals: int,
    chunk: int,
    *,
    processes: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Chunk]:
    """Plays what is missing of `deals` deals; returns all chunks in order.

    Args:
        job: what is played. The result depends on it alone, not on the processes.
        header: what the job is, see `ResultsFile`.
        deals: number of deals.
        chunk: deals a chunk.
        processes: worker processes; 1 plays in this process.
        out: results file, one line a chunk; None keeps nothing.
        resume: go on with an existing results file.
        on_progress: called with the deals done and wanted.

    Raises:
        ResultsError: see `ResultsFile`.
        ChunksInterrupted: Ctrl-C; holds what is done.
    """
    players = job.players()  # before anything is written, so that a wrong name leaves nothing
    pieces = [(at, min(chunk, deals - at)) for at in range(0, deals, chunk)]
    file = None if out is None else ResultsFile(out, header, resume)
    done = {} if file is None else {p: file.chunks[p] for p in pieces if p in file.chunks}

    def report() -> None:
        if on_progress is not None:
            on_progress(sum(size for _, size in done), deals)

    try:
        if file is not None:
            file.begin()
        report()
        missing = [piece for piece in pieces if piece not in done]
        played = (
            chunks_here(job, players, missing)
            if processes == 1
            else chunks_in_processes(job, missing, processes)
        )
        with contextlib.closing(played) as found:  # type: ignore[type-var]
            for one in found:
                if file is not None:
                    file.append(one)
                done[one["start"], one["deals"]] = one
                report()
    except KeyboardInterrupt:
        saved = file.path if file is not None and file.chunks else None
        raise ChunksInterrupted([done[piece] for piece in sorted(done)], saved) from None
    finally:
        if file is not None:
            file.discard_empty()
    return [done[piece] for piece in pieces]
