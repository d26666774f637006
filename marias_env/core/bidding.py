"""From deal to contract: trump choice, contract, discards, replies, naming trumps (RULES.md 3).

Masks are bit sets of actions; the functions that change the record are in `step` order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import (
    BAD,
    BETL,
    BLIND,
    CONTRACT_0,
    DURCH,
    FLEK_GAME,
    GOOD,
    NAME_TRUMP_0,
    OPEN_DURCH,
    SUIT_GAME,
)
from marias_env.core.bits import SHARPS, SUIT_BITS, popcount
from marias_env.core.deal import DEALING_CHOSEN_TRUMP, GAME, NO_CARD
from marias_env.core.jit import jit


@jit
def trump_mask(d: Any, r: Any) -> Any:
    """TRUMP: the cards of forehand's first packet, or blind (RULES.md 3a.1)."""
    mask = np.int64(d["hands"][d["turn"]]) & ~np.int64(d["pending"])
    if r["blind"] and d["pending"] != 0:
        mask |= np.int64(1) << BLIND
    return mask


@jit
def contract_mask(d: Any, r: Any) -> Any:
    """CONTRACT: everything above the contract so far, which only forehand's first turn has not."""
    highest = OPEN_DURCH if r["open_contracts"] else DURCH
    mask = np.int64(0)
    for contract in range(np.int64(d["contract"]) + 1, highest + 1):
        mask |= np.int64(1) << (CONTRACT_0 + contract)
    return mask


@jit
def discard_mask(d: Any, r: Any) -> Any:
    """DISCARD: the cards that may go to the talon next (RULES.md 3a.3, 3b.3, 6d, 9)."""
    hand = np.int64(d["hands"][d["turn"]])
    if d["contract"] != SUIT_GAME:
        return hand
    put_away = np.int64(d["talon"])
    free = hand
    if d["trump_card"] != NO_CARD:
        free &= ~(np.int64(1) << np.int64(d["trump_card"]))
    allowed = free & ~SHARPS
    # The count is of the whole exchange, so that the second card is judged like the first.
    if popcount(allowed | (put_away & ~SHARPS)) < 2:
        allowed = free
    if not r["talon_trumps"] and d["trump"] >= 0:
        plain = allowed & ~SUIT_BITS[d["trump"]]
        if plain != 0:
            return plain
    return allowed


@jit
def reply_mask(d: Any, r: Any) -> Any:
    """REPLY: good, bad while something higher exists, flek of a no-trump contract (3a.4, 3a.5)."""
    mask = np.int64(1) << GOOD
    if contract_mask(d, r) != 0:
        mask |= np.int64(1) << BAD
    if d["contract"] >= BETL and d["reply_flek"] == 0 and r["max_doublings"] > 0:
        mask |= np.int64(1) << FLEK_GAME
    return mask


@jit
def name_trump_mask(d: Any, r: Any) -> Any:
    """NAME_TRUMP: any suit of the deck (RULES.md 3b.4, and 6d for `talon_trumps` false)."""
    every = np.int64(0)
    free = np.int64(0)
    for suit in range(4):
        if (r["deck"] & SUIT_BITS[suit]) != 0:
            every |= np.int64(1) << (NAME_TRUMP_0 + suit)
            if (np.int64(d["talon"]) & SUIT_BITS[suit]) == 0:
                free |= np.int64(1) << (NAME_TRUMP_0 + suit)
    # On a deck of two suits both may have been put away: then neither can be refused.
    if r["talon_trumps"] or free == 0:
        return every
    return free


@jit
def take_talon(d: Any, seat: Any) -> None:
    """The seat picks up the talon and sees it."""
    d["hands"][seat] |= d["talon"]
    d["taken_before"][seat] = d["taken"][seat]
    d["taken"][seat] = d["talon"]
    d["talon"] = 0
    d["talon_taken"] = 1


@jit
def put_away(d: Any, seat: Any, card: Any) -> Any:
    """Discards one card; returns whether the exchange is complete."""
    bit = np.int64(1) << card
    d["hands"][seat] = np.int64(d["hands"][seat]) & ~bit
    d["talon"] = np.int64(d["talon"]) | bit
    complete = popcount(np.int64(d["talon"])) == 2
    if complete:
        d["discards"][seat] = d["talon"]
    return complete


@jit
def name_contract(d: Any, contract: Any) -> None:
    """The seat on turn is declarer of a contract; earlier replies and fleks lapse."""
    d["declarer"] = d["turn"]
    d["contract"] = contract
    d["named_by"][contract] = d["turn"]
    d["replies"] = 0
    d["reply_flek"] = 0
    d["levels"][GAME] = 0
    if contract != SUIT_GAME:
        d["trump"] = -1


@jit
def may_discard_now(d: Any, r: Any) -> Any:
    """Whether a contract just named is followed by an exchange (not forehand's opening, 3b.1)."""
    return r["dealing"] == DEALING_CHOSEN_TRUMP or d["talon_taken"] != 0
