"""The book's bidding up to the contract: trumps, contract, talon, replies."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.book.holdings import (
    LOW,
    betl_hand,
    book_trump,
    card_risk,
    holds,
    hole_risk,
)
from marias_agents.rules.contract import certain_contract
from marias_agents.rules.durch import durch_losers, shed_for_durch
from marias_agents.rules.sight import count_in, has_marriage
from marias_agents.rules.trump import plainest, suits_of
from marias_env.actions import (
    BAD,
    BETL,
    BLIND,
    CONTRACT_0,
    DURCH,
    FLEK_GAME,
    GOOD,
    NAME_TRUMP_0,
    OPEN_BETL,
    OPEN_DURCH,
    SUIT_GAME,
)
from marias_env.core.bits import (
    BEATS,
    NO_TRUMP_MODE,
    RANK_A,
    RANK_BITS,
    RANK_K,
    RANK_Q,
    RANK_T,
    SUIT_BITS,
    popcount,
)
from marias_env.core.jit import jit

BETL_WHOLE = 28
"""Risk (`hole_risk`) of a betl that is named with the talon in hand; 64 is one card in danger."""
BETL_BLIND = 10
"""The same for a betl over a talon that has not been seen: two of ten cards are to go."""
DURCH_BLIND = 1
"""Losers of a durch over a talon that has not been seen."""
CATCHERS = 5
"""Low cards (7, 8, 9) with which a defender fleks a betl."""


@jit
def _legal(v: Any, action: Any) -> Any:
    return (np.int64(v["legal"]) >> action) & 1 == 1


@jit
def trump_card(v: Any, s: Any) -> Any:
    """The card that fixes trumps: the one of the suit that tells least."""
    cards = np.int64(v["legal"]) & 0xFFFFFFFF
    if cards == 0:
        return np.int64(BLIND)
    return plainest(cards, book_trump(s.hand, suits_of(cards)))


@jit
def trump_name(v: Any, s: Any) -> Any:
    """The suit that is named trumps after the exchange."""
    return NAME_TRUMP_0 + book_trump(s.hand, (np.int64(v["legal"]) >> NAME_TRUMP_0) & 15)


@jit
def contract(v: Any, r: Any, s: Any) -> Any:
    """The contract to name; the lowest legal one where the hand is good for none."""
    size = np.int64(r["hand_size"])
    over = popcount(s.hand) - size
    if over > 0:
        certain = certain_contract(s.hand, s.out, size)
        if certain == OPEN_DURCH and not _legal(v, CONTRACT_0 + certain):
            certain = np.int64(DURCH)
        if certain >= 0 and _legal(v, CONTRACT_0 + certain):
            return CONTRACT_0 + certain
    durch_left = durch_losers(shed_for_durch(s.hand, s.out, size), s.out)
    if over > 0:
        durch, betl = (
            durch_left == 0,
            hole_risk(betl_hand(s.hand, s.out, over), s.out) <= BETL_WHOLE,
        )
    else:
        durch = durch_losers(s.hand, s.out) <= DURCH_BLIND
        betl = hole_risk(betl_hand(s.hand, s.out, np.int64(2)), s.out) <= BETL_BLIND
    if durch and _legal(v, CONTRACT_0 + DURCH):
        return np.int64(CONTRACT_0 + DURCH)
    if betl and _legal(v, CONTRACT_0 + BETL):
        return np.int64(CONTRACT_0 + BETL)
    if _legal(v, CONTRACT_0 + SUIT_GAME):
        return np.int64(CONTRACT_0 + SUIT_GAME)
    # Somebody who has taken over must name something higher: what the hand is nearest to.
    if _legal(v, CONTRACT_0 + BETL):
        return np.int64(CONTRACT_0 + BETL)
    if _legal(v, CONTRACT_0 + DURCH):
        return np.int64(CONTRACT_0 + DURCH)
    return np.int64(CONTRACT_0 + (OPEN_BETL if _legal(v, CONTRACT_0 + OPEN_BETL) else OPEN_DURCH))


@jit
def discard_worth(v: Any, s: Any, trump: Any, card: Any) -> Any:
    """How gladly a card is put away, by the contract."""
    if v["contract"] == SUIT_GAME:
        return _suit_discard(s, trump, card)
    if v["contract"] in (BETL, OPEN_BETL):
        return 16 * card_risk(card, s.out) + card % 8
    above = popcount(BEATS[NO_TRUMP_MODE, card] & s.out)
    return 16 * above - 8 * count_in(s.hand, card // 8) - card % 8


@jit
def _suit_discard(s: Any, trump: Any, card: Any) -> Any:
    suit = card // 8
    rank = card % 8
    length = count_in(s.hand, suit)
    if suit == trump:
        return np.int64(-100 - rank)
    worth = np.int64(-rank)
    if has_marriage(s.hand, suit) and rank in (RANK_K, RANK_Q):
        worth -= 60
    ace, ten = holds(s.hand, suit, RANK_A), holds(s.hand, suit, RANK_T)
    if ten and not ace:
        return worth - (30 if length <= 3 else 10)  # the ten's guards
    if ace:
        return worth + (5 if ten else 10)
    return worth + 50 - 10 * length  # a suit without a sharp: the shorter, the sooner it is void


@jit
def reply(v: Any, r: Any, s: Any) -> Any:
    """Good, bad, or a flek of a contract without trumps."""
    named = np.int64(v["contract"])
    if _legal(v, BAD) and named < OPEN_BETL:
        if durch_losers(s.hand, s.out) <= DURCH_BLIND and named < DURCH:
            return np.int64(BAD)
        kept = betl_hand(s.hand, s.out, min(np.int64(2), popcount(s.hand)))
        if named == SUIT_GAME and hole_risk(kept, s.out) <= BETL_BLIND:
            return np.int64(BAD)
    if _legal(v, FLEK_GAME) and _stops(v, s, named):
        return np.int64(FLEK_GAME)
    return np.int64(GOOD)


@jit
def _stops(v: Any, s: Any, named: Any) -> Any:
    # Whether a defender alone is likely to stop a contract without trumps.
    if named == BETL:
        return popcount(s.hand & LOW) >= CATCHERS
    if named == OPEN_BETL:
        return popcount(s.hand & RANK_BITS[0]) >= 2
    aces = popcount(s.hand & RANK_BITS[RANK_A])
    if named == OPEN_DURCH:
        return aces >= 2
    guarded = np.int64(0)
    for suit in range(4):
        if holds(s.hand, suit, RANK_K) and popcount(s.hand & SUIT_BITS[suit]) >= 2:
            guarded += 1
    return aces >= 2 or (aces == 1 and guarded >= 1)
