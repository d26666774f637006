"""Tens that a side is certain of, whatever the other side does."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.lanes import LANE, TENS, TRUMP_LANE, count, last
from marias_env.core.jit import jit

TRUMP_ACE = 0x200 << 48
TRUMP_TEN = 0x100 << 48


@jit
def certain_trumps(own: Any, other: Any) -> Any:
    """Tens of the highest trumps: whoever holds them wins the trick in which they fall.

    The 10 is certain when the ace is out or on the same side (then it wins, or falls under it).
    """
    tens = np.int64(0)
    if (own & TRUMP_ACE) != 0:
        tens += 1
    if (own & TRUMP_TEN) != 0 and (other & TRUMP_ACE) == 0:
        tens += 1
    return tens


@jit
def winners(own: Any, b: Any, c: Any) -> Any:
    """Tricks that leading one suit from the top is certain to win, when nobody can trump.

    Args:
        own: the leader's cards of the suit.
        b: another player's.
        c: the third player's.
    """
    others = b | c
    if others == 0:
        return count(own)
    tops = count(own & -(np.int64(2) << last(others)))
    if tops >= count(b) and tops >= count(c):
        return count(own)
    return tops


@jit
def cash_tens(a: Any, b: Any, c: Any, left: Any) -> Any:
    """Tens outside trumps that the leader takes by playing his certain winners at once.

    All of `left` when every card he holds is one. Both others count as enemies: a partner who must
    head the trick would take the lead away.

    Args:
        a: the leader's cards.
        b: the next player's.
        c: the third player's.
        left: tens still to be won.
    """
    trumps_b = b & TRUMP_LANE
    trumps_c = c & TRUMP_LANE
    own = a & TRUMP_LANE
    tricks = winners(own, trumps_b, trumps_c)
    drawn = tricks >= count(trumps_b) and tricks >= count(trumps_c)
    tens = np.int64(0)
    for lane in range(3):
        suit = LANE << (16 * lane)
        own = a & suit
        if own == 0:
            continue
        in_b = b & suit
        in_c = c & suit
        length = winners(own, in_b, in_c)
        if not drawn:
            # Whoever holds trumps follows only as long as he has the suit.
            if trumps_b != 0:
                length = min(length, count(in_b))
            if trumps_c != 0:
                length = min(length, count(in_c))
        tricks += length
        tens += min(length, count(own & TENS))
    if tricks == count(a):
        return left
    return tens
