"""What each legal action was worth: against the solver, and against what could have been bid."""

from __future__ import annotations

import numpy as np
import pytest

from marias_agents.action_values import action_values
from marias_agents.analysis import worths
from marias_agents.solver import solve
from marias_env.actions import ACTION_IDS, CONTRACT, DISCARD, DOUBLE, GOOD, OVER, PLAY, REPLY
from marias_env.batch import DealBatch
from marias_env.records import each_position, replay
from tests.agents.agent_cases import played

PRESETS = ("traditional", "online", "additive")


def silent(batch: DealBatch) -> int:
    """V when nobody says anything more."""
    while batch.phase[0] < PLAY:
        batch.step(np.array([GOOD]))
    return int(solve(batch)["value"])


@pytest.mark.parametrize("preset", PRESETS)
def test_cards_and_doublings_are_what_the_solver_says(preset: str) -> None:
    record, seen = played(preset, 3), set()
    for batch in each_position(record):
        phase, deal = int(batch.phase[0]), batch.deals[0]
        seen.add(phase)
        values = action_values(batch)
        sign = 1 if deal["turn"] == deal["declarer"] else -1
        if phase == PLAY:
            assert values == {card: sign * v for card, v in solve(batch)["cards"].items()}
        elif phase == DOUBLE:
            assert set(values) == {
                text for text, action in ACTION_IDS.items() if int(deal["legal"]) >> action & 1
            }
            for text, value in values.items():
                after = batch.copy()
                after.step(np.array([ACTION_IDS[text]]))
                assert value == sign * silent(after)
        elif phase == OVER:
            assert values == {}
    assert {DOUBLE, PLAY, OVER} <= seen


def test_contracts_are_worth_what_could_have_been_bid() -> None:
    compared = 0
    for seed in range(3):
        record = played("online", seed)
        found, asked = worths(record), set()
        for batch in each_position(record):
            seat, phase = int(batch.turn[0]), int(batch.phase[0])
            if phase not in (CONTRACT, REPLY) or seat in asked:
                continue
            asked.add(seat)
            values = action_values(batch)
            own = [worth for worth in found if worth.seat == seat]
            if phase == REPLY:
                if own:
                    assert values["bad"] == max(worth.value for worth in own)
                    compared += 1
                continue
            for contract in values:
                best = max(worth.value for worth in own if worth.contract == contract)
                assert values[contract] == best
                compared += 1
    assert compared > 9


def test_discards_are_worth_the_best_two_that_hold_the_card() -> None:
    record = played("online", 1)
    first = next(batch for batch in each_position(record) if batch.phase[0] == DISCARD)
    deal = first.deals[0]
    assert deal["contract"] == 0
    own = [w for w in worths(record) if w.seat == deal["turn"] and w.contract == "suit"]
    for card, value in action_values(first).items():
        pairs = [v for w in own for pair, v in w.discard_values.items() if card in pair]
        assert value == max(pairs)


def test_one_deal_at_a_time_and_records_too() -> None:
    record = played("traditional", 2)
    with pytest.raises(ValueError, match="2 rows"):
        action_values(DealBatch(2, seed=0))
    assert action_values(record) == {}
    start = {**record, "actions": [], "payments": None}
    assert action_values(start) == action_values(replay(start))
    assert len(action_values(start)) == 8  # seven cards, or blind


def test_a_card_that_would_end_the_deal_by_a_revoke_has_no_value() -> None:
    record = played("traditional", 2)
    record["options"] = {"illegal_action": "revoke"}
    for batch in each_position(record):
        if batch.phase[0] == PLAY:
            assert set(action_values(batch)) == set(solve(batch)["cards"])
