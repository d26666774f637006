"""The server over HTTP and WebSocket: pages, origins, limits."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from marias_env.records import validate
from marias_env.rules import RULES, Rules, rules_with_options
from marias_env.showing.phrases import phrases
from marias_table.app import make_app
from marias_table.limits import Limits, Offer
from marias_table.protocol import MAX_MESSAGE, PROTOCOL
from tests.table.helpers import ALONE, House

HOST = "http://localhost:8765"
SOCKET = "ws://localhost:8765/ws"


@pytest.fixture
def limits() -> Limits:
    return Limits()


@pytest.fixture
def web(limits: Limits) -> Iterator[TestClient]:
    house = House(limits=limits, offer=Offer(("rules", "random")))
    app = make_app(house.lobby, ["marias.example"])
    with TestClient(app, base_url=HOST) as client:
        yield client


def create(socket: Any, **more: Any) -> dict[str, Any]:
    socket.send_json({"type": "create", "protocol": PROTOCOL, "setup": ALONE, **more})
    told: dict[str, Any] = socket.receive_json()
    return told


@pytest.mark.parametrize("language", ["en", "cs"])
def test_the_form_describes_every_option_and_its_answers_are_taken(
    web: TestClient, language: str
) -> None:
    form = web.get("/api/form", params={"language": language}).json()
    fields = {field["name"]: field for field in form["fields"]}
    assert set(fields) == {field.name for field in dataclasses.fields(Rules)}
    for preset in form["presets"]:
        assert rules_with_options(preset["name"], preset["values"]) == RULES[preset["name"]]
    for name, field in fields.items():
        assert field["label"] == phrases(language)[f"option_{name}"]
        given: list[Any] = []
        if field["kind"] == "bool":
            given = [True, False]
        elif field["kind"] == "choice":
            given = [choice["value"] for choice in field["choices"]]
        elif field["kind"] in ("int", "optional_int"):
            given = [field["min"], field["max"]]
        elif field["kind"] == "tariff":
            given = [{choice["value"]: field["max"] for choice in field["choices"]}]
        else:
            given = ["".join(choice["value"] for choice in field["choices"])]
        for value in given:
            rules_with_options("traditional", {name: value})
    assert [agent["spec"] for agent in form["agents"]] == ["rules", "random"]
    assert form["match"]["standard"]["online"] == {"deals": 20, "points": 20}


def test_words_rules_cards_and_health(web: TestClient) -> None:
    assert web.get("/api/words?language=cs").json() == phrases("cs")
    assert web.get("/api/words?language=xx").json() == phrases("en")
    told = web.get("/api/rules", params={"rules": "online", "options": '{"max_doublings": 1}'})
    assert all(set(part) == {"title", "lines"} for part in told.json())
    for options in ("[", "[]", '{"x": 1}', '{"max_doublings": 99}', "[" * 5000):
        refused = web.get("/api/rules", params={"options": options})
        assert refused.status_code == 400
        assert refused.json()["code"] == "bad_rules"
    sheet = web.get("/cards/german.svg")
    assert sheet.headers["content-type"] == "image/svg+xml"
    assert sheet.headers["content-encoding"] == "gzip"
    assert web.get("/cards/x.svg").status_code == 404
    assert web.get("/api/health").json()["ok"]


def test_what_has_not_changed_is_not_sent_again(web: TestClient) -> None:
    for path in ("/cards/french.svg", "/api/words", "/api/form"):
        first = web.get(path)
        again = web.get(path, headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304, path
        assert not again.content


def test_every_place_of_the_page_is_the_page_and_nothing_else_is(web: TestClient) -> None:
    first = web.get("/")
    if first.status_code == 200:
        assert web.get("/table").text == first.text
    for path in ("/api/nothing", "/js/nothing.js", "/../store.py", "/%2e%2e/store.py"):
        assert web.get(path).status_code == 404, path


def test_pages_are_hardened(web: TestClient) -> None:
    for path in ("/api/form", "/nothing/here", "/"):
        headers = web.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost:8765", True),
        ("127.0.0.1:8765", True),
        ("[::1]:8765", True),
        ("192.168.1.7", True),
        ("marias.example", True),
        ("MARIAS.example:443", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("", False),
        ("[", False),
    ],
)
def test_foreign_names_are_refused(web: TestClient, host: str, allowed: bool) -> None:
    answer = web.get("/api/health", headers={"host": host})
    assert answer.status_code == (200 if allowed else 403)


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        ("http://localhost:8765", True),
        ("https://localhost:8765", True),
        ("http://localhost:9999", False),
        ("http://evil.example", False),
        ("null", False),
    ],
)
def test_pages_of_another_origin_get_no_socket(
    web: TestClient, origin: str | None, allowed: bool
) -> None:
    headers = {} if origin is None else {"origin": origin}
    if allowed:
        with web.websocket_connect(SOCKET, headers=headers) as socket:
            assert create(socket)["type"] == "welcome"
    else:
        with pytest.raises(WebSocketDisconnect), web.websocket_connect(SOCKET, headers=headers):
            pass


def test_finished_deals_are_told_to_who_sits_there(web: TestClient) -> None:
    with web.websocket_connect(SOCKET) as socket:
        told = create(socket, name="Eva")
        token, state = told["token"], told["state"]
        while state["phase"] != "OVER":
            place = {"deal": state["deal"], "at": state["at"]}
            action = state["legal"][0]["action"]
            socket.send_json({"type": "action", "action": action, **place})
            state = socket.receive_json()["state"]
        answer = web.get("/api/records", headers={"authorization": f"Bearer {token}"})
        lines = answer.text.splitlines()
        assert len(lines) == 1
        record = json.loads(lines[0])
        validate(record)
        assert record["seats"][1] == {"kind": "agent", "agent": "rules"}
    for wrong in ("", "Bearer", "Bearer x", f"Basic {token}", told["links"]["watch"]):
        assert web.get("/api/records", headers={"authorization": wrong}).status_code == 401


@pytest.mark.parametrize("limits", [Limits(sockets=2, sockets_per_address=2)])
def test_a_full_server_says_so(web: TestClient) -> None:
    with web.websocket_connect(SOCKET) as first, web.websocket_connect(SOCKET) as second:
        assert create(first)["type"] == "welcome"
        assert create(second)["type"] == "welcome"
        with web.websocket_connect(SOCKET) as third:
            assert third.receive_json()["code"] == "too_many_sockets"
            with pytest.raises(WebSocketDisconnect) as ended:
                third.receive_json()
            assert ended.value.code == 1013
    with web.websocket_connect(SOCKET) as again:
        assert create(again)["type"] == "welcome"
    assert web.get("/api/health").json()["sockets"] == 0


@pytest.mark.parametrize("limits", [Limits(tables=2), Limits(tables_per_address=2)])
def test_no_more_tables_than_allowed(web: TestClient) -> None:
    for number in range(3):
        with web.websocket_connect(SOCKET) as socket:
            told = create(socket)
            assert told.get("code") == (None if number < 2 else "too_many_tables")
    assert web.get("/api/health").json()["tables"] == 2


@pytest.mark.parametrize("limits", [Limits(messages_per_second=0.01, burst=10)])
def test_who_talks_too_fast_is_not_heard_and_then_ended(web: TestClient) -> None:
    with web.websocket_connect(SOCKET) as socket:
        create(socket)
        codes: list[str | None] = []

        def go_on() -> None:
            for _ in range(400):
                socket.send_json({"type": "ping"})
                codes.append(socket.receive_json().get("code"))

        with pytest.raises(WebSocketDisconnect) as ended:
            go_on()
        assert codes[0] is None
        assert codes[-1] == "too_fast"
        assert ended.value.code == 1008


def test_an_entrance_that_fails_ends_the_connection(web: TestClient) -> None:
    for text, code in [
        ("nonsense", "bad_message"),
        ('{"type": "ping"}', "not_entered"),
        (json.dumps({"type": "create", "protocol": "marias-table/9"}), "unsupported_protocol"),
        (json.dumps({"type": "enter", "protocol": PROTOCOL, "token": "x" * 24}), "bad_token"),
        ("x" * (MAX_MESSAGE + 1), "bad_message"),
    ]:
        with web.websocket_connect(SOCKET) as socket:
            socket.send_text(text)
            assert socket.receive_json()["code"] == code
            with pytest.raises(WebSocketDisconnect):
                socket.receive_json()
    with web.websocket_connect(SOCKET) as socket:
        socket.send_bytes(b"\x00\xff")
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_json()
        assert ended.value.code == 1003
