"""Naming a contract, and answering one: good, bad, flek."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.betl import betl_danger, exposed_losers, open_betl_leads, shed_for_betl
from marias_agents.rules.durch import durch_losers, exposed_winners, shed_for_durch
from marias_agents.rules.sight import (
    bare_tens,
    count_in,
    guarded_tens,
    honours,
    ranks_in,
    side_aces,
    side_marriages,
    side_ranks,
)
from marias_agents.rules.tables import table
from marias_env.actions import BAD, BETL, DURCH, OPEN_BETL, OPEN_DURCH, SUIT_GAME
from marias_env.core.bits import popcount
from marias_env.core.jit import jit
from marias_env.rules import HEARTS

# Each by whether the hand is whole (1: the talon has been seen) or not (0).
_SUIT_TRUMPS = table("contract.suit_trumps", 2, 9, 2)
"""Suit game: trumps, hearts."""
_SUIT_HONOURS = table("contract.suit_honours", 2, 32)
"""Suit game: A T K Q 7 of trumps."""
_SUIT_SIDE = table("contract.suit_side", 2, 4, 4, 4)
"""Suit game: side aces, guarded tens, bare tens."""
_SUIT_MARRIAGES = table("contract.suit_marriages", 2, 4)
"""Suit game: side marriages."""
_SUIT_RANKS = table("contract.suit_ranks", 2, 256)
"""Suit game: which ranks of trumps are held."""
_SUIT_SIDE_RANKS = table("contract.suit_side_ranks", 2, 256)
"""Suit game: for each other suit, which ranks are held."""
_BETL = table("contract.betl", 2, 20)
"""Betl: holes after the worst cards are put away."""
_BETL_SUIT = table("contract.betl_suit", 2, 256)
"""Betl: for each suit, which ranks are left (bits from 7 to A)."""
_DURCH = table("contract.durch", 2, 11)
"""Durch: losers."""
_DURCH_TOPS = table("contract.durch_tops", 2, 11)
"""Durch: top cards."""
_OPEN_BETL = table("contract.open_betl", 2, 11)
"""Open betl: cards with holes."""
_OPEN_DURCH = table("contract.open_durch", 2, 11)
"""Open durch: top cards."""

_BAD = table("reply.bad", 3, 2)
"""Taking over: by contract, first or second to be asked."""
_BAD_BETL = table("reply.bad_betl", 20)
"""Taking over a suit game: holes of the hand less its two worst cards."""
_BAD_BETL_SUIT = table("reply.bad_betl_suit", 256)
"""The same: for each suit, which ranks are left."""
_BAD_DURCH = table("reply.bad_durch", 2, 11)
"""Taking over: durch losers, over a suit game or a betl."""
_BAD_SHARPS = table("reply.bad_sharps", 2, 9)
"""Taking over: own sharps, by contract."""
_FLEK = table("reply.flek", 5, 2, 2)
"""Flek: by contract, first or second to be asked, left or right of the declarer."""
_FLEK_SUIT = table("reply.flek_suit", 2, 256)
"""Flek of betl or durch: for each suit, which ranks are held."""


@jit
def _suit_patterns(hand: Any, base: Any, at: Any, n: Any) -> Any:
    return side_ranks(hand, np.int64(-1), base, at, n)


@jit
def contract_terms(hand: Any, out: Any, contract: Any, trump: Any, size: Any, at: Any) -> Any:
    """What speaks for naming a contract.

    Args:
        hand: the declarer's cards, before the exchange.
        out: cards he cannot place.
        contract: contract id.
        trump: his trump suit, chosen or intended.
        size: cards a hand in play.
        at: int64 buffer, out.

    Returns:
        The number of terms.
    """
    whole = np.int64(popcount(hand) > size)
    if contract == SUIT_GAME:
        at[0] = _SUIT_TRUMPS + (whole * 9 + count_in(hand, trump)) * 2 + np.int64(trump == HEARTS)
        at[1] = _SUIT_HONOURS + whole * 32 + honours(hand, trump)
        place = (whole * 4 + side_aces(hand, trump)) * 4 + guarded_tens(hand, trump)
        at[2] = _SUIT_SIDE + place * 4 + bare_tens(hand, trump)
        at[3] = _SUIT_MARRIAGES + whole * 4 + side_marriages(hand, trump)
        at[4] = _SUIT_RANKS + whole * 256 + ranks_in(hand, trump)
        return side_ranks(hand, trump, _SUIT_SIDE_RANKS + whole * 256, at, np.int64(5))
    if contract in (BETL, OPEN_BETL):
        kept = shed_for_betl(hand, out, size)
        if contract == OPEN_BETL:
            at[0] = _OPEN_BETL + whole * 11 + min(exposed_losers(kept, out), 10)
            return 1
        at[0] = _BETL + whole * 20 + min(betl_danger(kept, out), 19)
        return _suit_patterns(kept, _BETL_SUIT + whole * 256, at, np.int64(1))
    kept = shed_for_durch(hand, out, size)
    if contract == OPEN_DURCH:
        at[0] = _OPEN_DURCH + whole * 11 + min(exposed_winners(kept, out), 10)
        return 1
    at[0] = _DURCH + whole * 11 + min(durch_losers(kept, out), 10)
    at[1] = _DURCH_TOPS + whole * 11 + min(exposed_winners(kept, out), 10)
    return 2


@jit
def certain_contract(hand: Any, out: Any, size: Any) -> Any:
    """The best contract that cannot be lost, whatever the others hold; -1 if there is none.

    Args:
        hand: the declarer's cards with the talon among them.
        out: the cards in the others' hands.
        size: cards a hand in play.
    """
    kept = shed_for_durch(hand, out, size)
    if exposed_winners(kept, out) == size:
        return np.int64(OPEN_DURCH)
    if durch_losers(kept, out) == 0:
        return np.int64(DURCH)
    kept = shed_for_betl(hand, out, size)
    if open_betl_leads(kept, out) != 0:
        return np.int64(OPEN_BETL)
    return np.int64(-1)


@jit
def reply_terms(v: Any, r: Any, s: Any, action: Any, at: Any) -> Any:
    """What speaks for `bad` or a flek; `good` is what they are measured against."""
    contract = np.int64(v["contract"])
    second = min(np.int64(v["replies"]), np.int64(1))
    n = np.int64(1)
    if action == BAD:
        at[0] = _BAD + min(contract, 2) * 2 + second
        if contract > BETL:
            return n
        at[n] = _BAD_SHARPS + contract * 9 + popcount(s.hand & 0x88888888)
        n += 1
        at[n] = _BAD_DURCH + contract * 11 + min(durch_losers(s.hand, s.out), 10)
        n += 1
        if contract == SUIT_GAME:
            kept = shed_for_betl(s.hand, s.out, max(r["hand_size"] - 2, 0))
            at[n] = _BAD_BETL + min(betl_danger(kept, s.out), 19)
            n = _suit_patterns(kept, np.int64(_BAD_BETL_SUIT), at, n + 1)
        return n
    right = np.int64((s.me + 1) % 3 == s.declarer)
    at[0] = _FLEK + (contract * 2 + second) * 2 + right
    durch = np.int64(contract in (DURCH, OPEN_DURCH))
    return _suit_patterns(s.hand, _FLEK_SUIT + durch * 256, at, n)
