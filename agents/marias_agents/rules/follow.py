"""Following to a trick of a suit game."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.sight import (
    NUM_RANK_CLASSES,
    RANK_CLASS,
    count_in,
    has_marriage,
    is_master,
    is_sharp,
    ranks_in,
    sharp_state,
)
from marias_agents.rules.tables import table
from marias_env.core.bits import BEATS, SHARPS, SUIT_BITS, SUIT_MODE, popcount
from marias_env.core.deal import DEFENDERS, NOBODY
from marias_env.core.jit import jit
from marias_env.core.legal import beats

# Who follows: 0, 1 the declarer second and third; 2 a defender second, declarer to come;
# 3 second, partner to come; 4 third, declarer led; 5 third, partner led.
_WHO = 6
# How the trick stands with the card on it: 0 ours for certain, by this card; 1 ours, partner's
# card; 2 lost; 3–8 ours so far and by this card, an enemy to come with risk 0–5; 9–14 so far the
# partner's; 15–20 theirs, the partner to come with chance 0–5.
_STANDS = 21
_RESULT = table("follow.result", _WHO, _STANDS, 2, NUM_RANK_CLASSES)
"""By how the trick stands, trump or not, rank class."""
_TABLE = table("follow.table", _WHO, _STANDS, 3, 2)
"""By how the trick stands, sharps on the table, a sharp or not."""
_FOLLOW = table("follow.follow", _WHO, 2, NUM_RANK_CLASSES, 9)
"""Following suit: master or not, rank class, own length."""
_FOLLOW_OUT = table("follow.follow_out", _WHO, NUM_RANK_CLASSES, 4, 9)
"""Following suit: rank class, sharps out, cards out."""
_RUFF = table("follow.ruff", _WHO, NUM_RANK_CLASSES, 9, 5)
"""A trump on a side suit: rank class, own trumps, trumps out (up to 4)."""
_THROW = table("follow.throw", 2, NUM_RANK_CLASSES, 9, 4)
"""Throwing off, for declarer and defender: rank class, length, own sharps of the suit."""
_THROW_OUT = table("follow.throw_out", 2, NUM_RANK_CLASSES, 4, 9)
"""Throwing off: rank class, sharps out, cards out."""
_STAGE = table("follow.stage", _WHO, 10, 3)
"""By tricks played; trump, sharp, other."""
_SEVEN = table("follow.seven", 2, 3, NUM_RANK_CLASSES, 9)
"""A trump, for declarer and defender: seven announced, rank class, own trumps."""
_LENGTH = table("follow.length", _WHO, _STANDS, 2, NUM_RANK_CLASSES, 5)
"""By how the trick stands, trump or not, rank class, own length (up to 5) less one."""
_THROW_RANKS = table("follow.throw_ranks", 2, 2, 256, 8)
"""Throwing off, for declarer and defender: trick ours or not, ranks held, which goes."""
_THROW_VOID = table("follow.throw_void", 2, 3, 2, 2)
"""Throwing off: king and queen, sharp, other; next seat and seat before may hold the suit."""
_MARRIAGE = table("follow.marriage", _WHO, 2)
"""The queen of a marriage, in trumps or not."""


@jit
def who_follows(v: Any, s: Any) -> Any:
    """Row of the tables: seat and place in the trick."""
    second = v["in_trick"] == 1
    if s.me == s.declarer:
        return np.int64(0) if second else np.int64(1)
    if second:
        return np.int64(3) if v["leader"] == s.declarer else np.int64(2)
    return np.int64(4) if v["leader"] == s.declarer else np.int64(5)


@jit
def chance_of_next(s: Any, best: Any, led: Any) -> Any:
    """How likely the next seat beats the card that wins: 0 never … 5 most likely."""
    follows = s.can_next & SUIT_BITS[led]
    over = popcount(BEATS[SUIT_MODE, best] & s.can_next)
    if best // 8 != led:
        # Trumped already: it takes a void and a higher trump.
        if over == 0:
            return np.int64(0)
        return np.int64(5) if follows == 0 else np.int64(2) if popcount(follows) <= 2 else 1
    if over >= 2:
        return np.int64(4)
    if over == 1:
        return np.int64(3)
    if led == s.trump or (s.can_next & SUIT_BITS[s.trump]) == 0:
        return np.int64(0)
    if follows == 0:
        return np.int64(5)
    return np.int64(2) if popcount(follows) <= 2 else np.int64(1)


@jit
def how_it_stands(v: Any, s: Any, card: Any) -> Any:
    """How the trick stands with a card on it (see `_STANDS`)."""
    led = np.int64(v["led"])
    best = np.int64(v["best_card"])
    seat = np.int64(v["best_seat"])
    if beats(card, best, s.trump):
        best = card
        seat = s.me
    ours = seat == s.me or (s.me != s.declarer and seat != s.declarer)
    if v["in_trick"] == 2:
        if not ours:
            return np.int64(2)
        return np.int64(0) if seat == s.me else np.int64(1)
    chance = chance_of_next(s, best, led)
    following = (s.me + 1) % 3
    if s.me != s.declarer and following != s.declarer:
        return np.int64(0) if ours else 15 + chance
    if not ours:
        return np.int64(2)
    return 3 + chance if seat == s.me else 9 + chance


@jit
def sharps_on_table(v: Any) -> Any:
    """Number of sharps on the table, 0 to 2."""
    number = np.int64(0)
    for i in range(np.int64(v["in_trick"])):
        number += (np.int64(SHARPS) >> np.int64(v["table"][i])) & 1
    return number


@jit
def follow_terms(v: Any, s: Any, card: Any, at: Any) -> Any:
    """What speaks for following with a card."""
    who = who_follows(v, s)
    led = np.int64(v["led"])
    suit = card // 8
    rank = RANK_CLASS[card % 8]
    trump = np.int64(suit == s.trump)
    stands = how_it_stands(v, s, card)
    at[0] = _RESULT + ((who * _STANDS + stands) * 2 + trump) * NUM_RANK_CLASSES + rank
    at[1] = _TABLE + ((who * _STANDS + stands) * 3 + sharps_on_table(v)) * 2 + is_sharp(card)
    tricks = min(np.int64(v["tricks"]), np.int64(9))
    kind = np.int64(0) if trump else 2 - is_sharp(card)
    at[2] = _STAGE + (who * 10 + tricks) * 3 + kind
    length = count_in(s.hand, suit)
    place = ((who * _STANDS + stands) * 2 + trump) * NUM_RANK_CLASSES + rank
    at[3] = _LENGTH + place * 5 + min(length, 5) - 1
    n = np.int64(4)
    out = count_in(s.out, suit)
    out_sharps = sharp_state(s.out, suit)
    side = np.int64(s.me != s.declarer)
    if suit == led:
        place = (who * 2 + is_master(s, card)) * NUM_RANK_CLASSES + rank
        at[n] = _FOLLOW + place * 9 + length
        at[n + 1] = _FOLLOW_OUT + ((who * NUM_RANK_CLASSES + rank) * 4 + out_sharps) * 9 + out
        n += 2
    elif trump:
        at[n] = _RUFF + ((who * NUM_RANK_CLASSES + rank) * 9 + length) * 5 + min(out, 4)
        n += 1
    else:
        place = (side * NUM_RANK_CLASSES + rank) * 9 + length
        at[n] = _THROW + place * 4 + sharp_state(s.hand, suit)
        at[n + 1] = _THROW_OUT + ((side * NUM_RANK_CLASSES + rank) * 4 + out_sharps) * 9 + out
        theirs = np.int64(stands == 2 or stands >= 15)
        at[n + 2] = (
            _THROW_RANKS + ((side * 2 + theirs) * 256 + ranks_in(s.hand, suit)) * 8 + card % 8
        )
        sort = np.int64(1) if is_sharp(card) else np.int64(0 if rank == 2 or rank == 3 else 2)
        next_may = np.int64((s.can_next & SUIT_BITS[suit]) != 0)
        prev_may = np.int64((s.can_prev & SUIT_BITS[suit]) != 0)
        at[n + 3] = _THROW_VOID + ((side * 3 + sort) * 2 + next_may) * 2 + prev_may
        n += 4
    if trump:
        seven = np.int64(0)
        if v["seven_side"] != NOBODY:
            seven = np.int64(2) if v["seven_side"] == DEFENDERS else np.int64(1)
        at[n] = _SEVEN + ((side * 3 + seven) * NUM_RANK_CLASSES + rank) * 9 + length
        n += 1
    if card % 8 == 5 and has_marriage(s.hand, suit):
        at[n] = _MARRIAGE + who * 2 + trump
        n += 1
    return n
