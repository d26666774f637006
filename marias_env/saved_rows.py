"""The rows of a `DealBatch` as bytes, and back with every row checked."""

from __future__ import annotations

import io
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.core import kernels
from marias_env.core.deal import DEAL, NUM_SEATS
from marias_env.core.history import actions_of, seats_of
from marias_env.errors import StateError

STATE_VERSION: Final = 1
"""Version of the DEAL layout: saved bytes of another version are refused."""

_NOT_REPLAYED: Final = ("totals", "match_deals", "episode", "key", "rng")
"""Fields of a row that do not follow from its deck, dealer and actions."""

Rows = tuple[npt.NDArray[Any], npt.NDArray[np.int64]]


def write_rows(rules: npt.NDArray[Any], rows: Rows) -> bytes:
    """Returns deals (B,) DEAL and payments (B, 3) under packed rules as bytes."""
    deals, payments = rows
    buffer = io.BytesIO()
    np.savez(
        buffer,
        version=np.int64(STATE_VERSION),
        rules=np.frombuffer(rules.tobytes(), dtype=np.uint8),
        deals=np.frombuffer(deals.tobytes(), dtype=np.uint8),
        payments=payments,
    )
    return buffer.getvalue()


def read_rows(data: bytes, rules: npt.NDArray[Any]) -> Rows:
    """Returns what `write_rows` was given, its form checked; `check_replays` has to follow.

    Raises:
        StateError: not such bytes, another layout version, or other rules.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as saved:
            version = int(saved["version"])
            saved_rules = saved["rules"].tobytes()
            raw = saved["deals"].tobytes()
            payments = saved["payments"].astype(np.int64)
    except Exception as error:
        raise StateError(f"not the bytes of a DealBatch: {error}") from error
    if version != STATE_VERSION:
        raise StateError(f"state of layout version {version}; this is version {STATE_VERSION}")
    if saved_rules != rules.tobytes():
        raise StateError("the bytes are of a batch with other rules or another match")
    if not raw or len(raw) % DEAL.itemsize:
        raise StateError(f"{len(raw)} bytes of deals; expected a multiple of {DEAL.itemsize}")
    deals = np.frombuffer(raw, dtype=DEAL).copy()
    if payments.shape != (len(deals), NUM_SEATS):
        raise StateError(f"payments of shape {payments.shape}; expected ({len(deals)}, 3)")
    return deals, np.ascontiguousarray(payments)


def check_replays(
    deals: npt.NDArray[Any], fresh: npt.NDArray[Any], rules: npt.NDArray[Any]
) -> None:
    """Replays every row's history: compiled code trusts a record blindly.

    A record that no deal leads to could make it write anywhere.

    Args:
        deals: (B,) DEAL, the rows to check.
        fresh: (B,) DEAL: the same decks and dealers, freshly dealt; overwritten.
        rules: (1,) RULE_SET.

    Raises:
        StateError: a row is not what its history leads to.
    """
    counts = np.minimum(deals["num_actions"], deals["history"].shape[1])
    for row, count in enumerate(counts.tolist()):
        story = deals["history"][row, :count]
        one = fresh[row : row + 1]
        if kernels.replay_row(one, rules, actions_of(story), seats_of(story)) >= 0:
            raise StateError(f"saved row {row}: its history holds an illegal action")
    for name in DEAL.names or ():
        same = deals[name] == fresh[name]
        rows = np.flatnonzero(~same.reshape(len(deals), -1).all(axis=1))
        if rows.size and name not in _NOT_REPLAYED:
            raise StateError(f"saved row {rows[0]}: {name} is not what its history leads to")
