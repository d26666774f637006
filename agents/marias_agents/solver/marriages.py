"""Marriages still open: accounts of what is scored, and bounds of all that can come of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.lanes import to_lanes
from marias_agents.solver.payoff import FATE_NONE, FATE_WON
from marias_agents.solver.suit import reachable
from marias_env.core.bits import RANK_Q, marriages_in
from marias_env.core.deal import DECLARER, DEFENDERS, NOBODY
from marias_env.core.jit import jit
from marias_env.core.settlement import suit_value
from marias_env.core.worth import marriage_worth
from marias_env.rules import MARRIAGE, TEN

LOW, HIGH = 0, 64
"""Bounds of V by the declarer's tens from here on, one row of 16 for each fate of the trump 7."""
TOTAL = 127
"""Tens of the whole deal, both sides'."""
HOLDER = 126
"""Side that has the trump 7, or NOBODY."""
FAR = 1 << 40
"""Beyond every payment."""


@jit
def scored(marriages: Any, side: Any, worth: Any) -> Any:
    """Adds a marriage to a packed account: first, best and sum, in twenties, of both sides."""
    at = 8 * side
    first = (marriages >> at) & 3
    best = (marriages >> (at + 2)) & 3
    total = (marriages >> (at + 4)) & 15
    twenties = worth // MARRIAGE
    if total == 0:
        first = twenties
    best = max(best, twenties)
    total += twenties
    return (marriages & ~(255 << at)) | (first | best << 2 | total << 4) << at


@jit
def payment(d: Any, r: Any, tens: Any, total: Any, marriages: Any, side: Any, won: Any) -> Any:
    """V of a finished deal (as `core.settlement.deal_value`)."""
    return suit_value(
        r,
        d["trump"],
        TEN * tens,
        TEN * (total - tens),
        MARRIAGE * (marriages & 3),
        MARRIAGE * ((marriages >> 8) & 3),
        MARRIAGE * ((marriages >> 2) & 3),
        MARRIAGE * ((marriages >> 10) & 3),
        MARRIAGE * ((marriages >> 4) & 15),
        MARRIAGE * ((marriages >> 12) & 15),
        np.int64(d["hundred_side"]),
        np.int64(d["seven_side"]),
        np.int64(d["levels"][0]),
        np.int64(d["levels"][1]),
        side,
        won,
    )


@jit
def spread(
    g: Any,
    d: Any,
    r: Any,
    tens: Any,
    left: Any,
    marriages: Any,
    queens_d: Any,
    queens_o: Any,
) -> Any:
    """Widens LOW and HIGH by every way the open marriages can end; returns how many it looked at.

    A side need not forfeit anything: V is at least what the declarer gets if he scores all of his
    and the defenders do as they like, and at most the reverse.
    """
    free = r["queen_forced"] == 0
    lower = queens_d == 0 and (free or queens_o == 0)
    upper = queens_o == 0 and (free or queens_d == 0)
    if lower or upper:
        for fate in range(3):
            side = np.int64(NOBODY) if fate == FATE_NONE else g[HOLDER]
            won = np.int64(1) if fate == FATE_WON else np.int64(0)
            for more in range(left + 1):
                value = payment(d, r, tens + more, g[TOTAL], marriages, side, won)
                at = 16 * fate + more
                if lower:
                    g[LOW + at] = min(g[LOW + at], value)
                if upper:
                    g[HIGH + at] = max(g[HIGH + at], value)
    seen = np.int64(1)
    for suit in range(4):
        queen = np.int64(1) << (8 * suit + RANK_Q)
        worth = marriage_worth(suit, d["trump"])
        if queens_d & queen:
            after = scored(marriages, np.int64(DECLARER), worth)
            seen += spread(g, d, r, tens, left, after, queens_d & ~queen, queens_o)
        if queens_o & queen:
            after = scored(marriages, np.int64(DEFENDERS), worth)
            seen += spread(g, d, r, tens, left, after, queens_d, queens_o & ~queen)
    return seen


@jit
def bracket(
    g: Any, d: Any, r: Any, h0: Any, h1: Any, h2: Any, tens: Any, left: Any, marriages: Any
) -> None:
    """Writes LOW and HIGH of a position, each growing with the tens.

    Args:
        g: tables.
        d: the deal as it was given.
        r: rule set.
        h0: seat 0's cards, ids as bits.
        h1: seat 1's.
        h2: seat 2's.
        tens: the declarer's so far.
        left: tens still to be won.
        marriages: packed account, see `scored`.
    """
    queens_d = np.int64(0)
    queens_o = np.int64(0)
    for seat in range(3):
        hand = h0 if seat == 0 else h1 if seat == 1 else h2
        if seat == d["declarer"]:
            queens_d |= marriages_in(hand)
        else:
            queens_o |= marriages_in(hand)
    for i in range(48):
        g[LOW + i] = FAR
        g[HIGH + i] = -FAR
    spread(g, d, r, tens, left, marriages, queens_d, queens_o)
    for fate in range(3):
        row = 16 * fate
        for more in range(left - 1, -1, -1):
            g[LOW + row + more] = min(g[LOW + row + more], g[LOW + row + more + 1])
        for more in range(1, left + 1):
            g[HIGH + row + more] = max(g[HIGH + row + more], g[HIGH + row + more - 1])


@jit
def decided(
    w: Any,
    g: Any,
    d: Any,
    h0: Any,
    h1: Any,
    h2: Any,
    leader: Any,
    left: Any,
    threshold: Any,
    bounds: Any,
) -> Any:
    """Whether the declarer reaches the threshold by the payments of LOW or of HIGH: 1 or 0."""
    needs = np.zeros(3, dtype=np.int64)
    for fate in range(3):
        while needs[fate] <= left and g[bounds + 16 * fate + needs[fate]] < threshold:
            needs[fate] += 1
    trump = np.int64(d["trump"])
    declarer = np.int64(d["declarer"])
    lanes = np.zeros(3, dtype=np.int64)
    for seat in range(3):
        hand = h0 if seat == 0 else h1 if seat == 1 else h2
        lanes[(seat - declarer + 3) % 3] = to_lanes(hand, trump)
    first = (leader - declarer + 3) % 3
    return reachable(w, lanes[0], lanes[1], lanes[2], first, needs[0], needs[1], needs[2])
