"""What a search needs besides its arguments: one preallocated int64 array per thread."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

USE_TABLE: Final = 1
"""Transposition table at trick boundaries."""
USE_RANKS: Final = 2
"""Table keys by relative rank instead of by card."""
USE_EQUALS: Final = 4
"""Of neighbouring cards in one hand only one is tried."""
USE_ORDER: Final = 8
"""Promising cards first."""
USE_BOUNDS: Final = 16
"""Cut where the tens left, or those that are certain, decide."""
USE_CASH: Final = 32
"""Certain tens include the winners that the leader can cash (needs USE_BOUNDS)."""
USE_ALL: Final = 63

FLAGS, STAMP, NODES, SEVEN, KEEP, FENCES, TABLE_MASK = range(7)
HANDS = 8  # 8, 9, 10: hands in lanes, the declarer's first
PLAYED = 11  # 11, 12: cards on the table, in lanes
LEADER, IN_TRICK, TENS_LEFT = 13, 14, 15
PAY = 16
"""V by tens of the declarer from here on (0…15), one row of 16 for each fate of the trump 7."""
STEPS = 64
"""The different values of PAY, ascending (at most 48), then their number."""
NUM_STEPS = STEPS + 48
KILLERS = 128
"""Last card that decided, by cards left (0…10) times 4 plus place in the trick."""
CODES = 192
"""Number of every holding of a lane, by lane times 1024 plus the cards still there."""
SEQUENCE = CODES + 4 * 1024
"""Scratch for making CODES."""
TABLE = SEQUENCE + 1024
"""Two words an entry: key, then proven bounds, best lead and stamp."""

STAMP_LIMIT: Final = (1 << 26) - 1
DEFAULT_BITS: Final = 16


def new_workspace(table_bits: int = DEFAULT_BITS, flags: int = USE_ALL) -> npt.NDArray[np.int64]:
    """Returns a workspace for `card_values` and `position_value`.

    Args:
        table_bits: the transposition table has 2 ** table_bits entries of 16 bytes.
        flags: the optimisations in use, a sum of the `USE_` constants; results don't depend on it.
    """
    workspace: npt.NDArray[Any] = np.zeros(TABLE + (2 << table_bits), dtype=np.int64)
    workspace[FLAGS] = flags
    workspace[TABLE_MASK] = (1 << table_bits) - 1
    return workspace
