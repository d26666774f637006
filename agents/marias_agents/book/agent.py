"""The agent `book`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from marias_agents.agent import Agent
from marias_agents.book.kernel import book_rows
from marias_env.errors import AgentError
from marias_env.views import Views


class BookAgent:
    """Plays after the book. Deterministic: a function of the view alone.

    Args:
        name: what tables call it.
    """

    def __init__(self, name: str = "book") -> None:
        self.name = name

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses an action for every view (the masks are in the views)."""
        actions = np.empty(len(views), dtype=np.int64)
        book_rows(views.deals, views.packed_rules, actions)
        return actions

    def __repr__(self) -> str:
        return f"make({self.name!r})"


def make_book(argument: str = "", seed: int = 0) -> Agent:
    """Makes the agent `book`; the seed makes no difference."""
    if argument:
        raise AgentError(f"agent 'book' takes no argument: {argument!r}")
    return BookAgent()
