"""Relabelling suits of the true deal relabels what every seat sees, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from marias_env import symmetry
from marias_env.batch import DealBatch
from marias_env.observation import OBSERVATION_SLICES


@pytest.mark.parametrize("rules", ["traditional", "online"])
def test_permuted_deal_gives_permuted_observation(rules: str) -> None:
    rng = np.random.default_rng(5)
    batch = DealBatch(256, rules, seed=6, autoreset=False)
    # Hearts count double, so only the other three may change names from the start.
    perms = np.concatenate([rng.permuted(np.tile(np.arange(3), (256, 1)), axis=1),
                            np.full((256, 1), 3)], axis=1)  # fmt: skip
    decks = batch.deals["deck"].astype(np.int64)
    permuted = 8 * np.take_along_axis(perms, decks // 8, axis=1) + decks % 8
    twin = DealBatch(256, rules, seed=7, autoreset=False)
    twin.set_decks(permuted, batch.dealer)
    while (batch.turn >= 0).any():
        for seat in range(3):
            want = symmetry.permute(batch.observe(perspective=seat), perms)
            assert (twin.observe(perspective=seat) == want).all()
        want = symmetry.permute(batch.state(), perms)
        assert (twin.state() == want).all()
        want = symmetry.permute_mask(batch.legal_mask(), perms)
        assert (twin.legal_mask() == want).all()
        actions = batch.sample_legal()
        twin.step(symmetry.permute_actions(actions, perms))
        batch.step(actions)
    assert (twin.payments == batch.payments).all()


def test_trump_first_and_back() -> None:
    batch = DealBatch(500, seed=8)
    trump = OBSERVATION_SLICES["trump"]
    for _ in range(25):
        batch.step(batch.sample_legal())
    seen = batch.observe()
    perms = symmetry.trump_first(seen)
    canonical = symmetry.permute(seen, perms)
    known = seen[:, trump.start : trump.stop].any(axis=1)
    assert known.sum() > 50
    assert (canonical[known, trump.start] == 1).all()
    assert (symmetry.permute(canonical, symmetry.inverse(perms)) == seen).all()
    actions = batch.sample_legal()
    there = symmetry.permute_actions(actions, perms)
    assert (symmetry.permute_actions(there, symmetry.inverse(perms)) == actions).all()


def test_random_permutations_keep_what_they_must() -> None:
    batch = DealBatch(3000, seed=9)
    for _ in range(14):
        batch.step(batch.sample_legal())
    seen = batch.observe()
    perms = symmetry.random_permutations(seen, np.random.default_rng(1))
    trump = OBSERVATION_SLICES["trump"]
    contract = OBSERVATION_SLICES["contract"]
    bits = seen[:, trump.start : trump.stop]
    no_trumps = seen[:, contract.start + 1 : contract.stop].any(axis=1)
    known = bits.any(axis=1) & ~no_trumps
    unknown = ~bits.any(axis=1) & ~no_trumps
    rows = np.flatnonzero(known)
    suits = bits[rows].argmax(axis=1)
    assert (perms[rows, suits] == suits).all()
    assert (perms[unknown, 3] == 3).all()
    assert (np.sort(perms, axis=1) == np.arange(4)).all()
    # Every admissible permutation turns up: 24 without trumps, 6 with hearts fixed.
    assert len(np.unique(perms[no_trumps], axis=0)) == 24
    assert len(np.unique(perms[unknown], axis=0)) == 6


def test_wrong_shapes_are_refused() -> None:
    batch = DealBatch(3, seed=1)
    seen = batch.observe()
    perms = symmetry.trump_first(seen)
    with pytest.raises(ValueError, match="vectors of shape"):
        symmetry.permute(seen[:, :-1], perms)
    with pytest.raises(ValueError, match="permutations of shape"):
        symmetry.permute(seen, perms[:2])
    with pytest.raises(ValueError, match="masks of shape"):
        symmetry.permute_mask(batch.legal_mask()[:, :40], perms)
