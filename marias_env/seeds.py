"""Seeds: one rule for every face.

A seed is a whole number from 0, which seeds a row together with its index, or a list or array of
them, one for each row, which then is dealt as the first row of a batch with that seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.checks import as_array, check_count
from marias_env.core import kernels
from marias_env.errors import OptionError

Seed = int | np.integer[Any] | Sequence[int] | npt.NDArray[np.integer[Any]] | None
"""A seed; None: none is given."""


def check_seed(seed: Any) -> int | None:
    """Returns the seed of one deal: None, a whole number from 0, or a list or array of one.

    Raises:
        OptionError: it is none of them.
    """
    found = row_seeds(seed, 1)
    return found[0] if isinstance(found, list) else found


def row_seeds(seed: Any, rows: int) -> int | list[int] | None:
    """Returns the seed of a batch: None, one for all rows, or one for each row.

    Args:
        seed: None, a whole number from 0, or a list, tuple or array of as many as there are rows;
            Python's, NumPy's and torch's alike.
        rows: how many rows there are.

    Raises:
        OptionError: it is none of them, or of another length.
    """
    if seed is None or type(seed) is int:
        return None if seed is None else check_count("seed", seed, 0)
    array = None if isinstance(seed, (str, bytes)) else as_array(seed)
    expected = "None, a whole number from 0" + (f", or {rows} of them" if rows > 1 else "")
    if array is None or array.ndim > 1 or isinstance(seed, (set, frozenset, Mapping)):
        raise OptionError(f"seed: {seed!r}; expected {expected}")
    if array.ndim == 0:
        return check_count("seed", array[()], 0)
    if len(array) != rows:
        raise OptionError(f"seed: {len(array)} seeds; expected {rows}, one per row")
    # From a list itself: NumPy makes floats of large and small numbers side by side.
    each = seed if isinstance(seed, (list, tuple)) else array.tolist()
    return [check_count(f"seed of row {row}", _plain(one), 0) for row, one in enumerate(each)]


def _plain(value: Any) -> Any:
    array = as_array(value)
    return value if isinstance(value, int) or array is None or array.ndim else array[()]


def drawn_seed() -> int:
    """Returns a seed from the system's entropy, one that SB3 and Gymnasium take too."""
    return int(np.random.SeedSequence().generate_state(1)[0])


def random_root(seed: int | Sequence[int] | None) -> np.uint64:
    """Returns the 64 bits from which compiled code derives its streams.

    The one way from a seed to them: every package draws by it, so that equal seeds stay equal.

    Args:
        seed: a seed; several numbers, of a run and of a part of it, are one too. None draws one.
    """
    root: np.uint64 = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    return root


def seed_rows(
    deals: npt.NDArray[Any],
    rules: npt.NDArray[Any],
    seeds: int | list[int] | None,
    rows: npt.NDArray[np.int64] | None,
    first_index: int,
) -> None:
    """Deals the first episode of all or some rows.

    Args:
        deals: (B,) DEAL.
        rules: (1,) RULE_SET.
        seeds: what `row_seeds` returned; None draws one.
        rows: (N,) rows; None: all.
        first_index: index of row 0 in the seeding.
    """
    if rows is None and not isinstance(seeds, list):
        kernels.reset_rows(deals, rules, random_root(seeds), first_index)
        return
    whole = None if isinstance(seeds, list) else random_root(seeds)
    for row in range(len(deals)) if rows is None else rows.tolist():
        root, first = whole, first_index + row
        if isinstance(seeds, list):
            root, first = random_root(seeds[row]), 0
        kernels.reset_rows(deals[row : row + 1], rules, root, first)
