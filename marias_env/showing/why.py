"""Which rule forbids a card (RULES.md 3a.3, 5.2–5.4): the core's masks taken apart, in words."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from marias_env.actions import ACTIONS, DISCARD, PLAY, SUIT_GAME
from marias_env.cards import card_name, cards_of
from marias_env.core.bits import SHARPS, SUIT_BITS
from marias_env.core.legal import card_mask, follow_mask
from marias_env.rules import Rules
from marias_env.showing.phrases import phrases, suit_name

RULES_OF_CARDS: Final = (
    "follow",
    "head",
    "trump",
    "overtrump",
    "queen",
    "seven",
    "sharp",
    "trump_card",
    "talon_trump",
)
"""Every rule that can forbid a card of the own hand."""


def forbidden_cards(deal: Any, rules: Rules) -> dict[int, str]:
    """Returns the rule that forbids each card of the hand on turn that is not legal, by card id.

    Args:
        deal: a DEAL record, or the view of the seat on turn; of any other view nothing is returned.
        rules: its rules.
    """
    seat, legal = int(deal["turn"]), int(deal["legal"])
    if legal == 0 or seat < 0:
        return {}
    hand = int(deal["hands"][seat])
    if deal["phase"] == PLAY:
        return _in_play(deal, rules, hand, legal)
    if deal["phase"] != DISCARD:
        return {}
    found = {}
    for card in cards_of(hand & ~legal):
        if card == deal["trump_card"]:
            found[card] = "trump_card"
        else:
            found[card] = "sharp" if SHARPS >> card & 1 else "talon_trump"
    return found


def _in_play(deal: Any, rules: Rules, hand: int, legal: int) -> dict[int, str]:
    if hand & ~legal == 0:
        return {}
    trump = int(deal["trump"]) if deal["contract"] == SUIT_GAME else -1
    led, best = int(deal["led"]), int(deal["best_card"])
    # Integers of one type: Numba compiles these functions once more for every other.
    trick = np.array([hand, led, best, trump], dtype=np.int64)
    queen_forced = rules.queen_before_king == "forced"
    follow = int(follow_mask(trick[0], trick[1], trick[2], trick[3]))
    queens = int(card_mask(trick[0], trick[1], trick[2], trick[3], queen_forced, False))
    found = {}
    for card in cards_of(hand & ~legal):
        if follow >> card & 1:
            found[card] = "seven" if queens >> card & 1 else "queen"
        elif hand & int(SUIT_BITS[led]):
            found[card] = "head" if card // 8 == led else "follow"
        else:
            found[card] = "overtrump" if card // 8 == trump else "trump"
    return found


def why_text(rule: str, deal: Any, language: str = "en") -> str:
    """Returns in one line what a rule of `forbidden_cards` demands.

    Raises:
        ValueError: no such language.
    """
    words = phrases(language)
    best, led = int(deal["best_card"]), int(deal["led"])
    return words[f"why_{rule}"].format(
        suit=suit_name(led, language) if led >= 0 else "",
        card=card_name(best, language) if best >= 0 else "",
    )


def why_not(deal: Any, rules: Rules, action: int, language: str = "en") -> tuple[str, str]:
    """Returns the rule by which an action is not legal for the seat on turn, and a line about it.

    Args:
        deal: a DEAL record, or the view of the seat on turn.
        rules: its rules.
        action: an action id that is not legal.
        language: `en` or `cs`.

    Returns:
        A rule of `RULES_OF_CARDS`, `not_yours` (a card that is not in the hand) or `not_now`.

    Raises:
        ValueError: no such language.
    """
    words = phrases(language)
    forbidden = forbidden_cards(deal, rules)
    if action in forbidden:
        return forbidden[action], why_text(forbidden[action], deal, language)
    if action < 32 and not int(deal["hands"][deal["turn"]]) >> action & 1:
        return "not_yours", words["why_not_yours"]
    legal = (ACTIONS[a] for a in range(len(ACTIONS)) if int(deal["legal"]) >> a & 1)
    return "not_now", words["why_not_now"].format(legal=", ".join(legal))
