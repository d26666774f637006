"""Suites as files: one compressed .npz, written whole or not at all, checked when read."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.suite.suite import ARRAYS, FORMAT, VERSION, Suite, SuiteError
from marias_env.errors import RulesError
from marias_env.files import write_bytes_atomic
from marias_env.rules import rules_with_options


def save_suite(suite: Suite, path: str | Path) -> str:
    """Writes a suite and returns its fingerprint, which the file holds too.

    Raises:
        OSError: the folder does not exist or cannot be written.
    """
    fingerprint = suite.fingerprint()
    header = json.dumps({**suite.header(), "fingerprint": fingerprint}, sort_keys=True)
    buffer = io.BytesIO()
    contents: dict[str, Any] = {
        "header": np.frombuffer(header.encode(), dtype=np.uint8),
        **suite.arrays,
    }
    np.savez_compressed(buffer, **contents)
    write_bytes_atomic(path, buffer.getvalue())
    return fingerprint


def load_suite(path: str | Path) -> Suite:
    """Reads a suite and checks its contents against the fingerprint that it holds.

    Raises:
        OSError: there is no such file, or it cannot be read.
        SuiteError: it is no suite, one of another version, or its contents are damaged.
    """
    path = Path(path)
    data = path.read_bytes()
    header, arrays = _parts(path.name, data)
    version = header.get("version")
    if version != VERSION:
        raise SuiteError(
            f"{path.name}: a suite of version {version!r}; this package reads version {VERSION}"
        )
    missing = [name for name in ARRAYS if name not in arrays]
    if missing:
        raise SuiteError(f"{path.name}: damaged: it lacks {', '.join(missing)}")
    try:
        rules = rules_with_options(header["rules"], header["options"])
        seed = int(header["seed"])
    except (KeyError, TypeError, ValueError, AttributeError, RulesError) as error:
        raise SuiteError(f"{path.name}: damaged header: {error}") from error
    suite = Suite(rules, seed, arrays)
    _check_shapes(path.name, suite)
    if suite.fingerprint() != header.get("fingerprint"):
        raise SuiteError(f"{path.name}: damaged: the contents do not have its fingerprint")
    return suite


def _parts(name: str, data: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as saved:
            files = set(saved.files)
            found = json.loads(saved["header"].tobytes()) if "header" in files else None
            header: dict[str, Any] = found if isinstance(found, dict) else {}
            ours = header.get("format") == FORMAT
            current = ours and header.get("version") == VERSION
            arrays = {name: saved[name] for name in ARRAYS if name in files} if current else {}
    except Exception as error:  # damage shows in zip, zlib, NumPy and JSON, each its own way
        raise SuiteError(f"{name}: not a suite, or damaged: {error}") from error
    if not ours:
        raise SuiteError(f"{name}: not a suite; `marias suite` makes one")
    return header, arrays


def _check_shapes(name: str, suite: Suite) -> None:
    sizes: dict[str, int] = {"cards": suite.rules.num_cards}
    for key, (kind, dimensions) in ARRAYS.items():
        array = suite.arrays[key]
        fits = array.dtype == np.dtype(kind) and array.ndim == len(dimensions)
        if fits:
            for size, wanted in zip(array.shape, dimensions):
                expected = wanted if isinstance(wanted, int) else sizes.setdefault(wanted, size)
                fits = fits and size == expected
        if not fits:
            raise SuiteError(
                f"{name}: damaged: {key} of shape {array.shape} and type {array.dtype}"
            )
    game = suite.arrays["decision_game"]
    if game.size and (int(game.min()) < 0 or int(game.max()) >= suite.games):
        raise SuiteError(f"{name}: damaged: a decision of a game that it does not hold")
    if (suite.arrays["decision_step"] >= suite.arrays["history"].shape[1]).any():
        raise SuiteError(f"{name}: damaged: a decision after the end of its game")
