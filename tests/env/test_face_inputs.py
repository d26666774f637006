from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from marias_env import DealBatch, MariasEnv, MariasVectorEnv, OneDeal, marias_v0
from tests.face_inputs import CHECKS, Face

TABLE = ("rules", "reward", "episode", "dtype", "language", "render_mode", "match")
LEARNER = ("opponents", "seat", "illegal", "illegal_penalty", "observation")
FACES = {
    "DealBatch": Face(
        lambda **given: DealBatch(**{"seed": 0, "autoreset": False, **given}),
        lambda batch, seed: batch.reset(seed),
        lambda batch, actions: batch.step(actions),
        lambda batch: batch,
        "num_deals",
        ("rules", "first_index"),
    ),
    "DealBatch(seed)": Face(
        lambda **given: [given, DealBatch(autoreset=False, **given)],
        lambda made, seed: made.__setitem__(1, DealBatch(seed=seed, autoreset=False, **made[0])),
        lambda made, actions: made[1].step(actions),
        lambda made: made[1],
        "num_deals",
        ("rules", "first_index"),
    ),
    "OneDeal": Face(
        OneDeal,
        lambda one, seed: one.reset(seed),
        lambda one, action: one.step(action),
        lambda one: one.batch,
        None,
        ("rules",),
    ),
    "AEC": Face(
        marias_v0.raw_env,
        lambda env, seed: env.reset(seed=seed),
        lambda env, action: env.step(action),
        lambda env: env.batch,
        None,
        (*TABLE, "max_cycles", "perspective"),
    ),
    "wrapped AEC": Face(
        marias_v0.env,
        lambda env, seed: env.reset(seed=seed),
        lambda env, action: env.step(action),
        lambda env: env.unwrapped.batch,
        None,
        (*TABLE, "max_cycles", "perspective"),
    ),
    "Gymnasium": Face(
        lambda **given: MariasEnv(**{"seat": "rotate", **given}),
        lambda env, seed: env.reset(seed=seed),
        lambda env, action: env.step(action),
        lambda env: env.batch,
        None,
        (*TABLE, *LEARNER),
    ),
    "vector": Face(
        lambda **given: (
            MariasVectorEnv(**{"all_seats": "opponents" not in given, **given})
            if "seat" not in given
            else MariasVectorEnv(**given)
        ),
        lambda env, seed: env.reset(seed=seed),
        lambda env, actions: env.step(actions),
        lambda env: env.batch,
        "num_envs",
        (*(name for name in TABLE if name != "language"), *LEARNER, "first_index"),
    ),
}


@pytest.mark.parametrize("face", FACES.values(), ids=FACES)
@pytest.mark.parametrize("check", CHECKS)
def test_one_convention(face: Face, check: Callable[[Face], None]) -> None:
    check(face)


def test_rows_seeded_alone_are_dealt_as_with_all() -> None:
    whole = DealBatch(5, seed=3, first_index=2)
    batch = DealBatch(5, seed=9, first_index=2)
    before = batch.deals["deck"].copy()
    batch.reset(3, indices=[1, 4])
    for row in range(5):
        expected = whole.deals["deck"] if row in (1, 4) else before
        np.testing.assert_array_equal(batch.deals["deck"][row], expected[row])
    batch.reset(np.array([5, 6, 7, 8, 9]), indices=[2])
    assert (batch.deals["deck"][2] == DealBatch(1, seed=7).deals["deck"][0]).all()
