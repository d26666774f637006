"""Files and their JSON: written whole or not at all, and read as strictly as they are written."""

from __future__ import annotations

import contextlib
import json
import math
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Gives a temporary path to write to, which takes the place of `path` at the end.

    A reader, or a crash, sees the old or the new content, never a part. After an error, a full disk
    for example, nothing is left behind.

    Raises:
        OSError: the folder does not exist or cannot be written. It names `path`, not the temporary.
    """
    path = Path(path)
    # In the same folder, since a rename is atomic only within one file system.
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(temporary)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_bytes_atomic(path: str | Path, data: bytes) -> None:
    """Writes a file so that a reader, or a crash, sees the old or the new content, never a part.

    Raises:
        OSError: as `atomic_file`.
    """
    with atomic_file(path) as temporary:
        temporary.write_bytes(data)


def write_text_atomic(path: str | Path, text: str) -> None:
    """As `write_bytes_atomic`, for UTF-8 text."""
    write_bytes_atomic(path, text.encode("utf-8"))


def dump_json(value: Any, indent: int | None = None, compact: bool = False) -> str:
    """Returns a value as JSON that every reader takes: null where a number is not finite.

    Args:
        value: what `json.dumps` takes.
        indent: spaces of each level, on lines of their own; None: one line.
        compact: without spaces.
    """
    separators = (",", ":") if compact else None
    try:
        return json.dumps(value, indent=indent, separators=separators, allow_nan=False)
    except ValueError:
        return json.dumps(_without_nan(value), indent=indent, separators=separators)


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(item) for item in value]
    return value


def parse_json(text: str | bytes) -> Any:
    """Returns the value of a JSON text, which Python's reader alone would take too generously.

    Raises:
        ValueError: not JSON, not UTF-8, nested too deeply, a key that stands twice in one object,
            NaN or an infinity (a number too large for a float included).
    """
    try:
        # Decoded here, since `json` guesses the encoding of bytes.
        return json.loads(
            text if isinstance(text, str) else text.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: {error.reason} at byte {error.start}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {key[:60]!r} twice in one object")
        found[key] = value
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:60]} is too large for a number")
    return number
