"""Players of Mariáš: random, rule-based, search and trained agents, and their registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marias_agents.agent import Agent
from marias_agents.registry import make, names, register

if TYPE_CHECKING:
    from marias_agents.solver import solve

__all__ = ["Agent", "make", "names", "register", "solve"]


def __getattr__(name: str) -> Any:
    # The solver is compiled code, which naming an agent does not need.
    if name == "solve":
        from marias_agents.solver import solve

        return solve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
