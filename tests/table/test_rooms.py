"""Tables of people: whole deals, every phase, who may do what, coming and going."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from marias_env.records import validate
from marias_table.limits import Limits, Offer
from tests.table.helpers import ALONE, OPEN, House, error_of, in_a_loop, on_turn, play_out, three


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    in_a_loop(test())


def random_choice(seed: int) -> Callable[[dict[str, Any]], str]:
    rng = random.Random(seed)
    return lambda state: rng.choice(state["legal"])["action"]


@pytest.mark.parametrize("preset", ["traditional", "online", "additive"])
def test_whole_deals_of_three_people_sum_to_zero_and_are_records(preset: str) -> None:
    async def test() -> None:
        house = House(seed=1)
        clients = await three(house, rules=preset)
        for deal in range(1, 5):
            await play_out(clients, random_choice(deal))
            state = clients[0].state
            assert state["deal"] == deal
            assert state["phase"] == "OVER"
            assert sum(state["result"]["payments"]) == 0
            assert state["history"][-1] == state["result"]["payments"]
            totals = [sum(column) for column in zip(*state["history"])]
            assert [seat["total"] for seat in state["seats"]] == totals
            for client in clients:
                await client.say("next")
        records = list(house.store.records())
        assert len(records) == 4
        for record in records:
            validate(record)
            assert record["players"] == ["Eva", "P1", "P2"]
            assert set(record["by"]) == {"person"}
        dealers = [record["dealer"] for record in records]
        assert dealers == [(dealers[0] + i) % 3 for i in range(4)]
        await house.close()

    run(test)


def test_alone_the_agents_answer_before_the_person_is_told() -> None:
    async def test() -> None:
        house = House()
        client = house.client()
        told = await client.enter(name="Eva", setup=ALONE)
        assert [message["type"] for message in told] == ["welcome"]
        while client.state["phase"] != "OVER":
            assert client.state["turn"] == 0
            told = await client.act(client.state["legal"][0]["action"])
            assert [message["type"] for message in told] == ["update"]
            assert told[0]["re"] == [client._number]
        record = next(house.store.records())
        assert record["players"] == ["Eva", "rules", "rules"]
        assert set(record["by"]) == {"person", "rules"}
        await house.close()

    run(test)


def test_events_tell_the_whole_course_without_a_gap() -> None:
    async def test() -> None:
        house = House(seed=3)
        clients = await three(house)
        await play_out(clients, random_choice(3))
        for client in clients:
            await client.hear()
            kinds = []
            last = None
            for text in client.texts:
                message = json.loads(text)
                for event in message.get("events", []):
                    assert last is None or event["seq"] == last + 1
                    last = event["seq"]
                    kinds.append(event["kind"])
                    assert event["text"]
                    assert "{" not in event["text"]
            assert kinds.count("over") == 1
            assert kinds.count("action") == client.state["at"]
            assert kinds.count("trick") == sum(s["tricks"] for s in client.state["seats"])
        await house.close()

    run(test)


def test_refused_messages_change_nothing() -> None:
    async def test() -> None:
        house = House(seed=5)
        clients = await three(house)
        watcher = house.client()
        await watcher.enter("watch", watch=clients[0].link("watch"))
        await play_out(clients, random_choice(1), actions=3)
        client = await on_turn(clients)
        assert client is not None
        other = clients[(client.state["you"] + 1) % 3]
        room = house.lobby._live[next(iter(house.lobby._live))].room
        before, seq = room.batch.deals[0].tobytes(), room.seq
        guest = next(c for c in clients if not c.state["host"])
        wrong = [
            (other, "action", {**place(client), "action": "good"}, "not_your_turn"),
            (client, "action", {**place(client), "action": "nothing"}, "bad_message"),
            (client, "action", {"deal": 1, "at": 0, "action": "good"}, "stale"),
            (client, "action", {**place(client), "action": "trump_s"}, "illegal_action"),
            (watcher, "action", {**place(client), "action": "good"}, "not_allowed"),
            (watcher, "hint", {}, "not_allowed"),
            (watcher, "next", {}, "not_allowed"),
            (other, "hint", {}, "not_your_turn"),
            (client, "next", {}, "wrong_time"),
            (client, "analysis", {}, "wrong_time"),
            (client, "rename", {"name": "x" * 40}, "bad_name"),
            (guest, "close", {}, "not_allowed"),
            (guest, "seat", {"seat": 0, "agent": "rules"}, "not_allowed"),
            (clients[0], "seat", {"seat": 1, "agent": "rules"}, "seat_taken"),
            (clients[0], "seat", {"seat": 1, "agent": "os:system"}, "bad_agent"),
            (clients[0], "start", {}, "wrong_time"),
            (client, "create", {"protocol": "marias-table/1"}, "already_entered"),
        ]
        for who, kind, fields, code in wrong:
            assert error_of(await who.say(kind, **fields)) == code, (kind, fields)
            assert room.batch.deals[0].tobytes() == before
            assert room.seq == seq
        await house.close()

    run(test)


def place(client: Any) -> dict[str, int]:
    return {"deal": client.state["deal"], "at": client.state["at"]}


def test_a_seat_is_opened_by_its_own_token_only() -> None:
    async def test() -> None:
        house = House()
        clients = await three(house)
        invite, watch = clients[0].link("join"), clients[0].link("watch")
        for kind, field, token in [
            ("enter", "token", invite),
            ("enter", "token", watch),
            ("join", "invite", watch),
            ("join", "invite", clients[0].token),
            ("watch", "watch", invite),
            ("watch", "watch", clients[0].token),
            ("enter", "token", "x" * 24),
        ]:
            stranger = house.client()
            assert error_of(await stranger.enter(kind, **{field: token})) == "bad_token", kind
            assert stranger.session.ended is not None
        full = house.client()
        assert error_of(await full.enter("join", invite=invite)) == "table_full"
        for client in clients[1:]:
            assert client.links["join"] is None
        stored = "".join(str(row) for row in house.store._db.iterdump())
        for client in clients:
            assert client.token not in stored
        await house.close()

    run(test)


def test_reconnecting_in_every_phase_gives_the_same_state() -> None:
    async def test() -> None:
        seen = set()
        for seed in range(6):
            house = House(seed=seed)
            clients = await three(house, rules=["traditional", "online"][seed % 2])
            choose = random_choice(seed)
            while (client := await on_turn(clients)) is not None:
                seen.add(client.state["phase"])
                for seat in range(3):
                    old = clients[seat]
                    old.drop()
                    again = house.client()
                    told = await again.enter("enter", token=old.token, since=old.state["seq"])
                    assert told[0]["type"] == "welcome"
                    assert not told[0]["reset"]
                    assert not told[0]["events"]
                    assert again.state == old.state
                    clients[seat] = again
                    for other in clients:
                        await other.hear()
                client = await on_turn(clients)
                assert client is not None
                await client.act(choose(client.state))
            for client in clients:
                await client.hear()
            old = clients[1]
            old.drop()
            again = house.client()
            await again.enter("enter", token=old.token)
            assert again.state["result"] == old.state["result"]
            await house.close()
        assert seen >= {"TRUMP", "CONTRACT", "DISCARD", "REPLY", "DOUBLE", "PLAY"}

    run(test)


def test_who_was_away_catches_up_with_what_was_missed() -> None:
    async def test() -> None:
        house = House(seed=2)
        clients = await three(house)
        first = await on_turn(clients)
        assert first is not None
        sleeper = next(c for c in clients if c is not first)
        since = sleeper.state["seq"]
        sleeper.drop()
        await first.act(first.state["legal"][0]["action"])
        again = house.client()
        told = await again.enter("enter", token=sleeper.token, since=since)
        assert "action" in [event["kind"] for event in told[0]["events"]]
        told = await again.say("sync", since=0)
        assert told[0]["events"][0]["seq"] == 1
        told = await again.say("sync", since=10**6)
        assert told[0]["reset"]
        await house.close()

    run(test)


def test_an_absent_person_is_played_for_and_gets_the_chair_back() -> None:
    async def test() -> None:
        house = House(limits=Limits(grace=0.0))
        clients = await three(house)
        absent, others = clients[1], [clients[0], clients[2]]
        absent.drop()
        await asyncio.sleep(0.01)
        house.lobby.tick()
        await others[0].hear()
        assert others[0].state["seats"][1]["stand_in"] == "rules"
        for _ in range(200):
            for client in others:
                await client.hear()
            turn = others[0].state["turn"]
            if turn is None:
                break
            assert turn != 1
            client = clients[turn]
            await client.act(client.state["legal"][0]["action"])
        assert others[0].state["phase"] == "OVER"
        assert others[0].state["waiting_for"] == [0, 2]
        again = house.client()
        await again.enter("enter", token=absent.token)
        for client in [*others, again]:
            told = await client.say("next")
        assert again.state["deal"] == 2
        kinds = [event["kind"] for event in told[0]["events"]]
        assert "deal" in kinds
        assert again.state["seats"][1]["stand_in"] is None
        record = next(house.store.records())
        assert {by for (seat, _), by in zip(record["actions"], record["by"]) if seat == 1} == {
            "rules"
        }
        await house.close()

    run(test)


def test_when_nobody_is_there_the_table_waits() -> None:
    async def test() -> None:
        house = House(limits=Limits(grace=0.0))
        client = house.client()
        await client.enter(setup=ALONE)
        client.drop()
        await asyncio.sleep(0.01)
        house.lobby.tick()
        house.lobby.flush()
        room = next(iter(house.lobby._live.values())).room
        assert room.paused
        assert room.mover() is None
        at = room.place
        house.lobby.tick()
        house.lobby.flush()
        assert room.place == at
        again = house.client()
        await again.enter("enter", token=client.token)
        assert not again.state["paused"]
        await house.close()

    run(test)


def test_leaving_and_coming_back_and_another_window() -> None:
    async def test() -> None:
        house = House()
        clients = await three(house)
        told = await clients[2].say("leave")
        assert told[-1]["type"] == "closed"
        assert told[-1]["reason"] == "left"
        assert told[-1]["re"] == clients[2]._number
        await clients[0].hear()
        assert clients[0].state["seats"][2]["stand_in"] == "rules"
        again = house.client()
        await again.enter("enter", token=clients[2].token)
        window = house.client()
        await window.enter("enter", token=clients[2].token)
        told = await again.hear()
        assert told[-1]["reason"] == "elsewhere"
        assert again.session.ended is not None
        await clients[0].hear()
        assert clients[0].state["seats"][2]["connected"]
        assert clients[0].state["seats"][2]["stand_in"] is None
        await house.close()

    run(test)


def test_open_chairs_are_played_by_agents_until_somebody_joins() -> None:
    async def test() -> None:
        house = House(offer=Offer(("rules", "random")))
        host = house.client()
        await host.enter(name="Eva", setup=OPEN)
        assert not host.state["started"]
        assert host.state["legal"] == []
        assert all(seat["hand"] is None for seat in host.state["seats"])
        await host.say("seat", seat=1, agent="random")
        assert host.state["seats"][1]["agent"] == "random"
        await host.say("start")
        assert host.state["started"]
        assert host.state["seats"][2]["stand_in"] == "rules"
        guest = house.client()
        await guest.enter("join", invite=host.link("join"), name=" Jan\n\u202e Novák ")
        await host.hear()
        assert host.state["seats"][2]["name"] == "Jan Novák"
        assert host.state["seats"][2]["stand_in"] is None
        while host.state["phase"] != "OVER":
            for client in (host, guest):
                await client.hear()
                if client.state["legal"]:
                    await client.act(client.state["legal"][0]["action"])
        await house.close()

    run(test)


def test_nameless_people_have_names_in_what_is_told() -> None:
    async def test() -> None:
        house = House()
        host, guest = house.client(), house.client()
        await host.enter(setup=OPEN)
        await guest.enter("join", invite=host.link("join"), language="cs")
        told = await host.hear()
        assert told[-1]["events"][-1]["text"] == "Player 2 sits down."
        await guest.say("rename", name="Jan")
        told = await host.hear()
        assert told[-1]["events"][-1]["text"] == "Player 2 is now called Jan."
        assert told[-1]["events"][-1]["name"] == "Jan"
        assert guest.state["seats"][0]["name"] == "1. hráč"
        await house.close()

    run(test)


def test_connections_end_after_the_server_has_without_a_sound() -> None:
    async def test() -> None:
        troubles: list[dict[str, Any]] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, trouble: troubles.append(trouble))
        house = House()
        clients = await three(house)
        await house.close()
        for client in clients:
            assert client.session.ended is not None
            assert client.session.ended[0] == 1001
            client.drop()
        await asyncio.sleep(0.01)
        assert not troubles

    run(test)


def test_two_of_one_name_are_told_apart() -> None:
    async def test() -> None:
        house = House()
        client = house.client()
        await client.enter(name="Eva", setup=ALONE)
        names = [seat["name"] for seat in client.state["seats"]]
        assert names == ["Eva", "rules (2)", "rules (3)"]
        await house.close()

    run(test)


def test_a_match_ends_and_the_next_begins() -> None:
    async def test() -> None:
        house = House(seed=4)
        clients = await three(house, match={"deals": 2})
        for played in (1, 2):
            await play_out(clients, lambda state: state["legal"][0]["action"])
            match = clients[0].state["match"]
            assert match["played"] == played
            assert match["over"] == (played == 2)
            if played == 1:
                for client in clients:
                    await client.say("next")
        totals = [seat["total"] for seat in clients[0].state["seats"]]
        best = [seat for seat in range(3) if totals[seat] == max(totals)]
        assert clients[0].state["match"]["winners"] == best
        for client in clients:
            await client.say("next")
        await clients[0].hear()
        assert clients[0].state["history"] == []
        assert [seat["total"] for seat in clients[0].state["seats"]] == [0, 0, 0]
        assert clients[0].state["deal"] == 3
        await house.close()

    run(test)


def test_spectators_see_the_open_table_or_all_cards() -> None:
    async def test() -> None:
        for allowed in ("table", "cards", "nobody"):
            house = House(seed=6)
            clients = await three(house, spectators=allowed)
            watcher = house.client()
            if allowed == "nobody":
                assert clients[0].links["watch"] is None
                live = next(iter(house.lobby._live.values()))
                assert error_of(await watcher.enter("watch", watch=live.watch)) == "bad_token"
                continue
            await watcher.enter("watch", watch=clients[0].link("watch"))
            hands = [seat["hand"] for seat in watcher.state["seats"]]
            own = [clients[i].state["seats"][i]["hand"] for i in range(3)]
            if allowed == "table":
                assert hands == [None] * 3
            else:
                forehand = watcher.state["forehand"]
                assert len(hands[forehand]) == 12
                assert [h for i, h in enumerate(hands) if i != forehand] == [
                    h for i, h in enumerate(own) if i != forehand
                ]
            await clients[0].hear()
            assert clients[0].state["watching"] == 1
            assert clients[0].state["spectators"] == allowed
            await house.close()

    run(test)


def test_a_revoke_is_played_only_on_purpose() -> None:
    async def test() -> None:
        house = House(seed=8)
        clients = await three(house, options={"illegal_action": "revoke"})
        for _ in range(200):
            client = await on_turn(clients)
            assert client is not None
            forbidden = client.state["forbidden"]
            if client.state["phase"] == "PLAY" and forbidden:
                card = next(iter(forbidden))
                told = await client.act(card)
                assert told[0]["code"] == "illegal_action"
                assert told[0]["rule"] == forbidden[card]["rule"]
                assert told[0]["text"] == forbidden[card]["text"]
                await client.act(card, revoke=True)
                assert client.state["result"]["ending"] == "revoke"
                break
            await client.act(client.state["legal"][0]["action"])
        await house.close()

    run(test)


def test_cards_of_the_next_deal_come_from_elsewhere_than_the_record() -> None:
    async def test() -> None:
        first, second = House(seed=1), House(seed=1)
        decks = []
        for house, salt in ((first, 0), (second, 1)):
            clients = await three(house)
            room = next(iter(house.lobby._live.values())).room
            if salt:
                room._rng.seed(99)  # all that differs
            await play_out(clients, lambda state: state["legal"][0]["action"])
            for client in clients:
                await client.say("next")
            decks.append(room.batch.deals["deck"][0].tolist())
        assert decks[0] != decks[1]
        await first.close()
        await second.close()

    run(test)
