"""Checkpoints: a training run on disk, and an agent that plays from it."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import Any, Final

import torch

import marias_env
from marias_agents.net.agent import NetAgent
from marias_env.canonical import FEATURES_VERSION
from marias_env.errors import AgentError, StateError
from marias_env.files import write_bytes_atomic
from marias_env.observation import OBSERVATION_VERSION
from marias_training.bucket_net import check_weights
from marias_training.checkpoint_file import FORMAT, read_checkpoint
from marias_training.policy import load_policy
from marias_training.ppo import Trainer

CHECKPOINT: Final = "checkpoint.pt"
"""Its name in a run's folder."""


def save_checkpoint(trainer: Trainer, path: str | Path) -> None:
    """Writes a run whole or not at all: a kill at any moment leaves the old file or the new one.

    Raises:
        StateError: weights that are not finite; the old file stays.
        OSError: the file cannot be written.
    """
    for part, weights in (("policy", trainer.policy), ("critic", trainer.critic)):
        check_weights(f"{part} of the run", weights.state_dict(), StateError)
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
    return NetAgent(policy.to_params(), str(path), seed)
