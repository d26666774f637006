"""The Stable-Baselines3 face: what SB3 and sb3-contrib ask for, and agreement with the core."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import marias_env
from marias_env import RULES, MariasEnv, MariasVectorEnv, marias_v0
from marias_env.errors import ActionError, AgentError, IllegalActionError, StateError
from marias_env.records import record_of
from tests.face_inputs import CHECKS, Face
from tests.hidden import permuted, put

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from marias_env.integrations.sb3 import MariasVecEnv


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    # Nets this small are slower on several threads, and then the results depend on their number.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def squash(rewards: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.sign(rewards) * np.log2(1 + np.abs(rewards))


def sample(env: Any, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    masks = get_action_masks(env)
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def test_what_sb3_contrib_asks() -> None:
    env = MariasVecEnv(6, seed=1)
    observations = env.reset()
    assert observations.shape == (6, *env.observation_space.shape)
    assert observations.dtype == np.int8
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (6, 48)
    assert (masks == env.action_masks()).all()
    assert env.action_masks().dtype == np.bool_
    assert len(env.env_method("action_masks")) == 6
    assert (env.env_method("action_masks", indices=[4])[0] == masks[4]).all()
    assert (env.env_method("action_masks", indices=4)[0] == masks[4]).all()
    assert (env.get_attr("action_masks")[3]() == masks[3]).all()
    assert env.get_attr("seat") == [0] * 6
    assert env.get_attr("rules", 0) == [RULES["traditional"]]
    assert env.get_attr("render_mode") == [None] * 6
    assert env.env_is_wrapped(VecMonitor) == [False] * 6
    assert not env.has_attr("nonsense")
    assert list(env.get_images()) == [None] * 6
    env.close()
    for call in (
        lambda: env.get_attr("nonsense"),
        lambda: env.env_method("nonsense"),
        lambda: env.set_attr("rules", "online"),
    ):
        with pytest.raises(AttributeError):
            call()


@pytest.mark.parametrize(
    "configuration",
    [
        {},
        {"rules": "online", "seat": "random"},
        {"rules": "additive", "opponents": "good", "seat": "rotate", "dtype": np.float32},
    ],
)
def test_a_thousand_deals_agree_with_the_core(configuration: dict[str, Any]) -> None:
    env = MariasVecEnv(32, seed=3, **configuration)
    batch = env.learners.batch
    rng = np.random.default_rng(3)
    observations = env.reset()
    returns, lengths = np.zeros(32), np.zeros(32, int)
    deals = decisions = 0
    while deals < 340:
        masks = env.action_masks()
        assert (masks == batch.legal_mask()).all()
        assert masks.any(axis=1).all()
        row = decisions % 32
        core = marias_env.replay(record_of(batch, row))
        assert (core.legal_mask()[0] == masks[row]).all()
        assert core.turn[0] == env.get_attr("seat", row)[0]
        before = env.get_attr("seat")
        observations, rewards, dones, infos = env.step(sample(env, rng))
        decisions += 1
        assert rewards.dtype == np.float32
        assert observations.dtype == env.observation_space.dtype
        returns += rewards
        lengths += 1
        for row in range(32):
            info = infos[row]
            if not dones[row]:
                assert info == {}
                assert rewards[row] == 0
                continue
            assert info["seat"] == before[row]
            assert sum(info["payments"]) == 0
            assert info["payments"][info["seat"]] == rewards[row] == returns[row]
            assert info["episode"]["r"] == returns[row]
            assert info["episode"]["l"] == lengths[row]
            assert info["TimeLimit.truncated"] is False
            assert env.observation_space.contains(info["terminal_observation"])
            assert info["terminal_observation"][8 + 16 * 32] == 1  # phase OVER
        returns[dones] = 0
        lengths[dones] = 0
        deals += int(dones.sum())


def test_seeds() -> None:
    one, two = MariasVecEnv(4, seed=5), MariasVecEnv(4)
    first = one.reset()
    two.seed(5)
    assert (two.reset() == first).all()
    assert not (one.reset() == first).all()  # the streams go on
    one.seed(5)
    assert (one.reset() == first).all()
    assert len(one.seed()) == 4


def test_rewards_can_be_transformed_and_penalties_are_told() -> None:
    env = MariasVecEnv(16, seed=1, reward_transform=squash, illegal="penalty", illegal_penalty=4.0)
    env.reset()
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(60):
        _, rewards, dones, infos = env.step(sample(env, rng))
        for row in np.flatnonzero(dones):
            units = infos[row]["payments"][0]
            assert rewards[row] == np.float32(squash(np.float64(units)))
            assert infos[row]["episode"]["r"] == units
            ended += 1
    assert ended
    masks = env.action_masks()
    actions = masks.argmax(axis=1)
    actions[3] = masks[3].argmin()
    _, rewards, _, infos = env.step(actions)
    assert infos[3]["illegal_action"] is True
    assert rewards[3] == np.float32(squash(np.float64(-4.0)))


def test_illegal_and_bad_actions_change_nothing() -> None:
    env = MariasVecEnv(3, seed=1)
    with pytest.raises(StateError, match="reset"):
        env.step(np.zeros(3, int))
    env.reset()
    with pytest.raises(StateError, match="step_async"):
        env.step_wait()
    before = env.learners.batch.deals.tobytes()
    actions = env.action_masks().argmax(axis=1)
    actions[1] = env.action_masks()[1].argmin()
    with pytest.raises(IllegalActionError, match="row 1"):
        env.step(actions)
    for bad in (np.zeros(3), np.zeros(2, int), None):
        with pytest.raises(ActionError):
            env.step(bad)
    assert env.learners.batch.deals.tobytes() == before
    for arguments in ({"opponents": "nobody"}, {"num_envs": 0}, {"seat": 5}, {"dtype": int}):
        with pytest.raises((AgentError, ValueError)):
            MariasVecEnv(**arguments)


def test_a_revoke_of_the_learner_pays() -> None:
    rules = dataclasses.replace(RULES["traditional"], illegal_action="revoke")
    env = MariasVecEnv(64, seed=1, rules=rules)
    env.reset()
    rng = np.random.default_rng(1)
    for _ in range(20):
        masks = env.action_masks()
        actions = sample(env, rng)
        deals = env.learners.batch.deals
        hands = deals["hands"][:, 0].astype(np.int64)
        revokes = ((hands[:, None] >> np.arange(32)) & 1).astype(bool) & ~masks[:, :32]
        rows = np.flatnonzero(revokes.any(axis=1) & (deals["phase"] == 7))
        actions[rows] = revokes[rows].argmax(axis=1)
        _, rewards, dones, infos = env.step(actions)
        for row in rows:
            assert dones[row]
            assert rewards[row] < 0
            assert sum(infos[row]["payments"]) == 0
        if rows.size:
            return
    pytest.fail("no chance to revoke")


def test_hidden_cards_change_nothing() -> None:
    env = MariasVecEnv(16, seed=8, seat="rotate")
    env.reset()
    rng = np.random.default_rng(8)
    compared = 0
    for _ in range(40):
        other = copy.deepcopy(env)
        for row, seat in enumerate(env.get_attr("seat")):
            changed = permuted(env.learners.batch.deals[row], seat, RULES["traditional"], rng)
            if changed is not None:
                put(other.learners.batch.deals, row, changed)
                compared += 1
        assert (env.action_masks() == other.action_masks()).all()
        seats = env.learners.seats
        assert (env.learners.observe(seats) == other.learners.observe(seats)).all()
        env.step(sample(env, rng))
    assert compared > 300


def test_maskable_ppo_learns_and_is_evaluated(tmp_path: Any) -> None:
    env = MariasVecEnv(8, opponents=["random", "good"], reward_transform=squash)
    settings: dict[str, Any] = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "seed": 3}
    model = MaskablePPO("MlpPolicy", env, device="cpu", **settings)
    model.learn(300)  # an illegal action would raise
    assert len(model.ep_info_buffer) > 0
    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model", env=VecMonitor(MariasVecEnv(4)))
    mean, _ = evaluate_policy(loaded, VecMonitor(MariasVecEnv(4, seed=1)), n_eval_episodes=8)
    assert np.isfinite(mean)
    # The same seed learns the same.
    again = MaskablePPO("MlpPolicy", copy.deepcopy(env), device="cpu", **settings)
    again.learn(300)
    for one, two in zip(model.policy.parameters(), again.policy.parameters()):
        assert (one == two).all()


FACE = Face(
    MariasVecEnv,
    lambda env, seed: (env.seed(seed), env.reset()),
    lambda env, actions: env.step(actions),
    lambda env: env.learners.batch,
    "num_envs",
    ("rules", "opponents", "seat", "reward", "episode", "match", "dtype", "illegal")
    + ("illegal_penalty", "reward_transform"),
)


@pytest.mark.parametrize("check", CHECKS)
def test_one_convention(check: Callable[[Face], None]) -> None:
    check(FACE)


@pytest.mark.parametrize("name", ["Marias-v0", "marias_env:Marias-v0"])
def test_make_vec_env_works(name: str) -> None:
    env = make_vec_env(name, n_envs=2, seed=1, env_kwargs={"observation": "vector"})
    env.reset()
    env.step(sample(env, np.random.default_rng(1)))
    env.close()


def test_an_unsupported_render_mode_is_a_value_and_a_type_error() -> None:
    for make in (MariasEnv, MariasVectorEnv, marias_v0.env):
        for kind in (ValueError, TypeError):
            with pytest.raises(kind, match="render_mode: 'hologram'"):
                make(render_mode="hologram")


def test_normalised_observations_of_int8_are_warned_of() -> None:
    with pytest.warns(UserWarning, match='dtype="float32"'):
        VecNormalize(VecMonitor(MariasVecEnv(2))).reset()
    env = VecNormalize(MariasVecEnv(2, dtype="float32", seed=1))
    plain = VecNormalize(MariasVecEnv(2), norm_obs=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        observations = env.reset()
        plain.reset()
        MariasVecEnv(2).reset()
    # What the warning is about: a rollout buffer has the space's dtype.
    assert env.observation_space.dtype == np.float32
    assert (observations % 1 != 0).any()


def test_evaluation_reports_units_whatever_the_learner_is_paid() -> None:
    assert MariasVecEnv(3).env_is_wrapped(Monitor) == [True] * 3
    assert MariasVecEnv(3).env_is_wrapped(VecMonitor, indices=1) == [False]
    model = MaskablePPO("MlpPolicy", MariasVecEnv(4), n_steps=16, device="cpu", seed=1)
    env = MariasVecEnv(4, seed=2, reward_transform=np.zeros_like)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rewards, _ = evaluate_policy(
            model, env, n_eval_episodes=20, return_episode_rewards=True, deterministic=True
        )
    assert any(rewards)


def test_maskable_ppo_on_the_single_environment() -> None:
    import gymnasium

    env = gymnasium.make("Marias-v0", observation="vector")
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, device="cpu")
    model.learn(128)
    masked = gymnasium.make("Marias-v0")
    MaskablePPO("MultiInputPolicy", masked, n_steps=64, n_epochs=1, device="cpu").learn(64)
