from __future__ import annotations

import dataclasses
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from marias_env import DealBatch  # noqa: E402
from marias_env.canonical import NUM_INPUTS, canonical  # noqa: E402
from marias_env.errors import DivergedError  # noqa: E402
from marias_env.options import field_helps  # noqa: E402
from marias_training.arena import compare  # noqa: E402
from marias_training.config import PPOConfig  # noqa: E402
from marias_training.net_agent import NetAgent  # noqa: E402
from marias_training.ppo import (  # noqa: E402
    Trainer,
    join,
    masked_log_probs,
    seat_advantages,
    squash,
)

TINY = PPOConfig(
    steps=10**6,
    minutes=0,
    deals=64,
    minibatch=256,
    hidden=32,
    precision="float32",
    seed=3,
    random_bids=0.0,
)


def weights(trainer: Trainer) -> np.ndarray[Any, Any]:
    return torch.cat([p.detach().flatten() for p in trainer.parameters]).numpy()


@pytest.fixture(scope="module")
def trainer() -> Trainer:
    return Trainer(TINY)


# ------------------------------------------------------------------ advantages


def slow_advantages(
    rewards: Any, values: Any, rows: Any, seats: Any, lam: float
) -> np.ndarray[Any, Any]:
    # Straight from the definition: each seat's chain on its own, the sum of (λ)^l δ.
    found = np.zeros(len(values))
    for row in set(rows.tolist()):
        for seat in range(3):
            chain = [i for i in range(len(rows)) if rows[i] == row and seats[i] == seat]
            estimates = [float(values[i]) for i in chain] + [float(rewards[row, seat])]
            for at, i in enumerate(chain):
                deltas = [estimates[k + 1] - estimates[k] for k in range(at, len(chain))]
                found[i] = sum(lam**n * delta for n, delta in enumerate(deltas))
    return found


@pytest.mark.parametrize("lam", [0.0, 0.7, 1.0])
def test_advantages_agree_with_the_definition(lam: float) -> None:
    rng = np.random.default_rng(5)
    rows, seats, sweeps = [], [], [0]
    for sweep in range(9):
        # Deals end at different times, and a sweep has each deal at most once.
        running = np.array([row for row in range(7) if sweep < 3 + row])
        rows.append(running)
        seats.append(rng.integers(0, 3, len(running)))
        sweeps.append(sweeps[-1] + len(running))
    all_rows, all_seats = np.concatenate(rows), np.concatenate(seats)
    values = rng.normal(size=len(all_rows)).astype(np.float32)
    rewards = rng.normal(size=(7, 3)).astype(np.float32)
    fast = seat_advantages(rewards, values, all_rows, all_seats, sweeps, lam)
    slow = slow_advantages(rewards, values, all_rows, all_seats, lam)
    np.testing.assert_allclose(fast, slow, atol=1e-5)


def test_the_end_of_the_deal_rewards_every_decision_of_all_three_seats() -> None:
    trainer = Trainer(dataclasses.replace(TINY, gae_lambda=1.0))
    with torch.no_grad():
        for parameter in trainer.critic.parameters():
            parameter.zero_()
    rollout = trainer.rollout(0)
    rewards = squash(rollout.payments, trainer.config)
    np.testing.assert_allclose(
        rollout.advantages, rewards[rollout.rows, rollout.seats], rtol=1e-5, atol=1e-6
    )
    for row in range(len(rollout.payments)):
        assert set(rollout.seats[rollout.rows == row]) == {0, 1, 2}


# ------------------------------------------------------------------ rollouts


def test_a_rollout_takes_legal_actions_with_the_policys_probabilities(trainer: Trainer) -> None:
    rollout = trainer.rollout(0)
    at = np.arange(len(rollout.actions))
    assert (rollout.masks[at, rollout.actions] == 1).all()
    legal = rollout.masks.sum(1)
    assert (legal > 0).all()
    assert (rollout.learn == (legal > 1)).all()
    assert (rollout.log_probs[legal == 1] == 0).all()
    with torch.no_grad():
        logs = masked_log_probs(
            trainer.policy(torch.from_numpy(rollout.features[:, :NUM_INPUTS])),
            torch.from_numpy(rollout.masks),
        ).numpy()
    np.testing.assert_allclose(logs[at, rollout.actions], rollout.log_probs, atol=1e-4)
    assert (np.exp(logs)[rollout.masks == 0] == 0).all()


def test_every_deal_sums_to_zero_and_is_played_once(trainer: Trainer) -> None:
    rollout = trainer.rollout(0)
    assert (rollout.payments.sum(1) == 0).all()
    assert (rollout.payments != 0).any(1).mean() > 0.9
    assert set(rollout.rows) == set(range(len(trainer.batches[0])))
    other = trainer.rollout(0)
    assert not np.array_equal(rollout.payments, other.payments)


def test_actions_are_sampled_as_often_as_their_probability() -> None:
    # Forehand's first decision of the same deals, many times over.
    trainer = Trainer(dataclasses.replace(TINY, threads=1, deals=3000))
    batch = trainer.batches[0]
    deck = batch.deals["deck"][0].copy()
    batch.set_decks(deck, 0)
    start = batch.copy()
    inputs = canonical(batch.observe(), batch.legal_mask())
    with torch.no_grad():
        logs = masked_log_probs(
            trainer.policy(torch.from_numpy(inputs.features[:1])),
            torch.from_numpy(inputs.masks[:1]),
        )
    batch.reset = lambda indices: batch.set_decks(deck, 0)  # type: ignore[method-assign]
    rollout = trainer.rollout(0)
    assert np.array_equal(start.deals["deck"], batch.deals["deck"])
    counts = np.bincount(rollout.actions[:3000], minlength=48) / 3000
    np.testing.assert_allclose(counts, logs.exp()[0].numpy(), atol=0.04)


def test_random_bids_are_part_of_the_stored_probabilities() -> None:
    trainer = Trainer(dataclasses.replace(TINY, random_bids=0.5, deals=600, threads=1))
    with torch.no_grad():
        trainer.policy.head.bias[37] = 20.0  # the suit game, always
    rollout = trainer.rollout(0)
    legal = rollout.masks.sum(1)
    naming = rollout.masks[:, 37] == 1
    assert (legal[naming] == 5).all()
    suit = rollout.actions[naming] == 37
    assert abs(suit.mean() - (0.5 + 0.5 / 5)) < 0.08
    np.testing.assert_allclose(np.exp(rollout.log_probs[naming][suit]), 0.6, atol=1e-4)
    np.testing.assert_allclose(np.exp(rollout.log_probs[naming][~suit]), 0.1, atol=1e-4)
    at = np.arange(len(rollout.actions))
    assert (rollout.masks[at, rollout.actions] == 1).all()


def test_threads_share_the_same_deals() -> None:
    decks = [
        np.concatenate([b.deals["deck"] for b in Trainer(config).batches])
        for config in (TINY, dataclasses.replace(TINY, threads=1))
    ]
    assert np.array_equal(*decks)
    parts = [Trainer(TINY).rollout(i) for i in range(2)]
    assert set(join(parts).rows) == set(range(TINY.deals))


def test_a_privileged_critic_sees_more_and_the_policy_never_does() -> None:
    batch = DealBatch(50, seed=1)
    seen = canonical(batch.observe(), batch.legal_mask())
    whole = canonical(batch.state(None), batch.legal_mask())
    assert np.array_equal(seen.features, whole.features[:, :NUM_INPUTS])
    assert whole.features.shape[1] > NUM_INPUTS
    trainer = Trainer(dataclasses.replace(TINY, privileged_critic=False))
    assert trainer.rollout(0).features.shape[1] == NUM_INPUTS
    assert np.isfinite(list(trainer.train_update().values())).all()


@pytest.mark.parametrize("opponent", ["past", "good"])
def test_opponents_play_but_do_not_learn(opponent: str) -> None:
    config = dataclasses.replace(
        TINY, opponent=opponent, opponent_fraction=1.0, past_every=1, past_size=2
    )
    trainer = Trainer(config)
    for _ in range(3):
        trainer.train_update()
    assert len(trainer.past) == (2 if opponent == "past" else 0)
    rollout = trainer.rollout(0, trainer._opponent())
    free = rollout.masks.sum(1) > 1
    assert 0.3 < rollout.learn.sum() / free.sum() < 0.7
    for row in range(len(rollout.payments)):
        learners = {int(s) for s in rollout.seats[(rollout.rows == row) & rollout.learn]}
        assert len(learners) < 3


# ------------------------------------------------------------------ learning


def test_equal_seeds_give_equal_runs_and_others_do_not() -> None:
    runs = []
    for seed in (3, 3, 4):
        trainer = Trainer(dataclasses.replace(TINY, seed=seed))
        for _ in range(2):
            stats = trainer.train_update()
        assert np.isfinite(list(stats.values())).all()
        runs.append(weights(trainer))
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_schedules_follow_the_decisions() -> None:
    config = dataclasses.replace(TINY, steps=4000, learning_rate=1e-3, learning_rate_end=0.0)
    trainer = Trainer(config)
    rates = []
    while trainer.progress < 1:
        trainer.train_update()
        rates.append(trainer.optimizer.param_groups[0]["lr"])
    assert rates[0] == 1e-3
    assert all(a > b for a, b in pairwise(rates))
    assert trainer.decisions >= 4000


def test_bfloat16_and_other_rewards_run() -> None:
    for changes in ({"precision": "bfloat16"}, {"reward": "sqrt"}, {"reward": "cap"}):
        trainer = Trainer(dataclasses.replace(TINY, **changes))  # type: ignore[arg-type]
        assert np.isfinite(list(trainer.train_update().values())).all()


@pytest.mark.parametrize("reward", ["log", "sqrt", "cap"])
def test_rewards_keep_sign_and_order(reward: str) -> None:
    config = dataclasses.replace(TINY, reward=reward)
    units = np.array([-4096, -40, -2, -1, 0, 1, 2, 40, 4096])
    squashed = squash(units, config)
    assert (np.sign(squashed) == np.sign(units)).all()
    assert (np.diff(squashed) >= 0).all()
    np.testing.assert_array_equal(squashed, -squashed[::-1])


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(PPOConfig)])
def test_every_option_refuses_what_it_cannot_be(field: str) -> None:
    wrong: list[Any] = [math.nan, math.inf, -math.inf, -1, -0.5, None, [], "no such"]
    if field == "opponent":  # any spec, which the run looks up
        wrong.remove("no such")
    kept = getattr(TINY, field)
    wrong += [1.5] if isinstance(kept, int) else []
    wrong += [1, True, ""] if isinstance(kept, str) else []
    wrong += [True] if not isinstance(kept, (bool, str)) else []
    for value in wrong:
        with pytest.raises(ValueError, match=f"{field}.*expected"):
            dataclasses.replace(TINY, **{field: value})


@pytest.mark.parametrize("field", ["past_size", "clip", "max_grad_norm", "reward_cap"])
def test_options_that_cannot_be_zero(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        dataclasses.replace(TINY, **{field: 0})


def test_numpys_numbers_become_pythons() -> None:
    config = dataclasses.replace(TINY, deals=np.int64(64), clip=np.float32(0.25))
    assert type(config.deals) is int
    assert type(config.clip) is float
    assert config.clip == 0.25


def test_a_run_that_diverges_stops_before_its_weights_do() -> None:
    trainer = Trainer(TINY)
    rollout = trainer.rollout(0)
    rollout.advantages[:] = np.nan
    with pytest.raises(DivergedError, match="not finite"):
        trainer.update(rollout)
    assert all(parameter.isfinite().all() for parameter in trainer.parameters)


@pytest.mark.parametrize(
    "changes",
    [{"deals": 0}, {"reward": "raw"}, {"precision": "half"}, {"threads": 99}, {"steps": -1}]
    + [
        {"opponent": "rules"},
        {"opponent_fraction": 1.5},
        {"random_bids": -0.1},
        {"steps": 0, "minutes": 0.0},
    ]
    + [{"minutes": math.nan}, {"minutes": math.inf}],
)
def test_bad_options_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        dataclasses.replace(TINY, **changes)


def test_every_option_is_documented() -> None:
    assert all(field_helps(PPOConfig).values())


def test_it_learns_to_stop_naming_durch() -> None:
    trainer = Trainer(
        PPOConfig(
            steps=120_000, minutes=0, deals=256, minibatch=1024, hidden=64, seed=1, random_bids=0.0
        )
    )
    before = compare(NetAgent(trainer.policy, "net"), "random", deals=60).capped
    first = trainer.train_update()
    stats = first
    while trainer.progress < 1:
        stats = trainer.train_update()
    hopeless = ("contract/durch", "contract/open_durch", "contract/open_betl")
    assert sum(first[name] for name in hopeless) > 0.5
    assert sum(stats[name] for name in hopeless) < 0.1
    after = compare(NetAgent(trainer.policy, "net"), "random", deals=60).capped
    assert after.low > before.high
    assert after.mean > 10
