"""Which rule forbids a card: hands made for each rule, and agreement with the masks everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from marias_env.actions import ACTION_IDS, DISCARD, PLAY
from marias_env.batch import DealBatch
from marias_env.cards import CARDS, card_id, mask_of
from marias_env.core.legal import play_mask
from marias_env.rules import RULES, Rules
from marias_env.showing.phrases import LANGUAGES
from marias_env.showing.why import RULES_OF_CARDS, forbidden_cards, why_not, why_text


def trick(hand: str, led: str, best: str, trump: str, seven: bool = False) -> dict[str, str]:
    """Rules that forbid the cards of a hand, by their texts."""
    batch = DealBatch(1, "traditional", seed=0, autoreset=False)
    deal = batch.deals[0]
    deal["phase"], deal["turn"], deal["contract"] = PLAY, 1, 0
    deal["hands"][1] = mask_of(hand.split())
    deal["trump"] = "scdh".index(trump)
    deal["led"] = card_id(led) // 8 if led else -1
    deal["best_card"] = card_id(best) if best else -1
    deal["seven_seat"] = 1 if seven else -1
    deal["legal"] = play_mask(deal, batch.packed_rules[0])
    return {CARDS[card]: rule for card, rule in forbidden_cards(deal, batch.rules).items()}


@pytest.mark.parametrize(
    ("hand", "led", "best", "trump", "expected"),
    [
        ("7s 9c Ah", "8s", "8s", "h", {"9c": "follow", "Ah": "follow"}),
        ("7s As 9c", "8s", "8s", "h", {"7s": "head", "9c": "follow"}),
        ("7s As 9c", "8s", "7h", "h", {"9c": "follow"}),
        ("7c 8d 9h", "8s", "8s", "h", {"7c": "trump", "8d": "trump"}),
        ("7c 8h Th", "8s", "9h", "h", {"7c": "trump", "8h": "overtrump"}),
        ("7c 8h", "8s", "9h", "h", {"7c": "trump"}),
        ("Qc Kc 7d", "", "", "h", {"Kc": "queen"}),
        ("Qc Kc 7d", "Tc", "Tc", "h", {"Kc": "queen", "7d": "follow"}),
        ("7c 8d", "As", "As", "h", {}),
    ],
)
def test_each_rule(hand: str, led: str, best: str, trump: str, expected: dict[str, str]) -> None:
    assert trick(hand, led, best, trump) == expected


def test_the_announced_seven_is_kept() -> None:
    assert trick("7h 8c", "", "", "h", seven=True) == {"7h": "seven"}
    assert trick("7h 9h", "8s", "8s", "h", seven=True) == {"7h": "seven"}
    assert trick("7h", "", "", "h", seven=True) == {}


@pytest.mark.parametrize(
    "rules", [*RULES.values(), Rules(talon_trumps=False)], ids=[*RULES, "no trumps away"]
)
def test_every_card_of_the_hand_is_legal_or_forbidden_by_a_rule(rules: Rules) -> None:
    batch = DealBatch(300, rules, seed=4, autoreset=True)
    seen = set()
    for _ in range(60):
        for row in range(0, 300, 7):
            deal = batch.deals[row]
            found = forbidden_cards(deal, rules)
            if deal["phase"] in (DISCARD, PLAY):
                hand = int(deal["hands"][deal["turn"]])
                assert mask_of(found) == hand & ~int(deal["legal"])
            else:
                assert not found
            # The view of the seat on turn tells the same, those of the others nothing.
            turn = int(deal["turn"])
            views = batch.views([row] * 3, [0, 1, 2])
            for seat in range(3):
                told = forbidden_cards(views.deals[seat], rules)
                assert told == (found if seat == turn else {})
            for rule in found.values():
                seen.add(rule)
                for language in LANGUAGES:
                    assert "{" not in why_text(rule, deal, language)
        batch.step(batch.sample_legal())
    assert seen <= set(RULES_OF_CARDS)
    assert {"follow", "head", "trump"} <= seen
    assert ("talon_trump" in seen) == (not rules.talon_trumps)


def test_other_actions_are_answered_too() -> None:
    batch = DealBatch(1, "traditional", seed=0, autoreset=False)
    deal = batch.deals[0]
    hand = int(deal["hands"][deal["turn"]])
    foreign = next(card for card in range(32) if not hand >> card & 1)
    assert why_not(deal, batch.rules, foreign)[0] == "not_yours"
    rule, text = why_not(deal, batch.rules, ACTION_IDS["good"], "cs")
    assert rule == "not_now"
    legal = int(np.flatnonzero(batch.legal_mask()[0])[0])
    assert CARDS[legal] in text
    with pytest.raises(ValueError, match="language"):
        why_text("follow", deal, "xx")
