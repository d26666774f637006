"""Sampled worlds in every phase: they fit the view, replay, can be stepped, and leak nothing."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from marias_agents.worlds import (
    count_worlds,
    deterministic,
    enumerate_worlds,
    marginals,
    sample_worlds,
    weights,
)
from marias_env.actions import OVER
from marias_env.batch import DealBatch
from marias_env.core.deal import DEAL, UNKNOWN_CARD
from marias_env.core.history import actions_of, seats_of
from marias_env.core.kernels import replay_row
from marias_env.rules import RULES
from marias_env.views import Views

CASES: list[tuple[str, dict[str, Any]]] = [
    ("traditional", {}),
    ("traditional", {"talon_trumps": False}),
    ("online", {}),
    ("online", {"talon_trumps": False, "queen_before_king": "forced"}),
    ("additive", {"seven_requires_card": False, "hundred_requires_marriage": False}),
    ("traditional", {"suits": "scdh", "ranks": "7TQKA", "talon_trumps": False}),
    ("online", {"suits": "ch", "ranks": "79TJQKA"}),
]
STREAMS = ("key", "rng", "episode")


def cautious(batch: DealBatch, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Random actions that reach the card play of suit games often: mostly `suit` and `good`."""
    actions = batch.sample_legal()
    mask = batch.legal_mask().astype(bool)
    for action in (37, 42, 44, 45):
        rows = mask[:, action] & (rng.random(len(batch)) < 0.7)
        actions[rows] = action
    return actions


def same_views(found: Views, views: Views, n: int) -> None:
    for name in DEAL.names:
        if name not in STREAMS:
            given = np.repeat(views.deals[name], n, axis=0)
            np.testing.assert_array_equal(found.deals[name], given, err_msg=name)


def replays(worlds: DealBatch, row: int) -> None:
    world = worlds[row]
    history = world.deals["history"][0, : world.deals["num_actions"][0]]
    fresh = world.copy()
    deck = world.deals["deck"][:, : world.rules.num_cards].copy()
    fresh.set_decks(deck, world.deals["dealer"].copy())
    assert replay_row(fresh.deals, fresh.packed_rules, actions_of(history), seats_of(history)) == -1
    for name in DEAL.names:
        if name not in (*STREAMS, "totals", "match_deals"):
            np.testing.assert_array_equal(fresh.deals[name], world.deals[name], err_msg=name)


@pytest.mark.parametrize(("preset", "options"), CASES)
def test_worlds_give_the_view_and_replay(preset: str, options: dict[str, Any]) -> None:
    rules = dataclasses.replace(RULES[preset], **options)
    rng = np.random.default_rng(0)
    batch = DealBatch(24, rules, seed=2, autoreset=False)
    looked = 0
    while (batch.turn >= 0).any():
        rows = np.flatnonzero(batch.turn >= 0)
        for seat in range(3):
            views = batch.views(rows, np.full(len(rows), seat))
            worlds = sample_worlds(views, 2, seed=looked)
            rows_of_worlds = np.arange(len(worlds))
            same_views(worlds.views(rows_of_worlds, np.full(len(worlds), seat)), views, 2)
            replays(worlds, int(rng.integers(len(worlds))))
            assert (worlds.deals["viewer"] == -1).all()
            on_turn = views.deals["turn"] == seat
            own_masks = np.repeat(views.legal_mask()[on_turn], 2, axis=0)
            np.testing.assert_array_equal(worlds.legal_mask()[np.repeat(on_turn, 2)], own_masks)
            looked += len(rows)
        batch.step(np.where(batch.turn >= 0, cautious(batch, rng), -1))
    assert looked > 1000


def test_worlds_can_be_played_to_the_end() -> None:
    batch = DealBatch(50, "traditional", seed=3, autoreset=False)
    for _ in range(4):
        batch.step(batch.sample_legal())
    worlds = sample_worlds(batch.views(), 4, seed=1)
    for _ in range(120):
        worlds.step(worlds.sample_legal())
    assert (worlds.phase == OVER).all()
    assert (worlds.payments.sum(axis=1) == 0).all()


@pytest.mark.parametrize("preset", ["traditional", "online"])
def test_what_is_hidden_changes_nothing(preset: str) -> None:
    # Every world of a position gives the seat the same view, hence the same samples.
    batch = DealBatch(40, preset, seed=4, autoreset=False)
    rng = np.random.default_rng(1)
    for _ in range(30):
        rows = np.flatnonzero(batch.turn >= 0)
        if rows.size:
            seats = rng.integers(0, 3, len(rows))
            views = batch.views(rows, seats)
            others = sample_worlds(views, 1, seed=9).views(np.arange(len(rows)), seats)
            first = sample_worlds(views, 3, seed=5)
            second = sample_worlds(others, 3, seed=5)
            assert first.deals.tobytes() == second.deals.tobytes()
            np.testing.assert_array_equal(count_worlds(views), count_worlds(others))
        batch.step(np.where(batch.turn >= 0, cautious(batch, rng), -1))


def test_first_counts() -> None:
    batch = DealBatch(1, "traditional", seed=0, autoreset=False)
    forehand = int(batch.turn[0])
    seats = [(forehand + i) % 3 for i in range(3)]
    # 25 unseen cards in 5 + 10 + 10; 22 in 12 + 10.
    assert count_worlds(batch.views([0, 0, 0], seats)).tolist() == [9_816_086_280, 646_646, 646_646]
    batch = DealBatch(1, "online", seed=0, autoreset=False)
    assert count_worlds(batch.views())[0] == 42_678_636


def test_marginals_are_the_samples_frequencies() -> None:
    batch = DealBatch(6, "traditional", seed=8, autoreset=False)
    rng = np.random.default_rng(2)
    for _ in range(18):
        batch.step(np.where(batch.turn >= 0, cautious(batch, rng), -1))
    views = batch.views(np.flatnonzero(batch.turn >= 0))
    exact = marginals(views)
    n = 4000
    worlds = sample_worlds(views, n, seed=1).deals
    for i in range(len(views)):
        rows = worlds[i * n : (i + 1) * n]
        columns = [rows["hands"][:, s] for s in range(3)] + [rows["talon"]]
        for column, cards in enumerate(columns):
            found = (cards[:, None] >> np.arange(32, dtype=np.uint32) & 1).mean(axis=0)
            np.testing.assert_allclose(found, exact[i, :, column], atol=0.05)


def test_seeds_and_rows() -> None:
    batch = DealBatch(5, "online", seed=6, autoreset=False)
    views = batch.views()
    one = sample_worlds(views, 4, seed=1)
    assert one.deals.tobytes() == sample_worlds(views, 4, seed=1).deals.tobytes()
    assert one.deals.tobytes() != sample_worlds(views, 4, seed=2).deals.tobytes()
    alone = sample_worlds(views[3], 4, seed=1)
    assert alone.deals.tobytes() == one.deals[12:16].tobytes()


def test_errors() -> None:
    batch = DealBatch(2, "traditional", seed=7, autoreset=False)
    views = batch.views()
    with pytest.raises(ValueError, match="n: 0"):
        sample_worlds(views, 0)
    with pytest.raises(ValueError, match="2 views"):
        enumerate_worlds(views)
    with pytest.raises(ValueError, match="more than the limit"):
        enumerate_worlds(views[0], limit=10)
    impossible = batch.views([0])
    impossible.deals["must"][0, (impossible.seats[0] + 1) % 3] = impossible.deals["hands"][
        0, impossible.seats[0]
    ]
    impossible.deals["deck"] = UNKNOWN_CARD
    assert count_worlds(impossible)[0] == 0
    with pytest.raises(ValueError, match="view 0"):
        sample_worlds(impossible, 1)


def test_a_finished_deal_is_its_only_world() -> None:
    batch = DealBatch(1, "online", seed=3, autoreset=False)
    while batch.turn[0] >= 0:
        batch.step(batch.sample_legal())
    views = batch.views([0], [0])
    assert count_worlds(views).tolist() == [1]
    worlds = enumerate_worlds(views)
    assert len(worlds) == 1
    np.testing.assert_array_equal(worlds.deals["hands"], batch.deals["hands"])
    np.testing.assert_array_equal(worlds.payments, 0)


class AnnouncesSeven:
    """Accepts everything, and announces seven whenever he can."""

    name = "announces"

    def act(self, views: Views, masks: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.where(masks[:, 44] == 1, 44, 42).astype(np.int64)


def test_weights_rule_out_what_a_policy_would_have_said() -> None:
    batch = DealBatch(1, "traditional", seed=12, autoreset=False)
    for action in (None, 37, None, None, 42, 42):
        legal = np.flatnonzero(batch.legal_mask()[0])
        batch.step([int(legal[0]) if action is None else action])
    declarer = int(batch.turn[0])
    batch.step([42])
    trump = int(batch.deals["trump"][0])
    viewer = next(
        s for s in range(3) if s != declarer and not batch.deals["hands"][0, s] >> 8 * trump & 1
    )
    worlds = sample_worlds(batch.views([0], [viewer]), 400, seed=1)
    holds = (worlds.deals["hands"][:, declarer] >> (8 * trump) & 1).astype(bool)
    found = weights(worlds, deterministic(AnnouncesSeven()), viewer)
    rows = holds & (found > 0)
    assert 0 < holds.sum() < 400
    assert not rows.any()
    softened = weights(worlds, deterministic(AnnouncesSeven(), epsilon=0.1), viewer)
    assert (softened > 0).all()
    assert softened[holds].max() < softened[~holds].max()
    with pytest.raises(ValueError, match="epsilon"):
        deterministic(AnnouncesSeven(), epsilon=2.0)
