"""Betl and durch: does the declarer lose, or win, every trick? And the verdict on exposed cards."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.bounds import winners
from marias_agents.solver.lanes import LANE, count, distinct, first, follow, last
from marias_agents.solver.suit import trick_key
from marias_agents.solver.workspace import (
    FENCES,
    FLAGS,
    NODES,
    STAMP,
    TABLE,
    TABLE_MASK,
    USE_BOUNDS,
    USE_EQUALS,
    USE_ORDER,
    USE_TABLE,
)
from marias_env.core.jit import jit


@jit
def below_all(own: Any, others: Any) -> Any:
    """Whether in every suit of both, every card of `own` is lower than every one of `others`."""
    for lane in range(4):
        suit = LANE << (16 * lane)
        if (own & suit) != 0 and (others & suit) != 0 and last(own & suit) > first(others & suit):
            return False
    return True


@jit
def forced_trick(own: Any, leading: Any, partner: Any) -> Any:
    """Whether a defender on lead has a card that the declarer must take in betl.

    Args:
        own: the declarer's cards.
        leading: the cards of the defender on lead.
        partner: the other defender's.
    """
    for lane in range(4):
        suit = LANE << (16 * lane)
        mine = own & suit
        led = leading & suit
        if mine != 0 and led != 0:
            if (partner & suit) == 0:
                # Nobody goes over the declarer, who must head the lowest card if he can.
                if last(mine) > first(led):
                    return True
            elif first(mine) > last((leading | partner) & suit):
                return True
    return False


@jit
def all_winners(own: Any, b: Any, c: Any) -> Any:
    """Whether every card of the leader wins when suits are led from the top, without trumps."""
    for lane in range(4):
        suit = LANE << (16 * lane)
        if winners(own & suit, b & suit, c & suit) < count(own & suit):
            return False
    return True


@jit
def made(w: Any, betl: Any, h0: Any, h1: Any, h2: Any, leader: Any) -> Any:
    """Whether the declarer makes betl (1) or durch (0) from a trick boundary on: 1 or 0.

    Args:
        w: workspace.
        betl: 1 for betl, 0 for durch; nothing is lost yet.
        h0: the declarer's cards.
        h1: his left neighbour's.
        h2: his right neighbour's.
        leader: who leads: 0, 1 or 2, counted from the declarer.
    """
    if h0 == 0:
        return np.int64(1)
    w[NODES] += 1
    flags = w[FLAGS]
    if flags & USE_BOUNDS:
        if betl:
            # A declarer who leads may have to lead a suit that nobody else holds.
            if leader != 0:
                if below_all(h0, h1 | h2):
                    return np.int64(1)
                if forced_trick(h0, h1 if leader == 1 else h2, h2 if leader == 1 else h1):
                    return np.int64(0)
        elif leader == 0 and all_winners(h0, h1, h2):
            return np.int64(1)
    present = h0 | h1 | h2
    entry = np.int64(0)
    key = np.int64(0)
    if flags & USE_TABLE:
        key = trick_key(w, present, leader)
        entry = TABLE + 2 * ((key ^ (key >> 13) ^ (key >> 29) ^ (key >> 43)) & w[TABLE_MASK])
        if w[entry] == key and w[entry + 1] >> 36 == w[STAMP]:
            return w[entry + 1] & 1
    if leader == 0:
        a, b, c = h0, h1, h2
    elif leader == 1:
        a, b, c = h1, h2, h0
    else:
        a, b, c = h2, h0, h1
    cards_a = a
    rb = b
    rc = c
    if flags & USE_EQUALS:
        fences = w[FENCES]
        cards_a = distinct(a, present, fences)
        rb = distinct(b, present, fences)
        rc = distinct(c, present, fences)
    want_a = np.int64(1) if leader == 0 else np.int64(0)
    want_b = np.int64(1) if leader == 2 else np.int64(0)
    want_c = np.int64(1) if leader == 1 else np.int64(0)
    high = np.int64(1) if flags & USE_ORDER else np.int64(2)
    result_a = 1 - want_a
    while cards_a != 0 and result_a != want_a:
        x = cards_a & -cards_a
        cards_a ^= x
        led = LANE << (first(x) & 48)
        cards_b = follow(rb, led, x, 0)
        result_b = 1 - want_b
        while cards_b != 0 and result_b != want_b:
            # The declarer rids himself of his highest card that loses.
            y = np.int64(1) << last(cards_b) if want_b == high else cards_b & -cards_b
            cards_b ^= y
            best = x
            winner = leader
            if (y & led) != 0 and y > x:
                best = y
                winner = (leader + 1) % 3
            cards_c = follow(rc, led, best, 0)
            result_c = 1 - want_c
            while cards_c != 0 and result_c != want_c:
                z = np.int64(1) << last(cards_c) if want_c == high else cards_c & -cards_c
                cards_c ^= z
                taker = winner
                if (z & led) != 0 and z > best:
                    taker = (leader + 2) % 3
                value = np.int64(0)
                if (taker != 0) == (betl != 0):
                    if leader == 0:
                        value = made(w, betl, h0 & ~x, h1 & ~y, h2 & ~z, taker)
                    elif leader == 1:
                        value = made(w, betl, h0 & ~z, h1 & ~x, h2 & ~y, taker)
                    else:
                        value = made(w, betl, h0 & ~y, h1 & ~z, h2 & ~x, taker)
                if value == want_c:
                    result_c = value
            if result_c == want_b:
                result_b = result_c
        if result_b == want_a:
            result_a = result_b
    if flags & USE_TABLE:
        w[entry] = key
        w[entry + 1] = result_a | w[STAMP] << 36
    return result_a
