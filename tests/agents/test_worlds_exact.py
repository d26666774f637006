"""Worlds against brute force on small decks and endings: the same sets, the same frequencies."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest

from marias_agents.worlds import count_worlds, enumerate_worlds, marginals, sample_worlds
from marias_env.batch import DealBatch
from marias_env.core.deal import HIDDEN_ACTION
from marias_env.core.history import actions_of
from marias_env.rules import RULES, Rules
from marias_env.views import Views
from tests.agents.worlds_brute import Assignment, brute_force, decks_of, decks_of_ending

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("traditional", {"suits": "sh", "ranks": "TJQA"}),
    ("traditional", {"suits": "sh", "ranks": "7TKQ", "talon_trumps": False}),
    ("traditional", {"suits": "sh", "ranks": "7QKA", "hundred_requires_marriage": True}),
    ("traditional", {"suits": "scdh", "ranks": "7A", "talon_trumps": False}),
    ("traditional", {"suits": "scdh", "ranks": "QK", "queen_before_king": "free"}),
    ("traditional", {"suits": "s", "ranks": "7TQKA", "talon_trumps": False}),
    ("traditional", {"suits": "h", "ranks": "789TJQKA", "seven_requires_card": False}),
    ("online", {"suits": "sh", "ranks": "TJQA"}),
    ("online", {"suits": "sh", "ranks": "7TQK", "talon_trumps": False}),
    ("online", {"suits": "scdh", "ranks": "7T", "talon_trumps": False}),
    ("online", {"suits": "scdh", "ranks": "QK", "queen_before_king": "forced"}),
    ("online", {"suits": "h", "ranks": "789TJQKA"}),
    ("online", {"suits": "s", "ranks": "7TQKA", "hundred_requires_marriage": False}),
]
MIDDLE: list[tuple[str, dict[str, Any]]] = [
    ("traditional", {"suits": "sh", "ranks": "789TQKA", "talon_trumps": False}),
    ("additive", {"suits": "cd", "ranks": "7TJQKA9"}),
    ("online", {"suits": "sh", "ranks": "79TJQKA", "talon_trumps": False}),
]
FULL: list[tuple[str, dict[str, Any]]] = [
    ("traditional", {}),
    ("traditional", {"talon_trumps": False, "queen_before_king": "free"}),
    ("online", {}),
    ("online", {"talon_trumps": False}),
    ("additive", {"seven_requires_card": False}),
]


def assignments(deals: Any) -> list[Assignment]:
    return [(*d["hands"].tolist(), int(d["talon"])) for d in deals]


def hidden_actions(views: Views) -> int:
    history = views.deals["history"][0, : views.deals["num_actions"][0]]
    return int((actions_of(history) == HIDDEN_ACTION).sum())


def check(views: Views, truth: Any, expected: set[Assignment] | None) -> None:
    assert expected is not None
    assert assignments([truth])[0] in expected
    assert count_worlds(views)[0] == len(expected)
    worlds = enumerate_worlds(views, len(expected), seed=1)
    found = assignments(worlds.deals)
    assert len(found) == len(expected)
    assert set(found) == expected
    table = np.zeros((32, 4))
    for world in expected:
        for column, cards in enumerate(world):
            for card in range(32):
                table[card, column] += cards >> card & 1
    np.testing.assert_allclose(marginals(views)[0], table / len(expected), atol=1e-12)


def compare_all(rules: Rules, deals: int, steps: int, most_hidden: int, seed: int) -> int:
    batch = DealBatch(deals, rules, seed=seed, autoreset=False)
    compared = 0
    for _ in range(steps):
        for row in np.flatnonzero(batch.turn >= 0):
            for seat in range(3):
                views = batch.views([row], [seat])
                if hidden_actions(views) > most_hidden:
                    continue
                expected = brute_force(views, decks_of(views.deals[0], rules))
                if expected is None:
                    continue  # too many stories to go through
                check(views, batch.deals[row], expected)
                compared += 1
        batch.step(batch.sample_legal())
    return compared


@pytest.mark.parametrize(("preset", "options"), SMALL)
def test_small_decks_in_all_phases(preset: str, options: dict[str, Any]) -> None:
    rules = dataclasses.replace(RULES[preset], **options)
    assert compare_all(rules, deals=8, steps=30, most_hidden=4, seed=5) > 80


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "options"), SMALL)
def test_many_small_decks(preset: str, options: dict[str, Any]) -> None:
    rules = dataclasses.replace(RULES[preset], **options)
    assert compare_all(rules, deals=60, steps=30, most_hidden=6, seed=6) > 500


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "options"), MIDDLE)
def test_middle_decks(preset: str, options: dict[str, Any]) -> None:
    rules = dataclasses.replace(RULES[preset], **options)
    assert compare_all(rules, deals=4, steps=24, most_hidden=3, seed=7) > 100


def long_auction(rules: Rules, seed: int) -> None:
    """Compares through a deal where nearly every reply is bad, the longest chain of talons."""
    batch = DealBatch(1, rules, seed=seed, autoreset=False)
    rng = np.random.default_rng(seed)
    while batch.deals["phase"][0] in (0, 1, 2, 3):
        legal = np.flatnonzero(batch.legal_mask()[0])
        if 43 in legal and rng.random() < 0.9:
            action = 43
        elif legal[0] >= 37 and legal[0] < 42:
            action = int(legal[0])
        else:
            action = int(rng.choice(legal))
        batch.step([action])
        check_all_seats(batch)


def check_all_seats(batch: DealBatch) -> None:
    for seat in range(3):
        if batch.turn[0] < 0:
            return
        views = batch.views([0], [seat])
        if 2 <= hidden_actions(views) <= LONGEST:
            expected = brute_force(views, decks_of(views.deals[0], batch.rules))
            check(views, batch.deals[0], expected)


LONGEST = 6
"""Hidden actions that brute force can still go through."""


@pytest.mark.parametrize("options", [{}, {"talon_trumps": False}])
def test_talons_that_pass_through_many_hands(options: dict[str, Any]) -> None:
    rules = dataclasses.replace(RULES["traditional"], suits="sh", ranks="7TQA", **options)
    for seed in range(6):
        long_auction(rules, seed)


@pytest.mark.parametrize(("preset", "options"), FULL)
def test_endings_of_full_deals(preset: str, options: dict[str, Any]) -> None:
    rules = dataclasses.replace(RULES[preset], **options)
    compared = 0
    announced = 0
    for seed in range(12):
        batch = suit_game(rules, seed)
        while batch.turn[0] >= 0:
            if batch.deals["tricks"][0] >= 8:
                for seat in range(3):
                    views = batch.views([0], [seat])
                    expected = brute_force(views, decks_of_ending(views.deals[0], rules))
                    check(views, batch.deals[0], expected)
                    compared += 1
                    announced += int(batch.deals["hundred_seat"][0] >= 0)
            batch.step(batch.sample_legal())
    assert compared > 100
    assert announced > 10


def suit_game(rules: Rules, seed: int) -> DealBatch:
    """A deal at the start of play in an accepted suit game with as much announced as possible."""
    batch = DealBatch(1, rules, seed=seed, autoreset=False)
    rng = np.random.default_rng(seed)
    while batch.deals["phase"][0] != 7:
        legal = np.flatnonzero(batch.legal_mask()[0]).tolist()
        wanted = [37] if 37 in legal else [a for a in (44, 45) if a in legal]
        if (wanted and rng.random() < 0.9) or wanted == [37]:
            action = wanted[0]
        elif batch.deals["phase"][0] == 3:
            action = 42
        else:
            action = int(rng.choice([a for a in legal if a != 43]))
        batch.step([action])
    return batch


def test_samples_are_uniform() -> None:
    # Chi-square over all worlds, in every phase of two small decks; mean 0 and deviation 1 by
    # construction, so 5 would be one in three million.
    for preset, options in (SMALL[1], SMALL[8], SMALL[0]):
        rules = dataclasses.replace(RULES[preset], **options)
        batch = DealBatch(4, rules, seed=11, autoreset=False)
        for step in range(24):
            for row in np.flatnonzero(batch.turn >= 0):
                views = batch.views([row], [(step + row) % 3])
                count = int(count_worlds(views)[0])
                if not 2 <= count <= 1000:
                    continue
                n = 20 * count
                found = Counter(assignments(sample_worlds(views, n, seed=step).deals))
                assert len(found) <= count
                chi = sum(c * c for c in found.values()) / 20 - n
                degrees = count - 1
                assert abs(chi - degrees) / np.sqrt(2 * degrees) < (5 if count > 20 else 9)
            batch.step(batch.sample_legal())
