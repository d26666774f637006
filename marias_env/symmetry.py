"""Suit symmetry: the game does not know its side suits apart.

Hearts as trumps count double, so a relabelling of suits leaves the game as it is if it keeps hearts
in place until the trumps are known to the seat (or out of the game), and treats them as plain
afterwards: the `hearts` entry of the observation, which no relabelling touches, then says whether
the deal counts double. Two uses: `trump_first` puts trumps into suit 0 (one net input for four),
`random_permutations` augments training data.

A permutation is (N, 4) int64: `perms[i, old suit]` is the new suit in row i.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from marias_env.actions import NAME_TRUMP_0, NUM_ACTIONS
from marias_env.cards import NUM_CARDS
from marias_env.observation import (
    OBSERVATION_SIZE,
    OBSERVATION_SLICES,
    STATE_SIZE,
    STATE_SLICES,
    Slice,
)
from marias_env.rules import HEARTS

Permutations = npt.NDArray[np.int64]

_TRUMP = OBSERVATION_SLICES["trump"]
_CONTRACT = OBSERVATION_SLICES["contract"]


def _known_trumps(vectors: npt.NDArray[np.generic]) -> tuple[npt.NDArray[np.int64], Permutations]:
    trump_bits = vectors[:, _TRUMP.start : _TRUMP.stop] != 0
    trumps = np.where(trump_bits.any(axis=1), trump_bits.argmax(axis=1), -1)
    no_trumps = (vectors[:, _CONTRACT.start + 1 : _CONTRACT.stop] != 0).any(axis=1)
    identity = np.tile(np.arange(4), (len(vectors), 1))
    return np.where(no_trumps, -2, trumps).astype(np.int64), identity


def trump_first(vectors: npt.NDArray[np.generic]) -> Permutations:
    """Returns permutations that make the trumps suit 0 and keep the order of the others.

    Args:
        vectors: (N, F) observations or states; rows without trumps get the identity.
    """
    first = vectors[:, _TRUMP.start : _TRUMP.stop] != 0
    return inverse(np.argsort(~first, axis=1, kind="stable"))


def random_permutations(vectors: npt.NDArray[np.generic], rng: np.random.Generator) -> Permutations:
    """Returns uniformly random permutations among those that leave the game as it is.

    Trumps known: the three side suits. No-trump contract: all four suits. Else: the three suits
    other than hearts.

    Args:
        vectors: (N, F) observations or states.
        rng: source of randomness.
    """
    trumps, perms = _known_trumps(vectors)
    fixed = np.where(trumps >= 0, trumps, HEARTS)
    keys = rng.random((len(vectors), 4))
    # The fixed suit sorts last, so the first three places hold a random order of the others.
    kept = np.flatnonzero(trumps != -2)
    keys[kept, fixed[kept]] = 2.0
    shuffled = np.argsort(keys, axis=1)
    plain = np.argsort(np.where(keys == 2.0, 2.0, np.arange(4) / 8), axis=1)
    np.put_along_axis(perms, plain, shuffled, axis=1)
    return perms


def inverse(perms: Permutations) -> Permutations:
    """Returns the permutations that undo these."""
    return np.argsort(perms, axis=1)


def entries_in_order(order: Sequence[int], slices: Iterable[Slice]) -> list[int]:
    """Returns the entries of some slices as they stand when place p holds suit `order[p]`."""
    entries: list[int] = []
    for part in slices:
        width = part.suit_width or part.size
        for at in range(part.size // width):
            group, place = divmod(at, 4)
            block = 4 * group + order[place] if part.suit_width else at
            entries.extend(range(part.start + width * block, part.start + width * (block + 1)))
    return entries


def actions_in_order(order: Sequence[int]) -> list[int]:
    """Returns the 48 actions as they stand when place p holds suit `order[p]`."""
    return [
        *(8 * order[card // 8] + card % 8 for card in range(NUM_CARDS)),
        *range(NUM_CARDS, NAME_TRUMP_0),
        *(NAME_TRUMP_0 + suit for suit in order),
        *range(NAME_TRUMP_0 + 4, NUM_ACTIONS),
    ]


def number_of_order(orders: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Returns the places of suit orders (N, 4) in `SUIT_ORDERS`."""
    found: npt.NDArray[np.int64] = ORDER_NUMBERS[orders @ _DIGITS]
    return found


SUIT_ORDERS: Final = tuple(permutations(range(4)))
"""All orders of the suits: place p of order n holds suit `SUIT_ORDERS[n][p]`."""
_DIGITS: Final = np.array([64, 16, 4, 1])
ORDER_NUMBERS: Final = np.full(256, -1, dtype=np.int64)
"""Numbers of the suit orders by their four suits, two bits each, place 0 highest."""
ORDER_NUMBERS[np.array(SUIT_ORDERS) @ _DIGITS] = np.arange(len(SUIT_ORDERS))
_ENTRIES: Final = {
    size: np.array([entries_in_order(order, slices.values()) for order in SUIT_ORDERS])
    for size, slices in ((OBSERVATION_SIZE, OBSERVATION_SLICES), (STATE_SIZE, STATE_SLICES))
}
_ACTIONS: Final = np.array([actions_in_order(order) for order in SUIT_ORDERS])


def _reorder(
    rows: npt.NDArray[np.generic], columns: npt.NDArray[np.int64], perms: Permutations
) -> npt.NDArray[np.generic]:
    # columns: (24, width), what stands where in each order; the new suit j was the old undo[j].
    _check(perms, len(rows))
    numbers = number_of_order(inverse(perms))
    out = np.empty_like(rows)
    for number in np.unique(numbers):
        some = numbers == number
        out[some] = rows[some][:, columns[number]]
    return out


def permute(vectors: npt.NDArray[np.generic], perms: Permutations) -> npt.NDArray[np.generic]:
    """Returns observations (N, F) or states (N, S) with relabelled suits, as copies.

    Raises:
        ValueError: vectors of another width, or permutations of another shape.
    """
    if vectors.ndim != 2 or vectors.shape[1] not in _ENTRIES:
        raise ValueError(
            f"vectors of shape {vectors.shape}; expected (N, {OBSERVATION_SIZE}) observations or "
            f"(N, {STATE_SIZE}) states"
        )
    return _reorder(vectors, _ENTRIES[vectors.shape[1]], perms)


def permute_mask(masks: npt.NDArray[np.generic], perms: Permutations) -> npt.NDArray[np.generic]:
    """Returns (N, 48) action masks (or logits) with relabelled suits, as copies."""
    if masks.ndim != 2 or masks.shape[1] != NUM_ACTIONS:
        raise ValueError(f"masks of shape {masks.shape}; expected (N, {NUM_ACTIONS})")
    return _reorder(masks, _ACTIONS, perms)


def permute_actions(actions: npt.NDArray[np.int64], perms: Permutations) -> npt.NDArray[np.int64]:
    """Returns (N,) actions with relabelled suits; with `inverse(perms)` back to the real ones."""
    actions = np.asarray(actions)
    _check(perms, len(actions))
    known = (actions >= 0) & (actions < NUM_ACTIONS)  # -1, no action, stays
    out = np.array(actions)
    out[known] = _ACTIONS[number_of_order(perms[known]), actions[known]]
    return out


def _check(perms: Permutations, rows: int) -> None:
    if perms.shape != (rows, 4) or (np.sort(perms, axis=1) != np.arange(4)).any():
        raise ValueError(
            f"permutations of shape {perms.shape}; expected ({rows}, 4), each of 0 to 3"
        )
