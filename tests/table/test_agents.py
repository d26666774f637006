"""Agents in workers: those that think, hang, fail or cheat hold nobody up."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from marias_env.errors import AgentError
from marias_table.agents import AgentPool
from marias_table.limits import Offer
from marias_table.requests import told_advice
from tests.table.helpers import ALONE, Client, House, in_a_loop


def spec(name: str) -> str:
    return f"tests.table.bad_agents:{name}"


async def until(client: Client, done: Any, seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not done(client.state):
        assert time.monotonic() < end, client.state
        await asyncio.sleep(0.01)
        await client.hear()


async def play_alone(client: Client) -> None:
    """Plays the first legal action until the deal is over."""
    while client.state["phase"] != "OVER":
        await until(client, lambda state: state["legal"] or state["phase"] == "OVER")
        if client.state["legal"]:
            await client.act(client.state["legal"][0]["action"])


@pytest.mark.parametrize(
    ("name", "why"),
    [("Hanging", "late"), ("Raising", "failed"), ("Dying", "failed"), ("Cheating", "failed")],
)
def test_a_bad_agent_is_replaced_and_the_others_do_not_wait(name: str, why: str) -> None:
    async def test() -> None:
        bad = spec(name)
        offer = Offer(("rules", bad), opponent=bad)
        limit = 1.0 if why == "late" else 300.0
        pool = AgentPool([bad], workers=1, limit=limit, patience=600.0)
        house = House(offer=offer, pool=pool)
        client, other = house.client(), house.client()
        await client.enter(setup={"seats": ["me", {"agent": bad}, {"agent": "rules"}]})
        await other.enter(setup=ALONE)
        room = next(iter(house.lobby._live.values())).room
        meanwhile = 0
        while client.state["phase"] != "OVER":
            if client.state["legal"]:
                await client.act(client.state["legal"][0]["action"])
            if room.thinking is not None and other.state["legal"]:
                told = await other.act(other.state["legal"][0]["action"])
                assert told[0]["type"] == "update"
                meanwhile += 1
            await asyncio.sleep(0.01)
            await client.hear()
        assert meanwhile
        assert client.state["seats"][1]["agent"] == "rules"
        told = [event for text in client.texts for event in _events(text)]
        replaced = [event for event in told if event["kind"] == "replaced"]
        assert [(event["agent"], event["by"], event["why"]) for event in replaced] == [
            (bad, "rules", why)
        ]
        await house.close()

    in_a_loop(test())


def _events(text: str) -> list[dict[str, Any]]:
    import json

    found: list[dict[str, Any]] = json.loads(text).get("events", [])
    return found


def test_a_long_queue_costs_a_move_and_not_the_chair() -> None:
    async def test() -> None:
        slow = spec("Slow")
        pool = AgentPool([slow], workers=1, limit=30.0, patience=0.0)
        house = House(offer=Offer(("rules", slow)), pool=pool)
        client = house.client()
        await client.enter(setup={"seats": ["me", {"agent": slow}, {"agent": "rules"}]})
        await play_alone(client)
        assert client.state["seats"][1]["agent"] == slow
        record = next(house.store.records())
        assert set(record["by"]) == {"person", "rules"}
        await house.close()

    in_a_loop(test())


def test_thinking_is_told_and_the_returned_person_moves_himself() -> None:
    async def test() -> None:
        slow = spec("Slow")
        pool = AgentPool([slow], workers=1, limit=60.0, patience=300.0)
        house = House(offer=Offer(("rules", slow), adviser=slow), pool=pool)
        client = house.client()
        await client.enter(setup={"seats": ["me", {"agent": slow}, {"agent": slow}]})
        thinking = False
        while client.state["phase"] != "OVER":
            thinking |= any(seat["thinking"] for seat in client.state["seats"])
            if client.state["legal"]:
                assert not any(seat["thinking"] for seat in client.state["seats"])
                await client.act(client.state["legal"][0]["action"])
            await asyncio.sleep(0.005)
            await client.hear()
        assert thinking
        await house.close()

    in_a_loop(test())


def test_hints_come_with_reasons_and_one_at_a_time() -> None:
    async def test() -> None:
        offer = Offer(("rules",), adviser="pimc:1,bids=play,bid_worlds=2,plays=2")
        house = House(offer=offer, pool=AgentPool([], workers=1, limit=300.0, patience=600.0))
        client = house.client()
        await client.enter(setup=ALONE, language="cs")
        told = await client.say("hint")
        assert told == []
        told = await client.say("hint")
        assert told[0]["code"] == "busy"
        hint: dict[str, Any] = {}
        end = time.monotonic() + 300
        while not hint and time.monotonic() < end:
            await asyncio.sleep(0.02)
            hint = next((m for m in await client.hear() if m["type"] == "hint"), {})
        assert hint["action"] in [choice["action"] for choice in client.state["legal"]]
        assert hint["at"] == client.state["at"]
        assert hint["alternatives"][0]["actions"][0] == hint["action"]
        assert hint["alternatives"][0]["label"] in hint["reason"]
        assert all(0 <= a["wins"] <= 1 for a in hint["alternatives"])
        await house.close()

    in_a_loop(test())


def test_an_agent_that_gives_no_reasons_is_named() -> None:
    async def test() -> None:
        house = House()
        client = house.client()
        await client.enter(setup=ALONE)
        hint = (await client.say("hint"))[0]
        assert hint["alternatives"] == []
        assert "rules" in hint["reason"]
        await client.act(hint["action"])
        while client.state["phase"] != "OVER":
            await client.act(client.state["legal"][0]["action"])
        by = next(house.store.records())["by"]
        assert by.count("person+hint") == 1
        assert by.count("person") > 5
        await client.say("next")
        room = next(iter(house.lobby._live.values())).room
        view = room.batch.views().deals[0].copy()
        view["legal"] = 1
        found = {"action": 0, "how": None, "alternatives": []}
        told = told_advice(view, room.terms.rules, found, "rules", "en")
        assert told["reason"] == "nothing else is legal"
        await house.close()

    in_a_loop(test())


def test_the_analysis_of_a_finished_deal() -> None:
    async def test() -> None:
        house = House(pool=AgentPool([], limit=100.0, patience=100.0))
        client = house.client()
        # A small deck, so that it takes a moment only.
        setup = {**ALONE, "options": {"suits": "dh", "ranks": "TQKA"}}
        await client.enter(setup=setup)
        await play_alone(client)
        await client.say("analysis")
        found: dict[str, Any] = {}
        end = time.monotonic() + 300
        while not found and time.monotonic() < end:
            await asyncio.sleep(0.02)
            found = next((m for m in await client.hear() if m["type"] == "analysis"), {})
        assert found["deal"] == 1
        assert len(found["cards"]) == sum(len(t["cards"]) for t in client.state["tricks"])
        assert found["costs"] == [
            sum(card["cost"] for card in found["cards"] if card["seat"] == seat)
            for seat in range(3)
        ]
        assert found["value"] == client.state["result"]["value"]
        assert found["worths"]
        await house.close()

    in_a_loop(test())


def test_workers_are_made_anew_when_they_cannot_go_on() -> None:
    async def test() -> None:
        pool = AgentPool([], workers=1, limit=60.0, patience=100.0)
        house = House(pool=pool)
        client = house.client()
        await client.enter(setup=ALONE)
        views = next(iter(house.lobby._live.values())).room.batch.views()
        with pytest.raises(AgentError):
            await pool.decide("no.such.module:Agent", views)
        action = await pool.decide(spec("Slow"), views)
        assert int(views.deals["legal"][0]) >> action & 1
        await house.close()

    in_a_loop(test())
