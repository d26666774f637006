"""Durch: how many losers a hand has, and how both sides play it."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.tables import table
from marias_env.core.bits import BEATS, NO_TRUMP_MODE, SUIT_BITS, popcount
from marias_env.core.jit import jit

_LEAD = table("durch.lead", 9, 8)
"""Declarer: by length and cards out above the card."""
_LEFT = table("durch.left", 9, 9)
"""Declarer: by top cards in the suit and cards out in it."""
_KEEP = table("durch.keep", 2, 9, 8)
"""Defenders: following or throwing off, by length and cards out above the card."""
_RANK = table("durch.rank", 2, 8, 9)
"""Defenders: following or throwing off, by rank and cards the declarer may hold in the suit."""


@jit
def top_cards(hand: Any, out: Any, suit: Any) -> Any:
    """Cards of a suit in hand that nothing out beats."""
    number = np.int64(0)
    for rank in range(8):
        card = 8 * suit + rank
        if (hand >> card) & 1 and (BEATS[NO_TRUMP_MODE, card] & out) == 0:
            number += 1
    return number


@jit
def durch_losers(hand: Any, out: Any) -> Any:
    """Cards that may lose a trick under the worst split of the cards out."""
    losers = np.int64(0)
    for suit in range(4):
        length = popcount(hand & SUIT_BITS[suit])
        tops = top_cards(hand, out, suit)
        if length > tops:
            losers += min(length - tops, max(popcount(out & SUIT_BITS[suit]) - tops, 0))
    return losers


@jit
def exposed_winners(hand: Any, out: Any) -> Any:
    """Number of cards that nothing out beats: what an open durch counts."""
    number = np.int64(0)
    for suit in range(4):
        number += top_cards(hand, out, suit)
    return number


@jit
def winners(hand: Any, out: Any) -> Any:
    """The cards that nothing out beats."""
    found = np.int64(0)
    for card in range(32):
        if (hand >> card) & 1 and (BEATS[NO_TRUMP_MODE, card] & out) == 0:
            found |= np.int64(1) << card
    return found


@jit
def shed_for_durch(hand: Any, out: Any, size: Any) -> Any:
    """The hand without its worst cards for durch, down to `size` cards."""
    while popcount(hand) > size:
        worst = np.int64(-1)
        most = np.int64(-(1 << 20))
        for card in range(32):
            if (hand >> card) & 1:
                over = popcount(BEATS[NO_TRUMP_MODE, card] & out)
                key = 64 * over - 8 * popcount(hand & SUIT_BITS[card // 8]) + 8 - card % 8
                if key > most:
                    most = key
                    worst = np.int64(card)
        hand &= ~(np.int64(1) << worst)
    return hand


@jit
def durch_terms(v: Any, s: Any, card: Any, at: Any) -> Any:
    """What speaks for a card in durch."""
    suit = card // 8
    length = popcount(s.hand & SUIT_BITS[suit])
    out_above = popcount(s.out & BEATS[NO_TRUMP_MODE, card])
    if s.me == s.declarer:
        at[0] = _LEAD + length * 8 + out_above
        at[1] = _LEFT + top_cards(s.hand, s.out, suit) * 9 + popcount(s.out & SUIT_BITS[suit])
        return 2
    throws = np.int64(suit != v["led"])
    at[0] = _KEEP + (throws * 9 + length) * 8 + out_above
    may = s.can_next if (s.me + 1) % 3 == s.declarer else s.can_prev
    at[1] = _RANK + (throws * 8 + card % 8) * 9 + popcount(may & SUIT_BITS[suit])
    return 2
