"""A network with search: it bids as the network, and searches the cards the network likes best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from marias_agents import make
from marias_agents.net.shape import NetParams, param_shapes
from marias_agents.net.weights import save_weights
from marias_agents.registry import describe
from marias_agents.search.net_pimc import liked_cards
from marias_agents.worlds import sample_worlds
from marias_env.actions import PLAY
from marias_env.batch import DealBatch
from marias_env.errors import AgentError


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    params = NetParams(
        **{
            name: rng.normal(0, 0.2, shape).astype(np.float32)
            for name, shape in param_shapes(16, 8).items()
        }
    )
    path = tmp_path_factory.mktemp("net") / "tiny.net"
    save_weights(path, params, "traditional")
    return path


def test_bids_as_the_network_and_plays_a_card_it_likes(weights: Path) -> None:
    agent, net = make(f"net+pimc:2,net={weights},top=2"), make(f"net:{weights}")
    batch = DealBatch(16, seed=3, autoreset=False)
    searched = differs = 0
    while (rows := np.flatnonzero(batch.turn >= 0)).size:
        part = batch[rows]
        views = part.views()
        masks = views.legal_mask()
        actions, alone = agent.act(views, masks), net.act(views, masks)
        assert (masks[np.arange(len(rows)), actions] == 1).all()
        # Another world of the view, the same choice.
        seen = sample_worlds(views, 1, seed=3).views()
        assert (agent.act(seen, seen.legal_mask()) == actions).all()
        bidding = part.phase < PLAY
        assert (actions[bidding] == alone[bidding]).all()
        for line in agent.explain(views):
            if "%" in line:
                searched += 1
                assert line.count("%") == 2, line
        differs += int((actions != alone).sum())
        part.step(actions)
        batch[rows] = part
    assert searched > 10
    assert differs > 0


def test_a_card_is_liked_as_its_next_one() -> None:
    logits = np.zeros(48)
    logits[[2, 9]] = 5.0, 3.0
    liked = liked_cards(logits, 1 << 1 | 1 << 2 | 1 << 7 | 1 << 9 | 1 << 30)
    assert liked[[1, 2, 7, 9, 30]].tolist() == [5.0, 5.0, 5.0, 3.0, 0.0]
    assert np.isneginf(np.delete(liked, [1, 2, 7, 9, 30])).all()


def test_the_shipped_network_searches() -> None:
    agent = make("net+pimc:1@3")
    assert agent.name == "net+pimc:1@3"
    assert agent.name in repr(agent)
    views = DealBatch(3, seed=1).views()
    assert (
        agent.act(views, views.legal_mask()) == make("net:base").act(views, views.legal_mask())
    ).all()


def test_options_are_checked_and_told() -> None:
    for text, what in (
        ("0", "worlds"),
        ("3,top=0", "top"),
        ("3,net=nobody", "nobody"),
        ("3,what=1", "what=1"),
        ("3,bids=well", "bids"),
    ):
        with pytest.raises(AgentError, match=what):
            make(f"net+pimc:{text}")
    options = next(entry for entry in describe() if entry["name"] == "net+pimc")["options"]
    assert {option["name"] for option in options} >= {"worlds", "models", "net", "top"}
    assert all(option["help"] for option in options)
