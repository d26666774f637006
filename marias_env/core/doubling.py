"""Announcements and doubling (RULES.md 4).

`open` holds the components that the side on turn may raise, `next_open` those it has raised or
announced, which are open to the other side afterwards. What a side leaves in `open` is closed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import (
    DOUBLE,
    FLEK_GAME,
    FLEK_SEVEN,
    GOOD,
    HUNDRED,
    SEVEN,
    SUIT_GAME,
)
from marias_env.core.bits import RANK_7, RANK_BITS, RANK_K, RANK_Q, marriages_in
from marias_env.core.deal import (
    DECLARER,
    DEFENDERS,
    GAME,
    GAME_BIT,
    NOBODY,
    SEVEN_BIT,
    SEVEN_COMPONENT,
)
from marias_env.core.jit import jit


@jit
def seven_possible(r: Any) -> Any:
    """Whether the deck has a seven to announce (RULES.md 9)."""
    return (r["deck"] & RANK_BITS[RANK_7]) != 0


@jit
def hundred_possible(r: Any) -> Any:
    """Whether, as far as everybody can see, a hundred may be announced on this deck."""
    if r["hundred_marriage"] == 0:
        return True
    return (r["deck"] & RANK_BITS[RANK_Q]) != 0 and (r["deck"] & RANK_BITS[RANK_K]) != 0


@jit
def _may_seven(d: Any, r: Any) -> Any:
    if d["seven_side"] != NOBODY or d["last_call"] >= 0 or not seven_possible(r):
        return False
    card = 8 * np.int64(d["trump"]) + RANK_7
    return r["seven_card"] == 0 or (np.int64(d["hands"][d["turn"]]) >> card) & 1 == 1


@jit
def _may_hundred(d: Any, r: Any) -> Any:
    if d["hundred_side"] != NOBODY or d["last_call"] >= HUNDRED - SEVEN:
        return False
    return r["hundred_marriage"] == 0 or marriages_in(np.int64(d["hands"][d["turn"]])) != 0


@jit
def announce_mask(d: Any, r: Any) -> Any:
    """ANNOUNCE: the declarer's announcements (4a.1)."""
    mask = np.int64(1) << GOOD
    if _may_seven(d, r):
        mask |= np.int64(1) << SEVEN
    if _may_hundred(d, r):
        mask |= np.int64(1) << HUNDRED
    return mask


@jit
def double_mask(d: Any, r: Any) -> Any:
    """DOUBLE: raises, and the defenders' announcements in round 0 (4a.2–4, 4b)."""
    mask = np.int64(1) << GOOD
    if d["contract"] == SUIT_GAME and d["round"] == 0:
        mask |= announce_mask(d, r)
    if (d["open"] & GAME_BIT) != 0 and d["last_call"] < FLEK_GAME - SEVEN:
        mask |= np.int64(1) << FLEK_GAME
    if (d["open"] & SEVEN_BIT) != 0 and d["last_call"] < FLEK_SEVEN - SEVEN:
        mask |= np.int64(1) << FLEK_SEVEN
    return mask


@jit
def _asked(d: Any, r: Any) -> Any:
    # A seat is skipped only when everybody can see that nothing is open to it (4a.4).
    if d["open"] != 0:
        return True
    if d["contract"] != SUIT_GAME or d["round"] != 0:
        return False
    return (d["seven_side"] == NOBODY and seven_possible(r)) or (
        d["hundred_side"] == NOBODY and hundred_possible(r)
    )


@jit
def announce(d: Any, r: Any, action: Any, side: Any) -> None:
    """Makes an announcement of the seat on turn; a hundred-against replaces the game component."""
    d["last_call"] = action - SEVEN
    component = GAME
    if action == SEVEN:
        component = SEVEN_COMPONENT
        d["seven_side"] = side
        d["seven_seat"] = d["turn"]
    else:
        d["hundred_side"] = side
        d["hundred_seat"] = d["turn"]
    d["levels"][component] = 0
    if side == DEFENDERS:
        bit = 1 << component
        d["open"] = d["open"] & ~bit
        if r["max_doublings"] > 0:
            d["next_open"] = d["next_open"] | bit


@jit
def raise_component(d: Any, r: Any, action: Any) -> None:
    """Raises a component one level; at the cap it is closed for good."""
    d["last_call"] = action - SEVEN
    component = action - FLEK_GAME
    bit = 1 << component
    d["levels"][component] += 1
    d["open"] = d["open"] & ~bit
    if d["levels"][component] < r["max_doublings"]:
        d["next_open"] = d["next_open"] | bit


@jit
def _ask_defender(d: Any, r: Any, number: Any) -> Any:
    # Gives the turn to the defenders' `number`-th or the one after him; False: nobody is asked.
    for n in range(number, 2):
        if _asked(d, r):
            d["defender"] = n
            d["turn"] = (d["declarer"] + 1 + n) % 3
            d["last_call"] = -1
            return True
    return False


@jit
def begin_doubling(d: Any, r: Any) -> Any:
    """Round 0 after the declarer's announcements; returns whether anybody is asked."""
    d["phase"] = DOUBLE
    d["round"] = 0
    d["next_open"] = 0
    d["open"] = 0
    if r["max_doublings"] > 0:
        d["open"] = GAME_BIT | (SEVEN_BIT if d["seven_side"] == DECLARER else 0)
    return _ask_defender(d, r, 0)


@jit
def begin_no_trump_doubling(d: Any, r: Any) -> Any:
    """The declarer's answer to a flek in the replies (4b); returns whether he is asked."""
    if d["levels"][GAME] == 0 or d["levels"][GAME] >= r["max_doublings"]:
        return False
    d["phase"] = DOUBLE
    d["round"] = 1
    d["open"] = GAME_BIT
    d["next_open"] = 0
    d["defender"] = -1
    d["turn"] = d["declarer"]
    d["last_call"] = -1
    return True


@jit
def end_turn(d: Any, r: Any) -> Any:
    """After `good` in DOUBLE: the next turn; returns False when the phase is over."""
    if d["defender"] == 0 and _ask_defender(d, r, 1):
        return True
    # The side's round is over.
    if d["next_open"] == 0:
        return False
    d["open"] = d["next_open"]
    d["next_open"] = 0
    d["round"] += 1
    if d["defender"] >= 0:
        d["defender"] = -1
        d["turn"] = d["declarer"]
        d["last_call"] = -1
        return True
    return _ask_defender(d, r, 0)
