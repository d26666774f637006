"""Suit symmetry: the game does not know its side suits apart.

Hearts as trumps count double, so a relabelling of suits leaves the game as it is if it keeps hearts
in place until the trumps are known to the seat (or out of the game), and treats them as plain
afterwards: the `hearts` entry of the observation, which no relabelling touches, then says whether
the deal counts double. Two uses: `trump_first` puts trumps into suit 0 (one net input for four),
`random_permutations` augments training data.

A permutation is (N, 4) int64: `perms[i, old suit]` is the new suit in row i.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from marias_env.actions import NAME_TRUMP_0, NUM_ACTIONS
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
    trumps, perms = _known_trumps(vectors)
    for suit in range(4):
        rows = trumps == suit
        order = [suit, *(s for s in range(4) if s != suit)]
        perms[rows] = np.argsort(order)
    return perms


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


def _permute_suits(block: npt.NDArray[np.generic], undo: Permutations) -> npt.NDArray[np.generic]:
    # block: (N, groups, 4, width); the new suit j comes from the old suit undo[j].
    return np.take_along_axis(block, undo[:, None, :, None], axis=2)


def _suit_runs(slices: Mapping[str, Slice]) -> tuple[tuple[int, int, int], ...]:
    """Returns the runs of entries with a suit axis: first entry, entry behind, entries per suit."""
    runs: list[tuple[int, int, int]] = []
    for part in slices.values():
        if part.suit_width and runs and runs[-1][1:] == (part.start, part.suit_width):
            runs[-1] = (runs[-1][0], part.stop, part.suit_width)  # neighbours are moved together
        elif part.suit_width:
            runs.append((part.start, part.stop, part.suit_width))
    return tuple(runs)


_RUNS: Final = {
    OBSERVATION_SIZE: _suit_runs(OBSERVATION_SLICES),
    STATE_SIZE: _suit_runs(STATE_SLICES),
}


def permute(vectors: npt.NDArray[np.generic], perms: Permutations) -> npt.NDArray[np.generic]:
    """Returns observations (N, F) or states (N, S) with relabelled suits, as copies.

    Raises:
        ValueError: vectors of another width, or permutations of another shape.
    """
    width = vectors.shape[-1]
    if vectors.ndim != 2 or width not in _RUNS:
        raise ValueError(
            f"vectors of shape {vectors.shape}; expected (N, {OBSERVATION_SIZE}) observations or "
            f"(N, {STATE_SIZE}) states"
        )
    _check(perms, len(vectors))
    out = np.array(vectors)
    undo = inverse(perms)
    for start, stop, size in _RUNS[width]:
        block = vectors[:, start:stop].reshape(len(vectors), -1, 4, size)
        out[:, start:stop] = _permute_suits(block, undo).reshape(len(vectors), -1)
    return out


def permute_mask(masks: npt.NDArray[np.generic], perms: Permutations) -> npt.NDArray[np.generic]:
    """Returns (N, 48) action masks (or logits) with relabelled suits, as copies."""
    if masks.ndim != 2 or masks.shape[1] != NUM_ACTIONS:
        raise ValueError(f"masks of shape {masks.shape}; expected (N, {NUM_ACTIONS})")
    _check(perms, len(masks))
    out = np.array(masks)
    undo = inverse(perms)
    cards = masks[:, :32].reshape(len(masks), 1, 4, 8)
    out[:, :32] = _permute_suits(cards, undo).reshape(len(masks), 32)
    names = slice(NAME_TRUMP_0, NAME_TRUMP_0 + 4)
    out[:, names] = np.take_along_axis(masks[:, names], undo, axis=1)
    return out


def permute_actions(actions: npt.NDArray[np.int64], perms: Permutations) -> npt.NDArray[np.int64]:
    """Returns (N,) actions with relabelled suits; with `inverse(perms)` back to the real ones."""
    actions = np.asarray(actions)
    _check(perms, len(actions))
    rows = np.arange(len(actions))
    out = np.array(actions)
    cards = (actions >= 0) & (actions < 32)
    out[cards] = 8 * perms[rows[cards], actions[cards] // 8] + actions[cards] % 8
    names = (actions >= NAME_TRUMP_0) & (actions < NAME_TRUMP_0 + 4)
    out[names] = NAME_TRUMP_0 + perms[rows[names], actions[names] - NAME_TRUMP_0]
    return out


def _check(perms: Permutations, rows: int) -> None:
    if perms.shape != (rows, 4) or (np.sort(perms, axis=1) != np.arange(4)).any():
        raise ValueError(
            f"permutations of shape {perms.shape}; expected ({rows}, 4), each of 0 to 3"
        )
