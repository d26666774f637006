"""Checks of what `DealBatch` is given: typed errors before anything changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.cards import CARDS, card_id
from marias_env.errors import DeckError
from marias_env.options import Whole, check
from marias_env.rules import Rules

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


def check_count(name: str, value: Any, low: int) -> None:
    """Raises a ValueError unless `value` is a whole number from `low`."""
    check(name, value, Whole(low))


def autoreset_mode(autoreset: Any) -> int:
    """Returns the number of an autoreset mode given as bool, name or number.

    Raises:
        ValueError: it is none of them.
    """
    if isinstance(autoreset, (bool, np.bool_)):
        return 1 if autoreset else 0
    if isinstance(autoreset, str) and autoreset in AUTORESET_MODES:
        return AUTORESET_MODES[autoreset]
    if isinstance(autoreset, int) and autoreset in AUTORESET_MODES.values():
        return autoreset
    raise ValueError(
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
