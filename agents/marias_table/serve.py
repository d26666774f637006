"""Runs the server: one process, one event loop, and the workers of slow agents."""

from __future__ import annotations

import contextlib
import gc
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette

from marias_table.agents import AgentPool
from marias_table.app import make_app
from marias_table.limits import Limits, Offer
from marias_table.lobby import Lobby
from marias_table.protocol import MAX_MESSAGE
from marias_table.store import Store

PING: Final = 20.0
"""Seconds between pings, and until one that is not answered ends the connection."""


def bind(host: str, port: int) -> socket.socket:
    """Returns a socket bound to an address, before anything else is begun.

    Raises:
        OSError: the port is in use, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise OSError(f"{host}:{port}: {error.strerror or error}") from error
    return bound


def url_of(bound: socket.socket) -> str:
    """Returns the address that a browser on this machine opens."""
    host, port = bound.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(
    store: Store,
    bound: socket.socket,
    *,
    offer: Offer,
    limits: Limits,
    pool: AgentPool | None = None,
    hosts: Sequence[str] = (),
    proxies: str = "127.0.0.1",
    language: str = "en",
    open_browser: bool = False,
    ready: Callable[[], None] | None = None,
) -> None:
    """Serves until it is told to stop (SIGINT, SIGTERM); tables stay in the store.

    Args:
        store: where tables are kept; closed at the end.
        bound: what `bind` returned.
        offer: agents.
        limits: what is allowed.
        pool: agents' workers; None: one worker.
        hosts: names that the server may be reached by.
        proxies: addresses whose `X-Forwarded-For` is believed, as uvicorn takes them.
        language: of clients that name none.
        open_browser: open the page once the server answers.
        ready: is called then.
    """
    lobby = Lobby(store, pool or AgentPool(offer.specs), offer, limits)
    # What is loaded by now stays: looking through it again and again would hold everybody up. What
    # comes later is looked through in small portions, and as a whole when the lobby says so.
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 20, 10_000)
    run(
        make_app(lobby, hosts, language),
        bound,
        open_browser,
        ready,
        proxy_headers=True,
        forwarded_allow_ips=proxies,
        ws="websockets-sansio",
        ws_max_size=4 * MAX_MESSAGE,
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        # Compression would cost more memory for each connection than the table itself.
        ws_per_message_deflate=False,
    )


def run(
    app: Starlette,
    bound: socket.socket,
    open_browser: bool = False,
    ready: Callable[[], None] | None = None,
    **settings: Any,
) -> None:
    """Serves an application until it is told to stop (SIGINT, SIGTERM).

    Args:
        app: what is served.
        bound: what `bind` returned.
        open_browser: open its page once it answers.
        ready: is called then.
        **settings: of uvicorn.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
        **settings,
    )
    server = _Server(config, lambda: _started(bound, open_browser, ready))
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[bound])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._when_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._when_started()


def _started(bound: socket.socket, open_browser: bool, ready: Callable[[], None] | None) -> None:
    if ready is not None:
        ready()
    if open_browser:
        # Some browsers keep whoever starts them waiting.
        threading.Thread(target=webbrowser.open, args=(url_of(bound),), daemon=True).start()


def log_to_stderr() -> None:
    """Shows the server's own messages."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
