"""Event tokens: the full information state of a seat as a sequence, for transformers and RNNs.

Everything the seat has seen, in order: the dealer, its cards as it got them, every public action,
its own private ones, that somebody acted in private, the shown trump card, marriages and who took
each trick. Seats are relative: me, left, right.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from marias_env.actions import ACTIONS
from marias_env.cards import CARDS, SUITS
from marias_env.core.events import (
    ACTION_AT,
    DEALER_AT,
    DEALT_AT,
    HIDDEN_AT,
    MARRIAGE_AT,
    NUM_TOKENS,
    PAD,
    PICKED_UP_AT,
    SHOWN_AT,
    TOKENS_LENGTH,
    TRICK_AT,
)

TOKENS_VERSION: Final = 1
"""Changes with every change of the vocabulary or its order."""

SEATS: Final = ("me", "left", "right")


def _names() -> tuple[str, ...]:
    names = ["pad", *(f"dealer:{seat}" for seat in SEATS)]
    names += [f"dealt:{card}" for card in CARDS]
    names += [f"picked_up:{card}" for card in CARDS]
    names += [f"{seat}:{action}" for seat in SEATS for action in ACTIONS]
    names += [f"{seat}:hidden" for seat in SEATS]
    names += [f"trump_card:{card}" for card in CARDS]
    names += [f"{seat}:marriage_{suit}" for seat in SEATS for suit in SUITS]
    names += [f"{seat}:takes_trick" for seat in SEATS]
    return tuple(names)


TOKENS: Final = _names()
"""Names by token id: `TOKENS[0] == "pad"`."""

TOKEN_GROUPS: Final = (
    ("pad", PAD, 1, "padding"),
    ("dealer", DEALER_AT, 3, "who deals: me, left, right"),
    ("dealt", DEALT_AT, 32, "a card I was dealt (forehand: of the first packet), ascending ids"),
    ("picked_up", PICKED_UP_AT, 32, "a card I picked up: second packet of forehand, or a talon"),
    ("action", ACTION_AT, 144, "an action: 48 x (me, left, right) + action id"),
    ("hidden", HIDDEN_AT, 3, "a private action (trump card, discard) of me, left, right"),
    (
        "trump_card",
        SHOWN_AT,
        32,
        "the trump card is shown (a blind one to forehand when picked up)",
    ),
    ("marriage", MARRIAGE_AT, 12, "a marriage is scored: (me, left, right) x (s, c, d, h)"),
    ("takes_trick", TRICK_AT, 3, "who takes the trick: me, left, right"),
)
"""Groups of token ids: name, first id, number, meaning."""


def padding_mask(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Returns (B, TOKENS_LENGTH) bool, True where a token is padding (PyTorch's convention)."""
    return np.arange(TOKENS_LENGTH) >= np.asarray(lengths)[:, None]


__all__ = [
    "NUM_TOKENS",
    "SEATS",
    "TOKENS",
    "TOKENS_LENGTH",
    "TOKENS_VERSION",
    "TOKEN_GROUPS",
    "padding_mask",
]
