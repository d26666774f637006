"""The value of a position and of every legal card: kernels over one record and over many."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.general import solve_general
from marias_agents.solver.lanes import card_bit, distinct, last
from marias_agents.solver.payoff import fill_payments, need, needs_order
from marias_agents.solver.position import complete, load, next_trick
from marias_agents.solver.suit import reachable
from marias_agents.solver.workspace import (
    FENCES,
    FLAGS,
    HANDS,
    IN_TRICK,
    LEADER,
    NUM_STEPS,
    PLAYED,
    STEPS,
    USE_EQUALS,
)
from marias_env.actions import PLAY, SUIT_GAME
from marias_env.core.bits import marriages_in
from marias_env.core.jit import jit
from marias_env.core.settlement import no_trump_value

NO_VALUE = np.int64(-(1 << 62))
"""Stands where there is no value: a card that is not legal, a position that is not in play."""


@jit
def reaches(w: Any, contract: Any, card: Any, none: Any, won: Any, beaten: Any) -> Any:
    """Whether the declarer gets what he needs after `card`, one bit; 0: as it stands."""
    h0 = w[HANDS] & ~card
    h1 = w[HANDS + 1] & ~card
    h2 = w[HANDS + 2] & ~card
    leader = w[LEADER]
    x = w[PLAYED]
    y = w[PLAYED + 1]
    in_trick = w[IN_TRICK]
    if card == 0:
        if in_trick == 0 and contract == SUIT_GAME:
            return reachable(w, h0, h1, h2, leader, none, won, beaten)
        return complete(w, contract, h0, h1, h2, leader, x, y, none, won, beaten)
    if in_trick == 0:
        return complete(w, contract, h0, h1, h2, leader, card, y, none, won, beaten)
    if in_trick == 1:
        return complete(w, contract, h0, h1, h2, leader, x, card, none, won, beaten)
    return next_trick(w, contract, h0, h1, h2, leader, x, y, card, none, won, beaten)


@jit
def pays(w: Any, card: Any, threshold: Any) -> Any:
    """Whether V >= threshold in a suit game, after `card` or as it stands."""
    return reaches(
        w,
        np.int64(SUIT_GAME),
        card,
        need(w, np.int64(0), threshold),
        need(w, np.int64(1), threshold),
        need(w, np.int64(2), threshold),
    )


@jit
def locate(w: Any, card: Any, low: Any, high: Any, guess: Any) -> Any:
    """Index in STEPS of V after `card` (0: of the position), known to be in low…high.

    The answer is mostly near the guess: first the guess itself, then its neighbours, then halves.
    """
    probe = min(max(guess, low + 1), high)
    tries = 0
    while low < high:
        if pays(w, card, w[STEPS + probe]):
            low = probe
            probe += 1
        else:
            high = probe - 1
            probe -= 1
        tries += 1
        if tries > 2:
            probe = (low + high + 1) >> 1
        probe = min(max(probe, low + 1), high)
    return low


@jit
def first_guess(w: Any) -> Any:
    """Index in STEPS to begin with: the middle."""
    return w[NUM_STEPS] >> 1


@jit
def no_trump_payment(d: Any, r: Any, is_made: Any) -> Any:
    """V of a contract without trumps."""
    return no_trump_value(r, d["contract"], is_made == 1, d["levels"][0])


@jit
def position_value(w: Any, d: Any, r: Any) -> Any:
    """V of a deal in play under best play (RULES.md 6, units per opponent, declarer's view).

    Args:
        w: workspace, see `new_workspace`.
        d: DEAL record; NO_VALUE when it is not in play.
        r: RULE_SET record.
    """
    if d["phase"] != PLAY:
        return NO_VALUE
    if d["contract"] != SUIT_GAME:
        if d["made"] >= 0:
            return no_trump_payment(d, r, d["made"])
        load(w, d)
        zero = np.int64(0)
        return no_trump_payment(d, r, reaches(w, np.int64(d["contract"]), zero, zero, zero, zero))
    load(w, d)
    if fill_payments(w, d, r, np.int64(0)) and not needs_order(d, r):
        low = locate(w, np.int64(0), np.int64(0), w[NUM_STEPS] - 1, first_guess(w))
        return w[STEPS + low]
    scratch = np.empty(32, dtype=np.int64)
    return solve_general(w, d, r, scratch)


@jit
def card_values(w: Any, d: Any, r: Any, out: Any) -> Any:
    """V after every legal card of a deal in play; returns V of the position.

    Args:
        w: workspace, see `new_workspace`.
        d: DEAL record.
        r: RULE_SET record.
        out: (32,) int64, written: V by card id, NO_VALUE where it is not legal.
    """
    for card in range(32):
        out[card] = NO_VALUE
    if d["phase"] != PLAY:
        return NO_VALUE
    legal = np.int64(d["legal"])
    contract = np.int64(d["contract"])
    if contract != SUIT_GAME:
        return _no_trump_cards(w, d, r, legal, contract, out)
    load(w, d)
    if not fill_payments(w, d, r, np.int64(0)) or needs_order(d, r):
        return solve_general(w, d, r, out)
    return _suit_cards(w, d, r, legal, out)


@jit
def _no_trump_cards(w: Any, d: Any, r: Any, legal: Any, contract: Any, out: Any) -> Any:
    decided = d["made"] >= 0
    zero = np.int64(0)
    value = NO_VALUE
    if not decided:
        load(w, d)
    for card in range(32):
        if (legal >> card) & 1:
            is_made = np.int64(d["made"])
            if not decided:
                is_made = reaches(
                    w, contract, card_bit(np.int64(card), np.int64(-1)), zero, zero, zero
                )
            out[card] = no_trump_payment(d, r, is_made)
            if value == NO_VALUE or (out[card] > value) == (d["turn"] == d["declarer"]):
                value = out[card]
    return value


@jit
def _suit_cards(w: Any, d: Any, r: Any, legal: Any, out: Any) -> Any:
    trump = np.int64(d["trump"])
    declares = d["turn"] == d["declarer"]
    # With the king a player who still holds the queen forfeits the marriage: its own payments.
    forfeits = legal & (marriages_in(np.int64(d["hands"][d["turn"]])) << 1)
    top = w[NUM_STEPS] - 1
    zero = np.int64(0)
    best = locate(w, zero, zero, top, first_guess(w))
    value = w[STEPS + best]
    low = zero if declares else best
    high = best if declares else top
    hand = w[HANDS + (np.int64(d["turn"]) - np.int64(d["declarer"]) + 3) % 3]
    apart = hand
    if w[FLAGS] & USE_EQUALS:
        present = w[HANDS] | w[HANDS + 1] | w[HANDS + 2] | w[PLAYED] | w[PLAYED + 1]
        apart = distinct(hand, present, w[FENCES])
    done_bits = np.zeros(10, dtype=np.int64)
    done_values = np.zeros(10, dtype=np.int64)
    done = 0
    for card in range(32):
        if ((legal & ~forfeits) >> card) & 1:
            bit = card_bit(np.int64(card), trump)
            # The card that stands for this one: the nearest distinct card from it downwards.
            below = apart & (bit | (bit - 1))
            stands = np.int64(1) << last(below)
            found = -1
            for i in range(done):
                if done_bits[i] == stands:
                    found = i
            if found >= 0:
                out[card] = done_values[found]
                continue
            index = locate(w, bit, low, high, best + 1 if not declares else best)
            out[card] = w[STEPS + index]
            done_bits[done] = stands
            done_values[done] = out[card]
            done += 1
    for card in range(32):
        if (forfeits >> card) & 1:
            fill_payments(w, d, r, np.int64(1) << (card - 1))
            bit = card_bit(np.int64(card), trump)
            out[card] = w[STEPS + locate(w, bit, zero, w[NUM_STEPS] - 1, first_guess(w))]
    return value


@jit
def rows_values(w: Any, deals: Any, rules: Any, out: Any) -> None:
    """`position_value` of every row: out is (B,) int64."""
    for i in range(deals.shape[0]):
        out[i] = position_value(w, deals[i], rules[0])


@jit
def rows_cards(w: Any, deals: Any, rules: Any, out: Any) -> None:
    """`card_values` of every row: out is (B, 32) int64."""
    for i in range(deals.shape[0]):
        card_values(w, deals[i], rules[0], out[i])
