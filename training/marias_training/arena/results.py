"""The results file of an evaluation: a header line, then one JSON line per finished chunk."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from marias_env.errors import MariasError
from marias_env.files import dump_json, parse_json, write_text_atomic
from marias_training.arena.chunk import Chunk

FORMAT: Final = "marias-arena/1"


class ResultsError(MariasError, ValueError):
    """A results file that is unreadable, or of another evaluation than the one to go on with."""


class ResultsFile:
    """Chunks on disk. A run may be killed at any moment: a chunk is there wholly or not at all.

    A chunk is one line that is written and synced before the next one. What a killed run left of a
    line is cut off when the file is begun again, what a full disk left of it at once.
    Nothing is written before `begin`.

    Args:
        path: the file.
        header: what the evaluation is; must equal the header of a file that is resumed.
        resume: go on with an existing file; without it an existing file is an error.

    Raises:
        ResultsError: the file holds chunks and `resume` is not given, its header differs, or it is
            no results file. A header without chunks, all that a run left which did not get far, is
            in nobody's way.
    """

    def __init__(self, path: str | Path, header: Mapping[str, Any], resume: bool = False) -> None:
        self.path = Path(path)
        self.header = {"format": FORMAT, **header}
        self.chunks: dict[tuple[int, int], Chunk] = {}
        self._length = 0
        if not self.path.exists():
            return
        found, self.chunks, self._length = read_file(self.path)
        if not self.chunks:
            return
        if not resume:
            raise ResultsError(
                f"{self.path} exists already; resume it (`--resume`) or write to another place"
            )
        differing = [
            f"{key}: {found.get(key)!r} there, {self.header.get(key)!r} now"
            for key in {**found, **self.header}
            if found.get(key) != self.header.get(key)
        ]
        if differing:
            what = "; ".join(differing)
            raise ResultsError(f"{self.path} is of another evaluation, no resuming: {what}")

    def begin(self) -> None:
        """Writes the header of a new file, or cuts an unfinished line off the old one.

        Apart from reading, so that a signal between the two leaves no file that nobody discards.

        Raises:
            OSError: the file cannot be written.
        """
        if not self.chunks:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomic(self.path, dump_json(self.header) + "\n")
        elif self._length < self.path.stat().st_size:
            os.truncate(self.path, self._length)

    def append(self, chunk: Chunk) -> None:
        """Adds a finished chunk; when this returns it is on disk.

        Raises:
            OSError: the disk is full, for example; the chunks before it are kept.
        """
        line = dump_json(chunk, compact=True) + "\n"
        length = self.path.stat().st_size
        try:
            with self.path.open("ab") as file:
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            os.truncate(self.path, length)
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self.chunks[chunk["start"], chunk["deals"]] = chunk

    def discard_empty(self) -> None:
        """Removes the file if no chunk is in it."""
        if not self.chunks:
            with contextlib.suppress(OSError):  # there is none, or `begin` has told what is wrong
                self.path.unlink()


def read_file(path: str | Path) -> tuple[dict[str, Any], dict[tuple[int, int], Chunk], int]:
    """Reads a results file.

    Returns:
        Its header, its chunks by (start, deals), and the length of its complete lines in bytes.

    Raises:
        ResultsError: it is no results file, or damaged elsewhere than at its end.
    """
    path = Path(path)
    raw = path.read_bytes()
    length = raw.rfind(b"\n") + 1
    lines = raw[:length].split(b"\n")[:-1]
    parsed: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        try:
            value = parse_json(line)
        except ValueError as error:
            raise ResultsError(f"{path}, line {number}: not JSON: {error}") from error
        if not isinstance(value, dict):
            raise ResultsError(f"{path}, line {number}: expected a JSON object")
        parsed.append(value)
    if not parsed or parsed[0].get("format") != FORMAT:
        raise ResultsError(f"{path}: not a results file of format {FORMAT}")
    try:
        chunks = {(int(chunk["start"]), int(chunk["deals"])): chunk for chunk in parsed[1:]}
    except (KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path}: a line is not a chunk: {error!r}") from error
    return parsed[0], chunks, length
