"""Announcing a seven or a hundred, and doubling."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import FLEK_GAME, GOOD, HUNDRED, SEVEN, SUIT_GAME
from marias_env.core.bits import RANK_A, RANK_T, SHARPS, SUIT_BITS, marriages_in, popcount
from marias_env.core.deal import GAME, NOBODY
from marias_env.core.jit import jit


@jit
def choose_announcement(v: Any, r: Any, s: Any) -> Any:
    """ANNOUNCE: the declarer's seven and hundred."""
    legal = np.int64(v["legal"])
    trumps = popcount(s.hand & SUIT_BITS[s.trump])
    ace = (s.hand >> (8 * s.trump + RANK_A)) & 1
    ten = (s.hand >> (8 * s.trump + RANK_T)) & 1
    sharps = popcount(s.hand & SHARPS)
    if (legal >> SEVEN) & 1 and (trumps >= 6 or (trumps == 5 and ace + ten + sharps >= 3)):
        return np.int64(SEVEN)
    marriage = marriages_in(s.hand) & SUIT_BITS[s.trump]
    if (legal >> HUNDRED) & 1 and marriage != 0 and trumps >= 5 and ace and sharps >= 5:
        return np.int64(HUNDRED)
    return np.int64(GOOD)


@jit
def choose_doubling(v: Any, r: Any, s: Any) -> Any:
    """DOUBLE: fleks and their answers, announcements against."""
    legal = np.int64(v["legal"])
    if (legal >> FLEK_GAME) & 1 == 0 or v["contract"] != SUIT_GAME:
        return np.int64(GOOD)
    trumps = popcount(s.hand & SUIT_BITS[s.trump])
    sharps = popcount(s.hand & SHARPS)
    level = np.int64(v["levels"][GAME])
    if s.me == s.declarer:
        if level == 1 and trumps >= 6 and sharps >= 4:
            return np.int64(FLEK_GAME)
        return np.int64(GOOD)
    if level == 0 and v["hundred_side"] == NOBODY:
        if trumps >= 4 or (trumps >= 3 and sharps >= 3) or sharps >= 5:
            return np.int64(FLEK_GAME)
    return np.int64(GOOD)
