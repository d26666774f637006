"""Packed observations for replay memories: 90 bytes instead of 632, and back without loss.

Layout of a packed row, (90,) uint8: bytes 0 to 78 hold one bit for each of the 632 entries, entry e
in byte e // 8, bit e % 8 (the lowest first), 0 for an entry that is a count; bytes 79 to 89 are the
counts as int8, in the order of `COUNT_ENTRIES`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.core.layout import OBSERVATION_SIZE
from marias_env.core.pack import BIT_BYTES, COUNT_ENTRIES, PACKED_SIZE

__all__ = ["BIT_BYTES", "COUNT_ENTRIES", "PACKED_SIZE", "pack", "unpack"]


def _check(name: str, array: npt.NDArray[Any], size: int, dtype: Any) -> None:
    if array.ndim < 1 or array.shape[-1] != size or array.dtype != dtype:
        raise ValueError(
            f"{name} of shape {array.shape} and dtype {array.dtype}; expected "
            f"(..., {size}) {np.dtype(dtype).name}"
        )


def pack(observations: npt.NDArray[np.int8]) -> npt.NDArray[np.uint8]:
    """Returns observations (..., 632) int8 as (..., 90) uint8, as `observe_packed` gives them.

    Raises:
        ValueError: another shape or dtype.
    """
    _check("observations", observations, OBSERVATION_SIZE, np.int8)
    packed = np.empty((*observations.shape[:-1], PACKED_SIZE), dtype=np.uint8)
    bits = observations.view(np.uint8).copy()
    bits[..., COUNT_ENTRIES] = 0
    packed[..., :BIT_BYTES] = np.packbits(bits, axis=-1, bitorder="little")
    packed[..., BIT_BYTES:] = observations.view(np.uint8)[..., COUNT_ENTRIES]
    return packed


def unpack(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.int8]:
    """Returns packed observations (..., 90) uint8 as (..., 632) int8.

    Raises:
        ValueError: another shape or dtype.
    """
    _check("packed", packed, PACKED_SIZE, np.uint8)
    bits = np.unpackbits(packed[..., :BIT_BYTES], axis=-1, bitorder="little")
    bits[..., COUNT_ENTRIES] = packed[..., BIT_BYTES:]
    return bits.view(np.int8)
