"""The skill correction: what the solver misses of how deals go among players who see no cards.

Double dummy flatters the defence, most of all in betl, where it knows every hole; and it flatters a
declarer who needs every trick for an announced hundred. The corrections are means of (V paid - V
double dummy) over the rules player's games against itself, in units before doubling and hearts.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.actions import BETL, SUIT_GAME
from marias_env.core.deal import DECLARER, DEFENDERS
from marias_env.rules import HEARTS, HEARTS_FACTOR

PLAIN: Final = 0.28
SEVEN: Final = 0.0
HUNDRED: Final = -1.2
HUNDRED_AGAINST: Final = 1.2
BETL_GAIN: Final = 2.1


def corrections(ends: Any) -> npt.NDArray[np.float64]:
    """Returns (n,) what to add to V of deals at the first lead, units per opponent.

    Args:
        ends: (n,) DEAL in play.
    """
    suit_game = ends["contract"] == SUIT_GAME
    plain = np.where(ends["seven_side"] == DECLARER, SEVEN, PLAIN)
    game = np.where(ends["hundred_side"] == DECLARER, HUNDRED, plain)
    game = np.where(ends["hundred_side"] == DEFENDERS, HUNDRED_AGAINST, game)
    units = np.where(suit_game, game, np.where(ends["contract"] == BETL, BETL_GAIN, 0.0))
    hearts = np.where(suit_game & (ends["trump"] == HEARTS), HEARTS_FACTOR, 1)
    return np.asarray(units * hearts * 2.0 ** ends["levels"][:, 0], dtype=np.float64)
