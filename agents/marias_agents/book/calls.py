"""The book's announcements and fleks."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.book.holdings import (
    expected_points,
    holds,
    hole_risk,
    may_hundred,
    may_seven,
)
from marias_agents.rules.durch import durch_losers
from marias_agents.rules.sight import (
    count_in,
    guarded_tens,
    has_marriage,
    side_aces,
    side_marriages,
)
from marias_env.actions import (
    BETL,
    FLEK_GAME,
    FLEK_SEVEN,
    GOOD,
    HUNDRED,
    OPEN_BETL,
    SEVEN,
    SUIT_GAME,
)
from marias_env.core.bits import RANK_A, RANK_K, RANK_Q, RANK_T, SHARPS, SUIT_BITS, popcount
from marias_env.core.deal import DECLARER, DEFENDERS, GAME, SEVEN_COMPONENT
from marias_env.core.jit import jit

NEVER = 99


@jit
def _legal(v: Any, action: Any) -> Any:
    return (np.int64(v["legal"]) >> action) & 1 == 1


@jit
def announcement(v: Any, r: Any, s: Any) -> Any:
    """The declarer's announcement: the seven, then the hundred, then good."""
    if _legal(v, SEVEN) and may_seven(s.hand, s.trump):
        return np.int64(SEVEN)
    short = 90 - np.int64(r["card_points"])
    if _legal(v, HUNDRED) and may_hundred(s.hand, s.trump, short):
        return np.int64(HUNDRED)
    return np.int64(GOOD)


@jit
def doubling(v: Any, r: Any, s: Any) -> Any:
    """Announcements against, fleks and what follows them, one call at a time."""
    if v["contract"] != SUIT_GAME:
        return np.int64(FLEK_GAME) if _legal(v, FLEK_GAME) and _sure(v, s) else np.int64(GOOD)
    trumps = count_in(s.hand, s.trump)
    tops = holds(s.hand, s.trump, RANK_A) + holds(s.hand, s.trump, RANK_T)
    # Against a declarer a seven needs more trumps than he can have left at the end.
    if _legal(v, SEVEN) and s.me != s.declarer and trumps >= 5 and tops >= 1:
        return np.int64(SEVEN)
    if _legal(v, HUNDRED) and s.me != s.declarer:
        short = 90 - np.int64(r["card_points"])
        if expected_points(s.hand, s.trump) >= 110 - short and trumps >= 4:
            return np.int64(HUNDRED)
    if _legal(v, FLEK_GAME) and _raises_game(v, s, trumps, tops):
        return np.int64(FLEK_GAME)
    if _legal(v, FLEK_SEVEN) and _raises_seven(v, s, trumps, tops):
        return np.int64(FLEK_SEVEN)
    return np.int64(GOOD)


@jit
def _sure(v: Any, s: Any) -> Any:
    # Re to a flek of a contract without trumps: only with a hand that no split endangers.
    if s.me != s.declarer:
        return False
    if v["contract"] in (BETL, OPEN_BETL):
        return hole_risk(s.hand, s.out) <= 4
    return durch_losers(s.hand, s.out) == 0


@jit
def _marriage_points(s: Any) -> Any:
    return 40 * has_marriage(s.hand, s.trump) + 20 * side_marriages(s.hand, s.trump)


@jit
def _raises_game(v: Any, s: Any, trumps: Any, tops: Any) -> Any:
    level = np.int64(v["levels"][GAME])
    aces = side_aces(s.hand, s.trump)
    tens = guarded_tens(s.hand, s.trump)
    sure = aces + tens + tops
    if v["hundred_side"] == DEFENDERS:
        return s.me != s.declarer and level >= 2 and sure >= 7
    if s.me != s.declarer:
        if v["hundred_side"] == DECLARER:
            # He counts on one marriage and sixty: four sharps of one's own are forty.
            return level == 0 and sure >= 4 and (trumps >= 3 or tops >= 1)
        if level >= 2:
            return level == 2 and trumps >= 4 and sure >= 5
        longest = np.int64(0)
        for suit in range(4):
            if suit != s.trump:
                longest = max(longest, popcount(s.hand & SUIT_BITS[suit]))
        if trumps >= 4 and (longest >= 4 or aces + tops >= 1):
            return True
        if trumps == 3 and tops >= 1 and aces + tens >= 2:
            return True
        marriages = _marriage_points(s)
        if marriages >= 40 and aces + tops >= 2 and trumps >= 2:
            return True
        return bool(popcount(s.hand & SHARPS) >= 5 and trumps >= 2)
    # The declarer's re: he must be good for more than half the points whatever he meets.
    if v["hundred_side"] == DECLARER:
        return level == 1 and expected_points(s.hand, s.trump) >= 130
    strength = 10 * sure + _marriage_points(s) + 10 * max(trumps - 4, 0)
    return level == 1 and strength >= 90 and trumps >= 5


@jit
def _raises_seven(v: Any, s: Any, trumps: Any, tops: Any) -> Any:
    level = np.int64(v["levels"][SEVEN_COMPONENT])
    own_side = np.int64(DECLARER if s.me == s.declarer else DEFENDERS)
    honours = tops + holds(s.hand, s.trump, RANK_K) + holds(s.hand, s.trump, RANK_Q)
    if level > 2:
        return False
    if v["seven_side"] != own_side:
        # Against a seven: as many trumps as it takes to have one left.
        return trumps >= 4 + level // 2 or (level == 0 and trumps == 3 and honours >= 2)
    return (trumps >= 6 and tops >= 1) or (trumps == 5 and tops == 2)
