"""A client that means no good: malformed, oversized, foreign, untimely, by the thousand."""

from __future__ import annotations

import json
import random
import tracemalloc
from typing import Any, get_args

import pytest

from marias_env.actions import ACTIONS
from marias_table.protocol import (
    MAX_MESSAGE,
    PROTOCOL,
    Entrance,
    ErrorCode,
    ProtocolError,
    Request,
    parse,
)
from tests.table.helpers import Client, House, in_a_loop, three

MESSAGES = [*get_args(Entrance), *get_args(Request)]
KINDS = [next(iter(get_args(kind.model_fields["type"].annotation))) for kind in MESSAGES]
FIELDS = [
    *sorted({field for kind in MESSAGES for field in kind.model_fields}),
    *("seats", "rules", "options", "match", "__proto__"),
]
CODES = {code.value for code in ErrorCode} - {"failed"}


def value(rng: random.Random, depth: int = 0) -> Any:
    """Anything that JSON can say, odd things more often than not."""
    kinds = 9 if depth < 3 else 7
    return [
        lambda: None,
        lambda: rng.choice([True, False]),
        lambda: rng.choice([0, 1, 2, -1, 3, 47, 2**31, 2**63, 10**40, -(2**70)]),
        lambda: rng.choice([0.5, 1e308, -0.0]),
        lambda: rng.choice(
            ["", "x", "rules", "os:system", "../../etc", "\x00", "🂡" * 9, "a" * 3000]
        ),
        lambda: rng.choice(ACTIONS),
        lambda: rng.choice(["me", "open", "token-00000001", PROTOCOL, "en", "cs"]),
        lambda: [value(rng, depth + 1) for _ in range(rng.randrange(5))],
        lambda: {name(rng): value(rng, depth + 1) for _ in range(rng.randrange(5))},
    ][rng.randrange(kinds)]()


def name(rng: random.Random) -> str:
    return rng.choice(FIELDS)


def message(rng: random.Random, known: list[str]) -> str:
    """One message: a mutilated good one, or nonsense."""
    style = rng.randrange(8)
    if style == 0:
        return "".join(chr(rng.randrange(32, 1000)) for _ in range(rng.randrange(200)))
    if style == 1:
        return rng.choice(["[" * 4000, '{"type":' * 900, "9" * 5000, "null", "{}", '"', "NaN"])
    if style == 2:
        return json.dumps(
            {"type": rng.choice(KINDS), "pad": "x" * (MAX_MESSAGE * rng.choice([1, 3]))}
        )
    fields = {name(rng): value(rng) for _ in range(rng.randrange(4))}
    said: dict[str, Any] = {"type": rng.choice(KINDS), **fields}
    if style in (3, 4):
        said.update(deal=rng.randrange(3), at=rng.randrange(40), action=rng.choice(ACTIONS))
        said["type"] = "action"
    if style == 5:
        said = {"type": rng.choice(KINDS), "protocol": PROTOCOL, "token": rng.choice(known)}
    if style == 6:
        said["protocol"] = PROTOCOL
        said["setup"] = {name(rng): value(rng) for _ in range(3)}
    text = json.dumps(said)
    if rng.random() < 0.2:
        at = rng.randrange(len(text))
        text = text[:at] + chr(rng.randrange(1, 200)) + text[at + rng.randrange(3) :]
    return text


HARMLESS = {"welcome", "pong", "update", "error", "hint", "closed"}


def test_thousands_of_bad_messages_change_nothing() -> None:
    async def test() -> None:
        house = House(seed=7)
        clients = await three(house)
        watcher = house.client()
        await watcher.enter("watch", watch=clients[0].link("watch"))
        live = next(iter(house.lobby._live.values()))
        room = live.room
        for client in clients:
            await client.hear()
        turn = clients[0].state["turn"]
        before = room.batch.deals[0].tobytes()
        # Who is not on turn and no host can change nothing of the deal, whatever he says.
        bad = next(c for c in clients if c.state["you"] != turn and not c.state["host"])
        known = [watcher.token or "x" * 9, clients[0].link("watch"), "y" * 24]
        rng = random.Random(1)
        grown = []
        tracemalloc.start()
        for count in range(6000):
            who: Client = (bad, watcher, house.client())[count % 3]
            text = message(rng, known)
            if '"leave"' in text and who is bad:
                continue  # allowed
            for told in await who.send(text):
                assert told["type"] in HARMLESS, told
                if told["type"] == "error":
                    assert told["code"] in CODES, (text[:300], told)
            if who not in (bad, watcher) and who.session.live is not None:
                who.drop()
            who.texts.clear()
            assert who.session.ended is None or who not in (bad, watcher), text[:300]
            assert room.batch.deals[0].tobytes() == before, text[:300]
            if count in (2000, 5999):
                house.lobby.tick()
                grown.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert room.place[1] == 0
        assert len(live.sessions) == 4
        # 4,000 messages later: what new tables took and some caches, no pile of messages.
        made = len(house.lobby._live)
        assert grown[1] - grown[0] < 1_500_000 + 60_000 * made, (grown, made)
        await house.close()

    in_a_loop(test())


def outcome(text: str) -> tuple[ErrorCode | None, str]:
    try:
        parse(text)
    except ProtocolError as error:
        return error.code, str(error)
    return None, ""


@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_a_protocol_error_comes_out_of_the_reader(seed: int) -> None:
    rng = random.Random(seed)
    read = 0
    for _ in range(3000):
        text = message(rng, ["z" * 24])
        code, told = outcome(text)
        assert code in (None, ErrorCode.BAD_MESSAGE, ErrorCode.UNSUPPORTED_PROTOCOL), told
        assert len(told) < 1000
        read += code is None
    assert read > 20
