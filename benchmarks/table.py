"""The table's server under load: people at many tables, then a kill, and everybody goes on.

    python benchmarks/table.py [--tables 500] [--seconds 60] [--quick]

Each table has one person and two `rules` agents; each person acts once a second. The server runs on
one core, the clients on another if there is one. An answer is the update that holds what the agents
did after the person's action. Then the server is killed (SIGKILL) in the middle, started anew on
the same file, and every person comes back: nothing may be missing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from benchmarks.measure import machine
from benchmarks.report import machine_line, markdown_table, write_atomically

RESULTS = Path(__file__).parent / "results"
PROTOCOL = "marias-table/1"
WITHIN = 0.050
"""Goal: 99 % of the answers within so many seconds."""


class Server:
    """`marias serve` on one core."""

    def __init__(self, path: Path, tables: int) -> None:
        command = [sys.executable, "-m", "marias_env.cli", "serve", "--no-open", "--db", str(path)]
        command += ["--port", "0", "--agent", "rules", "--adviser", "rules"]
        command += ["--max-tables", str(tables), "--max-sockets", str(tables + 10)]
        command += ["--per-address", str(tables + 10)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[4].replace("http", "ws") + "ws"
        if hasattr(os, "sched_setaffinity"):
            for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
                os.sched_setaffinity(int(thread.name), {0})

    def memory(self) -> float:
        """Resident megabytes now; NaN where the system does not tell."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        return float("nan")

    def cpu(self) -> float:
        """CPU seconds so far; NaN where the system does not tell."""
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return float("nan")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class Person:
    """One person at a table of his own."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(number)
        self.token = ""
        self.state: dict[str, Any] = {}
        self.times: list[float] = []
        self.deals = 0
        self._socket: ClientConnection | None = None
        self._number = 0

    async def enter(self, url: str) -> dict[str, Any]:
        """Makes the table, or comes back to it; returns the state there."""
        self._socket = await connect(url, open_timeout=120, compression=None, ping_interval=None)
        kind = {"type": "enter", "token": self.token} if self.token else {"type": "create"}
        await self._socket.send(json.dumps({**kind, "protocol": PROTOCOL, "id": 0}))
        told = json.loads(await self._socket.recv())
        assert told["type"] == "welcome", told
        self.token = told["token"] or self.token
        state: dict[str, Any] = told["state"]
        return state

    async def play(self, until: float) -> None:
        """Acts once a second; returns when it is time or the server is gone."""
        assert self._socket is not None
        await asyncio.sleep(self.rng.random())
        try:
            while time.monotonic() < until:
                begin = time.monotonic()
                await self._act(self._socket)
                await asyncio.sleep(max(0.0, begin + 1.0 - time.monotonic()))
        except ConnectionClosed:
            return

    async def _act(self, socket: ClientConnection) -> None:
        self._number += 1
        said: dict[str, Any] = {"type": "next", "id": self._number}
        if self.state["phase"] != "OVER":
            action = self.rng.choice(self.state["legal"])["action"]
            place = {"deal": self.state["deal"], "at": self.state["at"]}
            said = {**said, "type": "action", "action": action, **place}
        else:
            self.deals += 1
        begin = time.monotonic()
        await socket.send(json.dumps(said))
        while True:
            told = json.loads(await socket.recv())
            assert told["type"] == "update", told
            self.state = told["state"]
            if self._number in told["re"]:
                break
        self.times.append(time.monotonic() - begin)

    async def leave(self) -> None:
        if self._socket is not None:
            await self._socket.close()


async def run(tables: int, seconds: float, path: Path, settle: float) -> dict[str, Any]:
    """Measures; returns the figures."""
    server = Server(path, tables)
    if hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(0, os.sched_getaffinity(0) - {0})
    await asyncio.sleep(settle)  # until the workers are ready and leave the cores alone
    empty = server.memory()
    people = [Person(number) for number in range(tables)]
    for person in people:
        person.state = await person.enter(server.url)
    cpu, begin = server.cpu(), time.monotonic()
    playing = [asyncio.create_task(p.play(begin + seconds + 5)) for p in people]
    await asyncio.sleep(seconds)
    used = (server.cpu() - cpu) / (time.monotonic() - begin)
    full = server.memory()
    server.kill()  # in the middle: actions are on their way
    await asyncio.gather(*playing)
    times = sorted(t for person in people for t in person.times)
    again = Server(path, tables)
    lost = 0
    begin = time.monotonic()
    for person in people:
        state = await person.enter(again.url)
        # What was answered is there; an action whose answer did not come may be.
        seen = (person.state["deal"], person.state["at"], person.state["history"])
        lost += (state["deal"], state["at"]) < seen[:2]
        lost += state["history"][: len(seen[2])] != seen[2] and state["deal"] == seen[0]
        person.state = state
    back = time.monotonic() - begin
    before = [len(person.times) for person in people]
    await asyncio.gather(*(person.play(time.monotonic() + 3) for person in people))
    go_on = sum(len(person.times) > count for person, count in zip(people, before))
    for person in people:
        await person.leave()
    again.kill()
    return {
        "tables": tables,
        "seconds": seconds,
        "answers": len(times),
        "median": times[len(times) // 2],
        "p99": times[int(len(times) * 0.99)],
        "worst": times[-1],
        "deals": sum(person.deals for person in people),
        "core": used,
        "memory": full,
        "memory_per_table": (full - empty) / tables,
        "lost": lost,
        "back": back,
        "go_on": go_on,
    }


def report(found: dict[str, Any]) -> str:
    """Returns the figures as a page."""
    tables = found["tables"]
    rows = [
        ("99 % of answers within", f"{found['p99'] * 1000:.1f} ms", f"≤ {WITHIN * 1000:.0f} ms"),
        ("half of them within", f"{found['median'] * 1000:.1f} ms", ""),
        ("slowest answer", f"{found['worst'] * 1000:.1f} ms", ""),
        ("answers, deals finished", f"{found['answers']}, {found['deals']}", ""),
        ("server's core in use", f"{found['core']:.0%}", ""),
        ("memory of the server", f"{found['memory']:.0f} MB", ""),
        ("memory per table and person", f"{found['memory_per_table'] * 1024:.0f} kB", ""),
        ("tables with something lost by SIGKILL", str(found["lost"]), "0"),
        ("tables that go on afterwards", str(found["go_on"]), str(tables)),
        ("all back within", f"{found['back']:.1f} s", ""),
    ]
    return (
        "# The table under load\n\n"
        f"Made by `python benchmarks/table.py --tables {tables} --seconds {found['seconds']:g}`: "
        f"{tables} tables over the loopback interface, each of one person and two `rules` agents, "
        "an action a second each, the server on one core.\n\n"
        f"{machine_line(machine(), ('uvicorn', 'websockets', 'starlette'))}\n\n"
        f"{markdown_table(('', 'measured', 'goal'), rows)}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs it; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--quick", action="store_true", help="20 tables for 5 seconds")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is missed")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the report")
    given = parser.parse_args(arguments)
    tables, seconds = (20, 5.0) if given.quick else (given.tables, given.seconds)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(
            run(tables, seconds, Path(folder) / "tables.sqlite", 1 if given.quick else 20)
        )
    text = report(found)
    print(text)
    out: Path = given.out or (RESULTS / "quick" if given.quick else RESULTS)
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "table.md", text)
    sound = not found["lost"] and found["go_on"] == tables
    if given.check and not (sound and found["p99"] <= WITHIN):
        print("goals missed", file=sys.stderr)
        return 1
    return 0 if sound else 1


if __name__ == "__main__":
    raise SystemExit(main())
