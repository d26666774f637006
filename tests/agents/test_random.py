"""The drawing agents: legal, reproducible, blind to hidden cards."""

from __future__ import annotations

import numpy as np
import pytest

from marias_agents import make
from marias_agents.random_agent import make_good
from marias_env.actions import ACTIONS, BAD, BETL, CONTRACT_0, FLEK_GAME, GOOD
from marias_env.batch import DealBatch
from marias_env.core.history import actions_of
from tests.agents.agent_cases import VARIANTS, play_out
from tests.hidden import permuted, put


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("spec", ["random", "good", "random-cards"])
def test_legal_in_every_phase(spec: str, variant: str) -> None:
    batch = DealBatch(300, VARIANTS[variant], seed=3, autoreset=False)
    play_out(batch, (make(spec),), (0, 0, 0))  # an illegal action would raise
    assert (batch.turn == -1).all()


def test_draws_are_uniform() -> None:
    batch = DealBatch(30000, seed=5)
    views = batch.views()
    actions = make("random").act(views, views.legal_mask())
    legal = views.legal_mask().sum(axis=1)
    assert (legal == 8).all()  # seven cards and blind
    place = (views.legal_mask().cumsum(axis=1)[np.arange(len(batch)), actions] - 1).astype(int)
    counts = np.bincount(place, minlength=8)
    assert abs(counts - 30000 / 8).max() < 5 * (30000 / 8) ** 0.5


def test_hidden_cards_do_not_matter() -> None:
    rng = np.random.default_rng(2)
    agent = make("random")
    batch = DealBatch(60, seed=6)
    compared = 0
    for _ in range(25):
        other = batch.copy()
        for row in range(len(batch)):
            changed = permuted(batch.deals[row], int(batch.turn[row]), batch.rules, rng)
            if changed is not None:
                put(other.deals, row, changed)
                compared += 1
        views, hidden = batch.views(), other.views()
        chosen = agent.act(views, views.legal_mask())
        assert (agent.act(hidden, hidden.legal_mask()) == chosen).all()
        batch.step(batch.sample_legal())
    assert compared > 800


def test_good_says_good_and_plays_the_suit_game() -> None:
    batch = DealBatch(300, seed=8, autoreset=False)
    play_out(batch, (make_good(),), (0, 0, 0))
    assert (batch.deals["contract"] == 0).all()
    assert (batch.deals["levels"] == 0).all()
    said = actions_of(batch.deals["history"])
    for call in ("bad", "seven", "hundred", "flek_game", "flek_seven", "betl"):
        assert not (said == ACTIONS.index(call)).any(), call


def test_good_accepts_a_higher_contract() -> None:
    batch = DealBatch(1, seed=8, autoreset=False)
    batch.step(batch.sample_legal())
    batch.step([CONTRACT_0 + BETL])
    for _ in range(2):
        batch.step(batch.sample_legal())
    views = batch.views()
    assert views.legal_mask()[0, [BAD, FLEK_GAME]].all()
    assert make("good").act(views, views.legal_mask())[0] == GOOD
