"""The agents at the terminal's table: they move, advise, and are replaced where they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from marias_env.errors import AgentError
from marias_table.agents import LAST_RESORT, AgentLateError, AgentPool, act_together, is_quick
from marias_table.requests import told_advice
from marias_table.room import Room
from marias_table.view import seat_view

T = TypeVar("T")

PATIENCE: Final = 3600.0
"""Seconds to wait for a worker that may be compiling still: here nobody else waits for it."""


def _outcome(answer: Coroutine[Any, Any, T]) -> T:
    # Where a loop runs already (a notebook, a browser driven from this process) another thread
    # must wait; elsewhere this one does, so that Ctrl-C ends the waiting at once.
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(answer)
    with ThreadPoolExecutor(1) as one:
        return one.submit(asyncio.run, answer).result()


class Players:
    """The agents of one table.

    Args:
        specs: who plays.
        adviser: who is asked for advice.
        limit: seconds that a decision may take.
    """

    def __init__(self, specs: Sequence[str], adviser: str, limit: float) -> None:
        self.adviser = adviser
        slow = any(not is_quick(spec) for spec in specs)
        self._pool = AgentPool((*specs, adviser), 1, limit, PATIENCE, ahead=slow)
        self._pool.start(studies=False)

    @property
    def ready(self) -> bool:
        """Whether the agents have loaded, and the first time compiled, what they need."""
        return self._pool.ready

    def move(self, room: Room) -> None:
        """Lets the agent act that is on turn; one that fails or is late is replaced for good."""
        mover = room.mover()
        assert mover is not None
        seat, spec = mover
        views = seat_view(room.batch, seat)
        try:
            agent = self._pool.quick(spec)
            if agent is not None:
                action = act_together(agent, [views])[0]
            else:
                action = _outcome(self._pool.decide(spec, views))
        except AgentLateError:
            room.replace(seat, "late", LAST_RESORT)
        except AgentError:
            room.replace(seat, "failed", LAST_RESORT)
        else:
            room.play(seat, action, spec)

    def advise(self, room: Room, seat: int, language: str) -> dict[str, Any]:
        """Returns what the adviser would do, as `requests.told_advice` tells it.

        Raises:
            AgentError: it failed, or had no answer in time.
        """
        views = seat_view(room.batch, seat)
        found = _outcome(self._pool.advise(self.adviser, views))
        room.advised = room.place
        return told_advice(views.deals[0], room.terms.rules, found, self.adviser, language)

    def close(self) -> None:
        """Ends the workers."""
        self._pool.close()
