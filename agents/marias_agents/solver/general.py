"""The slow road: any suit game, card by card on the environment's own rules.

Follows marriages as they are scored or forfeited, so it needs nothing of what `payoff` proves. It
solves the positions that `needs_order` names and those whose payment does not grow with the tens.

At a trick boundary all that can still come of the marriages is bracketed by two payments that grow
with the tens, one never above V and one never below. The fast search decides most thresholds with
them; without `USE_BOUNDS` it is not asked, and this search shares no move generator with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.lanes import count
from marias_agents.solver.marriages import (
    FAR,
    HIGH,
    HOLDER,
    LOW,
    TOTAL,
    bracket,
    decided,
    payment,
    scored,
)
from marias_agents.solver.payoff import seven_holder, tens_left
from marias_agents.solver.workspace import FLAGS, USE_BOUNDS
from marias_env.core.bits import RANK_7, SHARPS, marriages_in
from marias_env.core.deal import DECLARER, DEFENDERS, NOBODY
from marias_env.core.jit import jit
from marias_env.core.legal import beats, card_mask
from marias_env.core.worth import marriage_worth
from marias_env.rules import MARRIAGE, TEN

TABLE = 128
ENTRY = 5
TABLE_BITS = 17
"""2 ** TABLE_BITS entries: position (three words), proven lower and upper bound."""


@jit
def slot(h0: Any, h1: Any, h2: Any, mask: Any) -> Any:
    """Index of a position's entry."""
    mixed = (h0 * 3 + h1 * 5 + h2 * 7) ^ (h0 >> 9) ^ (h1 >> 5) ^ (h2 >> 13)
    return TABLE + ENTRY * ((mixed ^ (mixed >> 17)) & mask)


@jit
def explore(
    w: Any,
    g: Any,
    d: Any,
    r: Any,
    h0: Any,
    h1: Any,
    h2: Any,
    leader: Any,
    x: Any,
    y: Any,
    tens: Any,
    marriages: Any,
    threshold: Any,
    only: Any,
) -> Any:
    """Whether V >= threshold with a seat to play: 1 or 0.

    Args:
        w: workspace with the deal loaded.
        g: tables: payments and transpositions.
        d: the deal as it was given: declarer, trump, announcements, levels.
        r: rule set.
        h0: seat 0's cards, ids as bits.
        h1: seat 1's.
        h2: seat 2's.
        leader: seat that leads or led.
        x: card id led, -1 if none.
        y: second card's id, -1 if not played.
        tens: the declarer's so far.
        marriages: packed account, see `scored`.
        threshold: the V asked for.
        only: cards that this seat may play now; -1 all.
    """
    trump = np.int64(d["trump"])
    declarer = np.int64(d["declarer"])
    at = np.int64(0)
    k0 = h0 | leader << 32 | tens << 36
    k1 = h1 | marriages << 32
    boundary = x < 0 and only == -1
    if boundary:
        left = count((h0 | h1 | h2) & SHARPS) + 1
        at = slot(h0, h1, h2, np.int64((1 << TABLE_BITS) - 1))
        if g[at] == k0 and g[at + 1] == k1 and g[at + 2] == h2 + 1:
            if g[at + 3] >= threshold:
                return np.int64(1)
            if g[at + 4] < threshold:
                return np.int64(0)
        if w[FLAGS] & USE_BOUNDS:
            bracket(g, d, r, h0, h1, h2, tens, left, marriages)
            if decided(w, g, d, h0, h1, h2, leader, left, threshold, np.int64(LOW)):
                return np.int64(1)
            if not decided(w, g, d, h0, h1, h2, leader, left, threshold, np.int64(HIGH)):
                return np.int64(0)
    position = 0 if x < 0 else 1 if y < 0 else 2
    seat = (leader + position) % 3
    hand = h0 if seat == 0 else h1 if seat == 1 else h2
    best = x
    winner = leader
    if y >= 0 and beats(y, x, trump):
        best = y
        winner = (leader + 1) % 3
    led = x // 8 if x >= 0 else np.int64(-1)
    cards = card_mask(hand, led, best, trump, r["queen_forced"], d["seven_seat"] == seat)
    cards &= only
    own = seat == declarer
    result = np.int64(0) if own else np.int64(1)
    queens = marriages_in(hand)
    none = np.int64(-1)
    every = np.int64(-1)
    while cards != 0 and (result == 1) != own:
        bit = cards & -cards
        cards ^= bit
        card = count(bit - 1)
        g0 = h0 & ~bit
        g1 = h1 & ~bit
        g2 = h2 & ~bit
        account = marriages
        if queens & bit:
            worth = marriage_worth(card // 8, trump)
            account = scored(marriages, np.int64(DECLARER if own else DEFENDERS), worth)
        if position == 0:
            result = explore(
                w, g, d, r, g0, g1, g2, leader, card, y, tens, account, threshold, every
            )
        elif position == 1:
            result = explore(
                w, g, d, r, g0, g1, g2, leader, x, card, tens, account, threshold, every
            )
        else:
            last_best = best
            taker = winner
            if beats(card, best, trump):
                last_best = card
                taker = seat
            gained = np.int64(0)
            if taker == declarer:
                gained = count((1 << x | 1 << y | bit) & SHARPS)
            if g0 != 0 or g1 != 0 or g2 != 0:
                result = explore(
                    w,
                    g,
                    d,
                    r,
                    g0,
                    g1,
                    g2,
                    taker,
                    none,
                    none,
                    tens + gained,
                    account,
                    threshold,
                    every,
                )
                continue
            if taker == declarer:
                gained += 1
            seven = 8 * trump + RANK_7
            side = np.int64(NOBODY)
            if x == seven or y == seven or card == seven:
                player = seat
                if x == seven:
                    player = leader
                elif y == seven:
                    player = (leader + 1) % 3
                side = np.int64(DECLARER if player == declarer else DEFENDERS)
            won = np.int64(1) if last_best == seven else np.int64(0)
            value = payment(d, r, tens + gained, g[TOTAL], account, side, won)
            result = np.int64(1) if value >= threshold else np.int64(0)
    if boundary:
        if g[at] != k0 or g[at + 1] != k1 or g[at + 2] != h2 + 1:
            g[at] = k0
            g[at + 1] = k1
            g[at + 2] = h2 + 1
            g[at + 3] = -FAR
            g[at + 4] = FAR
        if result == 1:
            g[at + 3] = threshold
        else:
            g[at + 4] = threshold - 1
    return result


@jit
def bisect(
    w: Any,
    g: Any,
    d: Any,
    r: Any,
    h0: Any,
    h1: Any,
    h2: Any,
    x: Any,
    y: Any,
    tens: Any,
    marriages: Any,
    only: Any,
    low: Any,
    high: Any,
    guess: Any,
) -> Any:
    """V after a card, known to be in low…high: the guess and its neighbour first, then halves."""
    leader = np.int64(d["leader"])
    probe = guess
    tries = 0
    while low < high:
        probe = min(max(probe, low + 1), high)
        if explore(w, g, d, r, h0, h1, h2, leader, x, y, tens, marriages, probe, only):
            low = probe
            probe = low + 1
        else:
            high = probe - 1
            probe = high
        tries += 1
        if tries > 1:
            probe = low + (high - low + 1) // 2
    return low


@jit
def solve_general(w: Any, d: Any, r: Any, out: Any) -> Any:
    """V of a suit game in play, and after every legal card; as `values.card_values`.

    Args:
        w: workspace with the deal loaded.
        d: DEAL record.
        r: RULE_SET record.
        out: (32,) int64; written where a card is legal.
    """
    g = np.zeros(TABLE + (ENTRY << TABLE_BITS), dtype=np.int64)
    declarer = np.int64(d["declarer"])
    marriages = np.int64(0)
    for side in range(2):
        marriages |= (
            np.int64(d["marriage_first"][side]) // MARRIAGE
            | np.int64(d["marriage_best"][side]) // MARRIAGE << 2
            | np.int64(d["marriage_sum"][side]) // MARRIAGE << 4
        ) << (8 * side)
    tens = np.int64(d["points"][DECLARER]) // TEN
    left = tens_left(d)
    g[TOTAL] = tens + np.int64(d["points"][DEFENDERS]) // TEN + left
    seat = np.int64(d["turn"])
    own = seat == declarer
    h0 = np.int64(d["hands"][0])
    h1 = np.int64(d["hands"][1])
    h2 = np.int64(d["hands"][2])
    x = np.int64(d["table"][0])
    y = np.int64(d["table"][1])
    g[HOLDER] = seven_holder(d)
    legal = np.int64(d["legal"])
    forfeits = marriages_in(np.int64(d["hands"][seat])) << 1
    value = np.int64(0)
    found = False
    for card in range(32):
        if (legal >> card) & 1:
            # With the king goes the marriage, and with it what the bracket takes for granted.
            king = np.int64(1 << card) & forfeits
            bracket(g, d, r, h0 & ~king, h1 & ~king, h2 & ~king, tens, left, marriages)
            low = np.int64(FAR)
            high = np.int64(-FAR)
            for fate in range(3):
                low = min(low, g[LOW + 16 * fate])
                high = max(high, g[HIGH + 16 * fate + left])
            after = bisect(
                w, g, d, r, h0, h1, h2, x, y, tens, marriages, np.int64(1 << card), low, high, value
            )
            out[card] = after
            if not found or (after > value) == own:
                value = after
            found = True
    return value
