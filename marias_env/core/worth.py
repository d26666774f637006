"""What a marriage is worth and what hearts do, for compiled code; the numbers are in `rules`."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.core.jit import jit
from marias_env.rules import HEARTS, HEARTS_FACTOR, MARRIAGE, TRUMP_MARRIAGE


@jit
def marriage_worth(suit: Any, trump: Any) -> Any:
    """Card points of a marriage (RULES.md 5.3)."""
    return np.int64(TRUMP_MARRIAGE if suit == trump else MARRIAGE)


@jit
def hearts_factor(trump: Any) -> Any:
    """What the components of a suit game are multiplied by (RULES.md 6a)."""
    return np.int64(HEARTS_FACTOR if trump == HEARTS else 1)
