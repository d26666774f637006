"""Checkpoints: a training run on disk, and an agent that plays from it.

A file holds tensors and plain values only and is read with torch's `weights_only=True`: a
checkpoint from elsewhere can be wrong, but it cannot run code.
"""

from __future__ import annotations

import dataclasses
import io
import pickle
import zipfile
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

import marias_env
from marias_agents.random_agent import stream_of
from marias_env.core.jit import jit
from marias_env.core.rng import mix
from marias_env.errors import AgentError, StateError
from marias_env.files import write_bytes_atomic
from marias_env.observation import OBSERVATION_VERSION
from marias_env.views import Views
from marias_training.config import PPOConfig
from marias_training.features import FEATURES_VERSION, canonical, to_actions
from marias_training.ppo import Net, Trainer, load_policy, masked_log_probs

FORMAT: Final = "marias-checkpoint/1"
CHECKPOINT: Final = "checkpoint.pt"
"""Its name in a run's folder."""
_UNUSED_BITS: Final = np.uint64(11)
"""A float64 has room for 53 of 64 random bits."""


def save_checkpoint(trainer: Trainer, path: str | Path) -> None:
    """Writes a run whole or not at all: a kill at any moment leaves the old file or the new one."""
    buffer = io.BytesIO()
    torch.save(
        {
            "format": FORMAT,
            "version": marias_env.__version__,
            "observation_version": OBSERVATION_VERSION,
            "features_version": FEATURES_VERSION,
            "config": dataclasses.asdict(trainer.config),
            **trainer.state_dict(),
        },
        buffer,
    )
    write_bytes_atomic(path, buffer.getvalue())


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
        RuntimeError, pickle.UnpicklingError, zipfile.BadZipFile, EOFError, ValueError, KeyError,
        TypeError, AttributeError, IndexError,
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
    return saved


def load_trainer(path: str | Path, **changes: Any) -> Trainer:
    """Returns a run as it was when its checkpoint was written; it goes on exactly from there.

    Args:
        path: the checkpoint.
        **changes: fields of `PPOConfig` to change. Only with a longer `steps` or `minutes` and no
            other change is the run the same as one that was never interrupted.

    Raises:
        StateError: see `read_checkpoint`, or parts that do not fit together.
    """
    saved = read_checkpoint(path)
    trainer = Trainer(dataclasses.replace(saved["config"], **changes))
    try:
        trainer.load_state_dict(saved)
    except StateError:
        raise
    except (KeyError, RuntimeError, ValueError, TypeError, AttributeError) as error:
        reason = str(error).strip().split("\n")[0]
        raise StateError(f"{path}: parts of the checkpoint do not fit: {reason}") from error
    return trainer


class NetAgent:
    """Plays from a policy network.

    Without a seed it takes the most probable action. With one it draws from the policy; the draw
    is a hash of seed and view, so that the same view gets the same action.
    """

    def __init__(self, policy: Net, name: str, seed: int | None = None) -> None:
        self.policy = policy.eval()
        self.name = name if seed is None else f"{name}@{seed}"
        self.seed = seed

    @torch.no_grad()
    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses an action for every view."""
        inputs = canonical(views.observe(), np.ascontiguousarray(masks))
        legal = torch.from_numpy(inputs.masks)
        logs = masked_log_probs(self.policy(torch.from_numpy(inputs.features)), legal)
        if self.seed is None:
            chosen = logs.argmax(1).numpy()
        else:
            chosen = _drawn(logs.exp().double().numpy(), views.deals["rng"], self.seed)
        return to_actions(chosen.astype(np.int64), inputs.order)

    def __repr__(self) -> str:
        return f"make({self.name!r})"


@jit
def _uniform(hashes: Any, key: Any, out: Any) -> None:
    for i in range(hashes.shape[0]):
        out[i] = np.float64(mix(stream_of(hashes[i], key)) >> _UNUSED_BITS) * 2.0**-53


def _drawn(
    probabilities: npt.NDArray[np.float64], hashes: npt.NDArray[np.uint64], seed: int
) -> npt.NDArray[np.int64]:
    marks = np.empty(len(hashes))
    key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    _uniform(np.ascontiguousarray(hashes), key, marks)
    sums = probabilities.cumsum(axis=1)
    # The first action whose sum passes the mark; an illegal one adds nothing and never does.
    chosen: npt.NDArray[np.int64] = (sums > (marks * sums[:, -1])[:, None]).argmax(axis=1)
    return chosen


def load_agent(path: str | Path, seed: int | None = None) -> NetAgent:
    """Makes an agent from a checkpoint file.

    Args:
        path: file written by `marias train`.
        seed: None: always the most probable action; a number: draws from the policy.

    Raises:
        AgentError: the file is missing, damaged, foreign, or of another observation layout.
    """
    try:
        saved = read_checkpoint(path)
        policy = load_policy(saved["config"], saved["policy"])
    except (StateError, OSError, KeyError, RuntimeError, TypeError, AttributeError) as error:
        reason = str(error).strip().split("\n")[0]
        raise AgentError(f"checkpoint {str(path)!r} cannot be loaded: {reason}") from error
    return NetAgent(policy, str(path), seed)
