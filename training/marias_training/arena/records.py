"""The records of an evaluation's games: one part per chunk, merged into one file at the end."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

from marias_env.files import atomic_file
from marias_training.arena.chunk import Chunk, Job


def merge_records(path: str | Path, job: Job, chunks: Sequence[Chunk]) -> None:
    """Writes the parts of some chunks, in order, to one file and removes the parts.

    Args:
        path: `.jsonl`, or `.jsonl.gz` to compress. It appears only when it is complete.
        job: the job, with its folder of parts.
        chunks: the chunks.
    """
    path = Path(path)
    parts = [job.records_file(int(chunk["start"]), int(chunk["deals"])) for chunk in chunks]
    compress = path.suffix == ".gz"
    with atomic_file(path) as temporary, _open(temporary, compress) as file:
        for part in parts:
            if part is not None:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, file)
    remove_parts(job)


def remove_parts(job: Job) -> None:
    """Removes the parts of a job's records, and their folder."""
    if job.records is None or not job.records.is_dir():
        return
    for part in job.records.glob("deals-*.jsonl"):
        part.unlink()
    # What a process that was ended left half written.
    for part in job.records.glob(".deals-*.tmp"):
        part.unlink()
    # A part that another process is still writing keeps the folder.
    if not any(job.records.iterdir()):
        job.records.rmdir()


def _open(path: Path, compress: bool) -> BinaryIO:
    if compress:
        return cast(BinaryIO, gzip.open(path, "wb"))
    return path.open("wb")
