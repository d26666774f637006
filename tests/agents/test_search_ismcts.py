"""The reference agent ismcts: legal, a function of the view, and it finds what is certain."""

from __future__ import annotations

import numpy as np
import pytest

from marias_agents import make
from marias_agents.search.ismcts import IsmctsAgent
from marias_agents.solver import NO_VALUE, solve_cards
from marias_agents.worlds import count_worlds, sample_worlds
from marias_env.actions import ACTIONS, PLAY
from marias_env.batch import DealBatch
from marias_env.errors import AgentError
from tests.agents.agent_cases import VARIANTS, duel, interval, play_out


@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_in_every_phase(variant: str) -> None:
    batch = DealBatch(6, VARIANTS[variant], seed=4, autoreset=False)
    play_out(batch, (make("ismcts:20"), make("random")), (0, 1, 0))
    assert (batch.turn == -1).all()


def test_decides_by_the_view_alone() -> None:
    agent, again, other = make("ismcts:30"), make("ismcts:30"), make("ismcts:30@1")
    batch = DealBatch(8, seed=3, autoreset=False)
    differs = 0
    while (batch.turn >= 0).all():
        views = batch.views()
        chosen = agent.act(views, views.legal_mask())
        seen = sample_worlds(views, 1, seed=3).views()
        assert (again.act(seen, seen.legal_mask()) == chosen).all()
        differs += int((other.act(views, views.legal_mask()) != chosen).sum())
        batch.step(chosen)
    assert differs > 0


def test_finds_the_best_card_of_a_known_ending() -> None:
    agent = make("ismcts:300")
    batch = DealBatch(400, seed=3, autoreset=False)
    right = tested = 0
    while (batch.turn >= 0).any():
        actions = batch.sample_legal()
        calm = (batch.phase < PLAY) & (batch.legal_bits >> np.uint64(42) & np.uint64(1) > 0)
        actions[calm] = 42
        rows = np.flatnonzero((batch.phase == PLAY) & (batch.deals["tricks"] > 6))
        if rows.size:
            views = batch.views(rows)
            for i in np.flatnonzero(count_worlds(views) == 1):
                values = solve_cards(batch[rows[i]], threads=1)[0]
                known = values[values != NO_VALUE]
                sign = 1 if batch.turn[rows[i]] == batch.deals["declarer"][rows[i]] else -1
                if (known == known[0]).all():
                    continue
                card = int(agent.act(views[[i]], views[[i]].legal_mask())[0])
                right += sign * values[card] == (sign * known).max()
                tested += 1
        batch.step(actions)
    assert tested > 3
    assert right >= 0.9 * tested


def test_explains_and_refuses() -> None:
    agent = make("ismcts:25")
    assert isinstance(agent, IsmctsAgent)
    assert agent.name == "ismcts:25"
    batch = DealBatch(1, seed=8, autoreset=False)
    lines = []
    while batch.turn[0] >= 0:
        views = batch.views()
        chosen = agent.act(views, views.legal_mask())
        lines += agent.explain(views)
        assert lines[-1].startswith(ACTIONS[chosen[0]])
        batch.step(chosen)
    assert any("%" in line for line in lines)
    for text in ("0", "x", "1.5"):
        with pytest.raises(AgentError, match="ismcts"):
            make(f"ismcts:{text}")


@pytest.mark.slow
def test_beats_random_cards() -> None:
    low, _ = interval(duel(make("ismcts:100"), make("random-cards"), 200))
    assert low > 0
