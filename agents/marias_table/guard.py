"""Who may talk to the server from where, and what its pages may do."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOCAL: Final = ("localhost",)


class Guard:
    """Refuses foreign pages and names, and sends the headers that keep the own page honest.

    A page of somebody else's must not play with the tokens of who looks at it: browsers tell where
    a connection comes from (`Origin`), and that must be the server's own name. A foreign name that
    points at this machine would pass for its own, so names must be known (`Host`); plain addresses
    cannot be pointed anywhere.

    Args:
        app: what it guards.
        hosts: names that the server may be reached by, besides `localhost` and plain addresses.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = {name.lower() for name in (*_LOCAL, *hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or lets pass."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        why = self._refusal(host, headers.get("origin"))
        if why is not None:
            answer = JSONResponse(
                {"type": "error", "re": None, "code": "not_allowed", "message": why}, 403
            )
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": why})
            else:
                await answer(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                _harden(MutableHeaders(scope=message), host)
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _refusal(self, host: str, origin: str | None) -> str | None:
        name = _name(host)
        if name is None or not (name in self._hosts or _is_address(name)):
            return f"not served under this name; expected one of {', '.join(sorted(self._hosts))}"
        # Whoever sends no origin is no page in a browser.
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return "pages of another origin may not talk to this server"
        return None


def _name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _harden(headers: Any, host: str) -> None:
    headers.setdefault("x-content-type-options", "nosniff")
    headers.setdefault("referrer-policy", "no-referrer")
    headers.setdefault("x-frame-options", "DENY")
    headers.setdefault("cross-origin-opener-policy", "same-origin")
    headers.setdefault("cross-origin-resource-policy", "same-origin")
    headers.setdefault("permissions-policy", "camera=(), microphone=(), geolocation=()")
    # Older browsers do not count the own WebSocket as 'self'.
    headers.setdefault(
        "content-security-policy",
        f"default-src 'self'; connect-src 'self' ws://{host} wss://{host}; "
        "img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'",
    )
