from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from marias_agents import make
from marias_agents.net.agent import NetAgent, make_net, shipped_names
from marias_agents.net.kernel import bucket_rows, net_choose, new_scratch
from marias_agents.net.shape import (
    BUCKETS,
    NUM_BUCKETS,
    NUM_TABLES,
    TABLE_OF,
    NetParams,
    param_shapes,
)
from marias_agents.net.weights import FOLDER, load_weights, save_weights
from marias_env import DealBatch
from marias_env.actions import CONTRACT, DISCARD, NAME_TRUMP, PLAY, REPLY, TRUMP
from marias_env.canonical import canonical, to_actions
from marias_env.errors import AgentError, RulesError


def random_params(width: int = 24, narrow: int = 8, seed: int = 1) -> NetParams:
    rng = np.random.default_rng(seed)
    # Numbers that float16 holds exactly, so that a file gives them back.
    return NetParams(
        **{
            name: (rng.integers(-64, 65, shape) / 128).astype(np.float32)
            for name, shape in param_shapes(width, narrow).items()
        }
    )


def plain_logits(params: NetParams, features: Any, buckets: Any) -> Any:
    # The network as its docstring tells it, in float64 and without any of the kernel's shortcuts.
    out = []
    for row, bucket in zip(features.astype(np.float64), buckets):
        table = TABLE_OF[bucket]
        x = np.maximum(row @ params.first[table] + params.first_bias[table], 0)
        x = np.maximum(x @ params.second[bucket] + params.second_bias[bucket], 0)
        x = np.maximum(x @ params.third[bucket] + params.third_bias[bucket], 0)
        out.append(x @ params.head[bucket] + params.head_bias[bucket])
    return np.array(out)


@pytest.mark.parametrize("rules", ["traditional", "online"])
def test_the_kernel_computes_what_the_shape_says(rules: str) -> None:
    params = random_params()
    agent = NetAgent(params, "net")
    batch = DealBatch(60, rules, seed=3)
    compared: set[int] = set()
    for _ in range(45):
        views, masks = batch.views(), batch.legal_mask()
        inputs = canonical(views.observe(), masks)
        buckets = np.empty(len(views), dtype=np.int64)
        bucket_rows(views.deals, views.seats.astype(np.int64), buckets)
        expected = plain_logits(params, inputs.features, buckets)
        places = np.tile(np.arange(48), (len(views), 1))
        by_action = np.empty_like(expected)
        rows = np.arange(len(views))[:, None]
        by_action[rows, to_actions(places, inputs.order[:, None])] = expected
        np.testing.assert_allclose(agent.logits(views), by_action, rtol=1e-4, atol=1e-4)
        best = np.where(masks == 1, by_action, -np.inf)
        chosen = agent.act(views, masks)
        np.testing.assert_allclose(best[rows[:, 0], chosen], best.max(1), rtol=1e-4, atol=1e-4)
        compared |= set(buckets.tolist())
        batch.step(batch.sample_legal())
    assert len(compared) >= 12


def test_every_decision_has_a_bucket_of_its_kind() -> None:
    seen: set[int] = set()
    for rules in ("traditional", "online"):
        batch = DealBatch(300, rules, seed=5)
        for _ in range(60):
            d = batch.deals
            seats = batch.turn.astype(np.int64)
            buckets = np.empty(300, dtype=np.int64)
            bucket_rows(d, seats, buckets)
            names = np.array(BUCKETS)[buckets]
            for phase, name in (
                (TRUMP, "trumps"), (NAME_TRUMP, "trumps"), (CONTRACT, "contract"),
                (DISCARD, "discard"), (REPLY, "reply"),
            ):  # fmt: skip
                assert (names[d["phase"] == phase] == name).all()
            playing = d["phase"] == PLAY
            leads = np.char.endswith(names, "leads")
            suit = playing & (d["contract"] == 0)
            assert (leads == (suit & (d["in_trick"] == 0))).all()
            declares = np.char.find(names, "declarer") >= 0
            assert (declares == (playing & (d["declarer"] == seats))).all()
            seen |= set(buckets.tolist())
            batch.step(batch.sample_legal())
    assert seen == set(range(NUM_BUCKETS))
    assert set(TABLE_OF.tolist()) == set(range(NUM_TABLES))
    assert (np.diff(TABLE_OF) >= 0).all()


def test_the_truth_and_the_view_give_the_same_choice() -> None:
    # What playouts rely on: the network can be asked with the true record.
    params = random_params()
    scratch = new_scratch(params)
    batch = DealBatch(20, seed=8)
    for _ in range(30):
        views = batch.views()
        for row in range(20):
            seen = net_choose(views.deals[row], views.packed_rules[0], params, scratch)
            true = net_choose(batch.deals[row], views.packed_rules[0], params, scratch)
            assert seen == true
        batch.step(batch.sample_legal())


def test_a_seed_draws_and_none_does_not() -> None:
    params = random_params()
    batch = DealBatch(500, seed=1)
    views, masks = batch.views(), batch.legal_mask()
    agents = {seed: NetAgent(params, "net", seed) for seed in (None, 1, 2)}
    chosen = {seed: agent.act(views, masks) for seed, agent in agents.items()}
    for seed, agent in agents.items():
        assert np.array_equal(chosen[seed][3:9], agent.act(views[3:9], masks[3:9]))
        assert (masks[np.arange(500), chosen[seed]] == 1).all()
    assert not np.array_equal(chosen[None], chosen[1])
    assert not np.array_equal(chosen[1], chosen[2])
    logits = np.where(masks == 1, agents[None].logits(views), -np.inf)
    shares = np.exp(logits - logits.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    expected = shares[np.arange(500), chosen[None]].sum()
    assert abs((chosen[1] == chosen[None]).sum() - expected) < 5 * np.sqrt(expected)


# ------------------------------------------------------------------ weight files


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "mine.net"
    save_weights(path, random_params(), "traditional", {"hours": 1.5})
    return path


def test_a_file_gives_back_what_was_written(saved: Path) -> None:
    found = load_weights(saved)
    for one, two in zip(found.params, random_params(), strict=True):
        assert one.dtype == np.float32
        assert np.array_equal(one, two)
    assert (found.rules, found.about) == ("traditional", {"hours": 1.5})
    agent = make(f"net:{saved}")
    batch = DealBatch(50, seed=1)
    views, masks = batch.views(), batch.legal_mask()
    assert np.array_equal(agent.act(views, masks), NetAgent(random_params(), "x").act(views, masks))
    assert make(f"net:{saved}@3").name == f"net:{saved}@3"


def test_damaged_and_foreign_files_are_refused(saved: Path, tmp_path: Path) -> None:
    good = saved.read_bytes()
    middle = len(good) // 2
    bad = {
        "empty": b"",
        "text": b"not a network, whatever the first eight bytes say",
        "half": good[:middle],
        "longer": good + b"\0\0",
        "flipped": good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :],
        "layout": good.replace(b'"observation_version": 1', b'"observation_version": 7'),
        "format": good.replace(b"marias-net/1", b"marias-net/9"),
        "rules": good.replace(b'"traditional"', b'"transitional'[:12] + b'"'),
        "width": good.replace(b'"width": 24', b'"width": -1'),
        "sizes": good.replace(b'"narrow": 8', b'"narrow": 9'),
    }
    for name, data in bad.items():
        assert data != good
        path = tmp_path / f"{name}.net"
        path.write_bytes(data)
        with pytest.raises(AgentError, match=f"{name}.net"):
            make(f"net:{path}")
    with pytest.raises(AgentError, match=r"no network 'nothing\.net'"):
        make("net:nothing.net")


def test_numbers_that_are_none_are_not_written_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "bad.net"
    for value in (np.nan, np.inf, 1e9):
        params = random_params()
        params.third[0, 0, 0] = value
        with pytest.raises(ValueError, match="third"):
            save_weights(path, params, "traditional")
    with pytest.raises(RulesError):
        save_weights(path, random_params(), "no such rules")
    assert not path.exists()
    with pytest.raises(AgentError, match="not finite"):
        NetAgent(params._replace(third=np.full_like(params.third, np.nan)), "net")


def test_a_table_gets_the_network_of_its_way_of_dealing() -> None:
    one, two = random_params(seed=1), random_params(seed=2)
    agent = NetAgent({"traditional": one, "online": two}, "net")
    for rules, params in (("traditional", one), ("online", two), ("additive", None)):
        batch = DealBatch(3, rules, seed=1)
        expected = params or (two if batch.rules.dealing == "talon" else one)
        assert agent.params_for(batch.rules) is expected


@pytest.mark.parametrize("rules", ["traditional", "online", "additive"])
def test_the_network_of_the_package_plays_whole_deals(rules: str) -> None:
    agents = [make("net:base"), make("rules"), make("net")]
    batch = DealBatch(60, rules, seed=2, autoreset=False)
    while (batch.turn >= 0).any():
        actions = np.full(60, -1, dtype=np.int64)
        for seat, agent in enumerate(agents):
            rows = np.flatnonzero(batch.turn == seat)
            if rows.size:
                views = batch.views(rows)
                actions[rows] = agent.act(views, views.legal_mask())
        batch.step(actions)  # refuses what is not legal
    assert (batch.payments.sum(axis=1) == 0).all()


def test_the_network_of_the_package_is_no_beginner() -> None:
    # Duplicate deals: the same cards for both, one of them against two players that draw cards.
    paid = []
    for name in ("net:base", "random-cards"):
        batch = DealBatch(300, seed=6, autoreset=False)
        player, others = make(name), make("random-cards@5")
        while (batch.turn >= 0).any():
            actions = np.full(300, -1, dtype=np.int64)
            for agent, mine in ((player, batch.turn == 0), (others, batch.turn > 0)):
                rows = np.flatnonzero(mine)
                if rows.size:
                    views = batch.views(rows)
                    actions[rows] = agent.act(views, views.legal_mask())
            batch.step(actions)
        paid.append(np.clip(batch.payments[:, 0], -32, 32).mean())
    assert paid[0] > paid[1] + 0.5


def test_an_environment_takes_it_as_an_opponent() -> None:
    env = gymnasium.make("Marias-v0", opponents="net:base")
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, ended, _, info = env.step(action)


def test_weights_of_the_package_are_small_and_named() -> None:
    assert shipped_names() == ["base"]
    files = list(FOLDER.glob("*.net"))
    assert {load_weights(path).rules for path in files} == {"traditional", "online"}
    assert sum(path.stat().st_size for path in files) < 10_000_000
    with pytest.raises(AgentError, match="no network 'nobody'; expected one of base"):
        make_net("nobody")
