"""Deals that differ in nothing that a seat can know: two cards it has not seen are exchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.actions import OVER
from marias_env.core.history import entry_of, history_of
from marias_env.rules import Rules

FIELDS = ("hands", "discards", "taken", "talon", "pending")


def unseen(deal: Any, seat: int, rules: Rules) -> int:
    """Bit set of the cards whose place a seat does not know."""
    forehand = (int(deal["dealer"]) + 1) % 3
    own = int(deal["hands"][seat])
    if seat == forehand:
        own &= ~int(deal["pending"])
    known = own | int(deal["discards"][seat]) | int(deal["taken"][seat])
    if seat == deal["declarer"] and (rules.dealing == "chosen_trump" or deal["talon_taken"]):
        known |= int(deal["talon"])  # what it has put away, the first card alone included
    for actor, action in history_of(deal):
        if actor == seat and action < 32:
            known |= 1 << action  # put away before, and seen to go to whoever took it
    for other in range(3):
        known |= int(deal["played"][other]) | int(deal["must"][other])
    if deal["trump_card"] >= 0 and (deal["trump_shown"] or seat == forehand):
        known |= 1 << int(deal["trump_card"])
    return rules.deck_mask & ~known


def exchange(deal: Any, first: int, second: int) -> None:
    """Exchanges two unplayed cards everywhere in a record, in place."""
    for name in FIELDS:
        value = np.atleast_1d(deal[name]).astype(np.int64)
        one, two = value >> first & 1, value >> second & 1
        value = value & ~(1 << first) & ~(1 << second) | one << second | two << first
        deal[name] = value if deal[name].ndim else value[0]
    swapped = {first: second, second: first}
    if int(deal["trump_card"]) in swapped:
        deal["trump_card"] = swapped[int(deal["trump_card"])]
        deal["trump"] = deal["trump_card"] // 8
    deck = deal["deck"].copy()
    at = [int(np.flatnonzero(deck == card)[0]) for card in (first, second)]
    deck[at] = deck[at[::-1]]
    deal["deck"] = deck
    for i, (actor, action) in enumerate(history_of(deal)):
        if action in swapped:
            deal["history"][i] = entry_of(actor, swapped[action])


def permuted(deal: Any, seat: int, rules: Rules, rng: np.random.Generator) -> Any | None:
    """A copy of a deal with hidden cards permuted; None where the seat knows everything."""
    if deal["phase"] == OVER:
        return None
    other = deal.copy()
    cards = [card for card in range(32) if unseen(deal, seat, rules) >> card & 1]
    if len(cards) < 2:
        return None
    for _ in range(12):
        first, second = (int(card) for card in rng.choice(cards, 2, replace=False))
        if shown_otherwise(other, first, second) or shown_otherwise(other, second, first):
            continue
        exchange(other, first, second)
    return other if other.tobytes() != deal.tobytes() else None


def shown_otherwise(deal: Any, card: int, instead: int) -> bool:
    """Whether play has shown that whoever holds `card` cannot hold `instead`."""
    return any(
        int(deal["hands"][seat]) >> card & 1 and int(deal["cannot"][seat]) >> instead & 1
        for seat in range(3)
    )


def put(deals: npt.NDArray[Any], row: int, deal: Any) -> None:
    """Overwrites a row by another deal, its random streams kept as they are."""
    deals[row] = deal
