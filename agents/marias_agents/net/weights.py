"""Weight files: a network's numbers in float16, with what is needed to refuse what does not fit.

A file is eight bytes (the length of the header, little-endian), the header (JSON, UTF-8), and the
weights one after the other in the order of the header, little-endian float16. Nothing in it is
code.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import marias_env
from marias_agents.net.shape import SHAPE_VERSION, NetParams, param_shapes
from marias_env.canonical import FEATURES_VERSION
from marias_env.errors import AgentError, RulesError
from marias_env.files import write_bytes_atomic
from marias_env.observation import OBSERVATION_VERSION
from marias_env.rules import get_rules

FORMAT: Final = "marias-net/1"
SUFFIX: Final = ".net"
FOLDER: Final = Path(__file__).with_name("weights")
"""The networks that come with the package: NAME-PRESET.net."""
_VERSIONS: Final = {
    "observation_version": OBSERVATION_VERSION,
    "features_version": FEATURES_VERSION,
    "shape_version": SHAPE_VERSION,
}
_MAX_HEADER: Final = 1 << 20


class Weights(NamedTuple):
    """What a weight file holds.

    Attributes:
        params: the network.
        rules: preset it was trained for.
        about: plain values that whoever wrote the file wanted to tell.
    """

    params: NetParams
    rules: str
    about: dict[str, Any]


def save_weights(
    path: str | Path, params: NetParams, rules: str, about: dict[str, Any] | None = None
) -> None:
    """Writes a network, whole or not at all.

    Args:
        path: the file; `net:PATH` plays from it.
        params: the network.
        rules: preset it was trained for.
        about: plain values to store beside it.

    Raises:
        ValueError: a weight is not finite, or too large for float16.
        RulesError: there is no such preset.
    """
    get_rules(rules)
    parts = []
    for name, values in params._asdict().items():
        with np.errstate(over="ignore"):
            half = np.asarray(values, dtype="<f2")
        if not np.isfinite(half).all():
            raise ValueError(f"weights {name!r}: expected finite numbers up to 65504")
        parts.append(half.tobytes())
    data = b"".join(parts)
    header = {
        "format": FORMAT,
        "version": marias_env.__version__,
        **_VERSIONS,
        "rules": rules,
        "width": int(params.first.shape[2]),
        "narrow": int(params.second.shape[2]),
        "sha256": hashlib.sha256(data).hexdigest(),
        "about": about or {},
    }
    text = json.dumps(header).encode("utf-8")
    write_bytes_atomic(path, len(text).to_bytes(8, "little") + text + data)


def load_weights(path: str | Path) -> Weights:
    """Reads a network.

    Raises:
        AgentError: missing, damaged, foreign, of another layout, or with weights that are not
            finite.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise AgentError(f"network {str(path)!r} cannot be read: {error}") from error
    length = int.from_bytes(content[:8], "little")
    try:
        if len(content) < 8 or length > min(_MAX_HEADER, len(content) - 8):
            raise ValueError("too short")
        header = json.loads(content[8 : 8 + length].decode("utf-8"))
        if header["format"] != FORMAT:
            raise ValueError(f"format {header['format']!r}; expected {FORMAT!r}")
    except (ValueError, KeyError, TypeError) as error:
        raise AgentError(f"network {str(path)!r}: not a weight file: {error}") from error
    for key, expected in _VERSIONS.items():
        if header.get(key) != expected:
            raise AgentError(
                f"network {str(path)!r}: {key} {header.get(key)!r}; this package has {expected!r}. "
                "It was trained on another layout and cannot be used with this one"
            )
    data = content[8 + length :]
    try:
        sizes = [header[key] for key in ("width", "narrow")]
        if any(type(size) is not int or not 0 < size <= 1 << 16 for size in sizes):
            raise ValueError(f"width, narrow: {sizes}; expected numbers from 1")
        get_rules(header["rules"])
        shapes = param_shapes(*sizes)
        expected = 2 * sum(math.prod(shape) for shape in shapes.values())
        if len(data) != expected or hashlib.sha256(data).hexdigest() != header["sha256"]:
            raise ValueError("damaged: its checksum or its size is wrong")
        about = dict(header["about"])
    except (ValueError, KeyError, TypeError, RulesError) as error:
        raise AgentError(f"network {str(path)!r}: {error}") from error
    arrays = {}
    at = 0
    for name, shape in shapes.items():
        flat = np.frombuffer(data, dtype="<f2", count=math.prod(shape), offset=at)
        arrays[name] = flat.astype(np.float32).reshape(shape)
        at += flat.nbytes
        if not np.isfinite(flat).all():
            raise AgentError(f"network {str(path)!r}: weights {name!r} are not all finite")
    return Weights(NetParams(**arrays), header["rules"], about)
