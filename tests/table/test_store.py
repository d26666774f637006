"""The store: tables go on where they were, whatever ended the server."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from marias_env.cli import app
from marias_env.records import read_records, replay
from marias_table.limits import Limits
from marias_table.store import Store, StoreError
from tests.processes import PATIENCE, alive, children_of, wait_for
from tests.table.helpers import ALONE, House, error_of, in_a_loop, on_turn, play_out, three


def test_a_table_is_loaded_as_it_was_after_every_action(tmp_path: Path) -> None:
    async def test() -> None:
        for seed, preset in enumerate(("traditional", "online")):
            path = str(tmp_path / f"{preset}.sqlite")
            house = House(path, seed=seed)
            clients = await three(house, rules=preset, match={"deals": 3})
            rng = random.Random(seed)
            for count in range(150):
                client = await on_turn(clients)
                if client is None:
                    for someone in clients:
                        await someone.say("next")
                else:
                    await client.act(rng.choice(client.state["legal"])["action"])
                if count % 10:
                    continue
                # As if the server had been killed: nothing is closed, another one opens the file.
                for someone in clients:
                    await someone.hear()
                other = House(path, seed=100 + seed)
                for someone in clients:
                    again = other.client()
                    told = await again.enter("enter", token=someone.token)
                    assert told[0]["type"] == "welcome", told
                    expected = {**someone.state, "seq": 0, "seats": 0, "waiting_for": 0}
                    assert {**again.state, "seq": 0, "seats": 0, "waiting_for": 0} == expected
                    assert again.state["seq"] >= someone.state["seq"]
                    for mine, before in zip(again.state["seats"], someone.state["seats"]):
                        same = ("name", "hand", "cards", "tricks", "marriages", "total", "kind")
                        assert [mine[k] for k in same] == [before[k] for k in same]
                other.store.rollback()
                other.store._db.close()
            await house.close()

    in_a_loop(test())


def test_the_loaded_table_plays_on_with_the_same_score(tmp_path: Path) -> None:
    async def test() -> None:
        path = str(tmp_path / "tables.sqlite")
        history: list[list[int]] = []
        tokens: list[str] = []
        for evening in range(3):
            house = House(path, seed=evening)
            if not tokens:
                clients = await three(house, match={"deals": 9})
                tokens = [client.token for client in clients]
            else:
                clients = [house.client() for _ in range(3)]
                for client, token in zip(clients, tokens):
                    await client.enter("enter", token=token)
                assert clients[0].state["history"] == history
                for client in clients:
                    await client.say("next")
            await play_out(clients, lambda state: state["legal"][-1]["action"])
            history = clients[0].state["history"]
            assert len(history) == evening + 1
            totals = [sum(column) for column in zip(*history)]
            assert [seat["total"] for seat in clients[0].state["seats"]] == totals
            await house.close()
        records = list(Store(path).records())
        dealers = [record["dealer"] for record in records]
        assert dealers == [(dealers[0] + i) % 3 for i in range(3)]

    in_a_loop(test())


def test_a_write_that_fails_leaves_the_table_as_it_is_written(monkeypatch: Any) -> None:
    async def test() -> None:
        house = House(seed=1)
        clients = await three(house)
        client = await on_turn(clients)
        assert client is not None
        write = house.store.write
        at = client.state["at"]

        def full(sql: str, values: Any = ()) -> None:
            if "actions" in sql:
                raise StoreError("database or disk is full")
            write(sql, values)

        monkeypatch.setattr(house.store, "write", full)
        assert error_of(await client.act(client.state["legal"][0]["action"])) == "failed"
        assert client.session.ended is not None
        monkeypatch.setattr(house.store, "write", write)
        again = house.client()
        await again.enter("enter", token=client.token)
        assert again.state["at"] == at
        assert not error_of(await again.act(again.state["legal"][0]["action"]))
        assert again.state["at"] == at + 1
        await house.close()

    in_a_loop(test())


def test_the_log_is_moved_into_the_file_beside_the_game(tmp_path: Path) -> None:
    async def test() -> None:
        path = tmp_path / "tables.sqlite"
        house = House(str(path))
        clients = await three(house)
        await play_out(clients, lambda state: state["legal"][0]["action"])
        before = path.stat().st_size
        assert (tmp_path / "tables.sqlite-wal").stat().st_size > 20_000
        await asyncio.to_thread(house.store.checkpoint)
        assert path.stat().st_size > before
        with sqlite3.connect(path) as other:
            assert other.execute("SELECT COUNT(*) FROM deals").fetchone() == (1,)
        await house.close()

    in_a_loop(test())


def test_idle_tables_are_closed_and_their_deals_kept() -> None:
    async def test() -> None:
        house = House(limits=Limits(idle_hours=1.0, unload=0.0))
        clients = await three(house)
        await play_out(clients, lambda state: state["legal"][0]["action"])
        house.store._db.execute("UPDATE tables SET touched = touched - 4000")
        house.lobby.close_idle()
        told = await clients[0].hear()
        assert told[-1]["reason"] == "idle"
        assert house.lobby.tables == 0
        again = house.client()
        assert error_of(await again.enter("enter", token=clients[0].token)) == "bad_token"
        assert len(list(house.store.records())) == 1
        await house.close()

    in_a_loop(test())


def test_the_host_closes_a_table() -> None:
    async def test() -> None:
        house = House()
        clients = await three(house)
        await clients[0].say("close") if clients[0].state["host"] else None
        host = next(c for c in clients if c.state["host"])
        await host.say("close")
        for client in clients:
            await client.hear()
            assert json.loads(client.texts[-1])["reason"] == "host"
        assert house.lobby.tables == 0
        await house.close()

    in_a_loop(test())


def test_tables_that_nobody_is_at_leave_the_memory_and_come_back() -> None:
    async def test() -> None:
        house = House(limits=Limits(unload=0.0))
        client = house.client()
        await client.enter(setup=ALONE)
        client.drop()
        await asyncio.sleep(0.01)
        house.lobby.tick()
        assert not house.lobby._live
        assert house.lobby.tables == 1
        again = house.client()
        await again.enter("enter", token=client.token)
        assert again.state["legal"] == client.state["legal"]
        await house.close()

    in_a_loop(test())


def test_files_that_are_no_stores_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("not a database, but long enough to be looked at " * 40)
    with pytest.raises(StoreError, match=r"text\.sqlite"):
        Store(text)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE t (x)")
        db.execute("PRAGMA user_version = 7")
    with pytest.raises(StoreError, match="version 7"):
        Store(other)
    with pytest.raises(StoreError):
        Store(tmp_path / "no" / "folder.sqlite")


class Server:
    """`marias serve` in a process of its own."""

    def __init__(self, path: Path, port: int = 0) -> None:
        command = [sys.executable, "-m", "marias_env.cli", "serve", "--db", str(path)]
        command += ["--port", str(port), "--no-open", "--agent", "rules", "--adviser", "rules"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "http://" in line, line
        self.url = line.split()[4]

    def connect(self, origin: Origin | None = None) -> ClientConnection:
        address = self.url.replace("http", "ws") + "ws"
        return connect(address, open_timeout=PATIENCE, origin=origin)

    def health(self) -> dict[str, Any]:
        with urllib.request.urlopen(self.url + "api/health", timeout=PATIENCE) as answer:
            found: dict[str, Any] = json.loads(answer.read())
        return found

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    found: list[Server] = []
    yield found
    for server in found:
        server.kill()


def talk(socket: ClientConnection, **message: Any) -> dict[str, Any]:
    socket.send(json.dumps(message))
    answer: dict[str, Any] = json.loads(socket.recv(timeout=PATIENCE))
    return answer


def test_a_killed_server_goes_on_in_the_middle(tmp_path: Path, servers: list[Server]) -> None:
    path = tmp_path / "tables.sqlite"
    servers.append(Server(path))
    protocol = "marias-table/1"
    with servers[-1].connect() as socket:
        told = talk(socket, type="create", protocol=protocol, name="Eva")
        token, state = told["token"], told["state"]
        for _ in range(9):
            place = {"deal": state["deal"], "at": state["at"]}
            told = talk(socket, type="action", action=state["legal"][0]["action"], **place)
            state = told["state"]
            if state["phase"] == "OVER":
                state = talk(socket, type="next")["state"]
        workers = children_of(servers[-1].process.pid)
        servers[-1].kill()  # SIGKILL, in the middle of a connection
    wait_for(lambda: not alive(workers))  # they do not outlive their server
    servers.append(Server(path))
    with servers[-1].connect() as socket:
        told = talk(socket, type="enter", protocol=protocol, token=token, since=state["seq"])
        assert told["type"] == "welcome"
        again = told["state"]
        for key in ("deal", "at", "legal", "calls", "tricks", "history", "trump", "phase"):
            assert again[key] == state[key], key
        while again["phase"] != "OVER":
            place = {"deal": again["deal"], "at": again["at"]}
            again = talk(socket, type="action", action=again["legal"][0]["action"], **place)[
                "state"
            ]
    servers[-1].process.send_signal(signal.SIGTERM)
    assert servers[-1].process.wait(timeout=PATIENCE) == 0
    output = tmp_path / "deals.jsonl"
    result = CliRunner().invoke(app, ["serve", "--db", str(path), "--export", str(output)])
    assert result.exit_code == 0, result.output
    records = read_records(output)
    assert records[-1]["payments"] == again["result"]["payments"]
    assert records[-1]["players"] == ["Eva", "rules", "rules"]
    assert replay(records[-1]).turn[0] == -1
    assert time.time() - records[-1]["time"] < 3600


def test_a_server_survives_what_no_browser_does(tmp_path: Path, servers: list[Server]) -> None:
    servers.append(Server(tmp_path / "tables.sqlite"))
    host, port = servers[-1].url.split("/")[2].split(":")
    for raw in (
        b"\x00" * 1000,
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000,
    ):
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as broken:
            broken.sendall(raw)
    for text in ("x" * 1_000_000, b"\xff\xfe"):
        with servers[-1].connect() as connection:
            connection.send(text)
            with pytest.raises(ConnectionClosed) as ended:
                connection.recv(timeout=PATIENCE)
            assert ended.value.rcvd is not None
            assert ended.value.rcvd.code == (1009 if isinstance(text, str) else 1003)
    with pytest.raises(InvalidStatus) as refused:
        servers[-1].connect(origin=Origin("http://evil.example"))
    assert refused.value.response.status_code == 403
    with servers[-1].connect() as connection:
        told = talk(connection, type="create", protocol="marias-table/1")
        assert told["type"] == "welcome"
    # The server hears of the connections' end after we have closed them.
    wait_for(lambda: servers[-1].health()["sockets"] == 0)
    assert servers[-1].health() == {"ok": True, "tables": 1, "sockets": 0}


def test_the_bot_of_the_page_plays_a_deal(tmp_path: Path, servers: list[Server]) -> None:
    servers.append(Server(tmp_path / "tables.sqlite"))
    page = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
    code = page.partition("## A bot")[2].partition("```text\n")[2].partition("```")[0]
    assert "ws://127.0.0.1:8765/" in code
    code = code.replace("ws://127.0.0.1:8765/", servers[-1].url.replace("http", "ws"))
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert "V = " in told.stdout


def test_export_of_a_missing_file_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "missing.sqlite"
    arguments = ["serve", "--db", str(path), "--export", str(tmp_path / "deals.jsonl")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert not path.exists()
