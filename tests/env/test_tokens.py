"""Event tokens hold a seat's whole information state."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from marias_env.actions import DISCARD, OVER, PLAY
from marias_env.batch import DealBatch
from marias_env.core.deal import UNKNOWN_CARD, pack_rules
from marias_env.core.events import ACTION_AT, DEALT_AT, HIDDEN_AT, PICKED_UP_AT
from marias_env.observation import OBSERVATION_SLICES
from marias_env.rules import RULES
from marias_env.tokens import NUM_TOKENS, TOKENS, TOKENS_LENGTH, padding_mask
from marias_env.views import Views

HAND = OBSERVATION_SLICES["hand"]


def hand_from_tokens(tokens: list[int], first_plays_at: int) -> set[int]:
    """The cards a seat holds: what it got, less what it put away or played."""
    hand: set[int] = set()
    card_actions = 0
    for token in tokens:
        if DEALT_AT <= token < DEALT_AT + 32:
            hand.add(token - DEALT_AT)
        elif PICKED_UP_AT <= token < PICKED_UP_AT + 32:
            hand.add(token - PICKED_UP_AT)
        elif ACTION_AT <= token < ACTION_AT + 32:
            card_actions += 1
            # Forehand's first card with chosen trumps is the trump card, which stays his.
            if card_actions > first_plays_at:
                hand.discard(token - ACTION_AT)
    return hand


@pytest.mark.parametrize("rules", list(RULES))
def test_hand_follows_from_tokens(rules: str) -> None:
    batch = DealBatch(400, rules, seed=11)
    twice = 0
    for _ in range(120):
        for seat in range(3):
            tokens, lengths = batch.tokens(perspective=seat)
            hands = batch.observe(perspective=seat)[:, HAND.start : HAND.stop]
            for row in range(0, 400, 7):
                deal = batch.deals[row]
                if deal["phase"] == OVER:
                    continue
                forehand = (deal["dealer"] + 1) % 3 == seat
                chose = rules != "online" and forehand and deal["num_actions"] > 0
                trump_card = 1 if chose and not deal["blind"] else 0
                got = hand_from_tokens(tokens[row, : lengths[row]].tolist(), trump_card)
                assert got == set(np.flatnonzero(hands[row]).tolist())
                twice += int(deal["taken_before"][seat] != 0)
        batch.step(batch.sample_legal())
    assert rules == "online" or twice > 0  # the hard case: a seat that took the talon twice


def test_tokens_are_padded_and_named() -> None:
    batch = DealBatch(64, seed=2)
    assert len(TOKENS) == NUM_TOKENS
    assert len(set(TOKENS)) == NUM_TOKENS
    for _ in range(60):
        tokens, lengths = batch.tokens()
        assert tokens.shape == (64, TOKENS_LENGTH)
        assert ((tokens == 0) == padding_mask(lengths)).all()
        assert ((tokens >= 0) & (tokens < NUM_TOKENS)).all()
        views, view_lengths = batch.views().tokens()
        assert (views == tokens).all()
        assert (view_lengths == lengths).all()
        batch.step(batch.sample_legal())


def test_longest_deals_fit() -> None:
    # Raising whenever possible makes the longest histories.
    rules = dataclasses.replace(RULES["traditional"], max_doublings=16)
    batch = DealBatch(2000, rules, seed=3, autoreset=False)
    longest = 0
    while (batch.turn >= 0).any():
        mask = batch.legal_mask()
        actions = batch.sample_legal()
        for call in (44, 45, 46, 47):
            can = (mask[:, call] == 1) & (batch.phase != 3)
            actions[can & (batch.phase >= 5)] = call
        actions[(mask[:, 37] == 1)] = 37
        batch.step(actions)
        longest = max(longest, int(batch.tokens(perspective=0)[1].max()))
    assert 90 < longest <= TOKENS_LENGTH


def test_private_actions_of_others_are_hidden() -> None:
    batch = DealBatch(300, seed=4)
    for _ in range(12):
        for row in np.flatnonzero(batch.phase == DISCARD)[:20]:
            actor = int(batch.turn[row])
            seat = (actor + 1) % 3
            tokens, lengths = batch.tokens(perspective=seat)
            seen = tokens[row, : lengths[row]]
            private = int(batch.deals[row]["num_actions"]) > 0
            assert private
            cards = (seen >= ACTION_AT) & ((seen - ACTION_AT) % 48 < 32) & (seen < HIDDEN_AT)
            own = seen[cards] < ACTION_AT + 48
            assert own.all()
        batch.step(batch.sample_legal())
    assert (batch.phase == PLAY).any()


def without_order(views: Views) -> list[bytes]:
    """Views as bytes, less what is no knowledge: the order of the cards within a packet."""
    deals = views.deals.copy()
    deals["rng"] = 0
    places = views.packed_rules[0]["places"]
    for deal in deals:
        own = deal["deck"] != UNKNOWN_CARD
        order = 2 * ((int(deal["viewer"]) - int(deal["dealer"]) + 2) % 3)
        # Forehand with chosen trumps gets two packets at two times, everybody else all at once.
        apart = views.rules.dealing == "chosen_trump" and order == 0
        for group in [[order], [order + 1]] if apart else [[order, order + 1]]:
            at = np.flatnonzero(np.isin(places, group) & own)
            deal["deck"][at] = np.sort(deal["deck"][at])
    return [deal.tobytes() for deal in deals]


@pytest.mark.parametrize("base", ["traditional", "online"])
@pytest.mark.parametrize(("suits", "ranks"), [("h", "7TQKA"), ("sh", "7TQK"), ("sh", "789TJQK")])
def test_equal_tokens_are_equal_views(base: str, suits: str, ranks: str) -> None:
    # A small deck, a few hands, half the trumps blind: many deals that some seat cannot tell apart.
    rules = dataclasses.replace(RULES[base], suits=suits, ranks=ranks)
    rng = np.random.default_rng(0)
    batch = DealBatch(600, rules, seed=1, autoreset=False)
    decks = batch.deals["deck"][rng.integers(3, size=600), : rules.num_cards].copy()
    packets = pack_rules(rules)[0]["places"][: rules.num_cards]
    for packet in set(packets.tolist()):
        decks[:, packets == packet] = rng.permuted(decks[:, packets == packet], axis=1)
    batch.set_decks(decks, 2)
    of_tokens: dict[bytes, bytes] = {}
    of_view: dict[bytes, bytes] = {}
    met = 0
    for _ in range(14):
        for seat in range(3):
            rows = np.flatnonzero(batch.turn >= 0)
            views = batch.views(rows, np.full(len(rows), seat))
            for tokens, view in zip(views.tokens()[0], without_order(views)):
                met += tokens.tobytes() in of_tokens
                assert of_tokens.setdefault(tokens.tobytes(), view) == view
                assert of_view.setdefault(view, tokens.tobytes()) == tokens.tobytes()
        actions = batch.sample_legal()
        blind = (batch.legal_mask()[:, 32] == 1) & (rng.random(600) < 0.5)
        batch.step(np.where(blind, 32, actions))
    assert met > 1000
