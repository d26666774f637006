"""Files are written whole or not at all: to a temporary name in the same folder, then renamed."""

from __future__ import annotations

import uuid
from pathlib import Path


def write_bytes_atomic(path: str | Path, data: bytes) -> None:
    """Writes a file so that a reader, or a crash, sees the old or the new content, never a part.

    Raises:
        OSError: the folder does not exist or cannot be written.
    """
    path = Path(path)
    # In the same folder, since a rename is atomic only within one file system.
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text_atomic(path: str | Path, text: str) -> None:
    """As `write_bytes_atomic`, for UTF-8 text."""
    write_bytes_atomic(path, text.encode("utf-8"))
