"""`DealBatch`: given decks, copies of rows, saved bytes, and plain Python instead of Numba."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from marias_env.batch import DealBatch
from marias_env.core.deal import DEAL
from marias_env.errors import DeckError, StateError
from marias_env.match import Match
from tests.env.helpers import PRESETS


def test_given_decks() -> None:
    batch = DealBatch(2, seed=0)
    decks = np.stack([np.arange(32), np.arange(31, -1, -1)])
    batch.set_decks(decks, np.array([0, 1]))
    assert batch.turn.tolist() == [1, 2]
    # docs/records.md, deck order: 7, 5, 5, then 5 each.
    hands = batch.deals["hands"][0]
    assert int(hands[1]) == 0x7F | 0x1F << 17
    assert int(hands[2]) == 0x1F << 7 | 0x1F << 22
    assert int(hands[0]) == 0x1F << 12 | 0x1F << 27
    assert batch.legal_bits[0] == 0x7F | 1 << 32
    online = DealBatch(1, "online", seed=0)
    online.set_decks(np.arange(32), 2)
    hands = online.deals["hands"][0]
    assert int(hands[0]) == 0x1F | 0x1F << 15
    assert int(hands[1]) == 0x1F << 5 | 0x1F << 20
    assert int(hands[2]) == 0x1F << 10 | 0x1F << 25
    assert int(online.deals["talon"][0]) == 3 << 30


@pytest.mark.parametrize(
    ("deck", "dealer"),
    [
        (np.arange(31), 0),
        (np.zeros(32, dtype=int), 0),
        (np.arange(1, 33), 0),
        (np.arange(32.0), 0),
        (np.tile(np.arange(32), (3, 1)), 0),
        (["7h"] * 32, 0),
        (np.arange(32), 3),
        (np.arange(32), -1),
        (np.arange(32), 0.5),
        (np.arange(32), [0, 1, 2]),
        (np.arange(32), "0"),
        (np.arange(32), None),
        (None, 0),
    ],
)
def test_bad_decks_change_nothing(deck: Any, dealer: Any) -> None:
    batch = DealBatch(2, seed=0)
    before = batch.to_bytes()
    with pytest.raises(DeckError):
        batch.set_decks(deck, dealer)
    assert batch.to_bytes() == before


def test_rows_are_copies_and_can_be_put_back() -> None:
    batch = DealBatch(5, seed=2)
    part = batch[[3, 1]]
    before = batch.to_bytes()
    part.step(part.sample_legal())
    assert batch.to_bytes() == before
    batch[[3, 1]] = part
    assert batch.deals[3].tobytes() == part.deals[0].tobytes()
    batch[0] = part[1]
    assert batch.deals[0].tobytes() == part.deals[1].tobytes()
    with pytest.raises(StateError):
        batch[0] = DealBatch(1, "online", seed=0)
    with pytest.raises(IndexError):
        batch[7]
    with pytest.raises(IndexError):
        batch[[]]


def test_foreign_bytes_are_refused() -> None:
    batch = DealBatch(2, seed=0)
    before = batch.to_bytes()
    other = DealBatch(2, "online", seed=0).to_bytes()
    match = DealBatch(2, seed=0, match=Match(deals=3)).to_bytes()
    for bad in (b"", b"nonsense", before[:100], before[:-30], other, match):
        with pytest.raises(StateError):
            batch.from_bytes(bad)
        assert batch.to_bytes() == before


def rewritten(batch: DealBatch, **parts: Any) -> bytes:
    """A batch's bytes with some of their arrays replaced, well formed on the outside."""
    with np.load(io.BytesIO(batch.to_bytes())) as saved:
        arrays = {name: saved[name] for name in saved.files}
    buffer = io.BytesIO()
    np.savez(buffer, **{**arrays, **parts})
    return buffer.getvalue()


@pytest.mark.parametrize("preset", PRESETS)
def test_bytes_of_rows_that_no_deal_leads_to_are_refused(preset: str) -> None:
    # Compiled code would follow them to places outside of the arrays.
    batch = DealBatch(4, preset, seed=3)
    for _ in range(25):
        batch.step(batch.sample_legal())
    before = batch.to_bytes()
    assert DEAL.names is not None
    free = {"totals", "match_deals", "episode", "key", "rng"}
    for name in DEAL.names:
        deals = batch.deals.copy()
        deals[name][1] += 1
        data = rewritten(batch, deals=np.frombuffer(deals.tobytes(), dtype=np.uint8))
        if name in free:
            batch.copy().from_bytes(data)
            continue
        with pytest.raises(StateError):
            batch.from_bytes(data)
    for payments in (np.zeros((4, 2), dtype=np.int64), np.zeros(4, dtype=np.int64)):
        with pytest.raises(StateError, match="payments"):
            batch.from_bytes(rewritten(batch, payments=payments))
    assert batch.to_bytes() == before


def test_noise_for_bytes_is_refused() -> None:
    batch = DealBatch(4, seed=3)
    raw = np.frombuffer(batch.deals.tobytes(), dtype=np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(200):
        noise = raw.copy()
        at = rng.integers(len(raw), size=rng.integers(20, 400))
        noise[at] = rng.integers(0, 256, size=len(at))
        with pytest.raises(StateError):
            batch.copy().from_bytes(rewritten(batch, deals=noise))


# ------------------------------------------------------------------------- rows and buffers


def test_rows_may_be_given_in_every_way_that_selects_rows() -> None:
    for rows in ([1, 2], [-3, 2], [False, True, True, False], slice(1, 3), np.array([2, 1])):
        batch = DealBatch(4, seed=5)
        batch.reset(indices=rows)
        assert batch.deals["episode"].tolist() == [0, 1, 1, 0]
        assert len(batch.views(rows)) == 2
    batch = DealBatch(4, seed=5)
    before = batch.to_bytes()
    for none in ([], (), np.zeros(0, dtype=np.int64), slice(2, 2), [False] * 4):
        batch.reset(indices=none)
        batch.next_deals(none)
        assert len(batch.views(none)) == 0
    for bad in ([4], [[0, 1]], [0.5], "a", [True, False]):
        with pytest.raises(IndexError):
            batch.reset(indices=bad)
        with pytest.raises(IndexError):
            batch.next_deals(bad)
    with pytest.raises(ValueError, match="seats"):
        batch.views([0], [0.5])
    assert batch.to_bytes() == before


def test_wrong_buffers_are_refused() -> None:
    batch = DealBatch(2, seed=0)
    locked = np.zeros((2, 48), dtype=np.int8)
    locked.flags.writeable = False
    for out in (
        locked,
        [[0] * 48] * 2,
        np.zeros((2, 48)),
        np.zeros((2, 96), dtype=np.int8)[:, ::2],
    ):
        with pytest.raises(ValueError, match="C-contiguous"):
            batch.legal_mask(out=out)  # type: ignore[arg-type]
    actions = batch.sample_legal()
    actions.flags.writeable = False  # such as those of JAX
    batch.step(actions)


# --------------------------------------------------------------------- without the compiler


def digest() -> str:
    """A hash of whole deals of every preset: states, masks, observations and views."""
    found = hashlib.sha256()
    for preset in PRESETS:
        batch = DealBatch(3, preset, seed=9, match=Match(deals=2))
        for _ in range(50):
            found.update(batch.deals.tobytes() + batch.legal_mask().tobytes())
            found.update(batch.observe().tobytes() + batch.state().tobytes())
            found.update(batch.views().deals.tobytes())
            tokens, lengths = batch.tokens()
            found.update(tokens.tobytes() + lengths.tobytes())
            batch.step(batch.sample_legal())
    return found.hexdigest()


def test_plain_python_gives_identical_bytes() -> None:
    root = Path(__file__).resolve().parents[2]
    script = "from tests.env.test_batch_copies import digest; print(digest())"
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == digest()
