"""Following to a trick of a suit game."""

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
from marias_env.core.legal import beats


@jit
def _beaten_by_next(s: Any, best: Any, led: Any) -> Any:
    """Percent that the next seat beats the card that wins the trick."""
    follows = s.can_next & SUIT_BITS[led]
    over = BEATS[SUIT_MODE, best] & s.can_next
    if best // 8 == led:
        if over != 0:
            return np.int64(60)
        if led != s.trump and (s.can_next & SUIT_BITS[s.trump]) != 0:
            few = popcount(follows)
            return np.int64(100) if few == 0 else np.int64(40) if few <= 2 else np.int64(10)
        return np.int64(0)
    if over == 0:
        return np.int64(0)
    return np.int64(60) if follows == 0 else np.int64(20)


@jit
def follow_worth(v: Any, s: Any, card: Any) -> Any:
    """How good it is to follow with a card, in points times ten."""
    led = np.int64(v["led"])
    best = np.int64(v["best_card"])
    seat = np.int64(v["best_seat"])
    suit = card // 8
    rank = card % 8
    if beats(card, best, s.trump):
        best = card
        seat = s.me
    mine = seat == s.me or (s.me != s.declarer and seat != s.declarer)
    against = np.int64(0)
    if v["in_trick"] == 1:
        risk = _beaten_by_next(s, best, led)
        next_seat = (s.me + 1) % 3
        next_mine = s.me != s.declarer and next_seat != s.declarer
        if mine:
            against = np.int64(0) if next_mine else risk
        else:
            against = 100 - risk if next_mine else np.int64(100)
    elif not mine:
        against = np.int64(100)
    sharp = (np.int64(SHARPS) >> card) & 1
    worth = sharp * (100 - 2 * against)
    # What the card might still do later.
    same = s.hand & SUIT_BITS[suit]
    master = (BEATS[SUIT_MODE, card] & s.out) == 0
    if suit == s.trump:
        worth -= 60 + 6 * STRENGTH[SUIT_MODE, rank]
    else:
        worth -= 2 * STRENGTH[SUIT_MODE, rank]
        if rank == RANK_A:
            worth -= 70
        elif rank == RANK_T:
            worth -= 75 if master else 10
        elif (same >> (8 * suit + RANK_T)) & 1 and not (same >> (8 * suit + RANK_A)) & 1:
            worth -= 20 if popcount(same) <= 2 else 8
        worth -= popcount(same)
    return worth


@jit
def choose_follow(v: Any, r: Any, s: Any) -> Any:
    """PLAY after somebody has led in a suit game."""
    legal = np.int64(v["legal"])
    best = np.int64(-1)
    most = np.int64(-(1 << 20))
    for card in range(32):
        if (legal >> card) & 1:
            worth = follow_worth(v, s, card)
            if worth > most:
                most = worth
                best = np.int64(card)
    return best
