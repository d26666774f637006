"""Quicker ways to the same: buffers filled by `step`, parts in blocks and threads, packed rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marias_env.batch import DealBatch
from marias_env.errors import IllegalActionError, OptionError
from marias_env.observation import OBSERVATION_SIZE, OBSERVATION_SLICES
from marias_env.packed import BIT_BYTES, COUNT_ENTRIES, PACKED_SIZE, pack, unpack
from marias_env.rules import Rules
from tests.env.helpers import PRESETS, nodes, rule_sets

MODES = ("same_step", "next_step", "disabled")


@pytest.mark.parametrize("autoreset", MODES)
@pytest.mark.parametrize("preset", PRESETS)
def test_step_fills_the_buffers_as_observe_and_legal_mask_do(preset: str, autoreset: str) -> None:
    batch = DealBatch(64, preset, seed=3, autoreset=autoreset)
    twin = batch.copy()
    mask = np.full((64, 48), 9, dtype=np.int8)
    observation = np.full((64, OBSERVATION_SIZE), 9, dtype=np.int8)
    over = 0
    for number in range(80):
        actions = twin.sample_legal()
        assert (batch.sample_legal() == actions).all()
        wanted = {"mask": mask, "observation": observation}
        if number % 3 == 1:
            del wanted["mask"]
        if number % 3 == 2:
            del wanted["observation"]
        done = batch.step(actions, **wanted)
        assert (twin.step(actions) == done).all()
        assert batch.deals.tobytes() == twin.deals.tobytes()
        over += int((twin.turn < 0).sum())
        if "mask" in wanted:
            assert np.array_equal(mask, twin.legal_mask())
        if "observation" in wanted:
            assert np.array_equal(observation, twin.observe())
    assert (over > 0) == (autoreset != "same_step")


def test_refused_steps_leave_rows_and_buffers() -> None:
    batch = DealBatch(4, seed=1)
    actions = batch.sample_legal()
    before = batch.deals.tobytes()
    mask, observation = batch.legal_mask(), batch.observe()
    kept = mask.copy(), observation.copy()
    for wrong in (mask[:3], mask.astype(np.int64), np.asfortranarray(mask), mask.tolist()):
        with pytest.raises(ValueError, match="mask of"):
            batch.step(actions, mask=wrong)
    with pytest.raises(ValueError, match="observation of"):
        batch.step(actions, observation=observation[:, :600])
    actions[3] = 47
    with pytest.raises(IllegalActionError, match="row 3"):
        batch.step(actions, mask, observation)
    assert batch.deals.tobytes() == before
    assert np.array_equal(mask, kept[0])
    assert np.array_equal(observation, kept[1])


@pytest.mark.parametrize("rows", [1, 7, 16, 40, 100])
def test_parts_share_the_batch(rows: int) -> None:
    batch, twin = DealBatch(40, seed=2, first_index=5), DealBatch(40, seed=2, first_index=5)
    parts = batch.parts(rows)
    assert [len(part) for part in parts[:-1]] == [rows] * (len(parts) - 1)
    assert sum(len(part) for part in parts) == 40
    for _ in range(90):
        done = np.concatenate([part.step(part.sample_legal()) for part in parts])
        assert np.array_equal(done, twin.step(twin.sample_legal()))
    assert batch.deals.tobytes() == twin.deals.tobytes()
    assert twin.payments.any()
    assert np.array_equal(batch.payments, twin.payments)
    for part in parts:
        part.reset(9)
    twin.reset(9)
    assert batch.deals.tobytes() == twin.deals.tobytes()
    with pytest.raises(ValueError, match="rows: 0; expected a whole number from 1"):
        batch.parts(0)


def test_parts_in_threads_play_what_one_thread_plays() -> None:
    batch, twin = DealBatch(600, "online", seed=4), DealBatch(600, "online", seed=4)

    def play(part: DealBatch) -> int:
        return sum(int(part.step(part.sample_legal()).sum()) for _ in range(60))

    with ThreadPoolExecutor(3) as pool:
        ended = sum(pool.map(play, batch.parts(200)))
    assert ended == play(twin) > 0
    assert batch.deals.tobytes() == twin.deals.tobytes()


@given(rule_sets(), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_packing_loses_nothing(rules: Rules, seed: int) -> None:
    for batch in nodes(DealBatch(6, rules, seed=seed, autoreset=False), seed):
        for perspective in (None, 2):
            seen = batch.observe(perspective)
            packed = batch.observe_packed(perspective)
            assert packed.shape == (6, PACKED_SIZE)
            assert np.array_equal(packed, pack(seen))
            assert np.array_equal(unpack(packed), seen)


@given(st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_any_vector_within_the_bounds_can_be_packed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.integers(0, 2, (3, 4, OBSERVATION_SIZE)).astype(np.int8)
    vectors[..., COUNT_ENTRIES] = rng.integers(-127, 128, (3, 4, len(COUNT_ENTRIES)))
    packed = pack(vectors)
    assert packed.shape == (3, 4, PACKED_SIZE)
    assert np.array_equal(unpack(packed), vectors)


def test_packed_layout_is_as_documented() -> None:
    assert PACKED_SIZE == 90
    assert BIT_BYTES == 79
    counts = ["replies", "round", "tricks_won", "points", "totals", "match_deals"]
    parts = [OBSERVATION_SLICES[name] for name in counts]
    assert COUNT_ENTRIES.tolist() == [e for part in parts for e in range(part.start, part.stop)]
    batch = DealBatch(50, seed=5)
    for _ in range(30):
        batch.step(batch.sample_legal())
    seen, packed = batch.observe(), batch.observe_packed()
    for entry in range(OBSERVATION_SIZE):
        bit = packed[:, entry // 8] >> (entry % 8) & 1
        assert np.array_equal(bit, 0 * bit if entry in COUNT_ENTRIES else seen[:, entry])
    out = np.empty((50, PACKED_SIZE), dtype=np.uint8)
    assert batch.observe_packed(out=out) is out
    for wrong in (packed[:, :89], packed.astype(np.int8)):
        with pytest.raises(ValueError, match="packed of shape"):
            unpack(wrong)
    with pytest.raises(ValueError, match="observations of shape"):
        pack(seen.astype(np.float32))


def test_a_batch_of_records_is_that_of_its_rows() -> None:
    batch = DealBatch(20, seed=3, autoreset=False)
    for _ in range(40):
        batch.step(np.where(batch.turn >= 0, batch.sample_legal(), -1))
    made = DealBatch.from_deals(batch.deals[4:9].copy(), batch.rules)
    assert made.deals.tobytes() == batch[4:9].deals.tobytes()
    assert made.packed_rules.tobytes() == batch.packed_rules.tobytes()
    actions = np.where(made.turn >= 0, made.sample_legal(), -1)
    part = batch[4:9]
    part.step(actions)
    made.step(actions)
    assert made.deals.tobytes() == part.deals.tobytes()
    for wrong in (batch.deals[:0], np.zeros(3), [1], batch.deals[:4].reshape(2, 2)):
        with pytest.raises(OptionError, match="deals: "):
            DealBatch.from_deals(wrong)  # type: ignore[arg-type]
