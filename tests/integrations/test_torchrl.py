"""The TorchRL face: what TorchRL checks, agreement with the core, and advantages by seat."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, Compose, RewardSum, SerialEnv, TransformedEnv
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor

import marias_env
from marias_env.actions import OVER
from marias_env.errors import ActionError, AgentError, IllegalActionError
from marias_env.integrations.torchrl import MariasTorchEnv, seat_advantages
from tests.face_inputs import Face, check_arguments, check_seeds
from tests.integrations.agreement import check_mask, paid, permute_hidden

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"all_seats": True},
    {"all_seats": True, "rules": "online", "dtype": np.int8},
    {"rules": "additive", "opponents": "good", "seat": "rotate", "categorical": False},
    {"episode": "match", "match": 1, "reward": "chips", "seat": "random"},
]


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_specs(configuration: dict[str, Any]) -> None:
    env = MariasTorchEnv(4, **configuration)
    check_env_specs(env, seed=1)
    check_env_specs(env, break_when_any_done="both")
    assert env.batch_size == torch.Size([4])
    assert env.reward_spec.shape[-1] == (3 if env.all_seats else 1)


def test_transforms_and_several_environments() -> None:
    env = TransformedEnv(MariasTorchEnv(4, seed=1), Compose(ActionMask(), RewardSum()))
    check_env_specs(env)
    data = env.rollout(40, break_when_any_done=False)["next"]
    assert data["episode_reward"][data["done"]].any()
    several = TransformedEnv(SerialEnv(2, lambda: MariasTorchEnv(3)), ActionMask())
    check_env_specs(several)
    data = several.rollout(30, _actor(several), break_when_any_done=False)
    assert data.batch_size == (2, 3, 30)
    assert data["next", "done"].any()


def _actor(env: Any) -> ProbabilisticActor:
    size = env.observation_spec["observation"].shape[-1]
    return ProbabilisticActor(
        TensorDictModule(nn.Linear(size, 48), ["observation"], ["logits"]),
        {"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
    )


@pytest.mark.parametrize("configuration", CONFIGURATIONS[:4])
def test_a_thousand_deals_agree_with_the_core(configuration: dict[str, Any]) -> None:
    env = MariasTorchEnv(50, seed=3, **configuration)
    torch.manual_seed(3)
    batch = env.learners.batch
    data = env.reset()
    deals = steps = 0
    while deals < 1000:
        assert torch.equal(data["action_mask"], torch.from_numpy(batch.legal_mask() == 1))
        row = steps % 50
        check_mask(batch, row, data["action_mask"][row])
        assert int(batch.turn[row]) == int(data["seat"][row])
        seats = data["seat"].clone()
        data = env.step(env.rand_action(data))
        reward, done = data["next", "reward"], data["next", "done"].squeeze(-1)
        assert torch.equal(done, torch.from_numpy(batch.phase == OVER))
        assert (reward[~done] == 0).all()
        for row in done.nonzero().flatten().tolist():
            units = paid(batch, row)
            assert reward[row].tolist() == (units if env.all_seats else [units[int(seats[row])]])
        deals += int(done.sum())
        steps += 1
        data = env.maybe_reset(env._step_mdp(data))


def test_matches_pay_after_every_deal() -> None:
    env = MariasTorchEnv(8, all_seats=True, episode="match", match=1, reward="chips", seed=2)
    data = env.reset()
    total = torch.zeros(8, 3)
    for _ in range(400):
        data = env.step(env.rand_action(data))
        assert (data["next", "reward"].sum(-1) == 0).all()
        total += data["next", "reward"]
        if data["next", "done"].all():
            break
        data = env._step_mdp(data)  # rows that are over take any action and stay as they are
    match = env.learners.batch.match
    assert match is not None
    chips = torch.from_numpy(env.learners.batch.totals * match.chips_per_point)
    assert torch.equal(total, chips.float())


def test_rows_that_are_over() -> None:
    env = MariasTorchEnv(6, seed=4)
    data = env.reset()
    while not data["done"].any():
        data = env._step_mdp(env.step(env.rand_action(data)))
    over = data["done"].squeeze(-1)
    assert data["action_mask"][over].all()
    before = env.learners.batch.deals[over.numpy()].tobytes()
    data = env.step(env.rand_action(data))
    assert env.learners.batch.deals[over.numpy()].tobytes() == before
    assert (data["next", "reward"][over] == 0).all()


def test_seeds_and_copies() -> None:
    def play(env: MariasTorchEnv) -> Any:
        torch.manual_seed(7)
        return env.rollout(30, break_when_any_done=False)

    env = MariasTorchEnv(4, all_seats=True, seed=5)
    first = play(env)
    assert not (play(env)["observation"] == first["observation"]).all()  # the streams go on
    env.set_seed(5)
    twin = copy.deepcopy(env)
    for again in (play(env), play(twin), play(MariasTorchEnv(4, all_seats=True, seed=5))):
        assert (again == first).all()
    more = MariasTorchEnv(9, all_seats=True, seed=5).reset()  # rows do not depend on their number
    assert torch.equal(more["observation"][:4], first["observation"][:, 0])
    running = copy.deepcopy(env)  # in the middle of its deals
    torch.manual_seed(1)
    one = env.rollout(5, tensordict=env._present(), auto_reset=False)
    torch.manual_seed(1)
    two = running.rollout(5, tensordict=running._present(), auto_reset=False)
    assert (one == two).all()


def test_illegal_actions_change_nothing() -> None:
    env = MariasTorchEnv(3, seed=1)
    data = env.reset()
    before = env.learners.batch.deals.tobytes()
    data["action"] = data["action_mask"].int().argmax(-1)
    data["action"][1] = data["action_mask"][1].int().argmin(-1)
    with pytest.raises(IllegalActionError, match="row 1"):
        env.step(data)
    assert env.learners.batch.deals.tobytes() == before
    lenient = MariasTorchEnv(3, seed=1, illegal="random")
    lenient.reset()
    lenient.step(data)
    for arguments in (
        {"opponents": "nobody"},
        {"num_envs": 0},
        {"all_seats": True, "seat": 1},
        {"illegal": "penalty"},
        {"dtype": int},
    ):
        with pytest.raises((AgentError, ValueError)):
            MariasTorchEnv(**arguments)


@pytest.mark.parametrize("configuration", CONFIGURATIONS[:4])
def test_hidden_cards_change_nothing(configuration: dict[str, Any]) -> None:
    env = MariasTorchEnv(40, seed=8, **configuration)
    torch.manual_seed(8)
    data = env.reset()
    rng = np.random.default_rng(8)
    compared = 0
    for _ in range(40):
        deals = env.learners.batch.deals
        seats = data["seat"].squeeze(-1).numpy()
        changed, count = permute_hidden(env.learners.batch, seats, rng)
        kept = deals.copy()
        deals[:] = changed
        other = env._present()
        deals[:] = kept
        for name in ("observation", "action_mask", "seat", "done"):
            assert torch.equal(other[name], data[name]), name
        compared += count
        data = env.maybe_reset(env._step_mdp(env.step(env.rand_action(env._present()))))
    assert compared > 1000


def brute_force(data: TensorDict, gamma: float, lmbda: float) -> npt.NDArray[np.float64]:
    rows, steps = data["seat"].shape[:2]
    out = np.full((rows, steps), np.nan)
    seat, value = data["seat"][..., 0].numpy(), data["state_value"][..., 0].numpy()
    reward, done = data["next", "reward"].numpy(), data["next", "done"][..., 0].numpy()
    for row in range(rows):
        for t in reversed(range(steps)):
            who, gained, later = seat[row, t], 0.0, None
            for u in range(t, steps):
                if u > t and seat[row, u] == who:
                    later = u
                    break
                gained += reward[row, u, who]
                if done[row, u]:
                    later = -1
                    break
            if later == -1:
                out[row, t] = gained - value[row, t]
            elif later is not None:
                trace = np.nan_to_num(out[row, later])
                out[row, t] = gained + gamma * value[row, later] - value[row, t]
                out[row, t] += gamma * lmbda * trace
    return out


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_advantages_of_every_seat(episode: str) -> None:
    env = MariasTorchEnv(6, all_seats=True, seed=2, episode=episode)
    torch.manual_seed(2)
    data = env.rollout(120, break_when_any_done=False)
    data["state_value"] = torch.randn(6, 120, 1)
    data = seat_advantages(data, 0.9, 0.8)
    expected = brute_force(data, 0.9, 0.8)
    assert (data["valid"].numpy() == ~np.isnan(expected)).all()
    assert data["valid"].float().mean() > 0.8
    found = np.where(data["valid"], data["advantage"][..., 0], np.nan)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)
    assert torch.equal(data["value_target"], data["advantage"] + data["state_value"])


def test_a_collector_with_a_masked_policy() -> None:
    env = MariasTorchEnv(8, opponents=["random", "good"], seed=1)
    actor = _actor(env)
    collector = Collector(env, actor, frames_per_batch=160, total_frames=480)
    for data in collector:  # an illegal action would raise
        chosen = data["action_mask"].gather(-1, data["action"].unsqueeze(-1))
        assert chosen.all()
        assert not data["logits"].isnan().any()
    collector.shutdown()


def test_the_example_learns() -> None:
    script = ROOT / "training" / "examples" / "torchrl_ppo.py"
    result = subprocess.run(
        [sys.executable, str(script), "--updates", "3", "--envs", "64"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    before, after = (float(line.split()[1]) for line in result.stdout.splitlines())
    assert after > before
    assert after > 0


def test_the_module_is_found() -> None:
    assert marias_env.integrations.torchrl.MariasTorchEnv is MariasTorchEnv


FACE = Face(
    lambda **given: [given, MariasTorchEnv(**given)],
    lambda made, seed: _started(made, seed),
    lambda made, actions: made[1].step(_actions(made[1], actions)),
    lambda made: made[1].learners.batch,
    "num_envs",
    ("rules", "opponents", "seat", "reward", "episode", "match", "dtype", "illegal")
    + ("reward_transform",),
)


def _started(made: list[Any], seed: Any) -> None:
    made[1] = MariasTorchEnv(**made[0], seed=seed)
    made[1].reset()


def _actions(env: MariasTorchEnv, actions: Any) -> TensorDict:
    # A TensorDict takes tensors alone.
    return TensorDict({"action": torch.as_tensor(actions)}, batch_size=env.batch_size)


@pytest.mark.parametrize("check", [check_seeds, check_arguments])
def test_one_convention(check: Callable[[Face], None]) -> None:
    check(FACE)


def test_actions_of_another_kind_are_refused() -> None:
    env = MariasTorchEnv(2, seed=1)
    env.reset()
    before = env.learners.batch.deals.tobytes()
    for bad in (torch.zeros(2), torch.zeros(2, dtype=torch.bool)):
        with pytest.raises(ActionError):
            env.step(_actions(env, bad))
    assert env.learners.batch.deals.tobytes() == before
