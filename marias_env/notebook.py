"""How notebooks come by what an object looks like."""

from __future__ import annotations

import importlib
from typing import Any


def shown(thing: Any, module: str, function: str) -> str:
    """Returns an object as HTML.

    What draws objects reads them, so it imports their classes; the classes know it by name only,
    and it is loaded when there is something to be drawn.

    Args:
        thing: the object.
        module: that draws it.
        function: in that module; it takes the object and returns HTML.
    """
    drawn: str = getattr(importlib.import_module(module), function)(thing)
    return drawn
