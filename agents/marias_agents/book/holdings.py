"""What the book counts in a hand: trumps by points, the seven, the hundred, holes and losers.

Sources: thresholds that players and programs of the Czech tradition use, as counts of cards. No
entry is fitted; where a count had to be chosen it is a round one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.sight import (
    bare_tens,
    count_in,
    guarded_tens,
    has_marriage,
    side_aces,
    side_marriages,
    side_voids,
)
from marias_env.core.bits import (
    BEATS,
    NO_TRUMP_MODE,
    RANK_7,
    RANK_8,
    RANK_9,
    RANK_A,
    RANK_BITS,
    RANK_K,
    RANK_Q,
    RANK_T,
    SHARPS,
    SUIT_BITS,
    popcount,
)
from marias_env.core.jit import jit

HOLE = 64
"""Risk of a betl card that nobody need beat: what `hole_risk` counts in."""

LOW = int(RANK_BITS[RANK_7] | RANK_BITS[RANK_8] | RANK_BITS[RANK_9])
"""The cards a betl needs, and a defender who holds them stops."""


@jit
def holds(hand: Any, suit: Any, rank: Any) -> Any:
    """1 with the card of this suit and rank."""
    return (hand >> (8 * suit + rank)) & 1


@jit
def trump_score(hand: Any, suit: Any) -> Any:
    """How good a suit is as trumps: marriage, sharps, the seven, and length."""
    length = count_in(hand, suit)
    if length < 2:
        return length
    king, queen = holds(hand, suit, RANK_K), holds(hand, suit, RANK_Q)
    score = 20 * (king + queen)
    if king and queen and length == 2:
        score = np.int64(30)
    score += 10 * (holds(hand, suit, RANK_A) + holds(hand, suit, RANK_T))
    if holds(hand, suit, RANK_7):
        score += 10 * length if length >= 4 else 5 * length
    elif length >= 4:
        score += 15
    return score + length


@jit
def book_trump(hand: Any, allowed: Any) -> Any:
    """The suit the book makes trumps, among those with a bit in `allowed`."""
    best = np.int64(-1)
    most = np.int64(-1)
    for suit in range(4):
        if (allowed >> suit) & 1 and trump_score(hand, suit) > most:
            best = np.int64(suit)
            most = trump_score(hand, suit)
    return best


@jit
def keeps_ace(s: Any, card: Any) -> Any:
    """Whether an ace waits for the ten of its suit, which is still out, behind a card beside it."""
    suit = card // 8
    waits = count_in(s.hand, suit) >= 2 and holds(s.out, suit, RANK_T)
    return bool(card % 8 == RANK_A and waits)


@jit
def may_seven(hand: Any, trump: Any) -> Any:
    """Whether the book announces the seven with this hand, the seven of trumps in it."""
    trumps = count_in(hand, trump)
    ace = holds(hand, trump, RANK_A)
    tops = ace + holds(hand, trump, RANK_T)
    honours = tops + holds(hand, trump, RANK_K) + holds(hand, trump, RANK_Q)
    sharps = popcount(hand & SHARPS)
    if trumps < 4:
        return False
    guarded = bare_tens(hand, trump) == 0
    if trumps == 4:
        every_suit = side_voids(hand, trump) == 0
        return bool(ace and honours >= 2 and every_suit and guarded and sharps >= 4)
    if trumps == 5:
        return bool((ace or honours >= 2) and sharps >= 3)
    return bool(honours >= 1 or sharps >= 3)


@jit
def expected_points(hand: Any, trump: Any) -> Any:
    """Card points the book expects of a hand, one marriage (the best) and the last trick in it."""
    trumps = count_in(hand, trump)
    sure = side_aces(hand, trump) + guarded_tens(hand, trump)
    ace = holds(hand, trump, RANK_A)
    # The ten of trumps falls to the ace only from a short suit.
    sure += ace + (holds(hand, trump, RANK_T) if ace or trumps >= 4 else 0)
    points = 10 * sure
    if has_marriage(hand, trump):
        points += 40
    elif side_marriages(hand, trump) > 0:
        points += 20
    points += 10 * min(2 * side_voids(hand, trump), max(trumps - 3, 0))
    if trumps + sure >= 8:
        points += 10
    return points


@jit
def may_hundred(hand: Any, trump: Any, short: Any) -> Any:
    """Whether the book announces the hundred: expected points, and enough sharps and trumps.

    Args:
        hand: the announcer's cards.
        trump: trump suit.
        short: by how much the deck's full points fall short of 90, in points.
    """
    sharps = popcount(hand & SHARPS)
    trumps = count_in(hand, trump)
    if trumps < 4 or not has_marriage(hand, trump):
        # Twenty and eighty in tricks: only with next to everything.
        return bool(sharps >= 7 - short // 10 and trumps >= 5)
    return bool(expected_points(hand, trump) >= 100 - short and sharps >= 5 - short // 20)


@jit
def hole_risk(hand: Any, out: Any) -> Any:
    """How likely a betl hand is to be caught: the sum over its cards with holes under them.

    A card with a hole is caught when whoever leads the hole has a partner with nothing higher. Each
    card out above makes that half as likely.
    """
    risk = np.int64(0)
    for card in range(32):
        if (hand >> card) & 1:
            risk += card_risk(card, out)
    return risk


@jit
def card_risk(card: Any, out: Any) -> Any:
    """`hole_risk` of one card."""
    above = popcount(BEATS[NO_TRUMP_MODE, card] & out)
    under = popcount(SUIT_BITS[card // 8] & out) - above
    if under == 0:
        return np.int64(0)
    risk = np.int64(HOLE) >> above
    return risk // 2 if under == 1 else risk


@jit
def worst_for_betl(hand: Any, out: Any) -> Any:
    """The card a betl hand can least keep."""
    worst = np.int64(-1)
    most = np.int64(-1)
    for card in range(32):
        if (hand >> card) & 1:
            risk = 16 * card_risk(card, out) + card % 8
            if risk >= most:
                worst = np.int64(card)
                most = risk
    return worst


@jit
def betl_hand(hand: Any, out: Any, away: Any) -> Any:
    """A betl hand without its `away` worst cards."""
    for _ in range(away):
        hand &= ~(np.int64(1) << worst_for_betl(hand, out))
    return hand
