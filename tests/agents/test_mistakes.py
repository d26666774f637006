from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from marias_agents import make
from marias_agents.analysis import analyse
from marias_agents.mistakes import mistakes, totals
from marias_agents.registry import describe, names
from marias_env.batch import DealBatch
from marias_env.cli import app
from marias_env.records import record_of, write_records
from marias_env.rules import Rules

SMALL = Rules(suits="sdch", ranks="7TQKA")  # 20 cards, which are solved quickly


def played(count: int, rules: Any, names_too: bool = True) -> list[dict[str, Any]]:
    agent = make("random-cards")
    found = []
    for seed in range(count):
        batch = DealBatch(1, rules, seed=seed, autoreset=False)
        while batch.turn[0] >= 0:
            views = batch.views()
            batch.step(agent.act(views, views.legal_mask()))
        extra = {"agents": ["anna", "bob", "anna"]} if names_too else {}
        found.append(record_of(batch, **extra))
    return found


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return played(8, SMALL)


def test_cards_by_player_role_and_trick(records: list[dict[str, Any]]) -> None:
    rows = mistakes(records)
    assert {row.player for row in rows} == {"anna", "bob"}
    cost = {"anna": 0, "bob": 0}
    decisions = mistaken = 0
    for record in records:
        for card in analyse(record, par=False).cards:
            cost[record["agents"][card.seat]] += card.cost
            decisions += card.choices > 1
            mistaken += card.cost > 0
    assert mistaken > 5
    for player, whole in cost.items():
        assert sum(row.cost for row in rows if row.player == player) == whole
    assert sum(row.decisions for row in rows) == decisions
    assert sum(row.mistakes for row in rows) == mistaken
    assert all(0 <= row.capped <= row.cost or row.cost == 0 for row in rows)
    summed = totals(rows)
    assert {row.phase for row in summed} == {"PLAY"}
    assert sum(row.cost for row in summed) == sum(cost.values())
    worst = max(summed, key=lambda row: row.worst[0]).worst
    costs = [c.cost for c in analyse(records[worst[1]], par=False).cards]
    assert max(costs) == worst[0]


def test_seats_where_there_are_no_names() -> None:
    rows = mistakes(played(2, SMALL, names_too=False))
    assert {row.player for row in rows} <= {"seat 0", "seat 1", "seat 2"}


def test_contract_and_discards(records: list[dict[str, Any]]) -> None:
    rows = [row for row in mistakes(records[:3], par=True) if not row.phase.startswith("PLAY")]
    assert {row.phase for row in rows} == {"CONTRACT", "DISCARD"}
    assert {row.role for row in rows} == {"declarer"}
    for record in records[:3]:
        alone = {row.phase: row for row in mistakes([record], par=True)}
        analysis = analyse(record)
        seat = int(
            np.flatnonzero(np.abs(record["payments"]) == max(map(abs, record["payments"])))[0]
        )
        own = [worth for worth in analysis.worths if worth.seat == seat]
        costs = {own[0].value - worth.value for worth in own}
        assert alone["CONTRACT"].cost in costs
        assert alone["DISCARD"].cost >= 0


def test_the_command(records: list[dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    write_records(file, records)
    run = CliRunner()
    found = json.loads(run.invoke(app, ["analyse", str(file), "--summary", "--json"]).stdout)
    expected = [dataclasses.asdict(row) for row in totals(mistakes(records))]
    assert found == {"records": 8, "rows": json.loads(json.dumps(expected))}
    table = run.invoke(app, ["analyse", str(file), "--summary", "--tricks"])
    assert table.exit_code == 0
    assert "PLAY 2" in table.output
    assert "anna" in table.output


def test_the_list_of_agents() -> None:
    run = CliRunner()
    found = json.loads(run.invoke(app, ["agents", "--json"]).stdout)
    assert found == describe()
    assert {agent["name"] for agent in found} == set(names())
    assert all(agent["help"] for agent in found)
    pimc = next(agent for agent in found if agent["name"] == "pimc")
    options = {option["name"]: option for option in pimc["options"]}
    assert options["worlds"]["default"] == 10
    assert options["bids"]["expected"] == "one of rules, play, solve"
    assert all(option["help"] for option in options.values())
    text = run.invoke(app, ["agents"]).output
    assert "random-cards" in text
    assert "threads=1" in text
