"""What a seat works out from its view before it thinks: the cards that are still out, and where."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from marias_env.actions import PLAY, SUIT_GAME
from marias_env.core.bits import (
    BEATS,
    NO_TRUMP_MODE,
    RANK_A,
    RANK_K,
    RANK_Q,
    RANK_T,
    SHARPS,
    SUIT_BITS,
    SUIT_MODE,
    popcount,
)
from marias_env.core.jit import jit

RANK_CLASS = np.array([6, 5, 5, 1, 4, 3, 2, 0], dtype=np.int64)
"""Rank classes: 0 A, 1 ten, 2 K, 3 Q, 4 J, 5 nine and eight, 6 seven."""

NUM_RANK_CLASSES = 7


class Sight(NamedTuple):
    """A view in numbers, all int64; bit sets are of cards."""

    me: int
    declarer: int
    hand: int
    trump: int
    """Trump suit as far as this seat knows it, -1 for none."""
    mode: int
    """Order of the ranks: SUIT_MODE or NO_TRUMP_MODE."""
    out: int
    """Cards that this seat cannot place: the others' hands, and the talon if it is unknown."""
    can_next: int
    """Cards of `out` that the next seat (clockwise) may hold."""
    can_prev: int
    """Cards of `out` that the seat before may hold."""


@jit
def look(v: Any, r: Any) -> Any:
    """Returns the `Sight` of a view of the seat on turn."""
    me = np.int64(v["viewer"])
    following = (me + 1) % 3
    before = (me + 2) % 3
    hand = np.int64(v["hands"][me])
    gone = np.int64(v["played"][0] | v["played"][1] | v["played"][2]) | np.int64(v["talon"])
    out = np.int64(r["deck"]) & ~hand & ~gone
    can_next = out & ~np.int64(v["cannot"][following]) & ~np.int64(v["must"][before])
    can_prev = out & ~np.int64(v["cannot"][before]) & ~np.int64(v["must"][following])
    suit_game = v["contract"] == SUIT_GAME and (v["phase"] != PLAY or v["trump"] >= 0)
    trump = np.int64(v["trump"]) if suit_game else np.int64(-1)
    mode = np.int64(SUIT_MODE) if suit_game else np.int64(NO_TRUMP_MODE)
    return Sight(me, np.int64(v["declarer"]), hand, trump, mode, out, can_next, can_prev)


@jit
def sharp_state(cards: Any, suit: Any) -> Any:
    """Which sharps of a suit are in a set: 1 the ten, 2 the ace, 3 both."""
    own = cards >> (8 * suit)
    return ((own >> RANK_T) & 1) + 2 * ((own >> RANK_A) & 1)


@jit
def count_in(cards: Any, suit: Any) -> Any:
    """Number of cards of a suit."""
    return popcount(cards & SUIT_BITS[suit])


@jit
def ranks_in(cards: Any, suit: Any) -> Any:
    """Which ranks of a suit are in a set: eight bits, from 7 to A."""
    return (cards >> (8 * suit)) & 255


@jit
def side_ranks(cards: Any, trump: Any, base: Any, at: Any, n: Any) -> Any:
    """Writes one term for each suit but trumps: its ranks held, in a table of 256 entries.

    Args:
        cards: bit set.
        trump: the suit that is left out, -1 for none.
        base: where the table (or its row) begins.
        at: int64 buffer of terms.
        n: terms so far.

    Returns:
        The number of terms.
    """
    for suit in range(4):
        if suit != trump:
            at[n] = base + ranks_in(cards, suit)
            n += 1
    return n


@jit
def is_master(s: Any, card: Any) -> Any:
    """1 when nothing out beats a card within its suit."""
    return np.int64((BEATS[s.mode, card] & s.out) == 0)


@jit
def is_sharp(card: Any) -> Any:
    """1 for an A or a ten."""
    return (np.int64(SHARPS) >> card) & 1


@jit
def has_marriage(cards: Any, suit: Any) -> Any:
    """1 with K and Q of a suit."""
    own = cards >> (8 * suit)
    return (own >> RANK_K) & (own >> RANK_Q) & 1


@jit
def side_aces(cards: Any, trump: Any) -> Any:
    """Number of aces outside trumps."""
    number = np.int64(0)
    for suit in range(4):
        if suit != trump:
            number += (cards >> (8 * suit + RANK_A)) & 1
    return number


@jit
def guarded_tens(cards: Any, trump: Any) -> Any:
    """Number of tens outside trumps with the ace or two more cards beside them."""
    number = np.int64(0)
    for suit in range(4):
        guarded = (cards >> (8 * suit + RANK_A)) & 1 or count_in(cards, suit) >= 3
        if suit != trump and (cards >> (8 * suit + RANK_T)) & 1 and guarded:
            number += 1
    return number


@jit
def bare_tens(cards: Any, trump: Any) -> Any:
    """Number of tens outside trumps that are not guarded."""
    number = np.int64(0)
    for suit in range(4):
        if suit != trump:
            number += (cards >> (8 * suit + RANK_T)) & 1
    return number - guarded_tens(cards, trump)


@jit
def side_marriages(cards: Any, trump: Any) -> Any:
    """Number of marriages outside trumps."""
    number = np.int64(0)
    for suit in range(4):
        if suit != trump:
            number += has_marriage(cards, suit)
    return number


@jit
def side_voids(cards: Any, trump: Any) -> Any:
    """Number of suits without a card, trumps aside."""
    number = np.int64(0)
    for suit in range(4):
        if suit != trump and (cards & SUIT_BITS[suit]) == 0:
            number += 1
    return number


@jit
def honours(cards: Any, suit: Any) -> Any:
    """A suit's A, ten, K, Q, 7 as five bits."""
    own = cards >> (8 * suit)
    return (
        ((own >> RANK_A) & 1)
        + 2 * ((own >> RANK_T) & 1)
        + 4 * ((own >> RANK_K) & 1)
        + 8 * ((own >> RANK_Q) & 1)
        + 16 * (own & 1)
    )
