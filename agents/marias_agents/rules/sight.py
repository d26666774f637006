"""What a seat works out from its view before it thinks: the cards that are still out, and where."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from marias_env.actions import PLAY, SUIT_GAME
from marias_env.core.bits import NO_TRUMP_MODE, SUIT_MODE
from marias_env.core.jit import jit


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
