"""The file of a checkpoint: what is in it, and whether this version understands it.

A file holds tensors and plain values only and is read with torch's `weights_only=True`: a
checkpoint from elsewhere can be wrong, but it cannot run code.
"""

from __future__ import annotations

import io
import lzma
import pickle
import zipfile
import zlib
from pathlib import Path
from typing import Any, Final

import torch

from marias_env.canonical import FEATURES_VERSION
from marias_env.errors import StateError
from marias_env.observation import OBSERVATION_VERSION
from marias_training.bucket_net import check_weights
from marias_training.config import PPOConfig

FORMAT: Final = "marias-checkpoint/1"


def read_checkpoint(path: str | Path) -> dict[str, Any]:
    """Reads a checkpoint and checks that this version understands it.

    Returns:
        What was saved, with `config` as a `PPOConfig`.

    Raises:
        StateError: not a checkpoint, cut short, or of another layout.
        OSError: the file cannot be read.
    """
    data = Path(path).read_bytes()
    try:
        # Torch does not look at the checksums of the archive, and a flipped bit in a weight would
        # pass unseen.
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            damaged = archive.testzip()
        if damaged is not None:
            raise ValueError(f"wrong checksum of {damaged}")
        saved = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except (
        RuntimeError, pickle.UnpicklingError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
        EOFError, OSError, ValueError, KeyError, TypeError, AttributeError, IndexError,
    ) as error:  # fmt: skip
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise StateError(f"{path}: not a checkpoint, or a damaged one: {reason}") from error
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        found = saved.get("format") if isinstance(saved, dict) else type(saved).__name__
        raise StateError(f"{path}: format {found!r}; expected {FORMAT!r}")
    for key, expected in (
        ("observation_version", OBSERVATION_VERSION),
        ("features_version", FEATURES_VERSION),
    ):
        if saved.get(key) != expected:
            raise StateError(
                f"{path}: {key} {saved.get(key)!r}; this package has {expected!r}. The network was "
                "trained on another layout of observations and cannot be used with this one"
            )
    try:
        saved["config"] = PPOConfig(**saved["config"])
    except (TypeError, ValueError, KeyError) as error:
        raise StateError(f"{path}: its configuration is not of this version: {error}") from error
    for part in ("policy", "critic"):
        if isinstance(saved.get(part), dict):
            check_weights(f"{path}: {part}", saved[part], StateError)
    return saved
