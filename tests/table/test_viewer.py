"""The server of `marias view`, the files that it exports, and what the command refuses."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from marias_agents import make
from marias_agents.action_values import action_values
from marias_env.actions import ACTIONS, OVER, PLAY
from marias_env.cards import card_id
from marias_env.cli import app
from marias_env.records import each_position, record_of, replay, write_records
from marias_table.agents import AgentPool
from marias_table.cli_view import split_specs
from marias_table.film import film, names_of
from marias_table.share import share_html
from marias_table.view import EVERYTHING
from marias_table.viewer import make_viewer
from tests.agents.agent_cases import played
from tests.hidden import permuted, put

HOST = "http://localhost:8766"
SPECS = ("rules", "random")


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    found = [played(preset, 5) for preset in ("traditional", "online", "additive")]
    found[1]["players"] = ["Eva", "rules", "rules"]
    return found


@pytest.fixture
def web(records: list[dict[str, Any]]) -> Iterator[TestClient]:
    viewer = make_viewer(records, "deals.jsonl", SPECS, AgentPool(SPECS, ahead=False))
    with TestClient(viewer, base_url=HOST) as client:
        yield client


def test_it_tells_of_the_file_and_serves_the_page(web: TestClient) -> None:
    told = web.get("/api/file").json()
    assert told == {
        "name": "deals.jsonl", "deals": 3, "first": 0, "agents": list(SPECS), "language": "en",
    }  # fmt: skip
    page = web.get("/")
    assert "js/viewer.js" in page.text
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert web.get("/js/viewer.js").status_code == 200
    assert web.get("/api/words?language=cs").json()["view_on"] == "O krok dál"


@pytest.mark.parametrize("index", range(3))
def test_each_state_is_that_of_its_position(
    web: TestClient, records: list[dict[str, Any]], index: int
) -> None:
    record = records[index]
    states = web.get("/api/film", params={"index": index, "eyes": 0}).json()
    assert len(states) == len(record["actions"]) + 1
    for at, (state, batch) in enumerate(zip(states, each_position(record))):
        assert state["at"] == at
        assert state["turn"] == (int(batch.turn[0]) if batch.turn[0] >= 0 else None)
        for seat in range(3):
            held = sum(1 << card_id(card) for card in state["seats"][seat]["hand"] or [])
            assert held == int(batch.deals["hands"][0, seat])
    assert states[-1]["result"]["payments"] == record["payments"]
    assert [state["result"] for state in states[:-1]] == [None] * (len(states) - 1)


def test_a_seats_film_holds_what_the_seat_knows(records: list[dict[str, Any]]) -> None:
    rng, compared = np.random.default_rng(3), 0
    for record in records:
        for seat in range(3):
            for state in film(record, seat, "en")[:-1]:
                assert state["you"] == seat
                others = [s["hand"] for s in state["seats"] if s["seat"] != seat]
                assert not any(others) or "open" in str(state["contract"])
            for batch in list(each_position(record))[:-1:5]:
                other = permuted(batch.deals[0], seat, batch.rules, rng)
                if other is None:
                    continue
                copy = batch.copy()
                put(copy.deals, 0, other)
                swapped = record_of(copy)
                try:
                    replay(swapped)
                except ValueError:
                    continue  # somebody could not have put that away, or chosen it
                assert film(swapped, seat, "en") == film(record_of(batch), seat, "en")
                assert film(swapped, EVERYTHING, "en") != film(record_of(batch), EVERYTHING, "en")
                compared += 1
    assert compared > 10


def test_values_and_agents_of_every_position(
    web: TestClient, records: list[dict[str, Any]]
) -> None:
    agent = make("rules")
    for at, batch in enumerate(each_position(records[0])):
        place = {"index": 0, "at": at}
        told = web.get("/api/options", params=place).json()
        assert told["values"] == action_values(batch)
        legal = int(batch.legal_bits[0])
        assert [c["action"] for c in told["legal"]] == [
            ACTIONS[a] for a in range(48) if legal >> a & 1
        ]
        advice = web.get("/api/advice", params={**place, "agent": 0})
        if batch.phase[0] == OVER:
            assert told["taken"] is None
            assert advice.status_code == 400
            continue
        assert told["taken"] == records[0]["actions"][at][1]
        views = batch.views()
        chosen = int(agent.act(views, views.legal_mask())[0])
        assert advice.json()["action"] == ACTIONS[chosen]
        assert advice.json()["agent"] == "rules"


@pytest.mark.parametrize(
    "query",
    [
        "film?index=3&eyes=0", "film?index=-1&eyes=0", "film?index=0&eyes=4", "film?eyes=0",
        "options?index=0&at=9999", "options?index=0&at=x", "options?index=%D9%A1&at=0",
        "advice?index=0&at=0&agent=2", "advice?index=0&at=0", "record?index=99999999999999999999",
    ],
)  # fmt: skip
def test_places_that_there_are_not_are_refused(web: TestClient, query: str) -> None:
    answer = web.get(f"/api/{query}")
    assert answer.status_code == 400
    assert answer.json()["code"] == "bad_message"


def test_other_pages_and_names_get_nothing(web: TestClient) -> None:
    assert web.get("/api/file", headers={"origin": "http://evil.example"}).status_code == 403
    assert web.get("/api/file", headers={"host": "evil.example"}).status_code == 403


def test_an_agent_that_fails_is_told_and_the_rest_goes_on(records: list[dict[str, Any]]) -> None:
    spec = "tests.table.bad_agents:Raising"
    at = next(n for n, batch in enumerate(each_position(records[0])) if batch.phase[0] == PLAY)
    pool = AgentPool((spec,), ahead=False)
    viewer = make_viewer(records, "deals.jsonl", (spec, "rules"), pool)
    with TestClient(viewer, base_url=HOST) as web:
        failed = web.get(f"/api/advice?index=0&at={at}&agent=0")
        assert failed.status_code == 500
        assert failed.json()["code"] == "failed"
        assert "out of ideas" in failed.json()["message"]
        assert web.get(f"/api/advice?index=0&at={at}&agent=1").status_code == 200


def test_who_sat_where(records: list[dict[str, Any]]) -> None:
    assert names_of(records[1], "en") == ["Eva", "rules (2)", "rules (3)"]
    assert names_of(records[0], "cs") == ["hráč 0", "hráč 1", "hráč 2"]
    assert names_of({"agents": ["a", "b", "c"]}, "en") == ["a", "b", "c"]
    for odd in ("abc", ["a", "b"], [1, 2, 3], None):
        assert names_of({"players": odd}, "en") == ["player 0", "player 1", "player 2"]


def test_a_shared_file_holds_everything_and_asks_for_nothing(records: list[dict[str, Any]]) -> None:
    record = {**records[1], "note": "</script><script>alert(1)</script>"}
    seen: list[tuple[int, int]] = []
    text = share_html(record, SPECS, "cs", lambda done, of: seen.append((done, of)))
    assert seen[-1] == (len(record["actions"]) + 1,) * 2
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "alert(1)" not in text
    (packed,) = re.findall(r'<script type="text/plain" id="shared">([^<]+)</script>', text)
    held = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert held["record"] == record
    assert held["language"] == "cs"
    for language in ("en", "cs"):
        for eyes, receiver in enumerate((EVERYTHING, 0, 1, 2)):
            assert held["films"][language][eyes] == film(record, receiver, language)
        assert len(held["options"][language]) == len(record["actions"]) + 1
        for at, batch in enumerate(each_position(record)):
            assert held["options"][language][at]["values"] == action_values(batch)
            asked = [] if batch.phase[0] == OVER else list(SPECS)
            assert [told["agent"] for told in held["advice"][language][at]] == asked
    assert text == share_html(record, SPECS, "cs")


def test_lists_of_agents() -> None:
    assert split_specs(["rules,pimc:3"]) == ["rules", "pimc:3"]
    assert split_specs(["pimc:10,ms=200,rules", "rules"]) == ["pimc:10,ms=200", "rules"]
    assert split_specs([" rules , ,good"]) == ["rules", "good"]
    assert split_specs([""]) == []


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["view", *arguments])
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


def test_what_the_command_refuses(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    good, bad, empty = (tmp_path / f"{name}.jsonl" for name in ("good", "bad", "empty"))
    write_records(good, records)
    broken = {**records[0], "actions": [[0, "Xx"], *records[0]["actions"][1:]], "payments": None}
    bad.write_text("".join(json.dumps(r) + "\n" for r in (records[0], broken)))
    empty.write_text("\n")
    validated = CliRunner().invoke(app, ["validate", str(bad)])
    reason = validated.output.split("action 0: ")[1].splitlines()[0]
    told = refused(str(bad))
    assert "line 2" in told
    assert reason in told
    assert "no records" in refused(str(empty))
    assert "No such file" in refused(str(tmp_path / "none.jsonl"))
    assert "no index 3" in refused(str(good), "-n", "3")
    assert "nobody" in refused(str(good), "--agents", "nobody")
    assert "en, cs" in refused(str(good), "-l", "de")
    assert ".html or .svg" in refused(str(good), "--export", str(tmp_path / "deal.png"))
    assert "--seat" in refused(str(good), "--seat", "1")
    assert list(tmp_path.glob("deal*")) == []


def test_the_command_exports_both_kinds_of_files(
    tmp_path: Path, records: list[dict[str, Any]]
) -> None:
    path = tmp_path / "deals.jsonl"
    write_records(path, records)
    for name, mark in (("deal.svg", "@keyframes"), ("deal.html", 'id="shared"')):
        target = tmp_path / name
        result = CliRunner().invoke(app, ["view", str(path), "-n", "-1", "--export", str(target)])
        assert result.exit_code == 0, result.output
        assert mark in target.read_text(encoding="utf-8")
