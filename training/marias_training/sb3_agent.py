"""Policies that Stable-Baselines3 saved, as agents: `make("sb3:FILE")`.

Any file of an algorithm with an actor-critic policy (`MaskablePPO`, `PPO`, `A2C`) or a Q network
(`DQN`) plays, if it was trained on the package's observations: those of `MariasVecEnv`, or of
`MariasEnv` with either kind of `observation`. SB3 pickles parts of a model: load files only from
those whom you would let run code.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any, Final

import torch
from gymnasium import spaces
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.save_util import load_from_zip_file
from torch import nn

from marias_env.actions import NUM_ACTIONS
from marias_env.errors import AgentError, StateError
from marias_env.files import parse_json
from marias_env.observation import OBSERVATION_SIZE, OBSERVATION_VERSION
from marias_training.torch_agent import TorchAgent

NOTES: Final = "marias.json"
"""In files that `marias_training.sb3` writes: the layout of observations and the run's options."""
FORMAT: Final = "marias-sb3/1"


class PolicyLogits(nn.Module):
    """An SB3 policy as a module from (N, F) observations and (N, 48) masks to (N, 48) logits.

    Args:
        policy: actor-critic, or with a Q network.

    Raises:
        StateError: another kind of policy, or one of other observations or actions.
    """

    def __init__(self, policy: BasePolicy) -> None:
        super().__init__()
        self.policy = policy
        space: Any = policy.observation_space
        self.as_dict = isinstance(space, spaces.Dict)
        if self.as_dict:
            same = set(space.spaces) == {"observation", "action_mask"}
            space = space.spaces["observation"] if same else None
        if getattr(space, "shape", None) != (OBSERVATION_SIZE,):
            raise StateError(
                f"a policy for observations {policy.observation_space}; expected vectors of "
                f"{OBSERVATION_SIZE} entries, alone or with `action_mask` beside them"
            )
        if getattr(policy.action_space, "n", None) != NUM_ACTIONS:
            raise StateError(f"a policy for {policy.action_space}; expected {NUM_ACTIONS} actions")
        if not hasattr(policy, "get_distribution") and not hasattr(policy, "q_net"):
            raise StateError(
                f"a {type(policy).__name__}; expected an actor-critic policy or one with a Q "
                "network (others: marias_training.torch_agent.TorchAgent)"
            )

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Returns logits, or the values of a Q network."""
        given: Any = observations
        if self.as_dict:
            given = {"observation": observations, "action_mask": masks.to(torch.int8)}
        policy: Any = self.policy
        if hasattr(policy, "get_distribution"):
            logits: torch.Tensor = policy.get_distribution(given).distribution.logits
            return logits
        values: torch.Tensor = policy.q_net(given)
        return values


def load_policy(path: str | Path) -> BasePolicy:
    """Returns the policy of a file that an SB3 algorithm saved, on the CPU.

    Raises:
        OSError: the file cannot be read.
        StateError: it is not such a file, damaged, or of another layout of observations.
    """
    data = Path(path).read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            damaged = archive.testzip()
            notes = parse_json(archive.read(NOTES)) if NOTES in archive.namelist() else {}
        if damaged is not None:
            raise StateError(f"wrong checksum of {damaged}")
        version = notes.get("observation_version", OBSERVATION_VERSION)
        if version != OBSERVATION_VERSION:
            raise StateError(
                f"observation_version {version!r}; this package has {OBSERVATION_VERSION!r}"
            )
        saved, parameters, _ = load_from_zip_file(io.BytesIO(data), device="cpu")
        if saved is None or "policy" not in parameters:
            raise StateError("no model of Stable-Baselines3")
        policy: BasePolicy = saved["policy_class"](
            saved["observation_space"],
            saved["action_space"],
            lambda _: 0.0,
            **saved["policy_kwargs"],
        )
        weights: Any = parameters["policy"]
        policy.load_state_dict(weights)
    except StateError as error:
        raise StateError(f"{path}: {error}") from None
    except Exception as error:  # whatever unpickling and rebuilding a foreign model raises
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        what = f"{path}: no model of Stable-Baselines3 that plays here"
        raise StateError(f"{what}: {reason}") from error
    return policy


def make_sb3(argument: str = "", seed: int = 0) -> TorchAgent:
    """Makes the agent `sb3:FILE`.

    Args:
        argument: the file; SB3's ending `.zip` may be left out.
        seed: 0: always the most probable action; from 1: draws from the policy.

    Raises:
        AgentError: the file is missing, damaged or no model that plays this game.
    """
    if not argument:
        raise AgentError("agent 'sb3': expected a file, sb3:runs/sb3/model.zip")
    path = Path(argument)
    if not path.is_file() and Path(f"{argument}.zip").is_file():
        path = Path(f"{argument}.zip")
    try:
        module = PolicyLogits(load_policy(path))
    except (StateError, OSError) as error:
        raise AgentError(f"agent 'sb3:{argument}' cannot be loaded: {error}") from error
    kind = torch.int8 if _is_int8(module.policy.observation_space) else torch.float32
    return TorchAgent(module, f"sb3:{argument}", seed or None, with_mask=True, dtype=kind)


def _is_int8(space: Any) -> bool:
    vector = space.spaces["observation"] if isinstance(space, spaces.Dict) else space
    return str(vector.dtype) == "int8"
