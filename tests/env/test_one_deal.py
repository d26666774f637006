"""`OneDeal` is a batch of one row whose calls take and return plain integers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import marias_env
from marias_env.batch import DealBatch
from marias_env.errors import ActionError, IllegalActionError, StateError
from marias_env.match import Match
from marias_env.one_deal import OneDeal
from marias_env.records import record_of
from marias_env.rules import Rules
from tests.env.helpers import PRESETS


def assert_shows(one: OneDeal, batch: DealBatch) -> None:
    assert one.turn == batch.turn[0]
    assert np.array_equal(one.observation, batch.observe()[0])
    assert np.array_equal(one.mask, batch.legal_mask()[0])
    assert np.array_equal(one.row, np.concatenate([one.observation, one.mask]))
    assert one.legal_bits == int(batch.legal_bits[0])
    assert (one.phase, one.dealer) == (batch.phase[0], batch.dealer[0])


@pytest.mark.parametrize("rules", [*PRESETS, Rules(illegal_action="revoke", max_doublings=2)])
def test_plays_the_deals_of_a_batch_of_one(rules: str | Rules) -> None:
    one = marias_env.OneDeal(rules, seed=11)
    batch = DealBatch(1, rules, seed=11, autoreset=False)
    for _ in range(12):
        while batch.turn[0] >= 0:
            assert_shows(one, batch)
            action = one.sample_legal()
            assert action == batch.sample_legal()[0]
            turn = one.step(action)
            batch.step([action])
            assert turn == one.turn == batch.turn[0]
        assert_shows(one, batch)
        assert one.payments == tuple(batch.payments[0])
        assert sum(one.payments) == 0
        assert one.sample_legal() == -1
        batch.reset(indices=[0])
        assert one.reset() == batch.turn[0]
    assert one.payments == (0, 0, 0)
    one.reset(5)
    assert_shows(one, DealBatch(1, rules, seed=5))


@pytest.mark.parametrize("action", [-1, 48, 10**30, -(10**30)])
def test_an_illegal_action_changes_nothing(action: int) -> None:
    one = OneDeal(seed=2)
    before = one.batch.to_bytes()
    illegal = int(np.flatnonzero(one.mask == 0)[0])
    for wrong in (action, illegal):
        with pytest.raises(IllegalActionError) as error:
            one.step(wrong)
        assert error.value.action == wrong
        assert error.value.legal == tuple(np.flatnonzero(one.mask))
    assert one.batch.to_bytes() == before


@pytest.mark.parametrize("action", [True, 1.5, None, [3, 3], np.array([3.0]), "Qh"])
def test_what_is_no_action_is_refused(action: object) -> None:
    one = OneDeal(seed=2)
    with pytest.raises(ActionError, match="expected an integer"):
        one.step(action)  # type: ignore[arg-type]


def test_any_integer_type_will_do() -> None:
    one, twin = OneDeal(seed=2), OneDeal(seed=2)
    action = one.sample_legal()
    assert one.step(np.int8(action)) == twin.step(action)
    assert np.array_equal(one.row, twin.row)


def test_a_finished_deal_takes_nothing() -> None:
    one = OneDeal(seed=3)
    with pytest.raises(StateError, match="before the deal is over"):
        one.next_deal()
    while one.turn >= 0:
        one.step(one.sample_legal())
    with pytest.raises(IllegalActionError, match="the deal is over"):
        one.step(0)
    assert not one.row.any()


def test_buffers_are_reused_and_cannot_be_written_to() -> None:
    one = OneDeal(seed=3)
    observation, mask, row = one.observation, one.mask, one.row
    kept = observation.copy()
    one.step(one.sample_legal())
    assert one.observation is observation
    assert not np.array_equal(observation, kept)
    for buffer in (observation, mask, row):
        with pytest.raises(ValueError, match="read-only"):
            buffer[0] = 1


def test_shows_any_seat() -> None:
    one = OneDeal(seed=4)
    for seat in range(3):
        assert one.show(seat) == one.turn
        assert np.array_equal(one.observation, one.batch.observe(perspective=seat)[0])
        assert one.mask.any() == (seat == one.turn)
    one.show()
    assert np.array_equal(one.observation, one.batch.observe()[0])
    with pytest.raises(ValueError, match="seat: 3; expected a whole number from 0 to 2"):
        one.show(3)


@pytest.mark.parametrize("how", [OneDeal.clone, copy.copy, copy.deepcopy, None])
def test_copies_go_on_alike_and_apart(how: object) -> None:
    one = OneDeal("online", seed=6)
    for _ in range(9):
        one.step(one.sample_legal())
    other = pickle.loads(pickle.dumps(one)) if how is None else how(one)  # type: ignore[operator]
    assert np.array_equal(other.row, one.row)
    before = one.row.copy()
    steps = [other.sample_legal()]
    other.step(steps[0])
    assert np.array_equal(one.row, before)
    assert one.sample_legal() == steps[0]
    one.step(steps[0])
    assert np.array_equal(other.row, one.row)
    assert record_of(other.batch, 0) == record_of(one.batch, 0)


def test_takes_a_row_of_a_batch_and_what_its_own_batch_is_given() -> None:
    batch = DealBatch(5, seed=7)
    for _ in range(20):
        batch.step(batch.sample_legal())
    one = OneDeal.of(batch, 3)
    assert_shows(one, batch[3])
    deck = np.random.default_rng(0).permutation(32)
    one.batch.set_decks(deck, 1)
    assert one.show() == 2
    assert one.dealer == 1
    assert set(np.flatnonzero(one.observation[:32])) == set(deck[:7])
    saved = one.clone().batch.to_bytes()
    one.step(one.sample_legal())
    one.batch.from_bytes(saved)
    assert one.show() == 2
    assert np.array_equal(one.observation, one.batch.observe()[0])


def test_a_match_goes_on() -> None:
    one = OneDeal(seed=8, match=Match(deals=2))
    paid = np.zeros(3, dtype=np.int64)
    for _ in range(2):
        while one.turn >= 0:
            one.step(one.sample_legal())
        paid += one.payments
        assert np.array_equal(one.batch.totals[0], paid)
        one.next_deal()
    assert not one.batch.totals.any()


@pytest.mark.parametrize("how", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
def test_what_is_copied_together_goes_on_sharing(how: Any) -> None:
    one = OneDeal(seed=9)
    other, batch = how((one, one.batch))
    assert other.batch is batch
    assert batch is not one.batch
    other.step(other.sample_legal())
    assert batch.deals["num_actions"][0] == 1
    assert one.batch.deals["num_actions"][0] == 0
