"""The `jit` of this package: its kernels have those of other packages compiled into them.

A compiled function's cache is renewed when a source of the core or of its own folder changes. The
kernels here also call the rules player and the solver, so these folders count too.
"""

from __future__ import annotations

from pathlib import Path

from marias_env.core import jit as core_jit
from marias_env.core.jit import jit

__all__ = ["jit"]

_FOLDER = Path(__file__).parent
_CALLED = ("rules", "solver")


def _stamp() -> str:
    agents = _FOLDER.parents[1]
    folders = [_FOLDER, *(agents / name for name in _CALLED)]
    return core_jit._CORE_STAMP + "".join(core_jit._source_stamp(folder) for folder in folders)


core_jit._FOLDER_STAMPS[_FOLDER] = _stamp()
