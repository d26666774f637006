"""Naming a contract and answering one: suit game, betl, durch, their open forms, good, bad, flek."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.betl import betl_danger
from marias_agents.rules.durch import durch_losers
from marias_agents.rules.talon import discard_betl, discard_durch
from marias_env.actions import (
    BAD,
    BETL,
    CONTRACT_0,
    DURCH,
    FLEK_GAME,
    GOOD,
    OPEN_BETL,
    OPEN_DURCH,
    SUIT_GAME,
)
from marias_env.core.bits import popcount
from marias_env.core.jit import jit


@jit
def danger_after_discard(hand: Any, out: Any, size: Any) -> Any:
    """Betl danger of the hand with its worst cards put away, down to `size` cards."""
    while popcount(hand) > size:
        hand &= ~(np.int64(1) << discard_betl(hand, hand, out))
    return betl_danger(hand, out)


@jit
def losers_after_discard(hand: Any, out: Any, size: Any) -> Any:
    """Durch losers of the hand with its worst cards put away, down to `size` cards."""
    while popcount(hand) > size:
        hand &= ~(np.int64(1) << discard_durch(hand, hand, out))
    return durch_losers(hand, out)


@jit
def choose_contract(v: Any, r: Any, s: Any) -> Any:
    """CONTRACT: the best contract that is legal; the highest cannot be refused by the rules."""
    legal = np.int64(v["legal"])
    size = np.int64(r["hand_size"])
    danger = danger_after_discard(s.hand, s.out, size)
    losers = losers_after_discard(s.hand, s.out, size)
    exact = popcount(s.hand) > size
    if losers == 0 and exact and (legal >> (CONTRACT_0 + DURCH)) & 1:
        return CONTRACT_0 + DURCH
    if danger <= 1 and (legal >> (CONTRACT_0 + BETL)) & 1:
        return CONTRACT_0 + BETL
    if (legal >> (CONTRACT_0 + SUIT_GAME)) & 1:
        return CONTRACT_0 + SUIT_GAME
    # Somebody took the talon and must name something higher.
    if (legal >> (CONTRACT_0 + BETL)) & 1 and danger < 6 * losers:
        return CONTRACT_0 + BETL
    if (legal >> (CONTRACT_0 + DURCH)) & 1:
        return CONTRACT_0 + DURCH
    if (legal >> (CONTRACT_0 + OPEN_BETL)) & 1:
        return CONTRACT_0 + OPEN_BETL
    return CONTRACT_0 + OPEN_DURCH


@jit
def choose_reply(v: Any, r: Any, s: Any) -> Any:
    """REPLY: bad with a hand that carries a higher contract, flek with one that stops this one."""
    legal = np.int64(v["legal"])
    contract = np.int64(v["contract"])
    size = np.int64(r["hand_size"])
    if (legal >> BAD) & 1:
        if contract < BETL and danger_after_discard(s.hand, s.out, size - 2) <= 1:
            return np.int64(BAD)
        if contract < DURCH and durch_losers(s.hand, s.out) == 0:
            return np.int64(BAD)
    if (legal >> FLEK_GAME) & 1 and (contract == DURCH or contract == OPEN_DURCH):
        return np.int64(GOOD)
    return np.int64(GOOD)
