"""Analysis of records: what cards cost, what could have been bid, and the commands for it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from marias_agents.analysis import analyse, best_line, worths
from marias_agents.solver import SolverError, solve
from marias_env.actions import GOOD, PLAY
from marias_env.cards import card_id
from marias_env.cli import app
from marias_env.records import record_of, replay, write_records
from tests.agents.agent_cases import played

runner = CliRunner()


@pytest.mark.parametrize("preset", ["traditional", "online", "additive"])
def test_costs_lead_from_the_start_to_what_was_paid(preset: str) -> None:
    costly = 0
    for seed in range(4):
        record = played(preset, seed)
        analysis = analyse(record, par=False)
        declarer = int(replay(record).deals["declarer"][0])
        value = analysis.start
        assert value is not None
        for card in analysis.cards:
            assert card.best == value
            assert card.cost >= 0
            assert card.cost == (1 if card.seat == declarer else -1) * (card.best - card.value)
            assert bool(card.better) == (card.cost > 0)
            costly += card.cost > 0
            value = card.value
        assert value == analysis.value
        assert sum(analysis.cost_of(seat) for seat in range(3)) == sum(
            card.cost for card in analysis.cards
        )
    assert costly > 0


def test_a_best_line_costs_nothing() -> None:
    record = played("traditional", 1)
    bids = [i for i, action in enumerate(record["actions"]) if action[1][0] not in "789TJQKA"]
    start = {**record, "actions": record["actions"][: bids[-1] + 1], "payments": None}
    assert replay(start).phase[0] == PLAY
    line = best_line(start)
    batch = replay(start)
    for _, card in line:
        batch.step(np.array([card_id(card)]))
    whole = dict(record_of(batch))
    analysis = analyse(whole, par=False)
    assert analysis.value == solve(start)["value"] == analysis.start
    assert all(card.cost == 0 for card in analysis.cards)
    with pytest.raises(SolverError, match="in play"):
        best_line({**record, "actions": [], "payments": None})


@pytest.mark.parametrize("preset", ["traditional", "online"])
def test_worths_are_the_solver_s_values(preset: str) -> None:
    record = played(preset, 6)
    found = worths(record)
    assert {worth.contract for worth in found} >= {"suit", "betl", "durch"}
    assert {worth.seat for worth in found} == {0, 1, 2}
    assert [worth.value for worth in found] == sorted((w.value for w in found), reverse=True)
    forehand = (record["dealer"] + 1) % 3
    for worth in found:
        assert worth.value == max(worth.discard_values.values())
        assert worth.discard_values[worth.discards] == worth.value
        assert (worth.contract == "suit") == bool(worth.trump)
        assert worth.contract != "suit" or worth.seat == forehand
        assert worth.name.startswith(worth.contract)
    # One of them, played through by hand.
    worth = next(w for w in found if w.contract == "suit" and not w.announced)
    for pair, value in list(worth.discard_values.items())[:5]:
        batch = replay({**record, "actions": [], "payments": None})
        while batch.phase[0] < PLAY:
            phase = int(batch.phase[0])
            if phase == 0:
                legal = [c for c in range(32) if int(batch.legal_bits[0]) >> c & 1]
                suit = "scdh".index(worth.trump)
                own_action = next(c for c in legal if c // 8 == suit)
            elif phase == 1:
                own_action = 37
            elif phase == 2:
                first = int(batch.deals["talon"][0]) == 0
                own_action = card_id(pair[0] if first else pair[1])
            elif phase == 4:
                own_action = 33 + "scdh".index(worth.trump)
            else:
                own_action = GOOD
            batch.step(np.array([own_action]))
        assert solve(batch)["value"] == value


def test_par_and_unfinished_records() -> None:
    record = played("traditional", 2)
    analysis = analyse(record)
    assert analysis.par is analysis.worths[0]
    half = {**record, "actions": record["actions"][:-5], "payments": None}
    assert analyse(half, par=False).value is None
    assert len(analyse(half, par=False).cards) == len(analysis.cards) - 5
    bare = analyse({**record, "actions": [], "payments": None})
    assert bare.start is None
    assert bare.par is None
    assert bare.cards == ()


def test_commands(tmp_path: Path) -> None:
    records = [played("traditional", 3), played("online", 4)]
    file = tmp_path / "deals.jsonl"
    write_records(file, records)
    for index in (0, 1):
        result = runner.invoke(app, ["analyse", str(file), "-n", str(index)])
        assert result.exit_code == 0, result.output
        assert "What could have been bid" in result.output
        assert "Cards that cost something" in result.output
        told = json.loads(
            runner.invoke(app, ["analyse", str(file), "-n", str(index), "--json"]).output
        )
        assert told["value"] == analyse(records[index], par=False).value
        assert len(told["worths"]) > 5
    at = len(records[0]["actions"]) - 4
    result = runner.invoke(app, ["solve", str(file), "--at", str(at)])
    assert result.exit_code == 0, result.output
    assert "best line" in result.output
    told = json.loads(runner.invoke(app, ["solve", str(file), "--at", str(at), "--json"]).output)
    assert len(told["line"]) == 4
    assert told["value"] == max(told["cards"].values()) or told["value"] == min(
        told["cards"].values()
    )
    assert "value" in runner.invoke(app, ["solve", str(file)]).output
    assert runner.invoke(app, ["solve", str(file), "-n", "9"]).exit_code == 2
    assert runner.invoke(app, ["analyse", str(file), "-n", "9"]).exit_code == 2


def test_a_notebook_shows_costs_and_bids() -> None:
    analysis = analyse(played("traditional", 1))
    html = analysis._repr_html_()
    for card in analysis.cards:
        if card.cost:
            assert f">{card.card}<" in html
    assert analysis.worths[0].name in html
    assert (
        "None"
        not in analyse({**played("online", 1), "actions": [], "payments": None})._repr_html_()
    )
