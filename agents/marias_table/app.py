"""The addresses of the server: the page, a few answers over HTTP, and the game's WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from marias_env.errors import RulesError
from marias_env.rules import rules_with_options
from marias_env.showing.rules_text import rules_text
from marias_table.answers import Page, cards, language_of, refusal, same, words
from marias_table.form import form
from marias_table.guard import Guard
from marias_table.lobby import Lobby
from marias_table.protocol import ErrorCode, ProtocolError
from marias_table.requests import Desk
from marias_table.session import RateLimit, Session, error_message

FIRST_MESSAGE: Final = 15.0
"""Seconds until a connection that says nothing is ended."""


def make_app(lobby: Lobby, hosts: Sequence[str] = (), language: str = "en") -> Starlette:
    """Returns the ASGI application.

    Args:
        lobby: the tables.
        hosts: names that it may be reached by, besides `localhost` and plain IP addresses.
        language: of answers to clients that name none.
    """
    desk = Desk(lobby)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        lobby.start()
        yield
        await desk.close()
        await lobby.close()

    web = _Web(lobby, language)
    routes: list[BaseRoute] = [
        WebSocketRoute("/ws", _Socket(lobby, desk).serve),
        Route("/api/form", web.form),
        Route("/api/words", web.words),
        Route("/api/rules", web.rules),
        Route("/api/records", web.records),
        Route("/api/health", web.health),
        Route("/cards/{deck}.svg", cards),
        Mount("/", Page()),
    ]
    middleware = [Middleware(Guard, hosts=hosts), Middleware(GZipMiddleware, minimum_size=1000)]
    return Starlette(routes=routes, middleware=middleware, lifespan=lifespan)


class _Web:
    """Answers over HTTP."""

    def __init__(self, lobby: Lobby, language: str) -> None:
        self._lobby = lobby
        self._language = language

    async def form(self, request: HttpRequest) -> Response:
        language = language_of(request, self._language)
        return same(
            request, {**form(self._lobby.offer, language), "default_language": self._language}
        )

    async def words(self, request: HttpRequest) -> Response:
        return words(request, self._language)

    async def rules(self, request: HttpRequest) -> Response:
        preset = request.query_params.get("rules", "traditional")
        try:
            options = json.loads(request.query_params.get("options", "{}"))
            if not isinstance(options, dict):
                raise RulesError("options: expected an object")
            rules = rules_with_options(preset, options)
        except (RulesError, TypeError, ValueError, RecursionError) as error:
            return refusal(400, ErrorCode.BAD_RULES, str(error)[:300])
        told = rules_text(rules, language_of(request, self._language), preset)
        return same(request, [{"title": title, "lines": lines} for title, lines in told])

    async def records(self, request: HttpRequest) -> Response:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        table = self._lobby.table_of(token) if scheme.lower() == "bearer" else None
        if table is None:
            return refusal(401, ErrorCode.BAD_TOKEN, "expected the token of a seat")
        lines = [json.dumps(record) + "\n" for record in self._lobby.store.records(table)]
        name = 'attachment; filename="marias.jsonl"'
        headers = {"content-disposition": name, "cache-control": "no-store"}
        return Response("".join(lines), media_type="application/x-ndjson", headers=headers)

    async def health(self, _: HttpRequest) -> Response:
        told = {"ok": True, "tables": self._lobby.tables, "sockets": self._lobby.sockets}
        return JSONResponse(told, headers={"cache-control": "no-store"})


class _Socket:
    """The game's connections."""

    def __init__(self, lobby: Lobby, desk: Desk) -> None:
        self._lobby = lobby
        self._desk = desk

    async def serve(self, socket: WebSocket) -> None:
        """Serves one connection from its beginning to its end."""
        lobby, limits = self._lobby, self._lobby.limits
        address = socket.client.host if socket.client else ""
        if (
            lobby.sockets >= limits.sockets
            or lobby.addresses.get(address, 0) >= limits.sockets_per_address
        ):
            await socket.accept()
            full = ProtocolError(ErrorCode.TOO_MANY_SOCKETS, "the server is full; try again later")
            await socket.send_json(error_message(full, None))
            await socket.close(1013, "full")
            return
        lobby.sockets += 1
        lobby.addresses[address] = lobby.addresses.get(address, 0) + 1
        session = Session(address, RateLimit(limits.messages_per_second, limits.burst))
        try:
            await socket.accept()
            await self._talk(socket, session)
        except asyncio.CancelledError:
            pass  # given up by the lobby, or the server stops
        finally:
            lobby.leave(session)
            lobby.sockets -= 1
            lobby.addresses[address] -= 1
            if not lobby.addresses[address]:
                del lobby.addresses[address]

    async def _talk(self, socket: WebSocket, session: Session) -> None:
        reading = asyncio.create_task(self._read(socket, session))
        talking = asyncio.current_task()
        assert talking is not None
        session.drop = talking.cancel
        try:
            while True:
                text = await session.next_text()
                if text is None:
                    break
                session.sending_since = time.monotonic()
                await socket.send_text(text)
                session.sending_since = None
            code, reason = session.ended or (1000, "")
            await socket.close(code, reason)
        except (WebSocketDisconnect, RuntimeError, OSError):
            pass  # it is gone, and hears nothing more
        finally:
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading

    async def _read(self, socket: WebSocket, session: Session) -> None:
        try:
            text = await asyncio.wait_for(socket.receive_text(), FIRST_MESSAGE)
            while True:
                self._desk.hear(session, text)
                text = await socket.receive_text()
        except (WebSocketDisconnect, RuntimeError):
            session.end(1000, "")
        except KeyError:
            session.end(1003, "text messages only")
        except asyncio.TimeoutError:
            session.end(1008, "nothing was said")
