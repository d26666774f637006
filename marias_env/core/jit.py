"""Numba, or plain Python where `NUMBA_DISABLE_JIT=1`: one decorator for every rule function."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED: bool = bool(getattr(config, "DISABLE_JIT", False))  # the stubs lack it


def _source_stamp(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


_CORE_STAMP = _source_stamp(Path(__file__).parent)
_FOLDER_STAMPS: dict[Path, str] = {Path(__file__).parent: _CORE_STAMP}


def jit(function: F) -> F:
    """Compiles a function on first use and caches it on disk.

    Numba's own cache looks at the file of the compiled function only, so an edited callee in
    another file would leave a stale kernel behind. The cache key is therefore the content of the
    whole core and of the function's own folder.
    """
    compiled: Any = numba.njit(cache=True, nogil=True)(function)
    if not JIT_DISABLED:
        folder = Path(function.__code__.co_filename).parent
        if folder not in _FOLDER_STAMPS:
            _FOLDER_STAMPS[folder] = _CORE_STAMP + _source_stamp(folder)
        cache_file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if hasattr(cache_file, "_source_stamp"):
            cache_file._source_stamp = _FOLDER_STAMPS[folder]
    return cast("F", compiled)


def jit_wrapping(function: F) -> F:
    """As `jit`, for arithmetic that wraps around modulo 2^64 by design (NumPy would warn)."""
    if JIT_DISABLED:
        return np.errstate(over="ignore")(function)
    return jit(function)
