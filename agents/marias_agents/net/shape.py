"""The shape of the network: a wide first layer, then narrow ones, chosen by what is to be decided.

A position has some 60 inputs that are not 0, out of 600. The first layer therefore is a sum of some
60 rows of a table, and may be wide for little; what follows it is narrow. Of the tables there is
one for each kind of game, of the narrow layers one stack for each kind of decision (*bucket*): only
the one that is needed is evaluated, so they cost memory and no time.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_env.actions import (
    BETL,
    CONTRACT,
    DISCARD,
    NAME_TRUMP,
    NUM_ACTIONS,
    OPEN_BETL,
    PLAY,
    REPLY,
    SUIT_GAME,
    TRUMP,
)
from marias_env.canonical import NUM_INPUTS
from marias_env.core.jit import jit

SHAPE_VERSION: Final = 1
"""Changes with the meaning of the buckets or the order of the layers; weight files carry it."""

BUCKETS: Final = (
    "trumps",
    "contract",
    "discard",
    "reply",
    "calls",
    "suit game, declarer leads",
    "suit game, declarer second",
    "suit game, declarer third",
    "suit game, defender leads",
    "suit game, defender second",
    "suit game, defender third",
    "betl, declarer",
    "betl, defender",
    "durch, declarer",
    "durch, defender",
)
"""Names of the buckets; `calls` are announcements and raises."""
_SUIT_PLAY: Final = 5
_BETL_PLAY: Final = 11
_DURCH_PLAY: Final = 13
NUM_BUCKETS: Final = len(BUCKETS)
TABLE_OF: Final = np.array([0] * _SUIT_PLAY + [1] * 6 + [2] * 4, dtype=np.int64)
"""Which first layer each bucket has: before play, suit games, betl and durch."""
NUM_TABLES: Final = 3


class NetParams(NamedTuple):
    """The weights of a network, float32, inputs before outputs.

    W is the width of the first layer, H that of the narrow ones, A the number of outputs.
    """

    first: npt.NDArray[np.float32]
    """(NUM_TABLES, inputs, W)"""
    first_bias: npt.NDArray[np.float32]
    """(NUM_TABLES, W)"""
    second: npt.NDArray[np.float32]
    """(NUM_BUCKETS, W, H)"""
    second_bias: npt.NDArray[np.float32]
    """(NUM_BUCKETS, H)"""
    third: npt.NDArray[np.float32]
    """(NUM_BUCKETS, H, H)"""
    third_bias: npt.NDArray[np.float32]
    """(NUM_BUCKETS, H)"""
    head: npt.NDArray[np.float32]
    """(NUM_BUCKETS, H, A)"""
    head_bias: npt.NDArray[np.float32]
    """(NUM_BUCKETS, A)"""


def param_shapes(
    width: int, narrow: int, inputs: int = NUM_INPUTS, outputs: int = NUM_ACTIONS
) -> dict[str, tuple[int, ...]]:
    """Returns the shapes of a network's weights by name, in the order of `NetParams`."""
    return {
        "first": (NUM_TABLES, inputs, width),
        "first_bias": (NUM_TABLES, width),
        "second": (NUM_BUCKETS, width, narrow),
        "second_bias": (NUM_BUCKETS, narrow),
        "third": (NUM_BUCKETS, narrow, narrow),
        "third_bias": (NUM_BUCKETS, narrow),
        "head": (NUM_BUCKETS, narrow, outputs),
        "head_bias": (NUM_BUCKETS, outputs),
    }


@jit
def bucket_of(d: Any, seat: Any) -> Any:
    """The bucket of a decision.

    Args:
        d: a DEAL record, a view or a whole deal; only what is public is read.
        seat: the seat on turn.
    """
    phase = d["phase"]
    if phase == PLAY:
        defends = np.int64(d["declarer"] != seat)
        if d["contract"] == SUIT_GAME:
            return _SUIT_PLAY + 3 * defends + np.int64(d["in_trick"])
        if d["contract"] == BETL or d["contract"] == OPEN_BETL:
            return _BETL_PLAY + defends
        return _DURCH_PLAY + defends
    if phase in (TRUMP, NAME_TRUMP):
        return np.int64(0)
    if phase == CONTRACT:
        return np.int64(1)
    if phase == DISCARD:
        return np.int64(2)
    if phase == REPLY:
        return np.int64(3)
    return np.int64(4)
