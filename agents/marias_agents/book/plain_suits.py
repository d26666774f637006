"""The book's card play in betl and durch, both sides."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.book.holdings import card_risk
from marias_agents.rules.betl import open_betl_leads
from marias_agents.rules.durch import top_cards, winners
from marias_agents.rules.sight import count_in
from marias_env.actions import BETL, OPEN_BETL
from marias_env.core.bits import BEATS, NO_TRUMP_MODE, SUIT_BITS, popcount
from marias_env.core.jit import jit
from marias_env.core.legal import beats

_NO_TRUMP = -1


@jit
def no_trumps_card(v: Any, s: Any, card: Any) -> Any:
    """How good a card is in a contract without trumps."""
    if v["contract"] in (BETL, OPEN_BETL):
        if s.me == s.declarer:
            return _betl_declarer(v, s, card)
        return _betl_defender(v, s, card)
    if s.me == s.declarer:
        return _durch_declarer(v, s, card)
    return _durch_defender(v, s, card)


@jit
def _betl_declarer(v: Any, s: Any, card: Any) -> Any:
    above = popcount(BEATS[NO_TRUMP_MODE, card] & s.out)
    if v["in_trick"] == 0:
        if v["contract"] == OPEN_BETL and (open_betl_leads(s.hand, s.out) >> card) & 1:
            return np.int64(500)
        # What the others must beat: of such cards the one that is most in danger goes first.
        if above == 0:
            return np.int64(-100)
        sure = np.int64(60) if above >= 3 else np.int64(25 * (above - 1))
        return sure + card_risk(card, s.out)
    best = np.int64(v["best_card"])
    if beats(card, best, _NO_TRUMP):
        if v["in_trick"] == 2:
            return np.int64(-200) - card % 8
        return np.int64(-100) + 5 * above  # the next may have to beat it
    # The trick is lost for certain: the most dangerous card, or the highest of the suit, goes.
    return 16 * card_risk(card, s.out) + card % 8


@jit
def _betl_defender(v: Any, s: Any, card: Any) -> Any:
    suit = SUIT_BITS[card // 8]
    above = BEATS[NO_TRUMP_MODE, card]
    declarer_next = (s.me + 1) % 3 == s.declarer
    his = s.can_next if declarer_next else s.can_prev
    partners = s.can_prev if declarer_next else s.can_next
    if v["in_trick"] == 0:
        higher = popcount(his & above)
        if higher == 0:
            return np.int64(-50) + card % 8  # he cannot be made to win: at least a high card goes
        # A low card that he must beat, in a suit whose high cards the partner does not have.
        worth = 10 * popcount(s.hand & above) - 6 * popcount(s.out & suit & ~above)
        if (partners & suit) == 0:
            worth += 40
        worth -= 5 * popcount(partners & above)
        return worth - 2 * (card % 8)
    best = np.int64(v["best_card"])
    declarer_played = v["in_trick"] == 2 or v["leader"] == s.declarer
    if declarer_played and v["best_seat"] != s.declarer:
        # He is out of this trick: high cards and those that would save him go.
        return np.int64(card % 8) - (4 if card // 8 != v["led"] and card % 8 <= 2 else 0)
    if declarer_played:
        # He has it so far; whoever need not beat it does not.
        if beats(card, best, _NO_TRUMP):
            return np.int64(-50) + card % 8
        return np.int64(50) + card % 8
    # He is still to come: stay under what he may hold.
    if card // 8 != v["led"]:
        return np.int64(card % 8) - 2 * count_in(s.hand, card // 8)
    return np.int64(20) - card % 8


@jit
def _durch_declarer(v: Any, s: Any, card: Any) -> Any:
    suit = card // 8
    if (winners(s.hand, s.out) >> card) & 1:
        # Long suits first, so that the others must throw before they know what to keep.
        return np.int64(100) + 4 * count_in(s.hand, suit) + card % 8
    # Nothing is certain: the suit in which least is out above.
    above = popcount(BEATS[NO_TRUMP_MODE, card] & s.out)
    return np.int64(50) - 10 * above + top_cards(s.hand, s.out, suit)


@jit
def _durch_defender(v: Any, s: Any, card: Any) -> Any:
    suit = card // 8
    if suit == v["led"]:
        # Beat where one must; else keep what may stop him later.
        return np.int64(-(card % 8))
    his = s.can_next if (s.me + 1) % 3 == s.declarer else s.can_prev
    if (his & SUIT_BITS[suit]) == 0:
        return np.int64(60) - card % 8  # he has none of it: nothing to stop
    above = popcount(BEATS[NO_TRUMP_MODE, card] & his)
    guards = count_in(s.hand, suit)
    # A stopper and the cards it needs beside it stay to the end.
    return 8 * above - 3 * guards - card % 8
