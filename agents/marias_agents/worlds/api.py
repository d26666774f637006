"""The Python face: `sample_worlds`, `count_worlds`, `enumerate_worlds`, `marginals`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.worlds import kernels
from marias_env.actions import OVER
from marias_env.batch import DealBatch
from marias_env.checks import check_count
from marias_env.core.deal import DEAL
from marias_env.seeds import random_root
from marias_env.views import Views


def sample_worlds(views: Views, n: int, seed: int | Sequence[int] | None = None) -> DealBatch:
    """Draws complete deals that a seat cannot tell from the true one, exactly uniformly.

    Args:
        views: one information view or many.
        n: worlds per view.
        seed: any seed of `numpy.random.SeedSequence`; None: the draws depend on the view
            alone. Equal views get equal worlds under equal seeds, whatever their row.

    Returns:
        len(views) * n deals, those of view i in rows i*n to i*n + n - 1, `autoreset` disabled; each
        can be stepped on and replays from its own deck.

    Raises:
        ValueError: `n` below 1, or a view that no deal gives.
    """
    check_count("n", n, 1)
    out = np.empty(len(views) * n, dtype=DEAL)
    bad = kernels.sample_rows(views.deals, views.packed_rules, _root(seed), out)
    if bad >= 0:
        raise ValueError(f"view {bad}: no deal gives this view")
    return DealBatch.from_deals(out, views.rules)


def count_worlds(views: Views) -> npt.NDArray[np.int64]:
    """Returns (N,) int64, the exact number of worlds of each view; 1 when the deal is over."""
    out = np.empty(len(views), dtype=np.int64)
    kernels.count_rows(views.deals, views.packed_rules, out)
    return out


def enumerate_worlds(
    views: Views, limit: int = 100_000, seed: int | Sequence[int] | None = None
) -> DealBatch:
    """Returns every world of one view once.

    Args:
        views: one information view.
        limit: the most worlds to make.
        seed: for what a world leaves open (deck order, earlier talons, a hidden trump card).

    Raises:
        ValueError: not exactly one view, more worlds than `limit`, or none.
    """
    if len(views) != 1:
        raise ValueError(f"{len(views)} views; expected one")
    count = int(count_worlds(views)[0])
    if count > limit:
        raise ValueError(f"{count} worlds; more than the limit of {limit}")
    if count == 0:
        raise ValueError("view 0: no deal gives this view")
    if views.deals["phase"][0] == OVER:
        return sample_worlds(views, 1, seed)
    out = np.empty(count, dtype=DEAL)
    kernels.enumerate_row(views.deals, views.packed_rules, _root(seed), out)
    return DealBatch.from_deals(out, views.rules)


def marginals(views: Views) -> npt.NDArray[np.float64]:
    """Returns (N, 32, 4): how likely a card is in the hand of seat 0, 1, 2 or in the talon.

    Rows of played cards and of cards that are not in the deck are zeros; the others sum to 1.
    Before forehand has chosen trumps, the cards not yet picked up count as forehand's.
    """
    out = np.empty((len(views), 32, 4), dtype=np.float64)
    kernels.marginal_rows(views.deals, views.packed_rules, out)
    return out


def _root(seed: int | Sequence[int] | None) -> Any:
    return np.uint64(0) if seed is None else random_root(seed)
