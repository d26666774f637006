"""Suit games: can the declarer reach a payment? A zero-window search, trick by trick.

Cards are worth tens and the payment depends on the declarer's tens and on the fate of the trump 7
in the last trick only (marriages are constants, see `payoff`). So "V >= threshold" reads: from here
on the declarer takes at least `need` tens, one number for each fate: `none` (7 not played last),
`won`, `beaten`. A table entry holds one vector of needs proven reachable and one proven out of
reach; both hold whatever was won before, for every threshold of every position of the deal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.bounds import cash_tens, certain_trumps
from marias_agents.solver.lanes import (
    LANE,
    TENS,
    TRUMP_LANE,
    count,
    distinct,
    first,
    follow,
)
from marias_agents.solver.workspace import (
    CODES,
    FENCES,
    FLAGS,
    KEEP,
    KILLERS,
    NODES,
    SEVEN,
    STAMP,
    TABLE,
    TABLE_MASK,
    USE_BOUNDS,
    USE_CASH,
    USE_EQUALS,
    USE_ORDER,
    USE_TABLE,
)
from marias_env.core.jit import jit

GUARDS = 16 | 16 << 5 | 16 << 10
"""A spare bit above each of three packed needs, for comparing them at once."""


@jit
def kept(cards: Any, keep: Any) -> Any:
    """Legal cards less the trump 7 that must be kept while another one remains (5.4)."""
    others = cards & ~keep
    return others if others != 0 else cards


@jit
def trick_key(w: Any, present: Any, leader: Any) -> Any:
    """Exact number of a position at a trick boundary within its deal."""
    return (
        w[CODES + (present & LANE)]
        + w[CODES + 1024 + ((present >> 16) & LANE)]
        + w[CODES + 2048 + ((present >> 32) & LANE)]
        + w[CODES + 3072 + ((present >> 48) & LANE)]
    ) * 3 + leader


@jit
def last_trick(
    a: Any, b: Any, c: Any, leader: Any, seven: Any, none: Any, won: Any, beaten: Any
) -> Any:
    """Whether the needs are met by the last trick: one card from everybody."""
    playable = (LANE << (first(a) & 48)) | TRUMP_LANE
    best = a
    winner = leader
    if (b & playable) != 0 and b > best:
        best = b
        winner = (leader + 1) % 3
    if (c & playable) != 0 and c > best:
        best = c
        winner = (leader + 2) % 3
    cards = a | b | c
    need = none
    if (cards & seven) != 0:
        need = won if best == seven else beaten
    if winner == 0:
        need -= count(cards & TENS) + 1
    return np.int64(1) if need <= 0 else np.int64(0)


@jit
def pick(cards: Any, good: Any, fair: Any) -> Any:
    """The next card to try: the lowest of `good`, else of `fair`, else any."""
    chosen = cards & good
    if chosen == 0:
        chosen = cards & fair
        if chosen == 0:
            chosen = cards
    return chosen & -chosen


@jit
def reachable(
    w: Any, h0: Any, h1: Any, h2: Any, leader: Any, none: Any, won: Any, beaten: Any
) -> Any:
    """Whether the declarer gets what he needs from a trick boundary on: 1 or 0.

    Args:
        w: workspace.
        h0: the declarer's cards.
        h1: his left neighbour's.
        h2: his right neighbour's.
        leader: who leads: 0, 1 or 2, counted from the declarer.
        none: tens needed if the trump 7 is not played in the last trick.
        won: tens needed if it wins the last trick.
        beaten: tens needed if it loses the last trick.
    """
    if leader == 0:
        a, b, c = h0, h1, h2
    elif leader == 1:
        a, b, c = h1, h2, h0
    else:
        a, b, c = h2, h0, h1
    seven = w[SEVEN]
    if a & (a - 1) == 0:
        return last_trick(a, b, c, leader, seven, none, won, beaten)
    w[NODES] += 1
    flags = w[FLAGS]
    present = h0 | h1 | h2
    left = count(present & TENS) + 1
    if (present & seven) == 0:
        won = none
        beaten = none
    if flags & USE_BOUNDS:
        if none <= 0 and won <= 0 and beaten <= 0:
            return np.int64(1)
        if none > left and won > left and beaten > left:
            return np.int64(0)
        sure0 = certain_trumps(h0, h1 | h2)
        sure1 = certain_trumps(h1 | h2, h0)
        if flags & USE_CASH:
            tens = cash_tens(a, b, c, left)
            if leader == 0:
                if tens == left:
                    # Every trick: the declarer's own 7 may stay to the last, somebody else's falls.
                    if (h0 & seven) != 0:
                        if won <= left:
                            return np.int64(1)
                    elif none <= left and beaten <= left:
                        return np.int64(1)
                    tens = 0
                sure0 += tens
            else:
                if tens == left:
                    if (a & seven) != 0:
                        if won > 0:
                            return np.int64(0)
                    elif none > 0 and beaten > 0 and won > 0:
                        return np.int64(0)
                    tens = 0
                sure1 += tens
        if none <= sure0 and won <= sure0 and beaten <= sure0:
            return np.int64(1)
        most = left - sure1
        if none > most and won > most and beaten > most:
            return np.int64(0)
    none = min(max(none, 0), left + 1)
    won = min(max(won, 0), left + 1)
    beaten = min(max(beaten, 0), left + 1)
    needs = none | won << 5 | beaten << 10
    entry = np.int64(0)
    key = np.int64(0)
    hint = np.int64(0)
    stamp = w[STAMP]
    win = np.int64(0)
    lose = (left + 1) * (1 | 1 << 5 | 1 << 10)
    if flags & USE_TABLE:
        key = trick_key(w, present, leader)
        entry = TABLE + 2 * ((key ^ (key >> 13) ^ (key >> 29) ^ (key >> 43)) & w[TABLE_MASK])
        if w[entry] == key:
            word = w[entry + 1]
            if word >> 36 == stamp:
                win = word & 0x7FFF
                lose = (word >> 15) & 0x7FFF
                if (((win | GUARDS) - needs) & GUARDS) == GUARDS:
                    return np.int64(1)
                if (((needs | GUARDS) - lose) & GUARDS) == GUARDS:
                    return np.int64(0)
                hint = np.int64(1) << ((word >> 30) & 63)
    if flags & USE_EQUALS:
        fences = w[FENCES]
        ra = distinct(a, present, fences)
        rb = distinct(b, present, fences)
        rc = distinct(c, present, fences)
    else:
        ra = a
        rb = b
        rc = c
    keep = w[KEEP]
    order = flags & USE_ORDER
    want_a = np.int64(1) if leader == 0 else np.int64(0)
    want_b = np.int64(1) if leader == 2 else np.int64(0)
    want_c = np.int64(1) if leader == 1 else np.int64(0)
    result_a = 1 - want_a
    cards_a = kept(ra, keep)
    killer = KILLERS + 4 * count(a)
    best_lead = np.int64(1)
    while cards_a != 0:
        if order:
            x = pick(cards_a, hint, w[killer + leader])
        else:
            x = cards_a & -cards_a
        cards_a ^= x
        led = LANE << (first(x) & 48)
        playable = led | TRUMP_LANE
        cards_b = kept(follow(rb, led, x, TRUMP_LANE), keep)
        result_b = 1 - want_b
        while cards_b != 0:
            y = cards_b & -cards_b
            cards_b ^= y
            best = x
            winner = leader
            if (y & playable) != 0 and y > x:
                best = y
                winner = leader + 1
            cards_c = kept(follow(rc, led, best, TRUMP_LANE), keep)
            result_c = 1 - want_c
            over = -(best << 1) & playable
            # Tens to the own side's trick, low cards to the other side's.
            while cards_c != 0:
                z = cards_c & -cards_c
                cards_c ^= z
                taker = winner
                if (z & over) != 0:
                    taker = leader + 2
                if taker >= 3:
                    taker -= 3
                tens = np.int64(0)
                if taker == 0:
                    tens = count((x | y | z) & TENS)
                if leader == 0:
                    value = reachable(
                        w, h0 & ~x, h1 & ~y, h2 & ~z, taker, none - tens, won - tens, beaten - tens
                    )
                elif leader == 1:
                    value = reachable(
                        w, h0 & ~z, h1 & ~x, h2 & ~y, taker, none - tens, won - tens, beaten - tens
                    )
                else:
                    value = reachable(
                        w, h0 & ~y, h1 & ~z, h2 & ~x, taker, none - tens, won - tens, beaten - tens
                    )
                if value == want_c:
                    result_c = want_c
                    break
            if result_c == want_b:
                result_b = want_b
                break
        if result_b == want_a:
            result_a = want_a
            best_lead = x
            w[killer + leader] = x
            break
    if flags & USE_TABLE:
        if result_a:
            win = needs
        else:
            lose = needs
        w[entry] = key
        w[entry + 1] = win | lose << 15 | first(best_lead) << 30 | stamp << 36
    return result_a
