"""Tables, chairs and every action in SQLite, so that a killed server loses nothing.

With a write-ahead log what was committed survives the death of the process; a crash of the whole
machine may cost the last moments, never the file's soundness.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from marias_env.actions import ACTIONS
from marias_env.errors import MariasError
from marias_env.match import Match
from marias_env.records import FORMAT, Record
from marias_env.rules import preset_and_options, rules_with_options
from marias_table.chairs import Chair
from marias_table.journal import Journal
from marias_table.room import Room, Terms

SCHEMA_VERSION: Final = 1
MEMORY: Final = ":memory:"
"""Path of a store that is gone when the server is."""

_SCHEMA: Final = """
CREATE TABLE tables (
    id TEXT PRIMARY KEY, invite TEXT NOT NULL UNIQUE, watch TEXT NOT NULL UNIQUE,
    created REAL NOT NULL, touched REAL NOT NULL, closed REAL, terms TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE seats (
    table_id TEXT NOT NULL REFERENCES tables, seat INTEGER NOT NULL, kind TEXT NOT NULL,
    name TEXT NOT NULL, agent TEXT, token TEXT UNIQUE, host INTEGER NOT NULL, away INTEGER NOT NULL,
    PRIMARY KEY (table_id, seat)
) WITHOUT ROWID;
CREATE TABLE deals (
    table_id TEXT NOT NULL REFERENCES tables, deal INTEGER NOT NULL, dealer INTEGER NOT NULL,
    deck TEXT NOT NULL, first INTEGER NOT NULL, payments TEXT, players TEXT, finished REAL,
    PRIMARY KEY (table_id, deal)
) WITHOUT ROWID;
CREATE TABLE actions (
    table_id TEXT NOT NULL REFERENCES tables, deal INTEGER NOT NULL, at INTEGER NOT NULL,
    seat INTEGER NOT NULL, action INTEGER NOT NULL, by TEXT NOT NULL,
    PRIMARY KEY (table_id, deal, at)
) WITHOUT ROWID;
"""


class StoreError(MariasError):
    """A file that is no store of this version, or that cannot be written."""


def token_hash(token: str) -> str:
    """Returns what is kept of a seat's token: who reads the file cannot sit down."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclasses.dataclass(frozen=True)
class SavedTable:
    """A table of the store, and its room where it stood."""

    id: str
    invite: str
    watch: str
    room: Room


class Store:
    """The database of one server.

    Args:
        path: a file, made if it is missing, or `:memory:`.

    Raises:
        StoreError: not a store of this version, or not to be opened.
    """

    def __init__(self, path: str | Path = MEMORY) -> None:
        self.path = str(path)
        try:
            self._db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA busy_timeout = 5000")
            # Moving the log into the file waits for the disk: `checkpoint` does it beside the game.
            self._db.execute("PRAGMA wal_autocheckpoint = 0")
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0 and not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
                self._db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION};")
                self._db.execute("COMMIT")
                version = SCHEMA_VERSION
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from error
        if version != SCHEMA_VERSION:
            self._db.close()
            raise StoreError(
                f"{self.path}: a database of version {version}; expected one of marias serve, "
                f"version {SCHEMA_VERSION}"
            )

    def close(self) -> None:
        """Commits and closes."""
        self.commit()
        self._db.close()

    # ------------------------------------------------------------------ writing

    def write(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Writes within the transaction that `commit` ends.

        Raises:
            StoreError: the disk is full, or the file is not to be written.
        """
        try:
            if not self._db.in_transaction:
                self._db.execute("BEGIN IMMEDIATE")
            self._db.execute(sql, values)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from error

    def commit(self) -> None:
        """Makes everything written so far last."""
        if not self._db.in_transaction:
            return
        try:
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from error

    def checkpoint(self) -> None:
        """Moves the write-ahead log into the file; may run in another thread meanwhile.

        Raises:
            StoreError: the disk is full, or the file is not to be written.
        """
        if self.path == MEMORY:
            return
        try:
            with contextlib.closing(sqlite3.connect(self.path)) as other:
                other.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from error

    def rollback(self) -> None:
        """Drops what has not been committed."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def add(self, table: str, invite: str, watch: str, room: Room) -> Journal:
        """Writes a new table down, and returns where its room writes from now on."""
        now = time.time()
        self.write(
            "INSERT INTO tables (id, invite, watch, created, touched, terms) VALUES (?,?,?,?,?,?)",
            (table, invite, watch, now, now, json.dumps(_terms_as_json(room.terms))),
        )
        journal = TableJournal(self, table)
        for seat, chair in enumerate(room.chairs):
            journal.seat(seat, chair)
        return journal

    def touch(self, table: str, room: Room) -> None:
        """Notes that something happened, with the number of the last event."""
        self.write(
            "UPDATE tables SET touched = ?, seq = ?, closed = ? WHERE id = ?",
            (time.time(), room.seq, time.time() if room.closed else None, table),
        )

    def close_idle(self, hours: float) -> list[str]:
        """Closes tables where nothing has happened for so long; returns their ids."""
        where = "closed IS NULL AND touched < ?"
        limit = (time.time() - 3600 * hours,)
        found = [row[0] for row in self._db.execute(f"SELECT id FROM tables WHERE {where}", limit)]
        if found:
            self.write(f"UPDATE tables SET closed = touched WHERE {where}", limit)
        return found

    # ------------------------------------------------------------------ reading

    def count(self) -> int:
        """Returns how many tables are open."""
        query = "SELECT COUNT(*) FROM tables WHERE closed IS NULL"
        return int(self._db.execute(query).fetchone()[0])

    def find(self, kind: str, token: str) -> tuple[str, int | None] | None:
        """Returns the open table that a token leads to, and the seat if it is a seat's.

        Args:
            kind: `invite`, `watch`, or `seat` (then `token` is its hash).
            token: the token.
        """
        if kind == "seat":
            query = (
                "SELECT table_id, seat FROM seats JOIN tables ON id = table_id "
                "WHERE token = ? AND closed IS NULL"
            )
        else:
            query = f"SELECT id, NULL FROM tables WHERE {kind} = ? AND closed IS NULL"
        row = self._db.execute(query, (token,)).fetchone()
        return None if row is None else (row[0], row[1])

    def load(self, table: str) -> SavedTable:
        """Returns a table where it stood.

        Raises:
            StoreError: no such table, or what is written of it is not a deal.
        """
        row = self._db.execute(
            "SELECT invite, watch, terms, seq FROM tables WHERE id = ?", (table,)
        ).fetchone()
        if row is None:
            raise StoreError(f"{self.path}: no such table")
        invite, watch, terms, seq = row
        chairs = [
            Chair(kind, name, agent, token, bool(host), away=bool(away), was_away=bool(away))
            for kind, name, agent, token, host, away in self._db.execute(
                "SELECT kind, name, agent, token, host, away FROM seats WHERE table_id = ? "
                "ORDER BY seat",
                (table,),
            )
        ]
        try:
            room = Room(_terms_from_json(json.loads(terms)), chairs, TableJournal(self, table))
            self._resume(table, room, seq)
        except MariasError as error:
            raise StoreError(f"{self.path}: a table that cannot be read: {error}") from error
        return SavedTable(table, invite, watch, room)

    def _resume(self, table: str, room: Room, seq: int) -> None:
        room.seq = seq
        last = self._db.execute(
            "SELECT deal, dealer, deck FROM deals WHERE table_id = ? ORDER BY deal DESC LIMIT 1",
            (table,),
        ).fetchone()
        if last is None:
            return
        deal, dealer, deck = last
        actions = self._db.execute(
            "SELECT action FROM actions WHERE table_id = ? AND deal = ? ORDER BY at", (table, deal)
        )
        # Not from the beginning of the sitting but of the match: the last deal marked as first.
        paid = self._db.execute(
            "SELECT payments FROM deals WHERE table_id = ? AND payments IS NOT NULL AND deal >= "
            "(SELECT MAX(deal) FROM deals WHERE table_id = ? AND first) ORDER BY deal",
            (table, table),
        )
        room.resume(
            deal,
            dealer,
            deck.split(),
            [row[0] for row in actions],
            [json.loads(row[0]) for row in paid],
            seq,
        )

    def records(self, table: str | None = None) -> Iterator[Record]:
        """Yields the finished deals as `marias-deal/1` records, oldest first.

        Each has the further keys `players` (a name or an agent's spec by seat), `seats` (who sat
        there: `{"kind": "person"}` or `{"kind": "agent", "agent": SPEC}`), `by` (who chose each
        action: `person`, `person+hint` after asking for advice, or a spec), `table` (a number that
        tells sittings apart), `deal`, `time`.

        Args:
            table: of one table only.
        """
        where = "" if table is None else "AND deals.table_id = ?"
        rows = self._db.execute(
            "SELECT tables.rowid, table_id, terms, deal, dealer, deck, payments, players, finished "
            "FROM deals JOIN tables ON id = table_id "
            f"WHERE payments IS NOT NULL {where} ORDER BY finished",
            () if table is None else (table,),
        )
        for number, table_id, terms, deal, dealer, deck, payments, players, finished in rows:
            actions = self._db.execute(
                "SELECT seat, action, by FROM actions WHERE table_id = ? AND deal = ? ORDER BY at",
                (table_id, deal),
            ).fetchall()
            head, seats = json.loads(terms), json.loads(players)
            yield {
                "format": FORMAT,
                "rules": head["rules"],
                "options": head["options"],
                "dealer": dealer,
                "deck": deck.split(),
                "actions": [[seat, ACTIONS[action]] for seat, action, _ in actions],
                "payments": json.loads(payments),
                "players": [seat.pop("name") for seat in seats],
                "seats": seats,
                "by": [by for _, _, by in actions],
                "table": number,
                "deal": deal,
                "time": round(finished, 3),
            }


class TableJournal(Journal):
    """Writes what happens at one table to the store.

    Args:
        store: the database.
        table: id of the table.
    """

    def __init__(self, store: Store, table: str) -> None:
        self._store = store
        self._table = table

    def terms(self, terms: Terms) -> None:
        """Somebody else stands in from now on."""
        self._store.write(
            "UPDATE tables SET terms = ? WHERE id = ?",
            (json.dumps(_terms_as_json(terms)), self._table),
        )

    def seat(self, seat: int, chair: Chair) -> None:
        """A chair has changed."""
        self._store.write(
            "INSERT OR REPLACE INTO seats (table_id, seat, kind, name, agent, token, host, away) "
            "VALUES (?,?,?,?,?,?,?,?)",
            (
                self._table,
                seat,
                chair.kind,
                chair.name,
                chair.agent,
                chair.token,
                chair.host,
                chair.was_away,
            ),
        )

    def dealt(self, deal: int, dealer: int, deck: Sequence[str], first_of_match: bool) -> None:
        """A deal begins, the first of a match or a later one."""
        self._store.write(
            "INSERT INTO deals (table_id, deal, dealer, deck, first) VALUES (?,?,?,?,?)",
            (self._table, deal, dealer, " ".join(deck), first_of_match),
        )

    def acted(self, deal: int, at: int, seat: int, action: int, by: str) -> None:
        """An action was taken, the `at`-th of the deal, by a person or an agent's spec."""
        self._store.write(
            "INSERT INTO actions (table_id, deal, at, seat, action, by) VALUES (?,?,?,?,?,?)",
            (self._table, deal, at, seat, action, by),
        )

    def finished(
        self, deal: int, payments: Sequence[int], players: Sequence[dict[str, str]]
    ) -> None:
        """A deal has ended; `players` tells who sat where: `kind`, `name`, of agents `agent`."""
        self._store.write(
            "UPDATE deals SET payments = ?, players = ?, finished = ? "
            "WHERE table_id = ? AND deal = ?",
            (json.dumps(list(payments)), json.dumps(list(players)), time.time(), self._table, deal),
        )


def _terms_as_json(terms: Terms) -> dict[str, Any]:
    preset, options = preset_and_options(terms.rules)
    match = terms.match
    return {
        "rules": preset,
        "options": options,
        "match": None if match is None else [match.deals, match.points],
        "spectators": terms.spectators,
        "hints": terms.hints,
        "stand_in": terms.stand_in,
    }


def _terms_from_json(saved: dict[str, Any]) -> Terms:
    match = saved["match"]
    return Terms(
        rules_with_options(saved["rules"], saved["options"]),
        None if match is None else Match(deals=match[0], points=match[1]),
        saved["spectators"],
        saved["hints"],
        saved["stand_in"],
    )
