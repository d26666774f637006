"""Agents beside people: quick ones answer at once, the others in workers that can be ended.

An agent that thinks for long, hangs or fails must not keep another table waiting. Python can end a
process but no thread, so every agent whose speed is not known plays in one.
"""

from __future__ import annotations

import asyncio
import functools
import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, Final

import numpy as np
from pebble import ProcessPool

from marias_agents import make
from marias_agents.agent import Agent
from marias_env.errors import AgentError
from marias_env.records import Record
from marias_env.views import Views
from marias_env.workers import interrupts_ignored
from marias_table import worker

QUICK: Final = ("rules", "good", "random", "random-cards")
"""Names of the registry that answer within a millisecond, in the server's own process."""
LAST_RESORT: Final = "rules"
"""Who plays where another agent has failed."""


class AgentLateError(AgentError):
    """An agent that had no answer in time."""


class AgentPool:
    """All agents of a server, and its analysts.

    Args:
        specs: those that may be asked, besides the quick ones.
        workers: processes for decisions; one more analyses deals.
        limit: seconds that a decision may take in its worker; then the worker is ended.
        patience: seconds that a table waits for a decision in all, the queue included.
        ahead: start the workers with the server, not when the first is asked for.
    """

    def __init__(
        self,
        specs: Sequence[str] = (),
        workers: int = 1,
        limit: float = 10.0,
        patience: float = 20.0,
        ahead: bool = True,
    ) -> None:
        self._ahead = ahead
        self.limit = limit
        self.patience = patience
        self._workers = workers
        self._warm = [spec for spec in specs if not is_quick(spec)]
        self._moves: ProcessPool | None = None
        self._studies: ProcessPool | None = None
        self._started: Any = None
        self._quick = functools.lru_cache(maxsize=64)(make)

    def start(self, studies: bool = True) -> None:
        """Starts the workers, so that they are ready when somebody waits for them.

        Args:
            studies: the analysts, too.
        """
        if not self._ahead:
            return
        if self._warm:
            self._pool()
        if studies:
            self._analysts()

    @property
    def ready(self) -> bool:
        """Whether a worker that was started ahead has compiled and loaded all that it needs."""
        return self._started is None or bool(self._started.done())

    def _pool(self) -> ProcessPool:
        if self._moves is None or not self._moves.active:
            self._moves, self._started = self._make(self._workers, self._warm)
        return self._moves

    def _analysts(self) -> ProcessPool:
        if self._studies is None or not self._studies.active:
            self._studies, _ = self._make(1, (), studies=True)
        return self._studies

    @staticmethod
    def _make(workers: int, warm: Sequence[str], studies: bool = False) -> tuple[ProcessPool, Any]:
        # Not forked: a copy of a process with threads may never wake up.
        pool = ProcessPool(
            max_workers=workers,
            initializer=worker.begin,
            initargs=[list(warm), studies],
            context=multiprocessing.get_context("spawn"),
        )
        with interrupts_ignored():
            started = pool.schedule(os.getpid)  # with it the workers start
        return pool, started

    def quick(self, spec: str) -> Agent | None:
        """Returns an agent that answers at once; None: it has to be asked with `decide`."""
        return self._quick(spec) if is_quick(spec) else None

    async def decide(self, spec: str, view: Views) -> int:
        """Returns an agent's legal action for one view.

        Raises:
            AgentLateError: no answer within `limit` (its worker was ended).
            TimeoutError: the queue was so long that `patience` ended first.
            AgentError: it failed, or its answer is not legal.
        """
        task = (spec, view.deals.tobytes(), view.rules)
        action = int(await self._ask(self._pool(), worker.decide, task))
        if not (0 <= action < 48 and int(view.deals["legal"][0]) >> action & 1):
            raise AgentError(f"agent {spec!r}: action {action} is not legal")
        return action

    async def advise(self, spec: str, view: Views) -> dict[str, Any]:
        """Returns what `worker.advise` does, for one view.

        Raises:
            AgentError: no answer in time, or it failed.
        """
        agent = self.quick(spec)
        if agent is not None:
            action = int(agent.act(view, view.legal_mask())[0])
            return {"action": action, "how": None, "alternatives": []}
        task = (spec, view.deals.tobytes(), view.rules)
        found: dict[str, Any] = await self._ask(self._pool(), worker.advise, task)
        return found

    async def study(self, record: Record) -> dict[str, Any]:
        """Returns a finished deal, analysed.

        Raises:
            AgentError: it failed.
        """
        found: dict[str, Any] = await self._ask(self._analysts(), worker.study, (record,), 12)
        return found

    async def _ask(
        self, pool: ProcessPool, function: Callable[..., Any], task: tuple[Any, ...], more: int = 1
    ) -> Any:
        future = pool.schedule(function, args=list(task), timeout=self.limit * more)
        try:
            # Cancelled by its end, a decision that has begun has its worker ended.
            return await asyncio.wait_for(asyncio.wrap_future(future), self.patience * more)
        except (FutureTimeoutError, asyncio.TimeoutError) as error:
            if future.cancelled():
                raise TimeoutError("no worker was free in time") from error
            raise AgentLateError(f"no answer within {self.limit * more:g} s") from error
        except asyncio.CancelledError:
            raise
        except Exception as error:  # whatever an agent may raise, or its worker die of
            raise AgentError(f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Ends the workers."""
        for pool in (self._moves, self._studies):
            if pool is not None:
                pool.stop()  # type: ignore[no-untyped-call]
                pool.join(timeout=5)
        self._moves = self._studies = None


def check_specs(specs: Sequence[str], option: str) -> None:
    """Makes agents once, so that a bad spec is told of before anybody waits for it.

    Args:
        specs: the agents.
        option: by which option they were named.

    Raises:
        AgentError: one of them cannot be made.
    """
    for spec in specs:
        try:
            make(spec)
        except AgentError as error:
            raise AgentError(f"{option} {spec}: {error}") from error


def is_quick(spec: str) -> bool:
    """Whether an agent answers within a millisecond."""
    return spec.partition("@")[0] in QUICK


def act_together(agent: Agent, views: Sequence[Views]) -> list[int]:
    """Returns an agent's actions for views under one rule set, asked for in one call."""
    if len(views) == 1:
        together = views[0]
    else:
        together = Views(np.concatenate([view.deals for view in views]), views[0].rules)
    return [int(action) for action in agent.act(together, together.legal_mask())]
