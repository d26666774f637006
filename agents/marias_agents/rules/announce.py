"""Announcements of both sides, and doubling."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.sight import (
    bare_tens,
    count_in,
    guarded_tens,
    has_marriage,
    ranks_in,
    sharp_state,
    side_aces,
    side_marriages,
    side_ranks,
    side_voids,
)
from marias_agents.rules.tables import table
from marias_env.actions import FLEK_GAME, SEVEN
from marias_env.core.bits import SUIT_BITS, popcount
from marias_env.core.deal import DECLARER, DEFENDERS, GAME, NOBODY, SEVEN_COMPONENT
from marias_env.core.jit import jit
from marias_env.rules import HEARTS

# By side: 0 the declarer, 1 a defender (seven-against, hundred-against).
_SEVEN_TRUMPS = table("announce.seven_trumps", 2, 9, 4)
"""Seven: trumps, sharps among them."""
_SEVEN_SIDE = table("announce.seven_side", 2, 4, 4)
"""Seven: side aces, guarded side tens."""
_SEVEN_SHAPE = table("announce.seven_shape", 2, 9, 4)
"""Seven: longest side suit, voids."""
_SEVEN_ALREADY = table("announce.seven_already", 2, 2)
"""Seven: with a hundred announced or not."""
_SEVEN_RANKS = table("announce.seven_ranks", 2, 256)
"""Seven: which ranks of trumps are held."""
_SEVEN_SIDE_RANKS = table("announce.seven_side_ranks", 2, 256)
"""Seven: for each other suit, which ranks are held."""
_HUNDRED_MARRIAGES = table("announce.hundred_marriages", 2, 2, 4)
"""Hundred: marriage in trumps, side marriages."""
_HUNDRED_TRUMPS = table("announce.hundred_trumps", 2, 9, 4)
"""Hundred: trumps, sharps among them."""
_HUNDRED_SIDE = table("announce.hundred_side", 2, 4, 4, 4)
"""Hundred: side aces, guarded tens, bare tens."""
_HUNDRED_VOIDS = table("announce.hundred_voids", 2, 9, 4)
"""Hundred: longest side suit, voids."""
_HUNDRED_ALREADY = table("announce.hundred_already", 2, 2)
"""Hundred: with a seven announced or not."""

_HUNDRED_RANKS = table("announce.hundred_ranks", 2, 256)
"""Hundred: which ranks of trumps are held."""
_HUNDRED_SIDE_RANKS = table("announce.hundred_side_ranks", 2, 256)
"""Hundred: for each other suit, which ranks are held."""

# By what is raised: 0 flek of a plain game, 1 flek of a hundred, 2 re of a plain game, 3 re of a
# hundred, 4 anything higher by a defender, 5 by the declarer, 6 a hundred-against.
_CASES = 7
_GAME_TRUMPS = table("double.trumps", _CASES, 9, 4)
"""Raising the game: trumps, sharps among them."""
_GAME_SIDE = table("double.side", _CASES, 4, 4, 4)
"""Raising the game: side aces, guarded tens, bare tens."""
_GAME_MARRIAGES = table("double.marriages", _CASES, 2, 4)
"""Raising the game: marriage in trumps, side marriages."""
_GAME_LEVEL = table("double.level", _CASES, 7)
"""Raising the game: its level."""
_GAME_SEVEN = table("double.seven", _CASES, 3, 2)
"""Raising the game: no seven, declarer's, defenders'; own trump 7."""
_GAME_SEAT = table("double.seat", _CASES, 2, 2)
"""Raising the game: first or second defender, hearts."""
_GAME_SHAPE = table("double.shape", _CASES, 9, 4)
"""Raising the game: longest side suit, voids."""

_GAME_RANKS = table("double.ranks", _CASES, 256)
"""Raising the game: which ranks of trumps are held."""
_GAME_SIDE_RANKS = table("double.side_ranks", _CASES, 256)
"""Raising the game: for each other suit, which ranks are held."""

# By what is raised: 0 flek of a seven, 1 re, 2 anything higher; 3 to 5 the same of a seven-against.
_SEVEN_CASES = 6
_RAISE_TRUMPS = table("double_seven.trumps", _SEVEN_CASES, 9, 4)
"""Raising the seven: trumps, sharps among them."""
_RAISE_SHAPE = table("double_seven.shape", _SEVEN_CASES, 9, 4)
"""Raising the seven: longest side suit, voids."""
_RAISE_LEVEL = table("double_seven.level", _SEVEN_CASES, 7)
"""Raising the seven: its level."""
_RAISE_SIDE = table("double_seven.side", _SEVEN_CASES, 4, 4)
"""Raising the seven: side aces, guarded tens."""

_RAISE_RANKS = table("double_seven.ranks", _SEVEN_CASES, 256)
"""Raising the seven: which ranks of trumps are held."""
_RAISE_SIDE_RANKS = table("double_seven.side_ranks", _SEVEN_CASES, 256)
"""Raising the seven: for each other suit, which ranks are held."""

_NO_TRUMPS = table("double_no_trumps", 2, 2, 7)
"""Raising betl or durch: contract, side, level."""
_NO_TRUMPS_SUIT = table("double_no_trumps.suit", 2, 2, 256)
"""Raising betl or durch: contract, side, for each suit which ranks are held."""


@jit
def longest_side(cards: Any, trump: Any) -> Any:
    """Length of the longest suit outside trumps."""
    length = np.int64(0)
    for suit in range(4):
        if suit != trump:
            length = max(length, popcount(cards & SUIT_BITS[suit]))
    return length


@jit
def announce_terms(v: Any, s: Any, action: Any, at: Any) -> Any:
    """What speaks for announcing a seven or a hundred (or one against)."""
    side = np.int64(s.me != s.declarer)
    trumps = count_in(s.hand, s.trump)
    sharps = sharp_state(s.hand, s.trump)
    aces = side_aces(s.hand, s.trump)
    tens = guarded_tens(s.hand, s.trump)
    shape = (side * 9 + longest_side(s.hand, s.trump)) * 4 + side_voids(s.hand, s.trump)
    own = ranks_in(s.hand, s.trump)
    if action == SEVEN:
        at[0] = _SEVEN_TRUMPS + (side * 9 + trumps) * 4 + sharps
        at[1] = _SEVEN_SIDE + (side * 4 + aces) * 4 + tens
        at[2] = _SEVEN_SHAPE + shape
        at[3] = _SEVEN_ALREADY + side * 2 + np.int64(v["hundred_side"] != NOBODY)
        at[4] = _SEVEN_RANKS + side * 256 + own
        return side_ranks(s.hand, s.trump, _SEVEN_SIDE_RANKS + side * 256, at, np.int64(5))
    marriages = side_marriages(s.hand, s.trump)
    at[0] = _HUNDRED_MARRIAGES + (side * 2 + has_marriage(s.hand, s.trump)) * 4 + marriages
    at[1] = _HUNDRED_TRUMPS + (side * 9 + trumps) * 4 + sharps
    at[2] = _HUNDRED_SIDE + ((side * 4 + aces) * 4 + tens) * 4 + bare_tens(s.hand, s.trump)
    at[3] = _HUNDRED_VOIDS + shape
    at[4] = _HUNDRED_ALREADY + side * 2 + np.int64(v["seven_side"] != NOBODY)
    at[5] = _HUNDRED_RANKS + side * 256 + own
    return side_ranks(s.hand, s.trump, _HUNDRED_SIDE_RANKS + side * 256, at, np.int64(6))


@jit
def _game_case(v: Any, s: Any) -> Any:
    if v["hundred_side"] == DEFENDERS:
        return np.int64(6)
    level = np.int64(v["levels"][GAME])
    if level >= 2:
        return np.int64(5 if s.me == s.declarer else 4)
    return 2 * level + np.int64(v["hundred_side"] == DECLARER)


@jit
def raise_terms(v: Any, s: Any, action: Any, at: Any) -> Any:
    """What speaks for raising the game or the seven of a suit game."""
    trumps = count_in(s.hand, s.trump)
    sharps = sharp_state(s.hand, s.trump)
    aces = side_aces(s.hand, s.trump)
    tens = guarded_tens(s.hand, s.trump)
    longest = longest_side(s.hand, s.trump)
    voids = side_voids(s.hand, s.trump)
    if action == FLEK_GAME:
        case = _game_case(v, s)
        at[0] = _GAME_TRUMPS + (case * 9 + trumps) * 4 + sharps
        bare = bare_tens(s.hand, s.trump)
        at[1] = _GAME_SIDE + ((case * 4 + aces) * 4 + tens) * 4 + bare
        marriages = side_marriages(s.hand, s.trump)
        at[2] = _GAME_MARRIAGES + (case * 2 + has_marriage(s.hand, s.trump)) * 4 + marriages
        at[3] = _GAME_LEVEL + case * 7 + min(np.int64(v["levels"][GAME]), 6)
        own_seven = (s.hand >> (8 * s.trump)) & 1
        at[4] = _GAME_SEVEN + (case * 3 + np.int64(v["seven_side"]) + 1) * 2 + own_seven
        second = np.int64(s.me == (s.declarer + 2) % 3)
        at[5] = _GAME_SEAT + (case * 2 + second) * 2 + np.int64(s.trump == HEARTS)
        at[6] = _GAME_SHAPE + (case * 9 + longest) * 4 + voids
        at[7] = _GAME_RANKS + case * 256 + ranks_in(s.hand, s.trump)
        return side_ranks(s.hand, s.trump, _GAME_SIDE_RANKS + case * 256, at, np.int64(8))
    level = np.int64(v["levels"][SEVEN_COMPONENT])
    case = min(level, 2) + (3 if v["seven_side"] == DEFENDERS else 0)
    at[0] = _RAISE_TRUMPS + (case * 9 + trumps) * 4 + sharps
    at[1] = _RAISE_SHAPE + (case * 9 + longest) * 4 + voids
    at[2] = _RAISE_LEVEL + case * 7 + min(level, 6)
    at[3] = _RAISE_SIDE + (case * 4 + aces) * 4 + tens
    at[4] = _RAISE_RANKS + case * 256 + ranks_in(s.hand, s.trump)
    return side_ranks(s.hand, s.trump, _RAISE_SIDE_RANKS + case * 256, at, np.int64(5))


@jit
def raise_no_trumps_terms(v: Any, s: Any, durch: Any, at: Any) -> Any:
    """What speaks for raising betl or durch once more."""
    side = np.int64(s.me != s.declarer)
    place = durch * 2 + side
    at[0] = _NO_TRUMPS + place * 7 + min(np.int64(v["levels"][GAME]), 6)
    return side_ranks(s.hand, np.int64(-1), _NO_TRUMPS_SUIT + place * 256, at, np.int64(1))
