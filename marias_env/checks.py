"""Checks of what callers hand in, one rule for every face: typed errors before anything changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.actions import NUM_ACTIONS
from marias_env.cards import CARDS, card_id
from marias_env.errors import ActionError, DeckError, OptionError
from marias_env.options import Whole, check
from marias_env.rules import Rules

_INT64: Final = np.dtype(np.int64)
AUTORESET_MODES: Final = {"disabled": 0, "same_step": 1, "next_step": 2}


def buffer(
    out: npt.NDArray[Any] | None, shape: tuple[int, ...], dtype: Any, name: str = "out"
) -> npt.NDArray[Any]:
    """Returns `out`, or a new array where it is None; `name` is what an error calls it.

    Raises:
        ValueError: it is not a writeable C-contiguous array of this shape and dtype.
    """
    # Compiled code writes without bounds checks, so a wrong buffer must not get that far.
    if out is None:
        return np.empty(shape, dtype=dtype)
    if (
        isinstance(out, np.ndarray)
        and out.shape == shape
        and out.dtype == dtype
        and out.flags.carray
    ):
        return out
    found = f"type {type(out).__name__}"
    if isinstance(out, np.ndarray):
        found = (
            f"shape {out.shape} and dtype {out.dtype}, C-contiguous {out.flags.c_contiguous}, "
            f"writeable {out.flags.writeable}"
        )
    raise ValueError(
        f"{name} of {found}; expected a writeable C-contiguous {shape} {np.dtype(dtype).name} array"
    )


def check_count(name: str, value: Any, low: int) -> int:
    """Returns a whole number from `low` as Python's int.

    Raises:
        OptionError: it is none.
    """
    found: int = check(name, value, Whole(low))
    return found


def check_seat(name: str, value: Any, error: type[ValueError] = OptionError) -> int:
    """Returns a seat as Python's int.

    Raises:
        OptionError: or the `error` that is given: not 0, 1 or 2.
    """
    found: int = check(name, value, Whole(0, 2), error)
    return found


def one_action(action: Any) -> int:
    """Returns an action as Python's int: any integer, alone or in an array of one element.

    Python's, NumPy's and torch's integers are taken alike; floats, bools and texts are not.

    Raises:
        ActionError: it is no integer (whether it is an action is for the rules to say).
    """
    if type(action) is int or isinstance(action, np.integer):
        return int(action)
    array = as_array(action)
    if array is None or array.size != 1 or array.dtype.kind not in "iu":
        raise ActionError(f"action: {action!r}; expected an integer from 0 to {NUM_ACTIONS - 1}")
    return int(array.reshape(())[()])


def row_actions(actions: Any, rows: int) -> npt.NDArray[np.int64]:
    """Returns actions, one a row, as the (rows,) int64 array that compiled code takes.

    An array, list or tensor of integers; for one row also a single integer, as in `one_action`.

    Raises:
        ActionError: wrong shape or dtype.
    """
    if (
        type(actions) is np.ndarray
        and actions.dtype == _INT64
        and actions.shape == (rows,)
        and actions.flags.carray
    ):
        return actions  # as compiled code takes it: most calls, so nothing else is looked at
    chosen = as_array(actions)
    if chosen is None:
        raise ActionError(f"actions: {actions!r}; expected ({rows},) integers")
    if chosen.dtype.kind not in "iu":
        raise ActionError(f"actions of dtype {chosen.dtype}; expected integers")
    if rows == 1 and chosen.size == 1:
        chosen = chosen.reshape(1)
    if chosen.shape != (rows,):
        raise ActionError(f"actions of shape {chosen.shape}; expected ({rows},)")
    if not chosen.flags.writeable:
        chosen = chosen.copy()  # another type for Numba: everything would compile once more
    return np.ascontiguousarray(chosen, dtype=np.int64)


def row_numbers(rows: npt.ArrayLike | slice, size: int) -> npt.NDArray[np.int64]:
    """Returns numbers, a mask or a slice as row numbers; also an empty list, to NumPy of floats.

    Raises:
        IndexError: a row that is not there, or more than one dimension.
    """
    given = rows if isinstance(rows, slice) else np.asarray(rows)
    if isinstance(given, np.ndarray) and given.size == 0:
        given = given.astype(np.int64)
    numbers = np.atleast_1d(np.arange(size)[given])
    if numbers.ndim != 1:
        raise IndexError(f"rows of shape {numbers.shape}; expected one dimension")
    return np.ascontiguousarray(numbers, dtype=np.int64)


def row_seats(perspective: npt.ArrayLike, size: int) -> npt.NDArray[np.int64]:
    """Returns a seat, or one for each row, as (size,) seats.

    Raises:
        ValueError: not seats, or of another shape.
    """
    given = np.asarray(perspective)
    if given.dtype.kind not in "iu" or given.shape not in ((), (size,)):
        raise ValueError(f"perspective: {perspective!r}; expected a seat or ({size},) seats")
    if ((given < 0) | (given > 2)).any():
        raise ValueError(f"perspective: {perspective!r}; expected seats 0, 1 or 2")
    return np.ascontiguousarray(np.broadcast_to(given, (size,)), dtype=np.int64)


def as_array(value: Any) -> npt.NDArray[Any] | None:
    """Returns what NumPy makes of a value; None where it makes nothing of it."""
    try:
        return np.asarray(value)
    except (TypeError, ValueError, RuntimeError):  # ragged lists, tensors on another device
        return None


def autoreset_mode(autoreset: Any) -> int:
    """Returns the number of an autoreset mode given as bool, name or number.

    Raises:
        OptionError: it is none of them.
    """
    if isinstance(autoreset, (bool, np.bool_)):
        return 1 if autoreset else 0
    if isinstance(autoreset, str) and autoreset in AUTORESET_MODES:
        return AUTORESET_MODES[autoreset]
    if isinstance(autoreset, int) and autoreset in AUTORESET_MODES.values():
        return autoreset
    raise OptionError(
        f"autoreset: {autoreset!r}; expected True, False or one of {', '.join(AUTORESET_MODES)}"
    )


def deck_ids(deck: Sequence[str | int], rules: Rules) -> list[int]:
    """Returns a deck as card ids.

    Raises:
        DeckError: it is not an ordering of exactly the cards of the rules.
    """
    try:
        cards = [card_id(card) for card in deck]
    except (TypeError, ValueError) as error:
        raise DeckError(f"deck: {error}") from error
    missing = [c for c in range(32) if rules.deck_mask >> c & 1 and c not in cards]
    if len(cards) != rules.num_cards or missing:
        raise DeckError(
            f"deck of {len(cards)} cards; expected every one of the {rules.num_cards} cards of the "
            f"rules once (missing: {', '.join(CARDS[c] for c in missing) or 'none'})"
        )
    return cards
