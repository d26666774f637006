"""Leading to a trick of a suit game."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.sight import (
    NUM_RANK_CLASSES,
    RANK_CLASS,
    count_in,
    is_master,
    is_sharp,
    sharp_state,
)
from marias_agents.rules.tables import table
from marias_env.core.bits import RANK_T, SUIT_BITS
from marias_env.core.deal import DEFENDERS, NOBODY
from marias_env.core.history import action_of, plays_from, seat_of
from marias_env.core.jit import jit

# Who leads: 0 the declarer, 1 a defender with the declarer next, 2 with the declarer last.
_TRUMP_RANK = table("lead.trump_rank", 3, NUM_RANK_CLASSES, 2, 4)
"""A trump: rank class, master or not, sharps of trumps out."""
_TRUMP_LENGTH = table("lead.trump_length", 3, 2, 9, 9)
"""A trump: master or not, own trumps, trumps out."""
_TRUMP_SEVEN = table("lead.trump_seven", 3, 3, 9)
"""A trump: seven announced (nobody, declarer, defenders), own trumps."""
_TRUMP_STAGE = table("lead.trump_stage", 3, NUM_RANK_CLASSES, 10)
"""A trump: rank class, tricks played."""
_TRUMP_ALL = table("lead.trump_all", 3, 2, NUM_RANK_CLASSES, 9, 5)
"""A trump: master or not, rank class, own trumps, trumps out (up to 4)."""

# Kinds of cards of a side suit: 0 a sharp that is master, 1 another master, 2 a ten under the ace,
# 3 any other.
_RANK = table("lead.rank", 3, NUM_RANK_CLASSES, 4, 4)
"""A side suit: rank class, sharps of the suit out, own sharps in it."""
_OUT = table("lead.out", 3, 4, 9, 3)
"""A side suit: kind, cards of the suit out, trumps out (0, 1–2, more)."""
_LENGTH = table("lead.length", 3, 4, 9, 4)
"""A side suit: kind, own length, sharps of the suit out."""
_VOIDS = table("lead.voids", 3, 4, 3, 3)
"""A side suit: kind, next seat and seat before: may follow, void but may trump, void of both."""
_TRUMPS = table("lead.trumps", 3, 4, 9, 5)
"""A side suit: kind, own trumps, trumps out (up to 4)."""
_STAGE = table("lead.stage", 3, 4, 10)
"""A side suit: kind, tricks played."""
_BEFORE = table("lead.before", 3, 4, 8)
"""A side suit: kind, who has led it before (bits: me, next seat, seat before)."""
_SEVEN = table("lead.seven", 3, 4, 3)
"""A side suit: kind, seven announced."""
_ALL = table("lead.all", 3, 4, 9, 9, 3, 4)
"""A side suit: kind, own length, cards out, trumps out (0, 1–2, more), sharps out."""
_OWN = table("lead.own", 3, NUM_RANK_CLASSES, 4, 9)
"""A side suit: rank class, own sharps in it, cards out."""
_VOID_SHARPS = table("lead.void_sharps", 3, 4, 3, 3, 4)
"""A side suit: kind, voids of next seat and seat before, sharps out."""


@jit
def who_leads(s: Any) -> Any:
    """0 the declarer, 1 a defender with the declarer next, 2 a defender with the declarer last."""
    if s.me == s.declarer:
        return np.int64(0)
    return np.int64(1) if (s.me + 1) % 3 == s.declarer else np.int64(2)


@jit
def void_state(can: Any, suit: Any, trump: Any) -> Any:
    """0 may hold the suit, 1 void but may trump, 2 void of both."""
    if (can & SUIT_BITS[suit]) != 0:
        return np.int64(0)
    return np.int64(1) if (can & SUIT_BITS[trump]) != 0 else np.int64(2)


@jit
def led_before(v: Any, me: Any) -> Any:
    """Who has led each suit so far: three bits (me, next, before) a suit, in 12 bits."""
    found = np.int64(0)
    first = plays_from(v)
    for trick in range(np.int64(v["tricks"])):
        entry = v["history"][first + 3 * trick]
        seat = (seat_of(entry) - me + 3) % 3
        found |= np.int64(1) << (3 * (action_of(entry) // 8) + seat)
    return found


@jit
def lead_terms(v: Any, s: Any, before: Any, card: Any, at: Any) -> Any:
    """What speaks for leading a card.

    Args:
        v: the view.
        s: its sight.
        before: `led_before` of the view.
        card: the card.
        at: int64 buffer, out.

    Returns:
        The number of terms.
    """
    who = who_leads(s)
    suit = card // 8
    rank = card % 8
    master = is_master(s, card)
    out_sharps = sharp_state(s.out, suit)
    trumps = count_in(s.hand, s.trump)
    trumps_out = count_in(s.out, s.trump)
    seven = np.int64(0)
    if v["seven_side"] != NOBODY:
        seven = np.int64(2) if v["seven_side"] == DEFENDERS else np.int64(1)
    tricks = min(np.int64(v["tricks"]), np.int64(9))
    if suit == s.trump:
        place = (who * NUM_RANK_CLASSES + RANK_CLASS[rank]) * 2 + master
        at[0] = _TRUMP_RANK + place * 4 + out_sharps
        at[1] = _TRUMP_LENGTH + ((who * 2 + master) * 9 + trumps) * 9 + trumps_out
        at[2] = _TRUMP_SEVEN + (who * 3 + seven) * 9 + trumps
        at[3] = _TRUMP_STAGE + (who * NUM_RANK_CLASSES + RANK_CLASS[rank]) * 10 + tricks
        place = (who * 2 + master) * NUM_RANK_CLASSES + RANK_CLASS[rank]
        at[4] = _TRUMP_ALL + (place * 9 + trumps) * 5 + min(trumps_out, 4)
        return 5
    kind = np.int64(3)
    if master:
        kind = 1 - is_sharp(card)
    elif rank == RANK_T:
        kind = np.int64(2)
    out = count_in(s.out, suit)
    some = np.int64(0) if trumps_out == 0 else np.int64(1) if trumps_out <= 2 else np.int64(2)
    place = (who * NUM_RANK_CLASSES + RANK_CLASS[rank]) * 4 + out_sharps
    at[0] = _RANK + place * 4 + sharp_state(s.hand, suit)
    row = who * 4 + kind
    at[1] = _OUT + (row * 9 + out) * 3 + some
    at[2] = _LENGTH + (row * 9 + count_in(s.hand, suit)) * 4 + out_sharps
    next_void = void_state(s.can_next, suit, s.trump)
    at[3] = _VOIDS + (row * 3 + next_void) * 3 + void_state(s.can_prev, suit, s.trump)
    at[4] = _TRUMPS + (row * 9 + trumps) * 5 + min(trumps_out, 4)
    at[5] = _STAGE + row * 10 + tricks
    at[6] = _BEFORE + row * 8 + ((before >> (3 * suit)) & 7)
    at[7] = _SEVEN + row * 3 + seven
    length = count_in(s.hand, suit)
    at[8] = _ALL + (((row * 9 + length) * 9 + out) * 3 + some) * 4 + out_sharps
    place = (who * NUM_RANK_CLASSES + RANK_CLASS[rank]) * 4 + sharp_state(s.hand, suit)
    at[9] = _OWN + place * 9 + out
    prev_void = void_state(s.can_prev, suit, s.trump)
    at[10] = _VOID_SHARPS + ((row * 3 + next_void) * 3 + prev_void) * 4 + out_sharps
    return 11
