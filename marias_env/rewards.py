"""Rewards made smaller: payments are heavy-tailed, and learners want them otherwise.

A payment doubles with every raise and, under most rules, with every ten points of a hundred. Most
deals are worth a few units, one in thousands is worth thousands, and in a squared error or a
gradient that one outweighs all others. Every function here keeps sign and order (`cap` up to its
cap) and is odd, so rewards that sum to zero among three seats need not do so afterwards.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from marias_env.options import Choice, Real, check

SQUASHES: Final = ("log", "sqrt", "cap")


def squash(units: npt.ArrayLike, how: str = "log", cap: float = 16.0) -> npt.NDArray[np.float32]:
    """Turns units into rewards of about ±1; picklable with `functools.partial`.

    Args:
        units: payments, any shape.
        how: `log` sign(x)·log(1+|x|)/2, `sqrt` sign(x)·√|x|/3, or `cap` x cut at ±`cap`, over 4.
        cap: units per deal, for `cap`.

    Returns:
        An array of the same shape, float32.

    Raises:
        OptionError: no such way, or a cap that is not positive.
    """
    check("how", how, Choice(*SQUASHES))
    check("cap", cap, Real(0, above=True))
    given: npt.NDArray[Any] = np.asarray(units)
    size = np.abs(given).astype(np.float32)
    if how == "log":
        size = np.log1p(size) / 2
    elif how == "sqrt":
        size = np.sqrt(size) / 3
    else:
        size = np.minimum(size, cap) / 4
    return np.asarray(np.sign(given) * size, dtype=np.float32)
