"""Intervals and tail measures of per-deal values. The deal is the unit: one value per deal."""

from __future__ import annotations

import dataclasses
import math
from statistics import NormalDist
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

BOOTSTRAP_BELOW: Final = 2000
"""Fewer deals than this: bootstrap interval instead of the t-interval."""
RESAMPLES: Final = 10_000
_BLOCK = 500


@dataclasses.dataclass(frozen=True)
class Interval:
    """A mean with its 95 % confidence interval.

    Attributes:
        mean: the mean of the per-deal values.
        low: lower end.
        high: upper end.
        deals: number of values.
        method: `t` or `bootstrap`.
    """

    mean: float
    low: float
    high: float
    deals: int
    method: str

    @property
    def half_width(self) -> float:
        """Half the interval's length."""
        return (self.high - self.low) / 2

    @property
    def excludes_zero(self) -> bool:
        """Whether the whole interval lies on one side of zero."""
        return self.low > 0 or self.high < 0

    def negated(self) -> Interval:
        """Returns the interval of the negative values."""
        return Interval(
            -self.mean + 0.0, -self.high + 0.0, -self.low + 0.0, self.deals, self.method
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields, half-width included, as JSON values."""
        return {**dataclasses.asdict(self), "half_width": self.half_width}

    def __str__(self) -> str:
        return f"{self.mean:+.3f} ± {self.half_width:.3f}"


def t_quantile(probability: float, freedom: int) -> float:
    """Returns the quantile of Student's t (exact for 1 and 2 degrees of freedom, else a series).

    The Cornish–Fisher series is within 0.7 % at 3 degrees of freedom and 0.01 % from 10 on.
    """
    if freedom < 1 or not 0 < probability < 1:
        raise ValueError(f"t_quantile: {probability!r}, {freedom!r}")
    if freedom == 1:
        return math.tan(math.pi * (probability - 0.5))
    if freedom == 2:
        return (2 * probability - 1) * math.sqrt(2 / (4 * probability * (1 - probability)))
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / float(freedom) ** (n + 1) for n, term in enumerate(terms))


def t_half_widths(columns: npt.ArrayLike, level: float = 0.95) -> Values:
    """Returns (C,) half-widths of the t-intervals of the columns of (D, C); inf below two rows."""
    x = np.asarray(columns, dtype=np.float64)
    n = len(x)
    if n < 2:
        return np.full(x.shape[1], math.inf)
    spread = x.std(axis=0, ddof=1) / math.sqrt(n)
    return np.asarray(t_quantile((1 + level) / 2, n - 1) * spread, dtype=np.float64)


def intervals(
    columns: npt.ArrayLike,
    level: float = 0.95,
    bootstrap_below: int = BOOTSTRAP_BELOW,
    resamples: int = RESAMPLES,
) -> list[Interval]:
    """Returns the interval of each column's mean.

    Below `bootstrap_below` rows the half-width is the studentized symmetric bootstrap's: the
    level's quantile of |resampled mean - mean| / resampled spread, times the spread, and never less
    than the t-interval's. Payments are skewed and heavy-tailed: in small samples of such values the
    t-interval and the percentiles of resampled means hold the true mean less often than they say.
    The resampling is seeded: equal values give equal intervals.

    Args:
        columns: (D, C), a row per deal.
        level: confidence level.
        bootstrap_below: number of rows from which the t-interval is used.
        resamples: number of bootstrap resamples.
    """
    x = np.asarray(columns, dtype=np.float64)
    if x.ndim != 2:
        raise ValueError(f"columns of shape {x.shape}; expected (deals, columns)")
    n = len(x)
    if n == 0:
        return [Interval(math.nan, -math.inf, math.inf, 0, "none")] * x.shape[1]
    means = x.mean(axis=0)
    if n < 2:
        return [Interval(float(m), -math.inf, math.inf, n, "none") for m in means]
    half = t_half_widths(x, level)
    method = "t"
    if n < bootstrap_below:
        method = "bootstrap"
        half = np.maximum(half, _bootstrap_quantiles(x, level, resamples) * x.std(axis=0))
    return [
        Interval(float(m), float(m - h), float(m + h), n, method)
        for m, h in zip(means, half, strict=True)
    ]


def _bootstrap_quantiles(x: Values, level: float, resamples: int) -> Values:
    # (C,) quantiles of |t|. The same resampled deals for all columns: they stay comparable.
    n = len(x)
    mean = x.mean(axis=0)
    centred = x - mean
    both = np.hstack([centred, centred**2])
    rng = np.random.default_rng(20_000 + n)
    ratios = []
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        drawn = rng.integers(0, n, size=(size, n)) + n * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        moments = counts @ both / n
        means = moments[:, : x.shape[1]]
        spread = np.sqrt(np.maximum(moments[:, x.shape[1] :] - means**2, 0))
        # A resample without any spread says nothing about t; the t-interval is the floor then.
        usable = spread > 1e-9 * (1 + np.abs(mean))
        ratios.append(np.where(usable, np.abs(means) / np.where(usable, spread, 1), 0))
    return np.asarray(np.quantile(np.concatenate(ratios), level, axis=0), dtype=np.float64)


def trimmed_mean(values: npt.ArrayLike, share: float = 0.05) -> float:
    """Returns the mean without the `share` of smallest and the `share` of largest values."""
    x = np.sort(np.asarray(values, dtype=np.float64))
    cut = int(share * len(x))
    kept = x[cut : len(x) - cut]
    return float(kept.mean()) if len(kept) else math.nan


def top_share(values: npt.ArrayLike, share: float = 0.01) -> float:
    """Returns how much of the variance comes from the `share` of deals farthest from the mean.

    A normal distribution has 0.085 from its top 1 %; values near 1 mean that few deals decide.
    0 where all values are equal.
    """
    x = np.asarray(values, dtype=np.float64)
    squares = np.sort((x - x.mean()) ** 2)[::-1] if len(x) else x
    total = float(squares.sum())
    if total == 0:
        return 0.0
    return float(squares[: max(1, math.ceil(share * len(x)))].sum()) / total


@dataclasses.dataclass(frozen=True)
class Ratings:
    """Additive strengths fitted to a matrix of differences; a summary, never a replacement.

    Attributes:
        values: (N,) units, their mean is 0.
        residual: root mean square of what the strengths do not explain.
        share: residual relative to the root mean square of the differences: 0 transitive, 1 not
            additive at all.
    """

    values: Values
    residual: float
    share: float


def least_squares_ratings(matrix: npt.ArrayLike) -> Ratings:
    """Fits strengths r with r[i] - r[j] close to `matrix[i, j]`; nan cells are left out."""
    m = np.asarray(matrix, dtype=np.float64)
    n = len(m)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if not math.isnan(m[i, j])]
    rows = np.zeros((len(pairs) + 1, n))
    wanted = np.zeros(len(pairs) + 1)
    for at, (i, j) in enumerate(pairs):
        rows[at, i], rows[at, j], wanted[at] = 1.0, -1.0, m[i, j]
    rows[-1] = 1.0  # only differences are determined: fix the sum
    values = np.asarray(np.linalg.lstsq(rows, wanted, rcond=None)[0], dtype=np.float64)
    left = wanted[:-1] - rows[:-1] @ values
    size = math.sqrt(float(np.mean(wanted[:-1] ** 2))) if pairs else 0.0
    residual = math.sqrt(float(np.mean(left**2))) if pairs else 0.0
    return Ratings(values, residual, residual / size if size else 0.0)
