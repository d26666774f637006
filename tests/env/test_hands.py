from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from marias_env.batch import DealBatch
from marias_env.cards import CARDS, cards_of
from marias_env.errors import RecordError, RulesError
from marias_env.hands import parse_actions, record_from_hands
from marias_env.records import record_of, replay
from marias_env.rules import Rules
from tests.env.helpers import PRESETS

MINI = Rules(suits="sh", ranks="9TJQKA7")


def as_dealt(batch: DealBatch) -> tuple[list[list[str]], list[str]]:
    hands = [[CARDS[c] for c in cards_of(mask)] for mask in batch.deals["hands"][0].tolist()]
    return hands, [CARDS[c] for c in cards_of(batch.deals["talon"][0])]


@pytest.mark.parametrize("rules", [*PRESETS, MINI])
@pytest.mark.parametrize("dealer", [0, 1, 2])
def test_the_deal_has_these_hands(rules: Any, dealer: int) -> None:
    batch = DealBatch(1, rules, seed=dealer, autoreset=False)
    batch.set_decks(batch.deals["deck"][:, : batch.rules.num_cards], dealer)
    hands, talon = as_dealt(batch)
    record = record_from_hands(hands, talon, dealer, batch.rules)
    again = replay(record)
    assert as_dealt(again) == (hands, talon)
    assert record["dealer"] == dealer
    assert again.rules == batch.rules


def test_forehand_s_first_cards_are_those_it_chooses_from() -> None:
    batch = DealBatch(1, seed=4, autoreset=False)
    batch.set_decks(batch.deals["deck"][:, :32], 2)
    hands, _ = as_dealt(batch)
    hand = hands[0][::-1]
    first = replay(record_from_hands([hand, hands[1], hands[2]]))
    assert first.legal_mask()[0, :32].sum() == 7
    chosen = {CARDS[c] for c in np.flatnonzero(first.legal_mask()[0, :32])}
    assert chosen == set(hand[:7])
    # A trump card further behind is one of them, too.
    named = record_from_hands([hand, hands[1], hands[2]], actions=[hand[-1], "suit"])
    assert named["actions"] == [[0, hand[-1]], [0, "suit"]]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_whole_game_with_and_without_seats(preset: str) -> None:
    batch = DealBatch(1, preset, seed=11, autoreset=False)
    hands, talon = as_dealt(batch)
    while batch.turn[0] >= 0:
        batch.step(batch.sample_legal())
    record = record_of(batch)
    for actions in (record["actions"], [text for _, text in record["actions"]]):
        # Forehand's first packet comes first, as it lay in the deck.
        ordered = [sorted(hand, key=record["deck"].index) for hand in hands]
        made = record_from_hands(ordered, talon, record["dealer"], preset, actions, event="club")
        assert made == {**record, "deck": made["deck"], "event": "club"}


def test_texts_of_hands() -> None:
    batch = DealBatch(1, "online", seed=1, autoreset=False)
    hands, talon = as_dealt(batch)
    expected = record_from_hands(hands, talon, 0, "online")
    texts = [" ".join(hands[0]), ", ".join(hands[1]), "".join(hands[2])]
    assert record_from_hands(texts, "".join(talon), 0, "online") == expected


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hands": 2}, "three"),
        ({"dealer": 3}, "dealer"),
        ({"cards": (0, "7x")}, "hand of seat 0: not a card"),
        ({"cards": (1, None)}, "hand of seat 1: 9 cards; expected 10"),
        ({"cards": (0, "other")}, "more than once"),
        ({"talon": "7h"}, "more than once"),
        ({"rules": MINI}, "not in the deck"),
        ({"rules": "online"}, "hand of seat 0: 12 cards; expected 10"),
        ({"actions": ["good"]}, "not legal"),
        ({"actions": [(1, "suit")]}, "seat 0 is on turn"),
    ],
)
def test_what_is_refused(change: dict[str, Any], reason: str) -> None:
    batch = DealBatch(1, seed=4, autoreset=False)
    batch.set_decks(batch.deals["deck"][:, :32], 2)
    hands, _ = as_dealt(batch)
    given: dict[str, Any] = {"dealer": 2, **change}
    if "hands" in given:
        hands = hands[: given.pop("hands")]
    if "cards" in given:
        seat, card = given.pop("cards")
        hands[seat] = hands[seat][:-1] + ([] if card is None else [card])
        if card == "other":
            hands[seat][-1] = hands[1][0]
    with pytest.raises(RecordError, match=reason):
        record_from_hands(hands, **given)


def test_more_that_is_refused() -> None:
    with pytest.raises(RulesError):
        record_from_hands(["", "", ""], rules="bridge")
    with pytest.raises(RecordError, match=r"action 1: 'x' is not"):
        parse_actions("Qh x")
    assert parse_actions(" Qh, suit  7s ") == ["Qh", "suit", "7s"]
    assert parse_actions("") == []
