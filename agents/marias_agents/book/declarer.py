"""The book's card play as declarer of a suit game."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.book.holdings import holds, keeps_ace
from marias_agents.rules.sight import count_in, has_marriage, is_master, is_sharp
from marias_env.core.bits import RANK_7, RANK_A, RANK_K, RANK_T, STRENGTH, SUIT_BITS, popcount
from marias_env.core.jit import jit
from marias_env.core.legal import beats


@jit
def _strength(s: Any, card: Any) -> Any:
    return STRENGTH[s.mode, card % 8]


@jit
def _breaks_marriage(s: Any, card: Any) -> Any:
    # A king in front of its queen forfeits the marriage where that is legal.
    return card % 8 == RANK_K and has_marriage(s.hand, card // 8)


@jit
def declarer_lead(v: Any, s: Any, card: Any) -> Any:
    """How good a lead is: draw trumps when longer, cash aces, drive out aces, go on in length."""
    if _breaks_marriage(s, card):
        return np.int64(-1000)
    suit = card // 8
    rank = card % 8
    master = is_master(s, card)
    trumps = count_in(s.hand, s.trump)
    trumps_out = count_in(s.out, s.trump)
    strength = _strength(s, card)
    length = count_in(s.hand, suit)
    out = count_in(s.out, suit)
    if suit == s.trump:
        if length == 1 and popcount(s.hand) > 1:
            return np.int64(-250) if rank == RANK_7 else np.int64(-30)
        if rank == RANK_7 and length > 1:
            return np.int64(-300)
        # Trumps are kept to stop the others' suits, and drawn once nothing is left to set up.
        # One is kept for the last trick.
        stays = trumps > (trumps_out + 1) // 2 + 1
        if master and trumps_out > 0 and stays and _losers(s) <= (1 if v["tricks"] > 2 else 0):
            return np.int64(150) + strength
        if master and trumps_out == 0:
            return np.int64(60)
        return np.int64(-20) - 60 * is_sharp(card) - strength
    both_may = (s.can_next & SUIT_BITS[suit]) != 0 and (s.can_prev & SUIT_BITS[suit]) != 0
    if rank == RANK_T and not master:
        return np.int64(-200)
    if master:
        if trumps_out == 0:
            return np.int64(140) + strength
        if rank == RANK_A:
            # From length, while both can follow; a short ace catches something later.
            if (out >= 4 and both_may) or length >= 4:
                return np.int64(15) + 20 * min(length, 4)
            return np.int64(10)
        # The suit is set up: whoever has no more of it must trump.
        return np.int64(95) if not is_sharp(card) else np.int64(35)
    # Low from length, to drive out what is above; the ten keeps a guard.
    if holds(s.hand, suit, RANK_T) and not holds(s.hand, suit, RANK_A):
        return np.int64(45) + 10 * length - strength if length >= 3 else np.int64(25)
    if holds(s.hand, suit, RANK_A):
        return np.int64(40) + 5 * length - strength
    return np.int64(75) + 10 * length - strength


@jit
def _losers(s: Any) -> Any:
    # Cards outside trumps that something out beats.
    number = np.int64(0)
    for card in range(32):
        if (s.hand >> card) & 1 and card // 8 != s.trump and not is_master(s, card):
            number += 1
    return number


@jit
def declarer_follow(v: Any, s: Any, card: Any) -> Any:
    """How good a card is to a trick that others have begun."""
    if _breaks_marriage(s, card):
        return np.int64(-1000)
    suit = card // 8
    sharp = is_sharp(card)
    strength = _strength(s, card)
    last = v["in_trick"] == 2
    if beats(card, np.int64(v["best_card"]), s.trump):
        ruffs = (s.can_next & SUIT_BITS[np.int64(v["led"])]) == 0
        if suit == s.trump:
            if not last and ruffs and (s.can_next & SUIT_BITS[s.trump]) != 0:
                return np.int64(90) + 5 * strength  # he would trump over a low one
            # The seven waits for the last trick, unless somebody may beat it there.
            waits = v["tricks"] < 7 or count_in(s.out, suit) == 0
            seven = 20 if card % 8 == RANK_7 and waits else 0
            return 100 - strength - seven - 10 * sharp
        if keeps_ace(s, card):
            return np.int64(60)
        if last:
            return 100 + 40 * sharp + strength
        # Somebody is still to come: with a sharp only where nobody may have what beats it.
        safe = is_master(s, card) and not (ruffs and (s.can_next & SUIT_BITS[s.trump]) != 0)
        if sharp:
            return np.int64(140) if safe else np.int64(20)
        return 100 - strength
    if suit == np.int64(v["led"]) or suit == s.trump:
        return -strength - 60 * sharp
    return _throw(s, card) - 60 * sharp


@jit
def _throw(s: Any, card: Any) -> Any:
    # From short suits without a sharp first; the guards of a ten and a queen of a marriage last.
    suit = card // 8
    length = count_in(s.hand, suit)
    worth = -_strength(s, card) - 2 * length
    if holds(s.hand, suit, RANK_T) and not holds(s.hand, suit, RANK_A) and length <= 3:
        worth -= 15
    if popcount(s.out & SUIT_BITS[suit]) == 0:
        worth -= 30  # nobody has the suit any more: every card of it is good
    return worth
