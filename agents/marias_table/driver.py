"""Moves the agents: the quick ones of all tables together, the others each in its own time."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from marias_env.errors import AgentError
from marias_env.rules import Rules
from marias_env.views import Views
from marias_table.agents import LAST_RESORT, AgentLateError, AgentPool, act_together
from marias_table.view import seat_view

if TYPE_CHECKING:
    from marias_table.lobby import Live

LOG: Final = logging.getLogger("marias.table")


class Driver:
    """Lets agents act wherever it is their move.

    Args:
        pool: the agents.
        changed: is called with a table where a slow agent has acted.
    """

    def __init__(self, pool: AgentPool, changed: Callable[[Live], None]) -> None:
        self.pool = pool
        self._changed = changed
        self._tasks: dict[Live, asyncio.Task[None]] = {}

    def run(self, tables: Iterable[Live]) -> None:
        """Plays every move of a quick agent at these tables; asks the slow ones for theirs."""
        waiting = list(tables)
        while waiting:
            together: dict[tuple[str, Rules], list[tuple[Live, int]]] = defaultdict(list)
            for live in waiting:
                move = live.room.mover()
                if move is None:
                    continue
                seat, spec = move
                if self.pool.quick(spec) is None:
                    self._ask(live, seat, spec)
                else:
                    together[spec, live.room.terms.rules].append((live, seat))
            waiting = []
            for (spec, _), group in together.items():
                self._play(spec, group)
                waiting += [live for live, _ in group]

    def _play(self, spec: str, group: list[tuple[Live, int]]) -> None:
        agent = self.pool.quick(spec)
        assert agent is not None
        views = [seat_view(live.room.batch, seat) for live, seat in group]
        try:
            actions = act_together(agent, views)
        except Exception:  # it never should; but a table that cannot go on would be worse
            LOG.exception("agent %s failed", spec)
            actions = [int(np.flatnonzero(view.legal_mask()[0])[0]) for view in views]
        for (live, seat), action in zip(group, actions, strict=True):
            live.room.play(seat, action, spec)

    def _ask(self, live: Live, seat: int, spec: str) -> None:
        if live in self._tasks:
            return  # it is asked, for this move or for one that is no longer wanted
        live.room.thinking = seat
        live.room.changed = True
        views = seat_view(live.room.batch, seat)
        task = asyncio.get_running_loop().create_task(
            self._think(live, seat, spec, views, live.room.place)
        )
        self._tasks[live] = task
        task.add_done_callback(lambda _: self._done(live))

    def _done(self, live: Live) -> None:
        # The next move, perhaps of the same agent, is asked for once this one is off the list.
        self._tasks.pop(live, None)
        live.room.thinking = None
        live.room.changed = True
        self._changed(live)

    async def _think(
        self, live: Live, seat: int, spec: str, views: Views, place: tuple[int, int]
    ) -> None:
        action: int | None = None
        why = ""
        try:
            action = await self.pool.decide(spec, views)
        except AgentLateError:
            why = "late"
        except AgentError:
            why = "failed"
        except TimeoutError:
            # The machine is busy and the agent not at fault: this one move is another's.
            spec = LAST_RESORT
        room = live.room
        if room.place != place or room.closed or room.mover() is None or not live.loaded:
            return  # somebody has come back and acted himself
        if why:
            if room.player(seat) == spec:
                room.replace(seat, why, LAST_RESORT)
            return
        if action is None:
            agent = self.pool.quick(LAST_RESORT)
            assert agent is not None
            action = act_together(agent, [views])[0]
        elif room.player(seat) != spec:
            return
        room.play(seat, action, spec)

    def forget(self, live: Live) -> None:
        """Stops thinking for a table that is no longer there."""
        task = self._tasks.get(live)
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        """Stops thinking everywhere."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
