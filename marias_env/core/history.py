"""The history of a deal: one byte an action, the action id and above it the seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.core.jit import jit

_SHIFT = 6
_ACTION = (1 << _SHIFT) - 1


@jit
def entry_of(seat: Any, action: Any) -> Any:
    """The entry of an action (`deal.HIDDEN_ACTION` where a view hides it)."""
    return np.int64(action) | np.int64(seat) << _SHIFT


@jit
def action_of(entry: Any) -> Any:
    """The action of one entry."""
    return np.int64(entry) & _ACTION


@jit
def seat_of(entry: Any) -> Any:
    """The seat of one entry."""
    return np.int64(entry) >> _SHIFT


@jit
def plays_from(d: Any) -> Any:
    """Index in the history of the first card played; cards named before it were private."""
    return np.int64(d["num_actions"]) - 3 * np.int64(d["tricks"]) - np.int64(d["in_trick"])


def actions_of(entries: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Returns the actions of an array of entries, of its shape."""
    return entries.astype(np.int64) & _ACTION


def seats_of(entries: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Returns the seats of an array of entries, of its shape."""
    return entries.astype(np.int64) >> _SHIFT


def history_of(deal: Any) -> list[tuple[int, int]]:
    """Returns all actions as (seat, action id); `HIDDEN_ACTION` where a view hides one."""
    entries = deal["history"][: int(deal["num_actions"])].tolist()
    return [(entry >> _SHIFT, entry & _ACTION) for entry in entries]


def num_plays(deal: Any) -> int:
    """Returns how many of the last actions are cards played."""
    return 3 * int(deal["tricks"]) + int(deal["in_trick"])
