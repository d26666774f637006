"""Faces for other libraries, one module each; a module needs its library, this package does not.

`marias_env.integrations.sb3.MariasVecEnv` imports Stable-Baselines3 when `sb3` is first used.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def __getattr__(name: str) -> Any:
    module = f"{__name__}.{name}"
    if name.startswith("_") or importlib.util.find_spec(module) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(module)
