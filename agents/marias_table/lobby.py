"""All tables of a server: who comes in by which token, what is stored, and who is told what."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import random
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from marias_env.errors import MariasError, RulesError
from marias_env.match import Match, standard_match
from marias_env.records import Record, record_of
from marias_env.rules import Rules, rules_with_options
from marias_env.showing.phrases import phrases
from marias_table.agents import AgentPool
from marias_table.chairs import Chair
from marias_table.driver import Driver
from marias_table.limits import Limits, Offer
from marias_table.protocol import (
    MAX_NAME,
    PROTOCOL,
    AgentSeat,
    Create,
    Enter,
    Entrance,
    ErrorCode,
    Join,
    MatchSetup,
    ProtocolError,
    Setup,
    Watch,
)
from marias_table.room import Room, Terms
from marias_table.session import Session
from marias_table.store import Store, StoreError, token_hash

LOG: Final = logging.getLogger("marias.table")
SEND: Final = 30.0
"""Seconds until a client that takes nothing is given up."""
TICK: Final = 1.0
"""Seconds between looks at who is away and what is idle."""
CLEAN: Final = 300
"""Looks between two collections of all that has been let go of."""


class Live:
    """A table in memory: its room, its links, and who is connected."""

    def __init__(self, table: str, invite: str, watch: str, room: Room) -> None:
        self.id = table
        self.invite = invite
        self.watch = watch
        self.room = room
        self.sessions: set[Session] = set()
        self.loaded = True
        now = time.monotonic()
        self.empty_since = now
        self.gone_since = [now] * 3
        """When the last connection of each chair ended."""
        self.analysis: tuple[int, dict[str, Any]] | None = None
        """Number of a deal, and its analysis."""

    def record(self) -> Record:
        """Returns the deal as a record."""
        return record_of(self.room.batch)


class Lobby:
    """The server's tables. Everything here runs in one event loop.

    Args:
        store: where tables are kept.
        pool: the agents.
        offer: which of them people may choose.
        limits: what is allowed.
        new_token: makes unguessable tokens.
        new_rng: makes what a table's cards come from; None: the system's randomness.
    """

    def __init__(
        self,
        store: Store,
        pool: AgentPool,
        offer: Offer | None = None,
        limits: Limits | None = None,
        new_token: Callable[[], str] = lambda: secrets.token_urlsafe(18),
        new_rng: Callable[[], random.Random] | None = None,
    ) -> None:
        self.store = store
        self.pool = pool
        self.offer = offer or Offer()
        self.limits = limits or Limits()
        self.sockets = 0
        self.addresses: dict[str, int] = {}
        self._new_token = new_token
        self._new_rng = new_rng
        self._live: dict[str, Live] = {}
        self._made: dict[str, list[float]] = {}
        self._tables = store.count()
        self._dirty: dict[Live, None] = {}
        self._flushing = False
        self._closed = False
        self._driver = Driver(pool, self.mark)
        self._ticker: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------ the server's life

    def start(self) -> None:
        """Begins to look after idle tables and absent people."""
        self.pool.start()
        self._ticker = asyncio.get_running_loop().create_task(self._tick_forever())

    async def close(self) -> None:
        """Says goodbye and writes everything down."""
        if self._ticker is not None:
            self._ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._ticker
        await self._driver.close()
        for live in self._live.values():
            for session in live.sessions:
                session.end(1001, "the server stops; come back in a moment")
        self.flush()
        self._closed = True  # connections that end from now on are no news
        self.store.close()
        await asyncio.to_thread(self.pool.close)

    @property
    def tables(self) -> int:
        """How many tables are open, in memory or not."""
        return self._tables

    # ------------------------------------------------------------------ coming in

    def admit(self, session: Session, message: Entrance) -> None:
        """Lets a connection in, and tells it where it is.

        Raises:
            ProtocolError: the token opens nothing, or what is wanted is not to be had.
        """
        session.language = message.language
        token: str | None = None
        if isinstance(message, Create):
            live, token = self._create(session, message)
            seat: int | None = next(i for i, c in enumerate(live.room.chairs) if c.host)
        elif isinstance(message, Join):
            live = self._open("invite", message.invite)[0]
            token = self._new_token()
            name = self.name_of(message.name)
            seat = live.room.sit(token_hash(token), name, message.seat)
        elif isinstance(message, Enter):
            live, seat = self._open("seat", token_hash(message.token))
        else:
            live, seat = self._open("watch", message.watch)
            if live.room.terms.spectators == "nobody":
                raise ProtocolError(ErrorCode.BAD_TOKEN, "nobody may watch this table")
        self._welcome(session, message, live, seat, token)

    def _welcome(
        self, session: Session, message: Entrance, live: Live, seat: int | None, token: str | None
    ) -> None:
        room = live.room
        session.live, session.seat = live, seat
        since = message.since if isinstance(message, (Enter, Watch)) else None
        if seat is None:
            room.watching += 1
            room.changed = True
        else:
            for other in [s for s in live.sessions if s.seat == seat]:
                self.dismiss(other, "elsewhere")
            room.connect(seat)
        live.sessions.add(session)
        # What the newcomer is told must be written down first, agents' answers included.
        self.mark(live)
        self.flush()
        if session.ended is not None:
            return
        session.told = room.seq if since is None else since
        open_chairs = seat is not None and room.chairs[seat].host
        session.reply(
            {
                "type": "welcome",
                "re": message.id,
                "protocol": PROTOCOL,
                "role": session.role,
                "token": token,
                "links": None
                if seat is None
                else {
                    "join": f"/#join={live.invite}" if open_chairs else None,
                    "watch": f"/#watch={live.watch}" if room.terms.spectators != "nobody" else None,
                },
                "adviser": self.offer.adviser if room.terms.hints else None,
                **session.news(),
            }
        )

    def dismiss(self, session: Session, reason: str, re: int | None = None) -> None:
        """Ends a connection.

        Args:
            session: the connection.
            reason: `host`, `idle`, `elsewhere` or `left`.
            re: id of the own request that this answers.
        """
        words = phrases(session.language)[f"closed_{reason}"]
        session.reply({"type": "closed", "re": re, "reason": reason, "message": words})
        session.end(1000, reason)
        self.leave(session)

    def leave(self, session: Session) -> None:
        """A connection is over."""
        live = session.live
        if live is None or session not in live.sessions:
            return
        live.sessions.discard(session)
        if session.seat is None:
            live.room.watching -= 1
            live.room.changed = True
        else:
            live.room.disconnect(session.seat)
            if live.room.chairs[session.seat].connections == 0:
                live.gone_since[session.seat] = time.monotonic()
        if not live.sessions:
            live.empty_since = time.monotonic()
        self.mark(live)

    def _create(self, session: Session, message: Create) -> tuple[Live, str]:
        terms, chairs = self._prepare(message.setup)
        now = time.monotonic()
        recent = [at for at in self._made.get(session.address, []) if at > now - 3600]
        if self._tables >= self.limits.tables or len(recent) >= self.limits.tables_per_address:
            raise ProtocolError(
                ErrorCode.TOO_MANY_TABLES, "no more tables at the moment; try again later"
            )
        token = self._new_token()
        host = next(i for i, chair in enumerate(chairs) if chair is None)
        name = self.name_of(message.name)
        filled = [
            chair or Chair("person", name, token=token_hash(token), host=True, away=True)
            for chair in chairs
        ]
        assert filled[host].host
        rng = self._new_rng() if self._new_rng else None
        room = Room(terms, filled, rng=rng)
        live = Live(self._new_token(), self._new_token(), self._new_token(), room)
        room.journal = self.store.add(live.id, live.invite, live.watch, room)
        self._live[live.id] = live
        self._tables += 1
        self._made[session.address] = [*recent, now]
        return live, token

    def _prepare(self, setup: Setup) -> tuple[Terms, list[Chair | None]]:
        # None: the maker's own chair.
        try:
            rules = rules_with_options(setup.rules, setup.options)
        except (RulesError, TypeError, ValueError) as error:
            raise ProtocolError(ErrorCode.BAD_RULES, str(error)) from error
        chairs: list[Chair | None] = []
        for seat in setup.seats or ("me", *(AgentSeat(agent=self.offer.opponent),) * 2):
            if seat == "me":
                chairs.append(None)
            elif isinstance(seat, AgentSeat):
                chairs.append(Chair("agent", seat.agent, self.check_agent(seat.agent)))
            else:
                chairs.append(Chair("open"))
        if chairs.count(None) != 1:
            raise ProtocolError(ErrorCode.BAD_MESSAGE, 'setup.seats: expected "me" exactly once')
        terms = Terms(
            rules,
            self._match(setup, rules),
            setup.spectators,
            setup.hints,
            self.offer.stand_in,
        )
        return terms, chairs

    @staticmethod
    def _match(setup: Setup, rules: Rules) -> Match | None:
        if isinstance(setup.match, MatchSetup):
            return Match(deals=setup.match.deals, points=setup.match.points)
        return standard_match(rules) if setup.match == "standard" else None

    def check_agent(self, spec: str) -> str:
        """Returns a spec that this server offers.

        Raises:
            ProtocolError: it does not; nothing is ever loaded because a client names it.
        """
        if spec not in self.offer.agents:
            raise ProtocolError(
                ErrorCode.BAD_AGENT,
                f"agent {spec!r}; this server offers {', '.join(self.offer.agents)}",
            )
        return spec

    @staticmethod
    def name_of(name: str) -> str:
        """Returns a name fit to be shown.

        Raises:
            ProtocolError: it is too long.
        """
        shown = " ".join("".join(c if c.isprintable() else " " for c in name).split())
        if len(shown) > MAX_NAME:
            raise ProtocolError(
                ErrorCode.BAD_NAME, f"a name of {len(shown)} letters; expected at most {MAX_NAME}"
            )
        return shown

    def _open(self, kind: str, token: str) -> tuple[Live, int | None]:
        found = self.store.find(kind, token)
        if found is None:
            raise ProtocolError(ErrorCode.BAD_TOKEN, "this link leads to no table, or not any more")
        table, seat = found
        if table not in self._live:
            try:
                saved = self.store.load(table)
            except StoreError as error:
                LOG.error("%s", error)
                raise ProtocolError(ErrorCode.FAILED, "this table cannot be read") from error
            self._live[table] = Live(saved.id, saved.invite, saved.watch, saved.room)
        return self._live[table], seat

    def table_of(self, token: str) -> str | None:
        """Returns the id of the table where a seat's token sits."""
        found = self.store.find("seat", token_hash(token))
        return None if found is None else found[0]

    # ------------------------------------------------------------------ telling and writing

    def mark(self, live: Live) -> None:
        """Something has happened at a table: agents act, it is written down, all are told."""
        if not live.loaded or self._closed:
            return
        self._dirty[live] = None
        if not self._flushing:
            self._flushing = True
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Lets agents act, writes down what has happened, and then tells of it."""
        self._flushing = False
        dirty, self._dirty = [live for live in self._dirty if live.loaded], {}
        if not dirty or self._closed:
            return
        try:
            self._driver.run(dirty)
            for live in dirty:
                self.store.touch(live.id, live.room)
            self.store.commit()
        except Exception as error:
            self._recover(dirty, error)
            return
        for live in dirty:
            if live.room.changed:
                live.room.changed = False
                for session in live.sessions:
                    session.update()
            if live.room.closed:
                self._close(live, "host")

    def failed(self, live: Live | None, error: Exception) -> None:
        """Something went wrong: a table, and what is not written yet, go back to what is."""
        dirty, self._dirty = [*self._dirty, *([live] if live else [])], {}
        self._recover(dirty, error)

    def _recover(self, dirty: Iterable[Live], error: Exception) -> None:
        # What is in memory may be ahead of what is written, and only the latter counts. A full
        # disk is told in a line; a mistake of ours with its traceback.
        ours = None if isinstance(error, MariasError) else error
        LOG.error("%s: %s", type(error).__name__, error, exc_info=ours)
        self.store.rollback()
        for live in dirty:
            if live.loaded:
                self._unload(live, 1011, "not written down; come back in a moment")

    def _close(self, live: Live, reason: str) -> None:
        for session in list(live.sessions):
            self.dismiss(session, reason)
        if live.loaded:
            self._tables -= 1
            self._unload(live, 1000, reason)

    def _unload(self, live: Live, code: int, reason: str) -> None:
        for session in list(live.sessions):
            session.end(code, reason)
        live.loaded = False
        live.sessions.clear()
        self._live.pop(live.id, None)
        self._driver.forget(live)

    # ------------------------------------------------------------------ once a second

    async def _tick_forever(self) -> None:
        rounds = 0
        while True:
            await asyncio.sleep(TICK)
            try:
                self.tick()
                if rounds % 5 == 0:
                    await asyncio.to_thread(self.store.checkpoint)
                if rounds % 60 == 0:
                    self.close_idle()
                if rounds % CLEAN == CLEAN - 1:
                    gc.collect()  # `serve` has switched off that it happens by itself at any time
            except Exception:
                LOG.exception("the tables could not be looked after")
            rounds += 1

    def tick(self) -> None:
        """Notes who has been away for too long, and lets go of tables that nobody is at."""
        now = time.monotonic()
        for live in list(self._live.values()):
            for session in live.sessions:
                if session.sending_since is not None and now - session.sending_since > SEND:
                    session.drop()
            for seat, chair in enumerate(live.room.chairs):
                gone = now - live.gone_since[seat] > self.limits.grace
                if chair.present and chair.connections == 0 and gone:
                    live.room.go(seat)
                    self.mark(live)
            if not live.sessions and now - live.empty_since > self.limits.unload:
                self.flush()
                self._unload(live, 1000, "idle")
        self._made = {
            address: times for address, times in self._made.items() if times[-1] > now - 3600
        }

    def close_idle(self) -> None:
        """Closes tables where nothing has happened for long, wherever they are."""
        for table in self.store.close_idle(self.limits.idle_hours):
            live = self._live.get(table)
            if live is not None and live.loaded:
                for session in list(live.sessions):
                    self.dismiss(session, "idle")
                self._unload(live, 1000, "idle")
        self.store.commit()
        self._tables = self.store.count()
