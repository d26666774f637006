"""Gymnasium spaces of observations, masks, states and actions, shared by every face."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from marias_env.actions import NUM_ACTIONS
from marias_env.errors import OptionError, RenderModeError
from marias_env.observation import OBSERVATION_SIZE, STATE_SIZE, STATE_SLICES


def check_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Returns the dtype of observations.

    Raises:
        OptionError: neither int8 nor float32.
    """
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if dtype is None or found not in (np.dtype(np.int8), np.dtype(np.float32)):
        raise OptionError(f"dtype: {dtype!r}; expected int8 or float32")
    return found


def check_render_mode(mode: str | None, modes: Sequence[str]) -> None:
    """Refuses a render mode that a face does not have.

    Raises:
        RenderModeError: `mode` is neither None nor one of `modes`.
    """
    if mode is not None and mode not in modes:
        expected = ", ".join([*map(repr, modes), "None"])
        raise RenderModeError(f"render_mode: {mode!r}; expected one of {expected}")


def _box(size: int, dtype: npt.DTypeLike) -> spaces.Box:
    low = np.zeros(size, dtype=np.int8)
    high = np.ones(size, dtype=np.int8)
    for part in STATE_SLICES.values():
        # Padding may be 1 for all that a space says: checkers complain of an interval of one point.
        if part.stop <= size and part.kind != "padding":
            high[part.start : part.stop] = part.bound
            low[part.start : part.stop] = -part.bound if part.signed else 0
    kind: Any = check_dtype(dtype).type
    return spaces.Box(low.astype(kind), high.astype(kind), dtype=kind)


def observation_box(dtype: npt.DTypeLike = np.int8) -> spaces.Box:
    """Returns the space of observation vectors, with the bounds of each entry."""
    return _box(OBSERVATION_SIZE, dtype)


def state_box(dtype: npt.DTypeLike = np.int8) -> spaces.Box:
    """Returns the space of perfect-information states."""
    return _box(STATE_SIZE, dtype)


def mask_box() -> spaces.Box:
    """Returns the space of action masks."""
    return spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)


def observation_dict(dtype: npt.DTypeLike = np.int8) -> spaces.Dict:
    """Returns the space of an observation with its mask beside it."""
    return spaces.Dict({"observation": observation_box(dtype), "action_mask": mask_box()})


class Table(Protocol):
    """What `SeatActions` asks of its environment."""

    def legal_mask(self, seat: int) -> npt.NDArray[np.int8] | None:
        """Returns the mask of a seat that is on turn, None when it is not."""
        ...


class SeatActions(spaces.Discrete):
    """The actions of one seat, `Discrete(48)`, whose `sample()` draws a legal one.

    Only some actions are legal at a time, and code that samples a space without a mask (checkers,
    warm-up phases) would be refused at once. While the seat is on turn, `sample()` without
    arguments is therefore uniform over its legal actions; otherwise, and in a copied or pickled
    space, it is uniform over all 48, as with any `Discrete`.

    Args:
        table: the environment, or None.
        seat: 0, 1 or 2.
    """

    def __init__(self, table: Table | None, seat: int) -> None:
        super().__init__(NUM_ACTIONS)
        self.seat = seat
        self._table: weakref.ref[Any] | None = None
        self.link(table)

    def link(self, table: Table | None) -> None:
        """Makes this the action space of an environment (held weakly)."""
        self._table = None if table is None else weakref.ref(table)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draws an action; arguments as of `Discrete.sample`."""
        if mask is None and probability is None and self._table is not None:
            table = self._table()
            if table is not None:
                mask = table.legal_mask(self.seat)
        return super().sample(mask, probability)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_table": None}

    def __reduce__(self) -> Any:
        return (_actions_of, (self.seat,), self.__getstate__())


def _actions_of(seat: int) -> SeatActions:
    return SeatActions(None, seat)
