from __future__ import annotations

import numpy as np
import pytest

from marias_agents.registry import make
from marias_agents.solver import solve_batch
from marias_env.actions import PHASES, PLAY
from marias_env.batch import DealBatch
from marias_env.core.history import actions_of
from marias_env.rules import get_rules
from marias_training.arena import evaluate
from marias_training.arena.bidding_regret import bidding_regrets
from marias_training.arena.chunk import common_deals
from marias_training.arena.par import bidding_lengths, par_payments
from marias_training.arena.regret import card_regrets
from marias_training.arena.tables import grids
from marias_training.play import play


@pytest.mark.parametrize(
    ("preset", "agent"), [("traditional", "random"), ("online", "random"), ("online", "good")]
)
def test_regrets_add_up_from_par_to_what_was_paid(preset: str, agent: str) -> None:
    # Each card takes the value to that of the position after it; the last one's is what is paid.
    rules = get_rules(preset)
    decks, dealers = common_deals(rules, 11, 0, 12)
    played = play(decks, dealers, [0, 0, 0], [make(agent)], rules)
    par = par_payments(played.deals, rules)
    for row in range(12):
        one = slice(row, row + 1)
        lone = np.arange(3) == played.deals["declarer"][row]
        found = card_regrets(played.deals[one], np.where(lone, 0, 1)[None], [0, 1], rules)
        given = [
            sum(units for _, _, units, _ in found[side].get(role, {}).values())
            for side, role in enumerate(("declarer", "defender"))
        ]
        assert set(found[0]) <= {"declarer"}
        assert set(found[1]) <= {"defender"}
        value = par[row][lone][0] // 2 - given[0] + given[1]
        assert value == played.deals["value"][row]


@pytest.mark.parametrize("preset", ["traditional", "online"])
def test_bidding_regrets_are_what_the_options_pay(preset: str) -> None:
    # One option at a time, with a plain loop over actions instead of batches of options.
    rules = get_rules(preset)
    decks, dealers = common_deals(rules, 5, 0, 4)
    played = play(decks, dealers, [0, 0, 0], [make("random")], rules)
    found = bidding_regrets(played.deals, played.seating, [0], rules)[0]["bidding"]
    follower = make("rules")
    expected: dict[str, list[int]] = {}
    for row in range(4):
        deal = played.deals[row]
        table = DealBatch(1, rules, seed=0, autoreset=False)
        table.set_decks(deal["deck"], int(deal["dealer"]))
        for n in range(int(bidding_lengths(played.deals)[row])):
            seat = int(table.turn[0])
            worth = {}
            for option in np.flatnonzero(table.legal_mask()[0]):
                after = table.copy()
                after.step([option])
                while after.turn[0] >= 0 and after.phase[0] < PLAY:
                    views = after.views()
                    after.step(follower.act(views, views.legal_mask()))
                if after.turn[0] >= 0:
                    value = int(solve_batch(after)[0])
                    lone = int(after.deals["declarer"][0]) == seat
                    worth[int(option)] = 2 * value if lone else -value
                else:
                    worth[int(option)] = int(after.payments[0, seat])
            chosen = int(actions_of(deal["history"])[n])
            if len(worth) > 1:
                given = max(worth.values()) - worth[chosen]
                entry = expected.setdefault(PHASES[int(table.phase[0])], [0, 0, 0])
                entry[0] += 1
                entry[1] += given == 0
                entry[2] += given
            table.step([chosen])
    assert {phase: entry[:3] for phase, entry in found.items()} == expected
    assert len(expected) >= 3


def test_solved_once_or_often_is_the_same() -> None:
    rules = get_rules("traditional")
    decks, dealers = common_deals(rules, 2, 0, 3)
    played = play(decks, dealers, [0, 0, 0], [make("good")], rules)
    twice = np.concatenate([np.arange(3), np.arange(3)])
    once = card_regrets(played.deals, played.seating, [0], rules)[0]
    double = card_regrets(played.deals[twice], played.seating[twice], [0], rules)[0]
    assert double == {
        role: {trick: [2 * n for n in entry] for trick, entry in tricks.items()}
        for role, tricks in once.items()
    }


def test_in_an_evaluation() -> None:
    found = evaluate(["rules", "random"], deals=15, chunk=6, regret_deals=8)
    whole = evaluate(["rules", "random"], deals=8, regret_deals=8)
    assert found.regrets("rules") == whole.regrets("rules")
    assert "Double-dummy regret" in [grid.title for grid in grids(found)]
    for agent in found.agents:
        for tricks in found.regrets(agent).values():
            for n, optimal, units, capped in tricks.values():
                assert 0 <= optimal <= n
                assert 0 <= capped <= units
    assert set(found.regrets("random")["bidding"]) > {"TRUMP", "CONTRACT", "DISCARD", "REPLY"}
    assert evaluate(["good", "random"], deals=2).regrets("good") == {}
