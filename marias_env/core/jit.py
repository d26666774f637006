"""Numba, or plain Python where `NUMBA_DISABLE_JIT=1`: one decorator for every rule function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config

from marias_env.core import compiling
from marias_env.core.code_cache import ProgramCache, warn_uncached

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED: bool = bool(getattr(config, "DISABLE_JIT", False))  # the stubs lack it

if not JIT_DISABLED:
    compiling.listen()


def jit(function: F) -> F:
    """Compiles a function on first use and caches it on disk (`code_cache` says under which key).

    Any package may use it: an edit anywhere that changes what is compiled into the function, in
    this package or another one, compiles it again, and no other edit does.
    """
    compiled: Any = numba.njit(nogil=True)(function)
    if not JIT_DISABLED:
        try:
            compiled._cache = ProgramCache(function)
        except RuntimeError as error:  # Numba's: no folder that can be written
            warn_uncached(str(error))
    return cast("F", compiled)


def jit_wrapping(function: F) -> F:
    """As `jit`, for arithmetic that wraps around modulo 2^64 by design (NumPy would warn)."""
    if JIT_DISABLED:
        return np.errstate(over="ignore")(function)
    return jit(function)
