"""The layout of observations and states: named slices, versioned, documented from here.

Two encodings that are never to be confused: the observation vector is what a seat sees now
(including what it can remember of the talon and infer from play), without the order of past tricks;
the event tokens (`marias_env.tokens`) are the full information state.
"""

from __future__ import annotations

from marias_env.core.layout import (
    OBSERVATION_SIZE,
    OBSERVATION_SLICES,
    OBSERVATION_VERSION,
    SCALARS_AT,
    STATE_SIZE,
    STATE_SLICES,
    Access,
    Kind,
    Slice,
)

__all__ = [
    "OBSERVATION_SIZE",
    "OBSERVATION_SLICES",
    "OBSERVATION_VERSION",
    "SCALARS_AT",
    "STATE_SIZE",
    "STATE_SLICES",
    "Access",
    "Kind",
    "Slice",
]
