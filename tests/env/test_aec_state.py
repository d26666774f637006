"""The PettingZoo face: saved games, hidden cards, and a thousand deals against the core."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import marias_env
from marias_env import DealBatch, marias_v0
from tests.hidden import permuted, put


def steps(env: Any, rng: np.random.Generator) -> Any:
    """Plays one episode, yielding before every decision and every dead step."""
    while env.agents:
        yield env.agent_selection
        observation, _, terminated, _, _ = env.last()
        mask = observation["action_mask"]
        env.step(None if terminated else int(rng.choice(np.flatnonzero(mask))))


def same(one: Any, two: Any) -> None:
    """Two environments show the same to everybody."""
    assert one.agents == two.agents
    for name in ("rewards", "terminations", "truncations", "infos", "_cumulative_rewards"):
        assert getattr(one, name) == getattr(two, name)
    if one.agents:
        assert one.agent_selection == two.agent_selection
    for agent in marias_v0.AGENTS:
        first, second = one.observe(agent), two.observe(agent)
        for key in first:
            assert np.array_equal(first[key], second[key])
    assert np.array_equal(one.state(), two.state())
    assert one._batch.deals.tobytes() == two._batch.deals.tobytes()


def through_pickle(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


WAYS = {"clone": lambda env: env.clone(), "deepcopy": copy.deepcopy, "pickle": through_pickle}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("configuration", [{}, {"rules": "online", "episode": "match"}])
def test_a_copy_at_every_node_is_the_running_game(way: str, configuration: dict[str, Any]) -> None:
    env = marias_v0.env(**configuration)
    env.reset(seed=8)
    for count, agent in enumerate(steps(env, np.random.default_rng(8))):
        before = env._batch.deals.tobytes()
        other = WAYS[way](env)
        same(env, other)
        if other.terminations[agent]:
            other.step(None)
        else:
            other.action_space(agent).seed(count)
            other.step(other.action_space(agent).sample())
        # The original has not noticed.
        assert env._batch.deals.tobytes() == before
        assert env.agent_selection == agent
        if count > 120:
            break


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_goes_on_alike(way: str) -> None:
    env = marias_v0.env(episode="match")
    env.reset(seed=9)
    for count, _ in enumerate(steps(env, np.random.default_rng(9))):
        if count == 25:
            break
    for agent in marias_v0.AGENTS:
        env.action_space(agent).seed(3)
    other = WAYS[way](env)
    for _ in range(2):
        while env.agents:
            agent = env.agent_selection
            assert other.agent_selection == agent
            action = None if env.terminations[agent] else env.action_space(agent).sample()
            if action is not None:
                assert other.action_space(agent).sample() == action
            env.step(action)
            other.step(action)
            same(env, other)
        env.reset()  # the streams have come along too
        other.reset()
        same(env, other)


def test_a_copy_before_reset() -> None:
    for way in WAYS.values():
        other = way(marias_v0.env(rules="online"))
        with pytest.raises(AttributeError, match="reset"):
            _ = other.agents
        other.reset(seed=1)
        assert other.rules == marias_env.RULES["online"]


@pytest.mark.parametrize("rules", ["traditional", "online"])
def test_hidden_cards_change_nothing_a_seat_receives(rules: str) -> None:
    env = marias_v0.env(rules=rules, render_mode="ansi")
    rng = np.random.default_rng(4)
    compared = 0
    for seed in range(60):
        env.reset(seed=seed)
        for count, agent in enumerate(steps(env, rng)):
            if count % 3:
                continue
            for seat, name in enumerate(marias_v0.AGENTS):
                deal = permuted(env._batch.deals[0], seat, env.rules, rng)
                if deal is None:
                    continue
                other = env.clone()
                put(other._batch.deals, 0, deal)
                assert other._batch.deals.tobytes() != env._batch.deals.tobytes()
                first, second = env.observe(name), other.observe(name)
                assert first["observation"].tobytes() == second["observation"].tobytes()
                views = env._batch.views(seats=seat), other._batch.views(seats=seat)
                assert views[0].deals.tobytes() == views[1].deals.tobytes()
                if name == agent:
                    assert (first["action_mask"] == second["action_mask"]).all()
                    assert env.render() == other.render()
                    assert env.last()[4] == other.last()[4]
                compared += 1
    assert compared > 500


@pytest.mark.parametrize(
    ("rules", "deals"), [("traditional", 500), ("online", 300), ("additive", 200)]
)
def test_a_thousand_deals_agree_with_the_core(rules: str, deals: int) -> None:
    env = marias_v0.env(rules=rules)
    core = DealBatch(1, rules, seed=0, autoreset=False)
    rng = np.random.default_rng(6)
    for seed in range(deals):
        env.reset(seed=seed)
        core.reset(seed)
        core.set_decks(env._batch.deals["deck"][0], int(env._batch.deals["dealer"][0]))
        returns = dict.fromkeys(marias_v0.AGENTS, 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, _, _ = env.last()
            returns[agent] += reward
            if terminated:
                env.step(None)
                continue
            mask = observation["action_mask"]
            assert core.deals["turn"][0] == marias_v0.AGENTS.index(agent)
            assert np.array_equal(mask, core.legal_mask()[0])
            assert np.array_equal(observation["observation"], core.observe()[0])
            legal = np.flatnonzero(mask)
            action = int(legal[rng.integers(len(legal))])
            env.step(action)
            core.step(np.array([action]))
        assert list(returns.values()) == core.payments[0].tolist()
        assert sum(returns.values()) == 0
        if seed % 20 == 0:
            marias_env.replay(env.record())  # every action legal, payments as recorded
