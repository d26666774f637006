"""The tables of points: a rule of thumb is a table, an action's worth the sum of its entries.

A phase's file says which entries speak for an action (its *terms*); what each is worth is in
`points.json`, in thousandths of a unit, fitted by rollouts (`docs/agents.md`). Tables are one after
the other in one vector, so that compiled code needs a single array.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_env.errors import AgentError
from marias_env.files import write_bytes_atomic, write_text_atomic

MAX_TERMS: Final = 24
"""Room for the terms of one action."""

POINTS_FILE: Final = Path(__file__).with_name("points.json")


class Table(NamedTuple):
    """Where a table lies in the vector of points."""

    base: int
    shape: tuple[int, ...]


TABLES: Final[dict[str, Table]] = {}
"""Every table by name, in the order of the vector."""


def table(name: str, *shape: int) -> int:
    """Adds a table; returns where it begins in the vector of points."""
    if name in TABLES:
        raise ValueError(f"table {name!r} exists already")
    base = num_points()
    TABLES[name] = Table(base, shape)
    return base


def num_points() -> int:
    """Returns the length of the vector of all tables so far."""
    if not TABLES:
        return 0
    last = TABLES[next(reversed(TABLES))]
    return last.base + math.prod(last.shape)


def points_vector(by_name: Mapping[str, Any]) -> npt.NDArray[np.int64]:
    """Returns the vector of points from tables by name; a table that is missing counts nothing.

    Raises:
        ValueError: a table of another size.
    """
    vector = np.zeros(num_points(), dtype=np.int64)
    for name, place in TABLES.items():
        if name in by_name:
            values = np.asarray(by_name[name], dtype=np.int64).reshape(-1)
            if values.size != math.prod(place.shape):
                raise ValueError(
                    f"table {name!r} has {values.size} entries; expected {math.prod(place.shape)}"
                )
            vector[place.base : place.base + values.size] = values
    return vector


def points_by_name(vector: npt.NDArray[np.int64]) -> dict[str, list[int]]:
    """Returns the tables as flat lists by name."""
    return {
        name: vector[place.base : place.base + math.prod(place.shape)].tolist()
        for name, place in TABLES.items()
    }


def load_points(path: Path = POINTS_FILE) -> npt.NDArray[np.int64]:
    """Reads the vector of points from a file of `save_points`.

    Raises:
        AgentError: the file is no file of points.
    """
    try:
        if path.suffix == ".npz":
            with np.load(path) as arrays:
                return points_vector(dict(arrays))
        return points_vector(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, zipfile.BadZipFile) as error:
        raise AgentError(f"{path}: not a file of points: {error}") from error


def save_points(vector: npt.NDArray[np.int64], path: Path = POINTS_FILE) -> None:
    """Writes the vector of points: a table a line (`.json`), or compressed arrays (`.npz`)."""
    tables = points_by_name(vector)
    if path.suffix == ".npz":
        buffer = io.BytesIO()
        arrays = {name: np.asarray(values, dtype=np.int32) for name, values in tables.items()}
        np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
        write_bytes_atomic(path, buffer.getvalue())
        return
    lines = [f'"{name}": {json.dumps(values)}' for name, values in tables.items()]
    write_text_atomic(path, "{\n" + ",\n".join(lines) + "\n}\n")
