"""The slow road: any suit game, card by card on the environment's own rules.

Follows marriages as they are scored or forfeited, so it needs nothing of what `payoff` proves, and
it shares no move generator with the fast search. It solves the positions that `needs_order` names
and those whose payment does not grow with the tens.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.lanes import count
from marias_agents.solver.payoff import tens_left
from marias_env.core.bits import RANK_7, RANK_Q, SHARPS, marriages_in
from marias_env.core.deal import DECLARER, DEFENDERS, NOBODY
from marias_env.core.jit import jit
from marias_env.core.legal import beats, card_mask
from marias_env.core.settlement import suit_value

LOW, HIGH = 0, 16
"""The least and the greatest V by the declarer's tens at the end, whatever the marriages."""
TOTAL = 32
"""Tens of the whole deal, both sides'."""
TABLE = 64
ENTRY = 5
TABLE_BITS = 17
"""2 ** TABLE_BITS entries: position (three words), proven lower and upper bound."""
FAR = 1 << 40
"""Beyond every payment."""


@jit
def scored(marriages: Any, side: Any, worth: Any) -> Any:
    """Adds a marriage to a packed account: first, best and sum, in twenties, of both sides."""
    at = 8 * side
    first = (marriages >> at) & 3
    best = (marriages >> (at + 2)) & 3
    total = (marriages >> (at + 4)) & 15
    twenties = worth // 20
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
        10 * tens,
        10 * (total - tens),
        20 * (marriages & 3),
        20 * ((marriages >> 8) & 3),
        20 * ((marriages >> 2) & 3),
        20 * ((marriages >> 10) & 3),
        20 * ((marriages >> 4) & 15),
        20 * ((marriages >> 12) & 15),
        np.int64(d["hundred_side"]),
        np.int64(d["seven_side"]),
        np.int64(d["levels"][0]),
        np.int64(d["levels"][1]),
        side,
        won,
    )


@jit
def spread(g: Any, d: Any, r: Any, marriages: Any, queens_d: Any, queens_o: Any) -> Any:
    """Widens LOW and HIGH by everything that can still be paid; returns the accounts looked at."""
    total = g[TOTAL]
    for tens in range(total + 1):
        for fate in range(5):
            side = np.int64(NOBODY)
            if fate < 4:
                side = np.int64(fate >> 1)
            value = payment(d, r, np.int64(tens), total, marriages, side, np.int64(fate & 1))
            g[LOW + tens] = min(g[LOW + tens], value)
            g[HIGH + tens] = max(g[HIGH + tens], value)
    seen = np.int64(1)
    for suit in range(4):
        queen = np.int64(1) << (8 * suit + RANK_Q)
        worth = np.int64(40) if suit == d["trump"] else np.int64(20)
        if queens_d & queen:
            after = scored(marriages, np.int64(DECLARER), worth)
            seen += spread(g, d, r, after, queens_d & ~queen, queens_o)
        if queens_o & queen:
            after = scored(marriages, np.int64(DEFENDERS), worth)
            seen += spread(g, d, r, after, queens_d, queens_o & ~queen)
    return seen


@jit
def slot(h0: Any, h1: Any, h2: Any, mask: Any) -> Any:
    """Index of a position's entry."""
    mixed = (h0 * 3 + h1 * 5 + h2 * 7) ^ (h0 >> 9) ^ (h1 >> 5) ^ (h2 >> 13)
    return TABLE + ENTRY * ((mixed ^ (mixed >> 17)) & mask)


@jit
def explore(
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
        least = np.int64(FAR)
        most = np.int64(-FAR)
        for final in range(tens, tens + left + 1):
            least = min(least, g[LOW + final])
            most = max(most, g[HIGH + final])
        if least >= threshold:
            return np.int64(1)
        if most < threshold:
            return np.int64(0)
        at = slot(h0, h1, h2, np.int64((1 << TABLE_BITS) - 1))
        if g[at] == k0 and g[at + 1] == k1 and g[at + 2] == h2 + 1:
            if g[at + 3] >= threshold:
                return np.int64(1)
            if g[at + 4] < threshold:
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
            worth = np.int64(40) if card // 8 == trump else np.int64(20)
            account = scored(marriages, np.int64(DECLARER if own else DEFENDERS), worth)
        if position == 0:
            result = explore(g, d, r, g0, g1, g2, leader, card, y, tens, account, threshold, every)
        elif position == 1:
            result = explore(g, d, r, g0, g1, g2, leader, x, card, tens, account, threshold, every)
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
                    g, d, r, g0, g1, g2, taker, none, none, tens + gained, account, threshold, every
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
        if explore(g, d, r, h0, h1, h2, leader, x, y, tens, marriages, probe, only):
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
def solve_general(d: Any, r: Any, out: Any) -> Any:
    """V of a suit game in play, and after every legal card; as `values.card_values`.

    Args:
        d: DEAL record.
        r: RULE_SET record.
        out: (32,) int64; written where a card is legal.
    """
    g = np.zeros(TABLE + (ENTRY << TABLE_BITS), dtype=np.int64)
    declarer = np.int64(d["declarer"])
    marriages = np.int64(0)
    for side in range(2):
        marriages |= (
            np.int64(d["marriage_first"][side]) // 20
            | np.int64(d["marriage_best"][side]) // 20 << 2
            | np.int64(d["marriage_sum"][side]) // 20 << 4
        ) << (8 * side)
    tens = np.int64(d["points"][DECLARER]) // 10
    g[TOTAL] = tens + np.int64(d["points"][DEFENDERS]) // 10 + tens_left(d)
    for i in range(16):
        g[LOW + i] = FAR
        g[HIGH + i] = -FAR
    queens_d = marriages_in(np.int64(d["hands"][declarer]))
    queens_o = marriages_in(np.int64(d["hands"][(declarer + 1) % 3]))
    queens_o |= marriages_in(np.int64(d["hands"][(declarer + 2) % 3]))
    spread(g, d, r, marriages, queens_d, queens_o)
    low = np.int64(FAR)
    high = np.int64(-FAR)
    for final in range(tens, g[TOTAL] + 1):
        low = min(low, g[LOW + final])
        high = max(high, g[HIGH + final])
    seat = np.int64(d["turn"])
    own = seat == declarer
    h0 = np.int64(d["hands"][0])
    h1 = np.int64(d["hands"][1])
    h2 = np.int64(d["hands"][2])
    x = np.int64(d["table"][0])
    y = np.int64(d["table"][1])
    legal = np.int64(d["legal"])
    value = low
    found = False
    for card in range(32):
        if (legal >> card) & 1:
            after = bisect(
                g, d, r, h0, h1, h2, x, y, tens, marriages, np.int64(1 << card), low, high, value
            )
            out[card] = after
            if not found or (after > value) == own:
                value = after
            found = True
    return value
