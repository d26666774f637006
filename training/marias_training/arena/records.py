"""The records of an evaluation's games: one part per chunk, merged into one file at the end."""

from __future__ import annotations

import gzip
import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

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
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with _open(temporary, compress=path.suffix == ".gz") as file:
            for part in parts:
                if part is not None:
                    with part.open("rb") as source:
                        shutil.copyfileobj(source, file)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if job.records is not None:
        for part in job.records.glob("deals-*.jsonl"):
            part.unlink()
        # A part that another process is still writing keeps the folder.
        if not any(job.records.iterdir()):
            job.records.rmdir()


def _open(path: Path, compress: bool) -> BinaryIO:
    if compress:
        return cast(BinaryIO, gzip.open(path, "wb"))
    return path.open("wb")
