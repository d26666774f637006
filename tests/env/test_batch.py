"""`DealBatch`: seeding, stepping, autoreset and matches."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marias_env.actions import NUM_ACTIONS, OVER, PLAY
from marias_env.batch import DealBatch
from marias_env.core.deal import END_PLAYED
from marias_env.core.history import history_of
from marias_env.errors import ActionError, IllegalActionError, RulesError
from marias_env.match import Match, standard_match
from marias_env.records import record_of, replay
from marias_env.rules import RULES, Rules
from tests.env.helpers import PRESETS, Player, finished, nodes, rule_sets

# --------------------------------------------------------------------------------- seeding


def test_equal_seeds_give_equal_batches() -> None:
    for seed in (0, 2**100, range(50)):
        one, two = DealBatch(50, seed=seed), DealBatch(50, seed=seed)
        for _ in range(120):
            actions = one.sample_legal()
            assert np.array_equal(actions, two.sample_legal())
            assert np.array_equal(one.step(actions), two.step(actions))
        assert one.to_bytes() == two.to_bytes()
    assert not np.array_equal(DealBatch(1).deals["deck"], DealBatch(1).deals["deck"])


@settings(max_examples=20, deadline=None)
@given(rule_sets(), st.integers(0, 2**40), st.integers(1, 12))
def test_a_row_depends_neither_on_the_batch_size_nor_on_others(
    rules: Rules, seed: int, size: int
) -> None:
    big = DealBatch(12, rules, seed=seed)
    small = DealBatch(size, rules, seed=seed)
    shard = DealBatch(1, rules, seed=seed, first_index=11)
    for _ in range(60):
        for batch in (big, small, shard):
            batch.step(batch.sample_legal())
        assert small.deals.tobytes() == big.deals[:size].tobytes()
        assert shard.deals.tobytes() == big.deals[11:].tobytes()


def test_the_first_dealer_and_the_deck_are_uniform() -> None:
    batch = DealBatch(30_000, seed=0)
    assert np.bincount(batch.dealer, minlength=3).min() > 9_600
    # Each card in each place: 937.5 expected, standard deviation 30.
    counts = np.zeros((32, 32), dtype=np.int64)
    np.add.at(counts, (np.arange(32)[None, :], batch.deals["deck"]), 1)
    assert 750 < counts.min() <= counts.max() < 1130


def test_a_batch_is_dealt_its_own_decks_again() -> None:
    batch = DealBatch(4, seed=1)
    decks = batch.deals["deck"].copy()
    batch.set_decks(batch.deals["deck"], 2)
    assert (batch.deals["deck"] == decks).all()


def test_the_deal_rotates_and_reset_of_rows_goes_on() -> None:
    batch = DealBatch(4, seed=3)
    dealers = batch.dealer.astype(int)
    before = batch.deals[[0, 2]].copy()
    batch.reset(indices=[1, 3])
    assert np.array_equal(batch.dealer[[1, 3]], (dealers[[1, 3]] + 1) % 3)
    assert batch.deals[[0, 2]].tobytes() == before.tobytes()
    batch.reset(indices=np.array([True, False, False, False]))
    assert batch.dealer[0] == (dealers[0] + 1) % 3
    batch.reset(seed=3)
    assert batch.to_bytes() == DealBatch(4, seed=3).to_bytes()
    with pytest.raises(IndexError):
        batch.reset(indices=[4])


# -------------------------------------------------------------------------------- stepping


@pytest.mark.parametrize("preset", PRESETS)
def test_a_row_is_a_single_deal(preset: str) -> None:
    for number, batch in enumerate(nodes(DealBatch(20, preset, seed=8, autoreset=False), 8)):
        row = number % 20
        single = replay(record_of(batch, row))
        for part in (batch[row], batch[[row]], batch[row : row + 1]):
            assert len(part) == 1
            assert np.array_equal(part.legal_mask(), single.legal_mask())
            assert np.array_equal(part.turn, single.turn)
            assert np.array_equal(part.phase, single.phase)
            assert np.array_equal(part.payments, single.payments)
            assert np.array_equal(part.observe(), batch.observe()[[row]])


def test_masks_agree_with_their_packed_form() -> None:
    for batch in nodes(DealBatch(30, seed=4, autoreset=False), 4):
        bits = (batch.legal_bits[:, None] >> np.arange(NUM_ACTIONS, dtype=np.uint64)) & np.uint64(1)
        assert np.array_equal(bits.astype(np.int8), batch.legal_mask())
        buffer = np.full((30, NUM_ACTIONS), 7, dtype=np.int8)
        assert batch.legal_mask(out=buffer) is buffer
        assert np.array_equal(buffer, batch.legal_mask())


def test_sampling_is_uniform_over_the_legal_actions() -> None:
    batch = DealBatch(1, seed=0)
    legal = np.flatnonzero(batch.legal_mask()[0])
    drawn = np.array([batch.sample_legal()[0] for _ in range(8000)])
    counts = np.bincount(drawn, minlength=NUM_ACTIONS)
    assert counts.sum() == counts[legal].sum()
    assert np.abs(counts[legal] - 1000).max() < 150


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PRESETS), st.integers(0, 60), st.integers(-3, 70), st.integers(0, 4))
def test_an_illegal_action_changes_nothing(preset: str, steps: int, bad: int, row: int) -> None:
    batch = DealBatch(5, preset, seed=steps)
    player = Player(batch, steps)
    for _ in range(steps):
        batch.step(player.choose(batch))
    actions = batch.sample_legal()
    actions[row] = bad
    if 0 <= bad < NUM_ACTIONS and batch.legal_mask()[row, bad]:
        return
    before = batch.to_bytes()
    with pytest.raises(IllegalActionError) as caught:
        batch.step(actions)
    assert batch.to_bytes() == before
    assert caught.value.row == row
    assert caught.value.action == bad
    assert caught.value.legal == tuple(np.flatnonzero(batch.legal_mask()[row]))


@pytest.mark.parametrize(
    "actions",
    [
        [0],
        [[0, 0, 0]],
        0,
        [0.0, 0.0, 0.0],
        ["7h", "7h", "7h"],
        [True, True, True],
        [None] * 3,
        [10**30] * 3,
        [[0], [1, 2], 3],
        np.array([2**63, 1, 1], dtype=np.uint64),
    ],
)
def test_action_arrays_of_the_wrong_kind(actions: Any) -> None:
    batch = DealBatch(3, seed=0)
    before = batch.to_bytes()
    with pytest.raises(ActionError):
        batch.step(actions)
    assert batch.to_bytes() == before


def test_revokes_are_only_cards_of_the_own_hand_in_play() -> None:
    batch = DealBatch(1, Rules(illegal_action="revoke"), seed=0, autoreset=False)
    while batch.phase[0] != OVER:
        deal = batch.deals[0]
        hand, legal = int(deal["hands"][deal["turn"]]), int(deal["legal"])
        for action in range(-2, 50):
            if action >= 0 and legal >> action & 1:
                continue
            other = batch.copy()
            if deal["phase"] == PLAY and 0 <= action < 32 and hand >> action & 1:
                assert other.step(np.array([action]))[0]
            else:
                with pytest.raises(IllegalActionError):
                    other.step(np.array([action]))
        batch.step(batch.sample_legal())


# ------------------------------------------------------------------------------- autoreset


def test_autoreset_disabled_waits() -> None:
    batch = finished(3, seed=1)
    assert batch.autoreset == "disabled"
    before = batch.to_bytes()
    assert batch.sample_legal().tolist() == [-1, -1, -1]
    assert not batch.step(np.array([-1, -1, -1])).any()
    assert batch.to_bytes() == before
    with pytest.raises(IllegalActionError, match="over"):
        batch.step(np.array([-1, 42, -1]))
    batch.reset(indices=[1])
    assert (batch.phase == OVER).tolist() == [True, False, True]


def test_autoreset_in_the_same_step() -> None:
    batch = DealBatch(40, seed=1, autoreset=True)
    assert batch.autoreset == "same_step"
    reference = DealBatch(40, seed=1, autoreset=False)
    for _ in range(200):
        actions = batch.sample_legal()
        reference.sample_legal()
        done = batch.step(actions)
        assert np.array_equal(done, reference.step(actions))
        assert (batch.turn >= 0).all()
        assert np.array_equal(batch.payments[done], reference.deals["payments"][done])
        reference.next_deals(done)
        assert batch.deals.tobytes() == reference.deals.tobytes()


def test_autoreset_in_the_next_step() -> None:
    batch = DealBatch(40, seed=1, autoreset="next_step")
    reference = DealBatch(40, seed=1, autoreset="same_step")
    for _ in range(200):
        over = batch.phase == OVER
        actions = batch.sample_legal()
        assert (actions[over] == -1).all()
        dealers = batch.dealer
        done = batch.step(actions)
        assert not done[over].any()
        assert (batch.phase[over] != OVER).all()
        assert np.array_equal(batch.dealer[over], (dealers[over] + 1) % 3)
        assert (batch.phase[done] == OVER).all()
    assert reference.autoreset == "same_step"


def test_unknown_modes_and_sizes() -> None:
    for mode in ("later", 7, None, 1.5):
        with pytest.raises(ValueError, match="autoreset"):
            DealBatch(1, autoreset=mode)  # type: ignore[arg-type]
    for size in (0, -1, 1.5, "3", True):
        with pytest.raises(ValueError, match="num_deals"):
            DealBatch(size)  # type: ignore[arg-type]
    for rules in ("klasik", None, 3):
        with pytest.raises(RulesError):
            DealBatch(1, rules)  # type: ignore[arg-type]


# --------------------------------------------------------------------------------- matches


def test_a_match_of_rotations() -> None:
    match = standard_match(RULES["traditional"], rotations=2)
    assert match.deals == 6
    batch = DealBatch(30, seed=5, match=match)
    total = np.zeros((30, 3), dtype=np.int64)
    count = np.zeros(30, dtype=np.int64)
    dealers = [batch.dealer]
    finished_matches = 0
    while finished_matches < 60:
        done = batch.step(batch.sample_legal())
        total[done] += batch.payments[done]
        count[done] += 1
        over = done & (count == 6)
        finished_matches += int(over.sum())
        total[over] = 0
        count[over] = 0
        assert np.array_equal(batch.totals, total)
        assert np.array_equal(batch.deals["match_deals"], count)
        if done.any():
            assert np.array_equal(batch.dealer[done], (dealers[-1][done] + 1) % 3)
        dealers.append(batch.dealer)
    assert (batch.deals["episode"] > 0).any()


def test_a_match_to_twenty_points() -> None:
    match = standard_match(RULES["online"])
    assert (match.deals, match.points) == (20, 20)
    batch = DealBatch(200, "online", seed=5, match=match)
    total = np.zeros((200, 3), dtype=np.int64)
    count = np.zeros(200, dtype=np.int64)
    lengths = []
    for _ in range(1500):
        done = batch.step(batch.sample_legal())
        total[done] += batch.payments[done]
        count[done] += 1
        over = done & ((total.max(axis=1) >= 20) | (count == 20))
        lengths += count[over].tolist()
        total[over] = 0
        count[over] = 0
        assert np.array_equal(batch.totals, total)
    assert len(lengths) > 200
    assert min(lengths) == 1
    assert max(lengths) <= 20


def test_bad_matches() -> None:
    for options in (
        {"deals": 0},
        {"deals": 1.5},
        {"deals": True},
        {"points": 0},
        {"points": "20"},
        {"chips_per_point": 0},
        {"chips_per_point": "x"},
    ):
        with pytest.raises(RulesError):
            Match(**options)  # type: ignore[arg-type]
    with pytest.raises(RulesError):
        standard_match(RULES["traditional"], rotations=0)


def gathered(batch: DealBatch, row: int) -> list[int]:
    """The cards of a finished deal as they fell, gathered from its record (RULES.md 2.4)."""
    deal = batch.deals[row]
    entries = [action for _, action in history_of(deal)]
    plays = 3 * int(deal["tricks"]) + int(deal["in_trick"])
    pile = entries[len(entries) - plays :]
    for offset in range(1, 4):
        hand = int(deal["hands"][(deal["dealer"] + offset) % 3])
        pile += [card for card in range(32) if hand >> card & 1]
    talon = [card for card in range(32) if int(deal["talon"]) >> card & 1]
    return pile + talon


@settings(max_examples=25, deadline=None)
@given(rule_sets(), st.integers(0, 2**40))
def test_a_cut_deck_is_a_rotation_of_the_gathered_cards(rules: Rules, seed: int) -> None:
    rules = dataclasses.replace(rules, deck_policy="cut")
    batch = finished(20, rules, seed, match=Match(deals=3))
    piles = [gathered(batch, row) for row in range(20)]
    batch.next_deals(np.arange(20))
    for row, pile in enumerate(piles):
        deck = batch.deals["deck"][row][: rules.num_cards].tolist()
        cards_before_talon = pile[:-2]
        # The talon's own order is that of the discards, which `gathered` does not know.
        at = deck.index(cards_before_talon[0])
        turned = deck[at:] + deck[:at]
        assert turned[:-2] == cards_before_talon
        assert set(turned[-2:]) == set(pile[-2:])
        place = (len(deck) - at) % len(deck)
        assert 2 <= place <= len(deck) - 2


def test_cuts_are_uniform_and_only_between_the_deals_of_a_match() -> None:
    rules = Rules(deck_policy="cut")
    batch = finished(3000, rules, 0, match=Match(deals=2))
    assert (batch.deals["ending"] == END_PLAYED).any()
    first = np.array([gathered(batch, row)[0] for row in range(3000)])
    batch.next_deals(np.arange(3000))
    places = (32 - (batch.deals["deck"] == first[:, None]).argmax(axis=1)) % 32
    counts = np.bincount(places, minlength=32)
    assert counts[[0, 1, 31]].sum() == 0
    assert counts[2:31].min() > 60
    # After the match the deck is shuffled.
    alone = finished(50, rules, 0)
    piles = [gathered(alone, row)[:5] for row in range(50)]
    alone.next_deals(np.arange(50))
    kept = 0
    for row, pile in enumerate(piles):
        deck = [*alone.deals["deck"][row].tolist()] * 2
        kept += any(deck[i : i + 5] == pile for i in range(32))
    assert kept == 0
