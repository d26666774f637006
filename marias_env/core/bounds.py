"""Upper bounds of a rule set: how long a deal is, how many events a seat sees, what it can pay.

Frameworks ask for these before a game begins. They are safe, not tight: no deal reaches them all.
"""

from __future__ import annotations

from marias_env.actions import CONTRACTS, SUIT_GAME
from marias_env.cards import SUITS
from marias_env.core.deal import pack_rules
from marias_env.core.events import TOKENS_LENGTH
from marias_env.core.settlement import ladder
from marias_env.rules import (
    ANNOUNCED_HUNDRED,
    ANNOUNCED_SEVEN,
    HEARTS,
    HEARTS_FACTOR,
    MARRIAGE,
    TEN,
    TRUMP_MARRIAGE,
    Rules,
)


def max_actions(rules: Rules) -> int:
    """Returns a number of actions that no deal exceeds."""
    levels = rules.max_doublings
    contracts = len(CONTRACTS) if rules.open_contracts else 3
    # Each further contract costs a good, a bad, the contract and two discards; two goods end it.
    bidding = 4 + 5 * (contracts - 1) + 2
    no_trumps = bidding + 3 * levels
    # Nobody overtakes. Two components rise in turns; each round has two goods at most.
    suit = 6 + 3 + 2 + 2 * levels + 2 * (levels + 1)
    return max(no_trumps, suit) + 3 * rules.hand_size


def max_tokens(rules: Rules) -> int:
    """Returns a number of event tokens (`marias_env.tokens`) that no seat exceeds."""
    cards = rules.hand_size + 2 + 4  # dealt, and two talons taken
    shown = 2 + len(rules.suits)  # the trump card seen and shown, marriages
    return min(TOKENS_LENGTH, 1 + cards + max_actions(rules) + shown + rules.hand_size)


def max_units(rules: Rules) -> int:
    """Returns an amount that no seat wins or loses more of in a deal (revokes aside)."""
    packed = pack_rules(rules)[0]
    has_marriage = "K" in rules.ranks and "Q" in rules.ranks
    marriages = TRUMP_MARRIAGE + MARRIAGE * (len(rules.suits) - 1) if has_marriage else 0
    short = rules.card_points
    if rules.opponents_marriages_in_failed_hundred:
        short += marriages
    steps = max(short, marriages - TEN) // TEN
    game = max(int(ladder(ANNOUNCED_HUNDRED, steps, packed)), rules.tariff[CONTRACTS[SUIT_GAME]])
    seven = ANNOUNCED_SEVEN if "7" in rules.ranks else 0
    suit = (game + seven) << rules.max_doublings
    if SUITS[HEARTS] in rules.suits:
        suit *= HEARTS_FACTOR
    no_trumps = max(rules.tariff[name] for name in CONTRACTS[1:]) << rules.max_doublings
    value = max(suit, no_trumps)
    if rules.max_payment is not None:
        value = min(value, rules.max_payment)
    return 2 * value
