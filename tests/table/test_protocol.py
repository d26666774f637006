"""The protocol's page, the messages that are read, and the messages that are sent are one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from marias_table import messages
from marias_table.protocol import (
    MAX_MESSAGE,
    MAX_TOLD,
    PROTOCOL,
    Entrance,
    ErrorCode,
    ProtocolError,
    Request,
    parse,
)
from tests.table.helpers import House, in_a_loop, three

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
CODE = set(re.findall(r"`(\w+)`", PAGE))


def test_the_page_names_every_message_field_and_error() -> None:
    for kind in (*get_args(Entrance), *get_args(Request)):
        (name,) = get_args(kind.model_fields["type"].annotation)
        row = re.search(rf"^\| `{name}` \|.*$", PAGE, re.MULTILINE)
        assert row, name
        for field in set(kind.model_fields) - {"type", "protocol", "id"}:
            assert f"`{field}`" in row[0] or f'"{field}"' in row[0], (name, field)
    for code in ErrorCode:
        if code is not ErrorCode.FAILED:
            assert code.value in CODE
    for field in (*messages.State.__annotations__, *messages.SeatState.__annotations__):
        assert field in CODE, field
    assert str(MAX_MESSAGE) in PAGE


def test_what_is_sent_has_the_shapes_that_are_written_down() -> None:
    shapes: dict[str, Any] = {
        "seats": messages.SeatState,
        "legal": messages.Choice,
        "calls": messages.CallState,
        "tricks": messages.TrickState,
        "stakes": messages.StakeState,
    }
    seen: set[str] = set()
    kinds: set[str] = set()

    async def test() -> None:
        house = House(seed=11)
        clients = await three(house, match="standard")
        for _ in range(400):
            for client in clients:
                await client.hear()
                for text in client.texts:
                    message = json.loads(text)
                    kinds.update(event["kind"] for event in message.get("events", []))
                    state = message.get("state")
                    if state is None:
                        continue
                    assert set(state) == set(messages.State.__annotations__)
                    for name, shape in shapes.items():
                        for part in state[name]:
                            assert set(part) == set(shape.__annotations__), name
                            seen.add(name)
                    for part in state["forbidden"].values():
                        assert set(part) == set(messages.Forbidden.__annotations__)
                    if state["result"]:
                        assert set(state["result"]) == set(messages.Result.__annotations__)
                        seen.add("result")
                    if state["match"]:
                        assert set(state["match"]) == set(messages.MatchState.__annotations__)
                client.texts.clear()
            turn = clients[0].state["turn"]
            if turn is None:
                if clients[0].state["match"]["over"]:
                    break
                for client in clients:
                    await client.say("next")
            else:
                await clients[turn].act(clients[turn].state["legal"][0]["action"])
        await house.close()

    in_a_loop(test())
    assert seen == {*shapes, "result"}
    assert kinds >= {"deal", "action", "trick", "trump_shown", "over", "match_over"}
    for kind in kinds:
        assert kind in CODE, kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '"create"',
        "{}",
        '{"type": 1}',
        '{"type": "action"}',
        '{"type": "action", "deal": 1, "at": -1, "action": "Qh"}',
        '{"type": "action", "deal": "1", "at": 1, "action": "Qh"}',
        '{"type": "action", "deal": 1.0, "at": 1, "action": "Qh"}',
        '{"type": "action", "deal": 1, "at": 1, "action": "Qh", "more": 1}',
        '{"type": "ping", "id": 1e999}',
        '{"type": "ping", "id": NaN}',
        '{"type": "ping"} {"type": "ping"}',
        '{"type": "language", "language": "de"}',
        '{"type": "seat", "seat": 3, "agent": null}',
        "[" * 8000,
    ],
)
def test_malformed_messages_are_refused(text: str) -> None:
    with pytest.raises(ProtocolError) as refused:
        parse(text)
    assert refused.value.code is ErrorCode.BAD_MESSAGE
    assert 0 < len(str(refused.value)) <= MAX_TOLD


def test_seats_of_a_new_table() -> None:
    def setup(*seats: Any) -> str:
        return json.dumps({"type": "create", "protocol": PROTOCOL, "setup": {"seats": seats}})

    assert parse(setup("me", "open", {"agent": "rules"}))
    for wrong in [("me",), ("me", "open", "you"), ("me", "open", {"agent": 1}), ("me",) * 4]:
        with pytest.raises(ProtocolError):
            parse(setup(*wrong))
