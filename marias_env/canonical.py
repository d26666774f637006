"""Network inputs in canonical suit order: the same hand in other suits looks the same.

Mariáš does not care which suit is which, hearts' double payment aside. Putting the suits of every
position into one order (trumps first, then by what the seat was dealt) therefore saves a network
from learning each lesson up to 24 times. Actions are in the same order, and translated back.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_env.core.jit import jit
from marias_env.observation import OBSERVATION_SIZE, OBSERVATION_SLICES, STATE_SIZE, STATE_SLICES
from marias_env.rules import HEARTS
from marias_env.symmetry import ORDER_NUMBERS, SUIT_ORDERS, actions_in_order, entries_in_order

FEATURES_VERSION: Final = 1
"""Changes with the meaning of the inputs; checkpoints carry it next to the layout's version."""

# Nothing for the seat on turn to see: it has no card in the trick, the match does not matter for
# one deal's units, and padding is empty.
_DROPPED: Final = ("table_me", "turn", "totals", "match_deals", "padding", "state_padding")
_HEARTS: Final = -1
"""Marks the four inputs that tell the place of hearts."""


def _tables() -> tuple[npt.NDArray[np.int32], int]:
    kept = [part for name, part in STATE_SLICES.items() if name not in _DROPPED]
    seen = [part for part in kept if part.stop <= OBSERVATION_SIZE]
    hidden = kept[len(seen) :]
    rows = [
        entries_in_order(order, seen) + [_HEARTS] * 4 + entries_in_order(order, hidden)
        for order in SUIT_ORDERS
    ]
    return np.array(rows, dtype=np.int32), sum(part.size for part in seen) + 4


_INPUTS, NUM_INPUTS = _tables()
NUM_CRITIC_INPUTS: Final = int(_INPUTS.shape[1])
"""`NUM_INPUTS` numbers made of an observation; a state adds what is hidden from the seat."""

ACTION_OF: Final = np.array([actions_in_order(order) for order in SUIT_ORDERS], dtype=np.int64)
HEARTS_AT: Final = NUM_INPUTS - 4
PLACE_OF_HEARTS: Final = np.array([order.index(HEARTS) for order in SUIT_ORDERS], dtype=np.int64)
"""Where hearts stand in each suit order."""
INPUT_OF: Final = np.full((len(SUIT_ORDERS), STATE_SIZE), -1, dtype=np.int16)
"""(24, STATE_SIZE): which input an entry of the vector is in each suit order; -1: none."""
for _number in range(len(SUIT_ORDERS)):
    _places = np.flatnonzero(_INPUTS[_number] >= 0)
    INPUT_OF[_number, _INPUTS[_number, _places]] = _places
OBSERVATION_WORDS: Final = OBSERVATION_SIZE // 8
STATE_WORDS: Final = STATE_SIZE // 8
MAX_SPARSE: Final = STATE_SIZE + 8
"""Room for the inputs of one position."""
_HAND: Final = OBSERVATION_SLICES["hand"].start
_PLAYED: Final = OBSERVATION_SLICES["played_me"].start
_TRUMP: Final = OBSERVATION_SLICES["trump"].start


class Inputs(NamedTuple):
    """Canonical positions.

    Attributes:
        features: (N, `NUM_INPUTS` or `NUM_CRITIC_INPUTS`) int8.
        masks: (N, 48) int8, legal actions in canonical order.
        order: (N,) int64, number of the suit order, for `to_actions`.
    """

    features: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    order: npt.NDArray[np.int64]


@jit
def suit_order(vector: Any) -> Any:
    """Returns the number of the canonical suit order of a seat on turn.

    Args:
        vector: (OBSERVATION_SIZE or more,) int8, its observation.
    """
    key = np.zeros(4, dtype=np.int64)
    for suit in range(4):
        count = 0
        pattern = 0
        for rank in range(8):
            card = 8 * suit + rank
            own = np.int64(vector[_HAND + card] | vector[_PLAYED + card])
            count += own
            pattern |= own << rank
        key[suit] = 4096 * np.int64(vector[_TRUMP + suit]) + 256 * count + pattern
    packed = 0
    for suit in range(4):
        place = 0
        for other in range(4):
            if key[other] > key[suit] or (key[other] == key[suit] and other < suit):
                place += 1
        packed |= suit << (6 - 2 * place)
    return ORDER_NUMBERS[packed]


@jit
def sparse_inputs(
    vector: Any, words: Any, first: Any, stop: Any, number: Any, inputs: Any, values: Any, n: Any
) -> Any:
    """Appends the entries of a vector that are not 0 as canonical inputs.

    Args:
        vector: int8, an observation or a state.
        words: uint64, the same memory.
        first: first word to look at.
        stop: the word to stop before.
        number: of the suit order.
        inputs: int16, out: numbers of the inputs.
        values: int8, out: their values.
        n: inputs so far.

    Returns:
        The number of inputs.
    """
    for word in range(first, stop):
        if words[word] != 0:
            for entry in range(8 * word, 8 * word + 8):
                # Written in any case and kept or not: a branch here could not be predicted.
                inputs[n] = INPUT_OF[number, entry]
                values[n] = vector[entry]
                n += np.int64(vector[entry] != 0 and INPUT_OF[number, entry] >= 0)
    return n


@jit
def _canonical_rows(
    vectors: Any, masks: Any, inputs: Any, actions: Any, out: Any, out_masks: Any, out_order: Any
) -> None:
    for i in range(vectors.shape[0]):
        number = suit_order(vectors[i])
        out_order[i] = number
        for j in range(out.shape[1]):
            column = inputs[number, j]
            out[i, j] = vectors[i, column] if column >= 0 else 0
        out[i, HEARTS_AT + PLACE_OF_HEARTS[number]] = 1
        for j in range(masks.shape[1]):
            out_masks[i, j] = masks[i, actions[number, j]]


def canonical(vectors: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> Inputs:
    """Puts positions into canonical suit order.

    Args:
        vectors: (N, OBSERVATION_SIZE) observations or (N, STATE_SIZE) states of the seats on turn.
        masks: (N, 48) int8 legal actions.
    """
    size = NUM_INPUTS if vectors.shape[1] == OBSERVATION_SIZE else NUM_CRITIC_INPUTS
    out = np.empty((len(vectors), size), dtype=np.int8)
    out_masks = np.empty_like(masks)
    order = np.empty(len(vectors), dtype=np.int64)
    _canonical_rows(vectors, masks, _INPUTS, ACTION_OF, out, out_masks, order)
    return Inputs(out, out_masks, order)


def to_actions(
    chosen: npt.NDArray[np.int64], order: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Translates canonical actions (N,) back into action ids."""
    found: npt.NDArray[np.int64] = ACTION_OF[order, chosen]
    return found
