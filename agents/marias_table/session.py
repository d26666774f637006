"""One connection: what it may see, what it has been told, and what waits to be sent."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import orjson

from marias_table.protocol import ErrorCode, ProtocolError
from marias_table.telling import covers, events_since, state_of
from marias_table.view import EVERYTHING, PUBLIC

if TYPE_CHECKING:
    from marias_table.lobby import Live

MAX_WAITING: Final = 100
"""Answers that may wait for a client that does not read."""


class RateLimit:
    """How many messages a connection may send: a bucket that fills again.

    Args:
        per_second: messages a second in the long run.
        burst: messages at once.
    """

    def __init__(self, per_second: float, burst: float) -> None:
        self._rate = per_second
        self._burst = burst
        self._left = burst
        self._at = time.monotonic()
        self.refused = 0
        """Messages refused since the last one that was not."""

    def take(self, cost: float = 1.0) -> bool:
        """Returns whether a message of this cost is within the limit."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < cost:
            self.refused += 1
            return False
        self._left -= cost
        self.refused = 0
        return True


class Session:
    """One connection. Updates are made when they can be sent, so a slow client gets the newest.

    Args:
        address: where it comes from.
        rate: its limit of messages.
    """

    def __init__(self, address: str, rate: RateLimit) -> None:
        self.address = address
        self.rate = rate
        self.live: Live | None = None
        self.seat: int | None = None
        self.language = "en"
        self.told = 0
        """`seq` of the last event that was sent."""
        self.asking: set[str] = set()
        """Kinds of requests whose answers are being worked out."""
        self.ended: tuple[int, str] | None = None
        """Close code and reason, once the connection is to end."""
        self.sending_since: float | None = None
        """When the message was begun that the client has not taken yet."""
        self.drop: Callable[[], object] = lambda: None
        """Ends the connection at once, whether the client listens or not."""
        self._replies: deque[dict[str, Any]] = deque()
        self._answered: list[int] = []
        self._stale = False
        self._wake = asyncio.Event()

    @property
    def receiver(self) -> int | None:
        """What it may see, as of `view.view_of`."""
        if self.seat is not None:
            return self.seat
        assert self.live is not None
        return EVERYTHING if self.live.room.terms.spectators == "cards" else PUBLIC

    @property
    def role(self) -> str:
        """`host`, `player` or `spectator`."""
        if self.seat is None or self.live is None:
            return "spectator"
        return "host" if self.live.room.chairs[self.seat].host else "player"

    def reply(self, message: dict[str, Any]) -> None:
        """Sends a message as soon as the client takes it."""
        if len(self._replies) >= MAX_WAITING:
            self.end(1008, "too many unread answers")
            return
        self._replies.append(message)
        self._wake.set()

    def refuse(self, error: ProtocolError, re: int | None) -> None:
        """Tells that a request was refused."""
        self.reply(error_message(error, re))

    def answered(self, request: int) -> None:
        """Notes a request that the next update answers."""
        self._answered.append(request)

    def update(self) -> None:
        """Sends the state as it is when the client takes it."""
        self._stale = True
        self._wake.set()

    def end(self, code: int, reason: str) -> None:
        """Ends the connection once everything that waits has been sent."""
        if self.ended is None:
            self.ended = (code, reason)
        self._wake.set()

    async def next_text(self) -> str | None:
        """Waits for the next message to send; None: the connection is to end."""
        while True:
            text = self.take()
            if text is not None or self.ended is not None:
                return text
            self._wake.clear()
            await self._wake.wait()

    def take(self) -> str | None:
        """Returns the next message to send; None: there is nothing to say."""
        if self._replies:
            return _dumps(self._replies.popleft())
        if self._stale and self.live is not None and self.live.loaded:
            return _dumps(self._update())
        return None

    def _update(self) -> dict[str, Any]:
        answered, self._answered = self._answered, []
        return {"type": "update", "re": answered, **self.news()}

    def news(self) -> dict[str, Any]:
        """Returns `reset`, `events` and `state`: everything since the last call."""
        assert self.live is not None
        self._stale = False
        room = self.live.room
        receiver, language = self.receiver, self.language
        known = covers(room, self.told)
        events = events_since(room, self.told, receiver, language) if known else []
        self.told = room.seq
        state = state_of(room, receiver, language)
        return {"reset": not known, "events": events, "state": state}


def error_message(error: ProtocolError, re: int | None) -> dict[str, Any]:
    """Returns the message that tells of an error."""
    return {
        "type": "error",
        "re": re if error.re is None else error.re,
        "code": error.code.value,
        "message": str(error),
        **error.extra,
    }


def too_fast() -> ProtocolError:
    """The error of a message over the limit."""
    return ProtocolError(ErrorCode.TOO_FAST, "too many messages; wait a moment")


def _dumps(message: dict[str, Any]) -> str:
    return orjson.dumps(message).decode()
