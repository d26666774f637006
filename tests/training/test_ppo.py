from __future__ import annotations

import dataclasses
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")


from marias_agents.net.weights import save_weights  # noqa: E402
from marias_env import DealBatch  # noqa: E402
from marias_env.canonical import NUM_CRITIC_INPUTS, NUM_INPUTS, canonical  # noqa: E402
from marias_env.errors import AgentError, DivergedError  # noqa: E402
from marias_env.options import field_helps  # noqa: E402
from marias_training.arena import compare  # noqa: E402
from marias_training.config import PPOConfig  # noqa: E402
from marias_training.policy import make_policy, masked_log_probs  # noqa: E402
from marias_training.ppo import Trainer, squash  # noqa: E402
from marias_training.rollout import seat_advantages  # noqa: E402
from marias_training.self_play import play, stack_nets  # noqa: E402

TINY = PPOConfig(
    steps=10**6,
    minutes=0,
    deals=64,
    minibatch=256,
    hidden=32,
    narrow=16,
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
    all_rows = np.repeat(np.arange(7), np.arange(3, 10))
    all_seats = rng.integers(0, 3, len(all_rows))
    values = rng.normal(size=len(all_rows)).astype(np.float32)
    rewards = rng.normal(size=(7, 3)).astype(np.float32)
    fast = np.empty_like(values)
    seat_advantages(rewards, values, all_rows, all_seats, np.float32(lam), fast)
    slow = slow_advantages(rewards, values, all_rows, all_seats, lam)
    np.testing.assert_allclose(fast, slow, atol=1e-5)


def test_the_end_of_the_deal_rewards_every_decision_of_all_three_seats() -> None:
    trainer = Trainer(dataclasses.replace(TINY, gae_lambda=1.0))
    with torch.no_grad():
        for parameter in trainer.critic.parameters():
            parameter.zero_()
    rollout = trainer.rollout()
    record = rollout.record
    rewards = squash(rollout.payments, trainer.config)
    np.testing.assert_allclose(
        rollout.advantages, rewards[record.rows, record.seats], rtol=1e-5, atol=1e-6
    )
    assert set(record.seats) == {0, 1, 2}


# ------------------------------------------------------------------ rollouts


def policy_logs(trainer: Trainer, record: Any) -> np.ndarray[Any, Any]:
    order = np.argsort(record.buckets, kind="stable")
    with torch.no_grad():
        logits = trainer.policy(
            torch.from_numpy(record.features[order, :NUM_INPUTS]),
            torch.from_numpy(record.buckets[order]),
        )
        logs = masked_log_probs(logits, torch.from_numpy(record.masks[order])).numpy()
    back = np.empty_like(logs)
    back[order] = logs
    return back


def test_a_rollout_takes_legal_actions_with_the_policys_probabilities(trainer: Trainer) -> None:
    # The compiled player played, the torch module says with which probability.
    record = trainer.rollout().record
    at = np.arange(len(record.actions))
    assert len(at) > 500
    assert (record.masks[at, record.actions] == 1).all()
    assert (record.masks.sum(1) > 1).all()
    logs = policy_logs(trainer, record)
    np.testing.assert_allclose(logs[at, record.actions], record.log_probs, atol=1e-4)
    assert (np.exp(logs)[record.masks == 0] == 0).all()


def test_every_deal_sums_to_zero_and_is_played_once(trainer: Trainer) -> None:
    rollout = trainer.rollout()
    assert (rollout.payments.sum(1) == 0).all()
    assert (rollout.payments != 0).any(1).mean() > 0.9
    assert (np.diff(rollout.record.rows) >= 0).all()
    assert set(rollout.record.rows) == set(range(TINY.deals))
    assert all((batch.turn < 0).all() for batch in trainer.batches)
    other = trainer.rollout()
    assert not np.array_equal(rollout.payments, other.payments)


def test_actions_are_sampled_as_often_as_their_probability() -> None:
    # Forehand's first decision of the same deals, many times over.
    trainer = Trainer(dataclasses.replace(TINY, threads=1, deals=3000))
    batch = trainer.batches[0]
    deck = batch.deals["deck"][0].copy()
    batch.reset = lambda indices: batch.set_decks(deck, 0)  # type: ignore[method-assign]
    record = trainer.rollout().record
    first = np.flatnonzero(np.diff(record.rows, prepend=-1))
    assert len(first) == 3000
    logs = policy_logs(trainer, record)[first]
    assert np.allclose(logs, logs[0], atol=1e-6)
    counts = np.bincount(record.actions[first], minlength=48) / 3000
    np.testing.assert_allclose(counts, np.exp(logs[0]), atol=0.04)


def test_random_bids_are_part_of_the_stored_probabilities() -> None:
    trainer = Trainer(dataclasses.replace(TINY, random_bids=0.5, deals=600, threads=1))
    with torch.no_grad():
        trainer.policy.head_bias[:, 37] = 20.0  # the suit game, always
    record = trainer.rollout().record
    naming = record.masks[:, 37] == 1
    assert (record.masks[naming].sum(1) == 5).all()
    suit = record.actions[naming] == 37
    assert abs(suit.mean() - (0.5 + 0.5 / 5)) < 0.08
    np.testing.assert_allclose(np.exp(record.log_probs[naming][suit]), 0.6, atol=1e-4)
    np.testing.assert_allclose(np.exp(record.log_probs[naming][~suit]), 0.1, atol=1e-4)


def test_threads_share_the_same_deals() -> None:
    decks = [
        np.concatenate([b.deals["deck"] for b in Trainer(config).batches])
        for config in (TINY, dataclasses.replace(TINY, threads=1))
    ]
    assert np.array_equal(*decks)


def test_a_record_that_was_too_small_is_continued() -> None:
    records = []
    net = make_policy(TINY).to_params()
    for expected in (10**5, 1):
        batch = DealBatch(40, seed=1, autoreset=False)
        players = np.zeros((40, 3), dtype=np.int64)
        records.append(
            play(batch, players, stack_nets([net]), np.zeros((1, 0), np.int64), np.uint64(5),
                 (0.1, 0.0), expected)
        )  # fmt: skip
    for one, two in zip(*records):
        assert np.array_equal(one, two)


def test_a_privileged_critic_sees_more_and_the_policy_never_does() -> None:
    trainer = Trainer(dataclasses.replace(TINY, privileged_critic=False))
    assert trainer.critic.first.shape[1] == NUM_INPUTS < NUM_CRITIC_INPUTS
    assert trainer.policy.first.shape[1] == NUM_INPUTS
    assert np.isfinite(list(trainer.train_update().values())).all()


def test_what_is_recorded_is_the_state_in_canonical_order(trainer: Trainer) -> None:
    batch = DealBatch(60, seed=2, autoreset=False)
    batch.reset(indices=np.arange(60))
    inputs = canonical(batch.state(None), batch.legal_mask())
    batch = DealBatch(60, seed=2, autoreset=False)
    nets = stack_nets([trainer.policy.to_params()])
    players = np.zeros((60, 3), dtype=np.int64)
    record = play(batch, players, nets, np.zeros((1, 0), np.int64), np.uint64(1), (0.0, 0.0), 4000)
    first = np.flatnonzero(np.diff(record.rows, prepend=-1))
    assert np.array_equal(record.features[first], inputs.features)
    assert np.array_equal(record.masks[first], inputs.masks)


@pytest.mark.parametrize("opponent", ["past", "rules", "past,rules"])
def test_opponents_play_but_do_not_learn(opponent: str) -> None:
    config = dataclasses.replace(
        TINY, opponent=opponent, opponent_fraction=1.0, past_every=1, past_size=2
    )
    trainer = Trainer(config)
    alone = len(Trainer(TINY).rollout().values)
    for _ in range(3):
        trainer.train_update()
    assert len(trainer.past) == (2 if "past" in opponent else 0)
    record = trainer.rollout().record
    assert 0.3 < len(record.rows) / alone < 0.7
    for row in range(TINY.deals):
        assert len(set(record.seats[record.rows == row])) < 3


def test_opponents_that_compiled_play_does_not_know_are_refused() -> None:
    with pytest.raises(AgentError, match="opponent 'random'; expected"):
        Trainer(dataclasses.replace(TINY, opponent="random", opponent_fraction=0.5))


def test_a_start_is_taken_over_and_held_on_to(tmp_path: Path, trainer: Trainer) -> None:
    path = tmp_path / "start.net"
    save_weights(path, trainer.policy.to_params(), "traditional")
    trainers = [
        Trainer(
            dataclasses.replace(
                TINY,
                start=str(path),
                anchor=anchor,
                anchor_end=anchor,
                learning_rate=3e-3,
                warmup=1,
            )
        )
        for anchor in (0.0, 30.0)
    ]
    moved = []
    for one in trainers:
        before = one.policy.head.detach().clone()
        one.train_update()
        assert torch.equal(before, one.policy.head)  # only the critic learned
        for _ in range(4):
            stats = one.train_update()
        record = one.rollout().record
        start = Trainer(dataclasses.replace(TINY, start=str(path)))
        difference = np.exp(policy_logs(one, record)) - np.exp(policy_logs(start, record))
        moved.append(float(np.abs(difference).sum(1).mean()))
        assert np.isfinite(stats["anchor"])
    assert 0 < moved[1] < 0.5 * moved[0]


def test_the_same_card_counts_the_same_at_any_stake() -> None:
    record = Trainer(TINY).rollout().record
    assert (record.stakes[record.groups < 2] == 1).all()
    assert record.stakes.max() > 8


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


def test_playing_ahead_is_one_update_behind() -> None:
    ahead, plain = (Trainer(dataclasses.replace(TINY, overlap=o)) for o in (True, False))
    seen: list[Any] = []
    update = ahead.update

    def spy(rollout: Any) -> Any:
        seen.append(rollout)
        return update(rollout)

    ahead.update = spy  # type: ignore[method-assign]
    first = plain.rollout()
    ahead.train_update()
    # The first two rollouts are both by the first policy, of other deals.
    np.testing.assert_array_equal(seen[0].record.features, first.record.features)
    ahead.train_update()
    assert seen[1].record.features.tobytes() != seen[0].record.features.tobytes()
    np.testing.assert_allclose(
        policy_logs(plain, seen[1].record)[
            np.arange(len(seen[1].record.actions)), seen[1].record.actions
        ],
        seen[1].record.log_probs,
        atol=1e-4,
    )


def test_every_tensor_of_an_update_is_on_the_runs_device() -> None:
    # What is made without saying where would land on the default device, and cannot be mixed.
    trainer = Trainer(dataclasses.replace(TINY, device="cpu", entropy=0.1))
    torch.set_default_device("meta")
    try:
        trainer.train_update()
    finally:
        torch.set_default_device(None)
    assert trainer.updates == 1


@pytest.mark.parametrize("device", ["nowhere", "cuda:99"])
def test_devices_that_are_not_there_are_refused(device: str) -> None:
    with pytest.raises(ValueError, match=f"device: '{device}' cannot be used here"):
        Trainer(dataclasses.replace(TINY, device=device))


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
    squashed = squash(units[:, None] * np.array([2, -1, -1]), config)
    assert (np.sign(squashed[:, 0]) == np.sign(units)).all()
    assert (np.diff(squashed[:, 0]) >= 0).all()
    assert (np.diff(squashed[:, 1]) <= 0).all()
    np.testing.assert_array_equal(squashed, -squashed[::-1])


def test_the_cap_is_per_opponent() -> None:
    config = dataclasses.replace(TINY, reward="cap", reward_cap=16.0)
    squashed = squash(np.array([[200, -100, -100], [-10, 20, -10]]), config)
    np.testing.assert_allclose(4 * squashed, [[32, -16, -16], [-10, 20, -10]])


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(PPOConfig)])
def test_every_option_refuses_what_it_cannot_be(field: str) -> None:
    wrong: list[Any] = [math.nan, math.inf, -math.inf, -1, -0.5, None, [], "no such"]
    if field in ("opponent", "start", "device"):  # any name, which the run looks up
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
    rollout = trainer.rollout()
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
            steps=120_000,
            minutes=0,
            deals=256,
            minibatch=1024,
            hidden=64,
            narrow=32,
            seed=1,
            random_bids=0.0,
        )
    )
    before = compare(trainer.agent(), "random", deals=60).capped
    first = trainer.train_update()
    stats = first
    while trainer.progress < 1:
        stats = trainer.train_update()
    hopeless = ("contract/durch", "contract/open_durch", "contract/open_betl")
    assert sum(first[name] for name in hopeless) > 0.5
    assert sum(stats[name] for name in hopeless) < 0.1
    after = compare(trainer.agent(), "random", deals=60).capped
    assert after.low > before.high
    assert after.mean > 10
