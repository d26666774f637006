"""Exact double-dummy solver: V of RULES.md 6 with all cards known, the defenders as one side.

Python callers use `solve`, `solve_batch` and `solve_cards`. Compiled code (search) calls
`position_value` and `card_values` on one DEAL record with a workspace from `new_workspace`, one for
each thread.
"""

from __future__ import annotations

from marias_agents.solver.api import SolverError, solve, solve_batch, solve_cards
from marias_agents.solver.values import NO_VALUE, card_values, position_value
from marias_agents.solver.workspace import USE_ALL, new_workspace

__all__ = [
    "NO_VALUE",
    "USE_ALL",
    "SolverError",
    "card_values",
    "new_workspace",
    "position_value",
    "solve",
    "solve_batch",
    "solve_cards",
]
