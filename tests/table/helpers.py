"""Tables without a network: connections that say messages and read what they are told."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from marias_table.agents import AgentPool
from marias_table.limits import Limits, Offer
from marias_table.lobby import Lobby
from marias_table.protocol import PROTOCOL
from marias_table.requests import Desk
from marias_table.session import RateLimit, Session
from marias_table.store import Store

OPEN = {"seats": ["me", "open", "open"]}
ALONE = {"seats": ["me", {"agent": "rules"}, {"agent": "rules"}]}


def in_a_loop(work: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine in a thread: browser tests leave a running loop in the test's own one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def counting_tokens(start: int = 0) -> Callable[[], str]:
    numbers = iter(range(start, start + 10**9))
    return lambda: f"token-{next(numbers):08d}"


class House:
    """A lobby with everything that it needs, and a seed."""

    def __init__(
        self,
        path: str = ":memory:",
        offer: Offer | None = None,
        limits: Limits | None = None,
        pool: AgentPool | None = None,
        seed: int = 0,
    ) -> None:
        self.offer = offer or Offer()
        self.store = Store(path)
        self.pool = pool or AgentPool(self.offer.specs, ahead=False)
        rng = random.Random(seed)
        self.lobby = Lobby(
            self.store,
            self.pool,
            self.offer,
            limits,
            new_token=counting_tokens(1000 * seed),
            new_rng=lambda: random.Random(rng.random()),
        )
        self.desk = Desk(self.lobby)

    def client(self, per_second: float = 1e9) -> Client:
        return Client(self, per_second)

    async def close(self) -> None:
        await self.desk.close()
        await self.lobby.close()


class Client:
    """One connection."""

    def __init__(self, house: House, per_second: float = 1e9) -> None:
        self.house = house
        self.session = Session("test", RateLimit(per_second, max(per_second, 1)))
        self.state: dict[str, Any] = {}
        self.texts: list[str] = []
        """Everything that has come over the wire."""
        self.token = ""
        self.links: dict[str, str] = {}
        self._number = 0

    async def say(self, kind: str, **fields: Any) -> list[dict[str, Any]]:
        """Says something, and returns what is told until nothing more is."""
        self._number += 1
        return await self.send(json.dumps({"type": kind, "id": self._number, **fields}))

    async def send(self, text: str) -> list[dict[str, Any]]:
        self.house.desk.hear(self.session, text)
        return await self.hear()

    async def enter(self, kind: str = "create", **fields: Any) -> list[dict[str, Any]]:
        """Comes in; `create`, `join`, `enter` or `watch`."""
        told = await self.say(kind, protocol=PROTOCOL, **fields)
        if told and told[0]["type"] == "welcome":
            self.token = told[0]["token"] or fields.get("token", "")
            self.links = told[0]["links"] or {}
        return told

    async def hear(self) -> list[dict[str, Any]]:
        """Returns what has been told since the last call."""
        for _ in range(3):
            await asyncio.sleep(0)
        told = []
        while (text := self.session.take()) is not None:
            self.texts.append(text)
            message = json.loads(text)
            self.state = message.get("state", self.state)
            told.append(message)
        return told

    async def act(self, action: str, **fields: Any) -> list[dict[str, Any]]:
        """Acts in the position that it was told of."""
        place = {"deal": self.state["deal"], "at": self.state["at"]}
        return await self.say("action", **{**place, "action": action, **fields})

    def link(self, kind: str) -> str:
        """The token of a link."""
        return self.links[kind].partition("=")[2]

    def drop(self) -> None:
        """The connection breaks."""
        self.house.lobby.leave(self.session)


def error_of(told: list[dict[str, Any]]) -> str:
    """The code of the error that was told; "" where there was none."""
    return next((message["code"] for message in told if message["type"] == "error"), "")


async def three(house: House, **setup: Any) -> list[Client]:
    """A table of three people, play begun."""
    clients = [house.client() for _ in range(3)]
    await clients[0].enter(name="Eva", setup={**OPEN, **setup})
    for number, client in enumerate(clients[1:], start=1):
        await client.enter("join", invite=clients[0].link("join"), name=f"P{number}")
    for client in clients:
        await client.hear()
    return sorted(clients, key=lambda client: client.state["you"])


async def on_turn(clients: list[Client]) -> Client | None:
    """The client whose move it is, everybody told of everything; None when the deal is over."""
    for client in clients:
        await client.hear()
    turn = clients[0].state["turn"]
    return None if turn is None else clients[turn]


async def play_out(
    clients: list[Client], choose: Callable[[dict[str, Any]], str], actions: int = 1000
) -> int:
    """Plays until the deal is over, or so many actions; returns how many were taken."""
    for count in range(actions):
        client = await on_turn(clients)
        if client is None:
            return count
        told = await client.act(choose(client.state))
        assert not error_of(told), told
    return actions
