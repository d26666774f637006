"""The server of `marias view`: the deals of a record file, on the page of the table."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from marias_agents.action_values import action_values
from marias_env.errors import AgentError
from marias_env.records import Record
from marias_table.agents import AgentPool
from marias_table.answers import Page, cards, language_of, refusal, same, words
from marias_table.film import RECEIVERS, actions_of_record, film, options_at, position_at
from marias_table.guard import Guard
from marias_table.protocol import ErrorCode
from marias_table.requests import told_advice

PAGE: Final = "view.html"
KEPT: Final = 64
"""Deals whose films stay in memory, for each pair of eyes and language."""


def make_viewer(
    records: Sequence[Record],
    name: str,
    specs: Sequence[str],
    pool: AgentPool,
    language: str = "en",
    index: int = 0,
) -> Starlette:
    """Returns the ASGI application.

    Args:
        records: the deals, valid ones.
        name: of their file, to be shown.
        specs: agents that are asked what they would do.
        pool: answers for them; closed with the server.
        language: of a page that has none of its own yet.
        index: of the deal that is shown first.
    """
    viewer = _Viewer(records, name, specs, pool, language, index)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        pool.start(studies=False)
        yield
        await asyncio.to_thread(pool.close)

    routes: list[BaseRoute] = [
        Route("/api/words", viewer.words),
        Route("/api/file", viewer.file),
        Route("/api/film", viewer.film),
        Route("/api/options", viewer.options),
        Route("/api/advice", viewer.advice),
        Route("/api/record", viewer.record),
        Route("/cards/{deck}.svg", cards),
        Mount("/", Page(PAGE)),
    ]
    middleware = [Middleware(Guard), Middleware(GZipMiddleware, minimum_size=1000)]
    return Starlette(routes=routes, middleware=middleware, lifespan=lifespan)


class _Viewer:
    """Answers over HTTP."""

    def __init__(
        self,
        records: Sequence[Record],
        name: str,
        specs: Sequence[str],
        pool: AgentPool,
        language: str,
        index: int,
    ) -> None:
        self._records = records
        self._name = name
        self._specs = tuple(specs)
        self._pool = pool
        self._language = language
        self._index = index
        self._film: Callable[..., Any] = functools.lru_cache(KEPT)(self._make_film)
        self._values: Callable[..., Any] = functools.lru_cache(KEPT * 64)(self._make_values)
        self._options: Callable[..., Any] = functools.lru_cache(KEPT * 64)(self._make_options)
        self._asking = asyncio.Lock()
        self._advice: dict[tuple[int, int, str], dict[str, Any]] = {}

    async def words(self, request: HttpRequest) -> Response:
        return words(request, self._language)

    async def file(self, request: HttpRequest) -> Response:
        told = {
            "name": self._name,
            "deals": len(self._records),
            "first": self._index,
            "agents": self._specs,
            "language": self._language,
        }
        return same(request, told)

    async def film(self, request: HttpRequest) -> Response:
        try:
            index = _number(request, "index", len(self._records))
            receiver = RECEIVERS[_number(request, "eyes", len(RECEIVERS))]
        except ValueError as error:
            return refusal(400, ErrorCode.BAD_MESSAGE, str(error))
        language = language_of(request, self._language)
        return same(request, await asyncio.to_thread(self._film, index, receiver, language))

    async def options(self, request: HttpRequest) -> Response:
        try:
            index, at = self._place(request)
        except ValueError as error:
            return refusal(400, ErrorCode.BAD_MESSAGE, str(error))
        language = language_of(request, self._language)
        return same(request, await asyncio.to_thread(self._options, index, at, language))

    async def advice(self, request: HttpRequest) -> Response:
        try:
            index, at = self._place(request)
            spec = self._specs[_number(request, "agent", len(self._specs))]
        except ValueError as error:
            return refusal(400, ErrorCode.BAD_MESSAGE, str(error))
        batch = position_at(self._records[index], at)
        if batch.turn[0] < 0:
            return refusal(400, ErrorCode.WRONG_TIME, "the deal is over")
        views = batch.views()
        key = index, at, spec
        try:
            # One at a time, and nothing for who has stepped on meanwhile.
            async with self._asking:
                if key not in self._advice and await request.is_disconnected():
                    return refusal(400, ErrorCode.STALE, "nobody waits for it")
                if key not in self._advice:
                    self._advice[key] = await self._pool.advise(spec, views)
        except (AgentError, TimeoutError) as error:
            return refusal(500, ErrorCode.FAILED, str(error))
        except asyncio.CancelledError:  # the server stops
            return refusal(503, ErrorCode.FAILED, "the server stops")
        language = language_of(request, self._language)
        told = told_advice(views.deals[0], views.rules, self._advice[key], spec, language)
        return JSONResponse({"agent": spec, **told}, headers={"cache-control": "no-store"})

    async def record(self, request: HttpRequest) -> Response:
        try:
            index = _number(request, "index", len(self._records))
        except ValueError as error:
            return refusal(400, ErrorCode.BAD_MESSAGE, str(error))
        return same(request, self._records[index])

    def _place(self, request: HttpRequest) -> tuple[int, int]:
        index = _number(request, "index", len(self._records))
        return index, _number(request, "at", len(self._records[index]["actions"]) + 1)

    def _make_film(self, index: int, receiver: int, language: str) -> Any:
        return film(self._records[index], receiver, language, index + 1)

    def _make_options(self, index: int, at: int, language: str) -> Any:
        record = self._records[index]
        actions = actions_of_record(record)
        taken = actions[at] if at < len(actions) else None
        return options_at(position_at(record, at), taken, self._values(index, at), language)

    def _make_values(self, index: int, at: int) -> dict[str, int]:
        return action_values(position_at(self._records[index], at))


def _number(request: HttpRequest, key: str, below: int) -> int:
    text = request.query_params.get(key, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) < below):
        raise ValueError(f"{key}: {text[:20]!r}; expected a whole number from 0 to {below - 1}")
    return int(text)
