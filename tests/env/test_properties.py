"""What holds in every deal, under every combination of options and on every deck."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marias_env.actions import BLIND, OVER, PLAY, SUIT_GAME
from marias_env.batch import DealBatch
from marias_env.core.bits import SHARPS
from marias_env.core.deal import END_REVOKE, END_UNPLAYED, HISTORY
from marias_env.core.history import history_of
from marias_env.records import record_of
from marias_env.rules import Rules
from tests.env import reference
from tests.env.helpers import PRESETS, Player, finished, mini_decks, nodes, rule_sets

seeds = st.integers(0, 2**63)


def count_bits(sets: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The sizes of sets of cards, for NumPy below 2 as well."""
    octets = np.ascontiguousarray(sets)[..., None].view(np.uint8)
    return np.unpackbits(octets, axis=-1).sum(axis=-1, dtype=np.int64)


def assert_sound(batch: DealBatch) -> None:
    """Checks what no state may break."""
    deals = batch.deals
    over = batch.phase == OVER
    mask = batch.legal_mask()
    assert (mask.any(axis=1) == ~over).all()
    assert ((batch.turn >= 0) == ~over).all()
    sets = np.concatenate([deals["hands"], deals["played"], deals["talon"][:, None]], axis=1)
    # Every card is in exactly one place.
    assert (np.bitwise_or.reduce(sets, axis=1) == batch.rules.deck_mask).all()
    assert (count_bits(sets).sum(axis=1) == batch.rules.num_cards).all()
    # A card that may be named is in the hand of the seat on turn.
    cards = deals["legal"] & ((1 << BLIND) - 1)
    hands = np.take_along_axis(deals["hands"], np.maximum(batch.turn, 0)[:, None], axis=1)[:, 0]
    assert (cards & ~hands.astype(np.int64) == 0).all()


def assert_settled(batch: DealBatch) -> None:
    """Checks a batch whose deals are all over."""
    deals, rules = batch.deals, batch.rules
    paid = deals["payments"]
    assert (paid.sum(axis=1) == 0).all()
    assert np.array_equal(batch.payments, paid)
    revoked = deals["ending"] == END_REVOKE
    for row in np.flatnonzero(~revoked):
        declarer, value = deals["declarer"][row], deals["value"][row]
        assert paid[row, declarer] == 2 * value
        assert paid[row, (declarer + 1) % 3] == paid[row, (declarer + 2) % 3] == -value
        assert rules.max_payment is None or abs(value) <= rules.max_payment
    whole = (deals["contract"] == SUIT_GAME) & ~revoked & (deals["ending"] != END_UNPLAYED)
    # On a small deck sharps may have to go into the talon.
    in_play = rules.card_points - 10 * count_bits(deals["talon"] & SHARPS)
    assert (deals["points"].sum(axis=1) == in_play)[whole].all()
    assert (deals["tricks_won"].sum(axis=1) == rules.hand_size)[whole].all()
    played = count_bits(deals["played"])
    assert (played == rules.hand_size)[whole].all()
    assert (count_bits(deals["talon"]) == 2).all()
    assert (deals["num_actions"] <= HISTORY).all()


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_with_many_deals(preset: str) -> None:
    for batch in nodes(DealBatch(1500, preset, seed=2, autoreset=False), 2):
        assert_sound(batch)
    assert_settled(batch)
    # The weights of `Player` reach everything worth checking.
    assert set(batch.deals["contract"]) == set(range(3 if preset == "online" else 5))
    assert {0, 1} <= set(batch.deals["seven_side"])
    assert {0, 1} <= set(batch.deals["hundred_side"])
    if preset == "traditional":
        suit = batch.deals["contract"] == SUIT_GAME
        assert (count_bits(batch.deals["played"][suit]).sum(axis=1) == 30).all()
        assert (batch.deals["points"][suit].sum(axis=1) == 90).all()


@settings(max_examples=60, deadline=None)
@given(rule_sets(), seeds)
def test_random_rule_sets(rules: Rules, seed: int) -> None:
    for batch in nodes(DealBatch(40, rules, seed=seed, autoreset=False), seed % 1000):
        assert_sound(batch)
    assert_settled(batch)


def test_every_deck() -> None:
    number = -1
    for number, (suits, ranks) in enumerate(mini_decks()):
        dealing = ("chosen_trump", "talon")[number % 2]
        rules = Rules(suits=suits, ranks=ranks, dealing=dealing, talon_trumps=number % 3 > 0)
        for batch in nodes(DealBatch(12, rules, seed=number, autoreset=False), number):
            assert_sound(batch)
        assert_settled(batch)
    assert number + 1 == 781


@pytest.mark.parametrize("cap", range(17))
@pytest.mark.parametrize("dealing", ["chosen_trump", "talon"])
def test_the_longest_doubling_fits_the_history(cap: int, dealing: str) -> None:
    # Everybody raises whatever can be raised, and takes over whenever possible.
    rules = Rules(
        dealing=dealing,
        max_doublings=cap,
        seven_requires_card=False,
        hundred_requires_marriage=False,
    )
    longest = 0
    for overtake in (False, True):
        batch = DealBatch(8, rules, seed=cap, autoreset=False)
        while (batch.phase != OVER).any():
            mask = batch.legal_mask().astype(bool)
            order = [47, 46, 45, 44, 42, *range(37, 42), *range(42)]
            if overtake:
                order = [43, *order]
            actions = np.full(8, -1)
            for action in reversed(order):
                actions[mask[:, action]] = action
            batch.step(actions)
        assert (batch.deals["levels"] <= cap).all()
        assert (batch.deals["levels"].max(axis=1) == cap).all()
        longest = max(longest, int(batch.deals["num_actions"].max()))
    assert longest <= 101 < HISTORY


@settings(max_examples=25, deadline=None)
@given(rule_sets(), seeds)
def test_serialise_restore_compare_at_every_node(rules: Rules, seed: int) -> None:
    batch = DealBatch(3, rules, seed=seed, autoreset=False)
    for state in nodes(batch, seed % 1000):
        raw = state.to_bytes()
        restored = DealBatch(1, rules, seed=0, autoreset=False)
        restored.from_bytes(raw)
        others = [restored, pickle.loads(pickle.dumps(state)), state.copy(), state[:]]
        for other in others:
            assert other.deals.tobytes() == state.deals.tobytes()
            assert np.array_equal(other.payments, state.payments)
            assert other.autoreset == state.autoreset
        # Going on is the same too, and leaves the original alone.
        for other in others:
            other.step(other.sample_legal())
            assert other.deals.tobytes() == others[0].deals.tobytes()
        assert state.to_bytes() == raw


def revoking(batch: DealBatch, seed: int) -> None:
    # Plays on, now and then with a card of the hand that is not legal.
    rng = np.random.default_rng(seed)
    player = Player(batch, seed)
    while (batch.phase != OVER).any():
        actions = player.choose(batch)
        for row in np.flatnonzero(batch.phase == PLAY):
            hand = int(batch.deals["hands"][row, batch.turn[row]])
            wrong = hand & ~int(batch.deals["legal"][row])
            if wrong and rng.random() < 0.2:
                actions[row] = wrong.bit_length() - 1
        batch.step(actions)


@settings(max_examples=30, deadline=None)
@given(rule_sets(), seeds)
def test_revokes(rules: Rules, seed: int) -> None:
    rules = dataclasses.replace(rules, illegal_action="revoke")
    batch = DealBatch(30, rules, seed=seed, autoreset=False)
    revoking(batch, seed % 1000)
    assert_settled(batch)
    for deal in batch.deals[batch.deals["ending"] == END_REVOKE]:
        offender = history_of(deal)[-1][0]
        stake = -int(deal["payments"][offender]) // 2
        game, seven = deal["levels"].tolist()
        if deal["contract"] == SUIT_GAME:
            owed = (4 if deal["hundred_side"] >= 0 else rules.tariff["suit"]) << game
            owed += 2 << seven if deal["seven_side"] >= 0 else 0
            owed *= 2 if deal["trump"] == 3 else 1
        else:
            owed = [*rules.tariff.values()][deal["contract"]] << game
        assert stake == max(10, owed)
        assert sorted(deal["payments"]) == [-2 * stake, stake, stake]


def test_revokes_happen() -> None:
    batch = DealBatch(200, Rules(illegal_action="revoke"), seed=0, autoreset=False)
    revoking(batch, 0)
    assert (batch.deals["ending"] == END_REVOKE).sum() > 50


def fingerprint(batch: DealBatch) -> dict[str, Any]:
    return {
        "contracts": np.bincount(batch.deals["contract"], minlength=5).tolist(),
        "actions": int(batch.deals["num_actions"].sum()),
    }


@pytest.mark.parametrize(
    ("dealing", "expected"),
    [
        ("chosen_trump", [4, 12, 41, 108, 264, 480, 996, 1944]),
        ("talon", [3, 7, 13, 43, 130, 288, 408, 564]),
    ],
)
def test_numbers_of_positions(dealing: str, expected: list[int]) -> None:
    # How many action sequences lead on from one small deal: a fingerprint of the rules as a whole.
    rules = Rules(suits="sh", ranks="9TQK", dealing=dealing, max_doublings=1, open_contracts=False)
    start = DealBatch(1, rules, seed=0, autoreset=False)
    start.set_decks(np.array([2, 26, 3, 27, 5, 29, 6, 30]), 0)
    level, counts = start, []
    for _ in expected:
        rows, actions = np.nonzero(level.legal_mask())
        level = level[rows]
        level.step(actions)
        level = level[level.phase != OVER]
        counts.append(len(level))
    assert counts == expected


@settings(max_examples=60, deadline=None)
@given(rule_sets(), seeds)
def test_payments_agree_with_the_slow_reference(rules: Rules, seed: int) -> None:
    batch = finished(40, rules, seed)
    for row in range(len(batch)):
        record = record_of(batch, row)
        expected = reference.payments(record, rules)
        if expected is not None and batch.deals["ending"][row] != END_UNPLAYED:
            assert record["payments"] == expected


@pytest.mark.parametrize("preset", PRESETS)
def test_payments_of_presets_agree_with_the_slow_reference(preset: str) -> None:
    batch = finished(600, preset, 4)
    records = [record_of(batch, row) for row in range(len(batch))]
    expected = [reference.payments(record, batch.rules) for record in records]
    told = [(r["payments"], paid) for r, paid in zip(records, expected) if paid is not None]
    assert len(told) > 300
    assert all(paid == payments for paid, payments in told)


def test_seeds_reach_different_deals() -> None:
    assert fingerprint(finished(50, seed=1)) == fingerprint(finished(50, seed=1))
    assert finished(50, seed=1).deals.tobytes() != finished(50, seed=2).deals.tobytes()
