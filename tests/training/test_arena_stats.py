from __future__ import annotations

import math

import numpy as np
import pytest

from marias_training.arena.lineups import Contest, agent_sums, cap_payments, difference
from marias_training.arena.stats import (
    intervals,
    least_squares_ratings,
    t_half_widths,
    t_quantile,
    top_share,
    trimmed_mean,
)


@pytest.mark.parametrize(
    ("freedom", "expected", "tolerance"),
    [(1, 12.7062, 1e-4), (2, 4.30265, 1e-4), (3, 3.18245, 0.007), (4, 2.77645, 2e-3)]
    + [(10, 2.22814, 1e-4), (30, 2.04227, 1e-5), (1000, 1.96234, 1e-5)],
)
def test_t_quantiles_of_the_printed_tables(freedom: int, expected: float, tolerance: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(expected, abs=tolerance)
    assert t_quantile(0.025, freedom) == pytest.approx(-expected, abs=tolerance)


def test_t_interval_by_hand() -> None:
    # mean 2, standard error 1 / sqrt(3), t(2) = 4.303
    found = intervals(np.array([[1.0], [2.0], [3.0]]), bootstrap_below=0)[0]
    assert found.mean == 2
    assert found.half_width == pytest.approx(4.30265 / math.sqrt(3), abs=1e-4)
    assert not found.excludes_zero
    assert found.method == "t"
    assert (found.negated().low, found.negated().high) == (-found.high, -found.low)


def test_the_method_changes_at_2000_deals() -> None:
    values = np.random.default_rng(0).normal(size=(2000, 1))
    assert intervals(values)[0].method == "t"
    small = intervals(values[:1999])[0]
    assert small.method == "bootstrap"
    # On well-behaved values the two agree.
    half = t_half_widths(values[:1999])[0]
    assert half <= small.half_width < 1.05 * half
    assert intervals(values[:1999])[0] == small


def test_equal_values_and_too_few() -> None:
    same = intervals(np.zeros((300, 2)))
    assert all((i.mean, i.low, i.high) == (0, 0, 0) for i in same)
    one = intervals(np.array([[4.0]]))[0]
    assert one.mean == 4
    assert math.isinf(one.half_width)
    assert math.isnan(intervals(np.zeros((0, 1)))[0].mean)


def heavy(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Payments as they are: mostly nothing, seldom a doubled hundred."""
    size = 2.0 ** np.minimum(rng.geometric(0.6, shape), 8)
    return np.where(rng.random(shape) < 0.4, rng.choice([-1, 1, 1], shape) * size, 0)


@pytest.mark.parametrize("deals", [40, 400, 2500])
def test_intervals_cover_the_truth_as_often_as_they_say(deals: int) -> None:
    rng = np.random.default_rng(deals)
    normal = intervals(rng.normal(0.3, 1, size=(deals, 600)), resamples=1000)
    covered = np.mean([i.low <= 0.3 <= i.high for i in normal])
    assert 0.92 <= covered <= 0.985
    k = np.arange(1, 8)
    size = np.append(0.6 * 0.4 ** (k - 1), 0.4**7) @ 2.0 ** np.append(k, 8)
    truth = 0.4 * size / 3
    paid = intervals(heavy(rng, (deals, 600)), resamples=1000)
    covered = np.mean([i.low <= truth <= i.high for i in paid])
    assert covered >= (0.88 if deals < 100 else 0.92)


def test_clustered_by_deal_covers_where_naive_does_not() -> None:
    # Six games on one deal share its luck: as independent games they seem six times as much.
    rng = np.random.default_rng(1)
    clustered = naive = 0
    for _ in range(300):
        games = rng.normal(size=(100, 1)) + 0.3 * rng.normal(size=(100, 6))
        by_deal = intervals(games.mean(axis=1)[:, None], bootstrap_below=0)[0]
        by_game = intervals(games.reshape(-1, 1), bootstrap_below=0)[0]
        clustered += by_deal.low <= 0 <= by_deal.high
        naive += by_game.low <= 0 <= by_game.high
    assert clustered / 300 > 0.92
    assert naive / 300 < 0.75


def test_trimmed_mean_and_top_share() -> None:
    values = np.arange(100.0)
    values[99] = 1e6
    assert trimmed_mean(values) == np.arange(5, 95).mean()
    assert top_share(values) == pytest.approx(0.99)
    assert top_share(np.ones(50)) == 0
    normal = np.random.default_rng(0).normal(size=100_000)
    assert top_share(normal) == pytest.approx(0.085, abs=0.005)


def test_ratings() -> None:
    strengths = np.array([1.0, 0.25, -0.5, -0.75])
    exact = least_squares_ratings(strengths[:, None] - strengths[None, :])
    assert exact.values == pytest.approx(strengths)
    assert exact.residual == pytest.approx(0)
    # Rock, paper, scissors: no strengths explain it.
    circle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    rating = least_squares_ratings(circle)
    assert rating.values == pytest.approx([0, 0, 0])
    assert rating.share == pytest.approx(1)


def test_every_agent_sits_everywhere_alone() -> None:
    seats = Contest((4, 9)).seats
    assert Contest((4, 9)).names == ("ABB", "BAB", "BBA", "BAA", "ABA", "AAB")
    assert sorted(np.flatnonzero(row == 4).tolist() for row in seats[:3]) == [[0], [1], [2]]
    assert sorted(np.flatnonzero(row == 9).tolist() for row in seats[3:]) == [[0], [1], [2]]
    three = Contest((1, 2, 3)).seats
    assert sorted(map(tuple, three.tolist())) == [
        (1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)
    ]  # fmt: skip


def test_statistic_of_a_deal_by_hand() -> None:
    # One deal. A alone: +2, +8, -4; B alone: +6, -2, +2, at the seat of the one who is alone.
    payments = np.array(
        [[[2, -1, -1]], [[-4, 8, -4]], [[2, 2, -4]], [[6, -3, -3]], [[1, -2, 1]], [[-1, -1, 2]]]
    )
    sums = agent_sums(Contest((0, 1)), payments)
    assert sums.tolist() == [[6], [6]]
    by_line = []
    for line, (name, paid) in enumerate(zip(Contest((0, 1)).names, payments[:, 0], strict=True)):
        a = np.mean([paid[s] for s in range(3) if name[s] == "A"])
        b = np.mean([paid[s] for s in range(3) if name[s] == "B"])
        by_line.append(a - b)
        assert line < 6
    assert difference(sums)[0] == pytest.approx(np.mean(by_line)) == 0
    sums[0] += 8
    assert difference(sums)[0] == 2


def test_three_agents_by_hand() -> None:
    contest = Contest((0, 1, 2))
    worth = np.array([4, 2, -6])  # what each agent gets, wherever it sits
    payments = worth[contest.seats][:, None, :].repeat(5, axis=1)
    sums = agent_sums(contest, payments)
    assert sums.tolist() == [[24] * 5, [12] * 5, [-36] * 5]
    assert difference(sums).tolist() == [2.0] * 5


def test_cap() -> None:
    payments = np.array([[80, -40, -40], [16, -32, 16], [-2, 1, 1], [34, -17, -17], [0, 0, 0]])
    assert cap_payments(payments).tolist() == [
        [32, -16, -16],
        [16, -32, 16],
        [-2, 1, 1],
        [32, -16, -16],
        [0, 0, 0],
    ]
