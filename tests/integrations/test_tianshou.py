"""Tianshou through its PettingZoo wrapper: agreement with the core, and what its buffers hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

from marias_env import marias_v0
from marias_env.errors import IllegalActionError
from tests.integrations.agreement import check_mask, paid, permute_hidden

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
AGENTS = marias_v0.AGENTS


def made(**arguments: Any) -> PettingZooEnv:
    return PettingZooEnv(marias_v0.env(dtype="float32", **arguments))


def batch_of(env: PettingZooEnv) -> Any:
    return env.env._batch


@pytest.mark.parametrize("rules", ["traditional", "online", "additive"])
def test_a_thousand_deals_agree_with_the_core(rules: str) -> None:
    env = made(rules=rules)
    rng = np.random.default_rng(3)
    for deal in range(340):
        seen, _ = env.reset(seed=deal)
        ended = False
        while not ended:
            batch = batch_of(env)
            assert seen["agent_id"] == AGENTS[batch.turn[0]]
            assert (np.array(seen["mask"]) == batch.legal_mask()[0]).all()
            if deal % 10 == 0:
                check_mask(batch, 0, seen["mask"])
            action = int(rng.choice(np.flatnonzero(seen["mask"])))
            seen, rewards, ended, cut, _ = env.step(action)
            assert not cut
            assert ended or not any(rewards)
        assert rewards == paid(batch_of(env), 0)


def test_illegal_actions_change_nothing() -> None:
    env = made()
    seen, _ = env.reset(seed=1)
    before = batch_of(env).to_bytes()
    with pytest.raises(IllegalActionError):
        env.step(seen["mask"].index(False))
    assert batch_of(env).to_bytes() == before


def test_hidden_cards_change_nothing() -> None:
    env = made()
    rng = np.random.default_rng(8)
    compared = 0
    for deal in range(60):
        seen, _ = env.reset(seed=deal)
        ended = False
        while not ended:
            batch = batch_of(env)
            seat = AGENTS.index(seen["agent_id"])
            changed, count = permute_hidden(batch, np.array([seat]), rng)
            kept = batch.deals.copy()
            batch.deals[:] = changed
            other = env.env.observe(seen["agent_id"])
            batch.deals[:] = kept
            assert (other["observation"] == seen["obs"]).all()
            assert (other["action_mask"] == seen["mask"]).all()
            compared += count
            seen, _, ended, _, _ = env.step(int(rng.choice(np.flatnonzero(seen["mask"]))))
    assert compared > 800


def algorithm_for(env: PettingZooEnv) -> MultiAgentOffPolicyAlgorithm:
    # One network for all seats: self-play.
    size = env.observation_space["observation"].shape
    net = Net(state_shape=size, action_shape=48, hidden_sizes=[32])
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_inference=0.5)
    dqn = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, n_step_return_horizon=99
    )
    return MultiAgentOffPolicyAlgorithm(algorithms=[dqn, dqn, dqn], env=env)


def test_returns_of_every_seat_are_its_payments() -> None:
    algorithm = algorithm_for(made())
    buffer = VectorReplayBuffer(20_000, 8)
    envs = DummyVectorEnv([made] * 8)
    envs.seed(1)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    collector.collect(n_episode=100, reset_before_collect=True)
    data, indices = buffer.sample(0)  # everything, in order
    assert data.done.sum() == 100
    assert (data.rew[~data.done] == 0).all()
    assert (data.rew.sum(axis=1) == 0).all()
    assert data.obs.mask[np.arange(len(data)), data.act].all()
    # Which payments belong to each transition: those of the end of its deal.
    ends = np.flatnonzero(data.done)
    payments = data.rew[ends[np.searchsorted(ends, np.arange(len(data)))]]
    prepared = algorithm._preprocess_batch(data, buffer, indices)
    for seat, agent in enumerate(AGENTS):
        own = data.obs.agent_id == agent
        found = np.asarray(prepared[agent].returns).reshape(-1)
        assert own.sum() > 300
        assert (found == payments[own, seat]).all()


def test_the_example_learns() -> None:
    script = ROOT / "training" / "examples" / "tianshou_dqn.py"
    result = subprocess.run(
        [sys.executable, str(script), "--rounds", "5", "--deals", "150"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    lines = [line for line in result.stdout.splitlines() if "standard error" in line]
    before, after = (float(line.split()[1]) for line in lines)
    assert after > before
