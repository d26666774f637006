from __future__ import annotations

import numpy as np
import pytest

from marias_agents.registry import make
from marias_env.rules import get_rules
from marias_training.arena import evaluate
from marias_training.arena.chunk import common_deals
from marias_training.arena.par import par_payments
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
    assert evaluate(["good", "random"], deals=2).regrets("good") == {}
