"""Packed observations: a bit for every entry of 0 or 1, a byte for every count."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.core.encode import OBSERVATION_ROW, show
from marias_env.core.jit import jit, jit_wrapping
from marias_env.core.layout import OBSERVATION_SIZE, OBSERVATION_SLICES

COUNT_ENTRIES = np.array(
    [
        entry
        for part in OBSERVATION_SLICES.values()
        if part.kind == "counts"
        for entry in range(part.start, part.stop)
    ]
)
"""Entries that are numbers; their bits are 0, and they follow as bytes."""
BIT_BYTES = OBSERVATION_SIZE // 8
PACKED_SIZE = BIT_BYTES + len(COUNT_ENTRIES)


@jit_wrapping
def _gather(word: Any) -> Any:
    """The lowest bits of a word's eight bytes as one byte, the first of them lowest."""
    return (word * np.uint64(0x0102040810204080)) >> np.uint64(56)


@jit
def pack_rows(deals: Any, rules: Any, seats: Any, out: Any) -> None:
    """Writes packed observations.

    Args:
        deals: (B,) DEAL: true deals, or views of these seats.
        rules: (1,) RULE_SET.
        seats: (B,) int64: the seat, or -1 for nobody (zeros); (0,): the seats on turn.
        out: (B, PACKED_SIZE) uint8.
    """
    row = np.zeros(OBSERVATION_SIZE, dtype=np.int8).view(OBSERVATION_ROW)[0]
    for i in range(deals.shape[0]):
        d = deals[i]
        seat = np.int64(d["turn"]) if seats.shape[0] == 0 else np.int64(seats[i])
        show(d, rules[0], seat, row)
        for n in range(COUNT_ENTRIES.shape[0]):
            entry = COUNT_ENTRIES[n]
            out[i, BIT_BYTES + n] = np.uint8(row["entries"][entry])
            row["entries"][entry] = 0
        for byte in range(BIT_BYTES):
            out[i, byte] = _gather(row["words"][byte])
