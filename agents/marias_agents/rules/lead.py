"""Leading to a trick of a suit game."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.core.bits import (
    BEATS,
    RANK_A,
    RANK_T,
    SHARPS,
    STRENGTH,
    SUIT_BITS,
    SUIT_MODE,
    popcount,
)
from marias_env.core.jit import jit


@jit
def lead_worth(s: Any, card: Any) -> Any:
    """How good a lead a card is, in points."""
    suit = card // 8
    rank = card % 8
    same = s.hand & SUIT_BITS[suit]
    length = popcount(same)
    out = popcount(s.out & SUIT_BITS[suit])
    trumps_out = popcount(s.out & SUIT_BITS[s.trump])
    master = (BEATS[SUIT_MODE, card] & s.out) == 0
    sharp = (np.int64(SHARPS) >> card) & 1
    worth = -STRENGTH[SUIT_MODE, rank]
    if suit == s.trump:
        if s.me == s.declarer:
            if master:
                worth += 20 if length > trumps_out else -10
            else:
                worth -= 25 if sharp else 12
        else:
            worth -= 40 if sharp else 15
        return worth
    if master:
        if sharp:
            worth += 30 if out >= 4 or trumps_out == 0 else -5
        elif trumps_out == 0:
            worth += 25
    elif sharp:
        worth -= 50
    ten_alone = (same >> (8 * suit + RANK_T)) & 1 and not (same >> (8 * suit + RANK_A)) & 1
    if ten_alone:
        worth -= 8 - length
    return worth + 2 * length


@jit
def choose_lead(v: Any, r: Any, s: Any) -> Any:
    """PLAY on the lead of a suit game."""
    legal = np.int64(v["legal"])
    best = np.int64(-1)
    most = np.int64(-(1 << 20))
    for card in range(32):
        if (legal >> card) & 1:
            worth = lead_worth(s, card)
            if worth > most:
                most = worth
                best = np.int64(card)
    return best
