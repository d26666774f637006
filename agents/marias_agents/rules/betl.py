"""Betl: how safe a hand is, and how both sides play it.

A hole is a card out that is lower than a card held: whoever leads it makes the holder win, since
heading is compulsory, unless the third hand must head in turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.tables import table
from marias_env.core.bits import BEATS, NO_TRUMP_MODE, SUIT_BITS, popcount
from marias_env.core.jit import jit

LEAD_DECLARER, FOLLOW_DECLARER, THROW_DECLARER = 0, 1, 2
LEAD_THROUGH, LEAD_TO, FOLLOW_BEFORE, FOLLOW_AFTER, THROW_DEFENDER = 3, 4, 5, 6, 7
"""Situations: the declarer leads, follows suit, throws off; a defender leads with the declarer
second or last, follows before or after him, throws off."""

_HOLES = table("betl.holes", 8, 8, 8)
"""By situation, cards out under the card, cards out above it."""
_OWN = table("betl.own", 8, 8, 4, 4)
"""By situation, rank, own cards under it (0, 1, 2, 3 …) and above it."""
_LENGTH = table("betl.length", 8, 9, 9)
"""By situation, own length and cards out."""
_HEADS = table("betl.heads", 8, 2, 8)
"""By situation: whether the card heads the trick, and cards out above it."""
_DECLARER = table("betl.declarer", 8, 9, 9)
"""Defenders: cards the declarer may hold under and above the card."""


@jit
def holes_under(card: Any, out: Any) -> Any:
    """Number of cards out of the card's suit that are lower."""
    return popcount(out & SUIT_BITS[card // 8] & ~BEATS[NO_TRUMP_MODE, card])


@jit
def shed_for_betl(hand: Any, out: Any, size: Any) -> Any:
    """The hand without its worst cards for betl, down to `size` cards."""
    while popcount(hand) > size:
        worst = np.int64(-1)
        most = np.int64(-(1 << 20))
        for card in range(32):
            if (hand >> card) & 1:
                under = popcount(hand & SUIT_BITS[card // 8] & ~BEATS[NO_TRUMP_MODE, card]) - 1
                key = 16 * holes_under(card, out) - 4 * under + card % 8
                if key > most:
                    most = key
                    worst = np.int64(card)
        hand &= ~(np.int64(1) << worst)
    return hand


@jit
def betl_danger(hand: Any, out: Any) -> Any:
    """Number of holes of the whole hand."""
    danger = np.int64(0)
    for card in range(32):
        if (hand >> card) & 1:
            danger += holes_under(card, out)
    return danger


@jit
def exposed_losers(hand: Any, out: Any) -> Any:
    """Number of cards that would lose an open betl: those with a hole under them."""
    number = np.int64(0)
    for card in range(32):
        if (hand >> card) & 1 and holes_under(card, out) > 0:
            number += 1
    return number


@jit
def open_betl_leads(hand: Any, out: Any) -> Any:
    """The leads that make an open betl for certain: they lose, and no hole is left behind."""
    leads = np.int64(0)
    for card in range(32):
        bit = np.int64(1) << card
        if (
            hand & bit
            and BEATS[NO_TRUMP_MODE, card] & out
            and exposed_losers(hand & ~bit, out) == 0
        ):
            leads |= bit
    return leads


@jit
def betl_situation(v: Any, s: Any, card: Any) -> Any:
    """Which row of the tables a card's terms are in."""
    led = np.int64(v["led"])
    if s.me == s.declarer:
        if led < 0:
            return LEAD_DECLARER
        return FOLLOW_DECLARER if card // 8 == led else THROW_DECLARER
    if led < 0:
        return LEAD_THROUGH if (s.me + 1) % 3 == s.declarer else LEAD_TO
    if card // 8 != led:
        return THROW_DEFENDER
    return FOLLOW_BEFORE if v["in_trick"] == 1 and v["leader"] != s.declarer else FOLLOW_AFTER


@jit
def betl_terms(v: Any, s: Any, card: Any, at: Any) -> Any:
    """What speaks for a card in betl."""
    situation = betl_situation(v, s, card)
    suit = SUIT_BITS[card // 8]
    above = BEATS[NO_TRUMP_MODE, card]
    bit = np.int64(1) << card
    under = suit & ~above & ~bit
    out_under = popcount(s.out & under)
    out_above = popcount(s.out & above)
    at[0] = _HOLES + (situation * 8 + out_under) * 8 + out_above
    own_under = min(popcount(s.hand & under), 3)
    own_above = min(popcount(s.hand & above), 3)
    at[1] = _OWN + ((situation * 8 + card % 8) * 4 + own_under) * 4 + own_above
    at[2] = _LENGTH + (situation * 9 + popcount(s.hand & suit)) * 9 + popcount(s.out & suit)
    n = 3
    best = np.int64(v["best_card"])
    if best >= 0 and card // 8 == v["led"]:
        heads = np.int64((BEATS[NO_TRUMP_MODE, best] >> card) & 1)
        at[n] = _HEADS + (situation * 2 + heads) * 8 + out_above
        n += 1
    if s.me != s.declarer:
        may = s.can_next if (s.me + 1) % 3 == s.declarer else s.can_prev
        at[n] = _DECLARER + (situation * 9 + popcount(may & under)) * 9 + popcount(may & above)
        n += 1
    return n
