"""The book's card play against a suit game: smear, force the declarer, return what was led."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.book.holdings import holds, keeps_ace
from marias_agents.rules.lead import led_before, void_state
from marias_agents.rules.sight import count_in, has_marriage, is_master, is_sharp
from marias_env.core.bits import (
    BEATS,
    RANK_7,
    RANK_A,
    RANK_K,
    RANK_T,
    STRENGTH,
    SUIT_BITS,
    popcount,
)
from marias_env.core.deal import DECLARER
from marias_env.core.jit import jit
from marias_env.core.legal import beats


@jit
def defender_lead(v: Any, s: Any, card: Any) -> Any:
    """How good a lead is for a defender."""
    suit = card // 8
    rank = card % 8
    if rank == RANK_K and has_marriage(s.hand, suit):
        return np.int64(-1000)
    strength = STRENGTH[s.mode, rank]
    length = count_in(s.hand, suit)
    out = count_in(s.out, suit)
    declarer_next = (s.me + 1) % 3 == s.declarer
    his = s.can_next if declarer_next else s.can_prev
    partners = s.can_prev if declarer_next else s.can_next
    seven = v["seven_side"] == DECLARER
    if suit == s.trump:
        masters = popcount(s.hand & SUIT_BITS[suit] & ~_under(s, suit))
        if rank == RANK_7 and length > 1:
            return np.int64(-300)
        if masters >= 2 and is_master(s, card):
            return np.int64(90)
        if is_master(s, card) and length >= 2:
            return np.int64(55)
        return np.int64(-60) - 40 * is_sharp(card) - strength
    his_void = void_state(his, suit, s.trump)
    if his_void == 1:
        # He must trump: it shortens him, above all when he has a seven to bring home.
        worth = np.int64(90 if seven else 60)
        return worth - 60 * is_sharp(card) - strength
    partner_void = void_state(partners, suit, s.trump)
    led = led_before(v, s.me)
    partner_led = (led >> (3 * suit + (2 if declarer_next else 1))) & 1
    if rank == RANK_A:
        # An ace pulls a bare ten, while he still has the suit.
        if out < 3:
            return np.int64(30)
        return np.int64(45) if keeps_ace(s, card) and length >= 3 else np.int64(80)
    if rank == RANK_T:
        return np.int64(70) if is_master(s, card) and out >= 3 else np.int64(-150)
    worth = np.int64(40) - strength
    if partner_void == 1:
        worth += 45  # the partner trumps
    if partner_led:
        worth += 30
    if holds(s.hand, suit, RANK_T) and not holds(s.hand, suit, RANK_A):
        worth -= 45
    elif holds(s.hand, suit, RANK_A):
        worth -= 5
    return worth + 2 * length


@jit
def _under(s: Any, suit: Any) -> Any:
    # Own cards of a suit that something out beats.
    found = np.int64(0)
    for rank in range(8):
        card = 8 * suit + rank
        if (s.hand >> card) & 1 and not is_master(s, card):
            found |= np.int64(1) << card
    return found


@jit
def _declarer_may_beat(v: Any, s: Any, card: Any) -> Any:
    # Whether the declarer, still to play, may take the trick from a card.
    if v["in_trick"] == 2 or (s.me + 1) % 3 != s.declarer:
        return False
    led = np.int64(v["led"])
    if (s.can_next & SUIT_BITS[led]) == 0:
        higher = s.can_next & SUIT_BITS[s.trump]
        if card // 8 == s.trump:
            higher &= BEATS[s.mode, card]
        return higher != 0
    if card // 8 == s.trump and led != s.trump:
        # He trumps over only if he is void, which nobody knows yet; rarely.
        return False
    return (BEATS[s.mode, card] & s.can_next) != 0 or (
        (s.out & SUIT_BITS[led]) == 0 and (s.can_next & SUIT_BITS[s.trump]) != 0
    )


@jit
def defender_follow(v: Any, s: Any, card: Any) -> Any:
    """How good a card is for a defender to a trick that others have begun."""
    suit = card // 8
    rank = card % 8
    if rank == RANK_K and has_marriage(s.hand, suit):
        return np.int64(-1000)
    sharp = is_sharp(card)
    strength = STRENGTH[s.mode, rank]
    best = np.int64(v["best_card"])
    if beats(card, best, s.trump):
        taken = _declarer_may_beat(v, s, card)
        if suit == s.trump:
            # The lowest trump that does; the seven is kept.
            return 100 - strength - 10 * sharp - (20 if rank == RANK_7 else 0)
        if taken:
            return 100 - strength - 60 * sharp
        if keeps_ace(s, card):
            return np.int64(60)
        return 100 + 40 * sharp + (10 if rank == RANK_T else 0) - strength
    partner_has_it = v["best_seat"] != s.declarer
    safe = partner_has_it and not _declarer_may_beat(v, s, best)
    follows = suit == np.int64(v["led"]) or suit == s.trump
    if safe:
        # Smear: the ten before the ace.
        if sharp and follows and v["in_trick"] == 2 and keeps_ace(s, card):
            return np.int64(-20)
        if sharp:
            return np.int64(200 if rank == RANK_T else 180) - (40 if suit == s.trump else 0)
        return -strength if follows else _throw(s, card)
    return (-strength if follows else _throw(s, card)) - 60 * sharp


@jit
def _throw(s: Any, card: Any) -> Any:
    suit = card // 8
    length = count_in(s.hand, suit)
    worth = -STRENGTH[s.mode, card % 8] - 2 * length
    if holds(s.hand, suit, RANK_T) and not holds(s.hand, suit, RANK_A) and length <= 2:
        worth -= 15
    return worth
