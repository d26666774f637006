"""The RLlib face: agreement with the core, episodes as RLlib keeps them, and killed training."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from marias_env import RULES
from marias_env.actions import OVER
from marias_env.errors import ActionError, IllegalActionError, StateError
from marias_env.integrations.rllib import AGENTS, MariasMultiAgentEnv, MaskedRLModule
from tests.face_inputs import CHECKS, Face
from tests.integrations.agreement import check_mask, paid, permute_hidden

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"rules": "online", "dtype": np.int8},
    {"rules": "additive"},
]


def configured(**env_config: Any) -> PPOConfig:
    return (
        PPOConfig()
        .environment(MariasMultiAgentEnv, env_config=env_config)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, *_, **__: "shared")
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=MaskedRLModule, model_config={"hiddens": (32,)}
            )
        )
        .training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
        .debugging(seed=1)
    )


@pytest.fixture(scope="module")
def _ray() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_what_rllib_checks(configuration: dict[str, Any]) -> None:
    env = MariasMultiAgentEnv(configuration)
    check_multiagent_environments(env)
    observations, _ = env.reset(seed=1)
    for agent, seen in observations.items():
        assert env.get_observation_space(agent).contains(seen)
        assert env.get_action_space(agent) == env.get_action_space(AGENTS[0])


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_a_thousand_deals_agree_with_the_core(configuration: dict[str, Any]) -> None:
    env = MariasMultiAgentEnv(configuration)
    rng = np.random.default_rng(3)
    for deal in range(340):
        observations, infos = env.reset(seed=deal)
        ended = False
        while not ended:
            ((agent, seen),) = observations.items()
            assert set(infos) == {agent}
            assert agent == AGENTS[env.batch.turn[0]]
            assert (seen["action_mask"] == env.batch.legal_mask()[0]).all()
            if deal % 10 == 0:
                check_mask(env.batch, 0, seen["action_mask"])
            action = rng.choice(np.flatnonzero(seen["action_mask"]))
            observations, rewards, ends, cuts, infos = env.step({agent: action})
            ended = ends["__all__"]
            assert not any(cuts.values())
            assert set(observations) <= set(rewards)
            if not ended:
                assert not any(rewards.values())
        assert set(observations) == set(rewards) == set(infos) == set(AGENTS)
        assert env.batch.phase[0] == OVER
        assert [rewards[agent] for agent in AGENTS] == paid(env.batch, 0)
        assert infos["player_2"]["payments"] == tuple(paid(env.batch, 0))
        for agent, seen in observations.items():
            assert not seen["action_mask"].any()
            assert env.get_observation_space(agent).contains(seen)


def test_rllib_keeps_every_reward() -> None:
    # RLlib's own sampling loop, slow: what it records of each seat is what the seat was paid.
    runner = MultiAgentEnvRunner(configured(dtype="int8"), worker_index=0)
    deals = 0
    while deals < 100:
        for episode in runner.sample(num_episodes=50):
            deals += 1
            infos = [part.get_infos(-1) for part in episode.agent_episodes.values()]
            payments = infos[0]["payments"]
            assert sum(payments) == 0
            for agent, part in episode.agent_episodes.items():
                assert part.is_terminated
                assert part.get_return() == payments[AGENTS.index(agent)]
                seen = part.get_observations(slice(0, len(part)))
                masks, actions = seen["action_mask"], part.get_actions()
                assert (masks[np.arange(len(part)), actions] == 1).all()


def test_matches_transforms_and_starts() -> None:
    env = MariasMultiAgentEnv(
        {"episode": "match", "match": 1, "reward": "chips", "reward_transform": np.sign}
    )
    rng = np.random.default_rng(1)
    observations, _ = env.reset(seed=1)
    paid_out, ended = 0, False
    while not ended:
        ((agent, seen),) = observations.items()
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        observations, rewards, ends, _, infos = env.step({agent: action})
        if len(rewards) == 3:
            paid_out += 1
            assert set(rewards.values()) <= {-1.0, 0.0, 1.0}
            assert all("payments" in info for info in infos.values())
        ended = ends["__all__"]
    assert paid_out == 3  # one rotation of the dealer
    deal = MariasMultiAgentEnv()
    deal.reset(seed=3)
    for _ in range(3):
        agent = AGENTS[deal.batch.turn[0]]
        deal.step({agent: deal.get_action_space(agent).sample()})
    other = MariasMultiAgentEnv(rules="traditional")
    other.reset(options={"record": deal.record()})
    assert other.record()["actions"] == deal.record()["actions"]


def test_errors_change_nothing() -> None:
    env = MariasMultiAgentEnv()
    with pytest.raises(StateError):
        env.step({"player_0": 0})
    observations, _ = env.reset(seed=1)
    ((agent, seen),) = observations.items()
    before = env.batch.to_bytes()
    with pytest.raises(IllegalActionError):
        env.step({agent: int(seen["action_mask"].argmin())})
    other = next(name for name in AGENTS if name != agent)
    legal = int(seen["action_mask"].argmax())
    for actions in ({}, {other: legal}, {agent: legal, other: legal}):
        with pytest.raises(ActionError, match=agent):
            env.step(actions)
    assert env.batch.to_bytes() == before
    with pytest.raises(TypeError):
        MariasMultiAgentEnv({"rule": "online"})


def test_seeds_copies_and_workers() -> None:
    def play(env: Any, seed: int | None = None) -> list[Any]:
        rng, out = np.random.default_rng(1), []
        observations = env.reset(seed=seed)[0] if seed is not None else None
        observations = observations or {AGENTS[env.batch.turn[0]]: env._see(env.batch.turn[0])}
        while len(observations) == 1:
            ((agent, seen),) = observations.items()
            action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
            observations, *rest = env.step({agent: action})
            out.append((agent, action, rest))
        return out

    env = MariasMultiAgentEnv()
    assert play(env, 5) == play(MariasMultiAgentEnv(), 5)
    assert play(env, 5) != play(env, 6)
    env.reset(seed=7)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    expected = play(env)
    for twin in twins:
        mask = twin.legal_mask(int(twin.batch.turn[0]))
        assert mask[twin.get_action_space(AGENTS[twin.batch.turn[0]]).sample()] == 1
        assert play(twin) == expected
    decks = set()
    for worker in range(4):
        config: Any = type("Context", (dict,), {"worker_index": worker})()
        other = MariasMultiAgentEnv(config)
        other.reset(seed=1)
        decks.add(tuple(other.record()["deck"]))
    assert len(decks) == 4


def test_hidden_cards_change_nothing() -> None:
    env = MariasMultiAgentEnv()
    rng = np.random.default_rng(8)
    compared = 0
    for deal in range(60):
        observations, _ = env.reset(seed=deal)
        while len(observations) == 1:
            ((agent, seen),) = observations.items()
            seat = AGENTS.index(agent)
            changed, count = permute_hidden(env.batch, np.array([seat]), rng)
            kept = env.batch.deals.copy()
            env.batch.deals[:] = changed
            other = env._see(seat)
            env.batch.deals[:] = kept
            assert (other["observations"] == seen["observations"]).all()
            assert (other["action_mask"] == seen["action_mask"]).all()
            compared += count
            action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
            observations, *_ = env.step({agent: action})
    assert compared > 800
    assert env.rules == RULES["traditional"]


@pytest.mark.usefixtures("_ray")
def test_ppo_with_two_workers_learns_from_a_checkpoint_too(tmp_path: Path) -> None:
    config = configured(dtype="int8", reward_transform=np.sign)
    algorithm = config.env_runners(num_env_runners=2, num_envs_per_env_runner=2).build_algo()
    results = algorithm.train()
    assert np.isfinite(results["learners"]["shared"]["total_loss"])
    assert results["env_runners"]["num_episodes"] > 0
    algorithm.save_to_path(tmp_path / "saved")
    weights = copy.deepcopy(algorithm.get_module("shared").get_state())
    algorithm.stop()
    other = configured(dtype="int8").build_algo()
    other.restore_from_path(tmp_path / "saved")
    assert other.iteration == 1
    for name, value in other.get_module("shared").get_state().items():
        assert (np.asarray(value) == np.asarray(weights[name])).all()
    other.stop()


def test_the_example_is_killed_and_goes_on(tmp_path: Path) -> None:
    script = ROOT / "training" / "examples" / "rllib_ppo.py"
    command = [sys.executable, str(script), "--folder", str(tmp_path), "--batch", "1000"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    first = subprocess.Popen([*command, "--iterations", "1000"], env=environment)
    deadline = time.monotonic() + 240
    while not (tmp_path / "000001").exists():
        assert first.poll() is None, "the example failed"
        assert time.monotonic() < deadline
        time.sleep(0.1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    last = int(max(path.name for path in tmp_path.glob("[0-9]*")))
    second = subprocess.run(
        [*command, "--iterations", str(last + 2)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert second.returncode == 0, second.stderr
    lines = [line for line in second.stdout.splitlines() if line.startswith("iteration")]
    assert lines[0].startswith(f"iteration {last}: ")
    assert lines[-1].startswith(f"iteration {last + 2}: ")
    assert len(lines) == 4
    assert float(lines[-1].split()[2]) > 20  # units per deal against two random players


FACE = Face(
    MariasMultiAgentEnv,
    lambda env, seed: env.reset(seed=seed),
    lambda env, action: env.step({AGENTS[int(env.batch.turn[0])]: action}),
    lambda env: env.batch,
    None,
    ("rules", "reward", "episode", "match", "dtype", "reward_transform"),
)


@pytest.mark.parametrize("check", CHECKS)
def test_one_convention(check: Callable[[Face], None]) -> None:
    check(FACE)
