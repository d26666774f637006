"""An agent that plays from a policy network."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from marias_agents.random_agent import stream_of
from marias_env.canonical import canonical, to_actions
from marias_env.core.jit import jit
from marias_env.core.rng import mix
from marias_env.errors import AgentError, MariasError
from marias_env.views import Views

_UNUSED_BITS: Final = np.uint64(11)
"""A float64 has room for 53 of 64 random bits."""


def check_weights(name: str, weights: Mapping[str, Any], error: type[MariasError]) -> None:
    """Raises the error if a tensor of a network has a NaN or an infinity, and names both."""
    for part, tensor in weights.items():
        if isinstance(tensor, torch.Tensor) and not tensor.isfinite().all():
            raise error(f"{name}: weights {part!r} are not finite")


if hasattr(os, "register_at_fork"):
    # GNU's OpenMP waits for ever in a forked child for threads that only its parent has.
    os.register_at_fork(after_in_child=partial(torch.set_num_threads, 1))


class NetAgent:
    """Plays from a policy network.

    Without a seed it takes the most probable action. With one it draws from the policy; the draw
    is a hash of seed and view, so that the same view gets the same action.

    Raises:
        AgentError: weights that are not finite.
    """

    def __init__(self, policy: nn.Module, name: str, seed: int | None = None) -> None:
        check_weights(f"agent {name!r}", policy.state_dict(), AgentError)
        self.policy = policy.eval()
        self.name = name if seed is None else f"{name}@{seed}"
        self.seed = seed

    @torch.no_grad()
    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses an action for every view.

        Raises:
            AgentError: the network's output is not finite.
        """
        inputs = canonical(views.observe(), np.ascontiguousarray(masks))
        legal = torch.from_numpy(inputs.masks)
        logits = self.policy(torch.from_numpy(inputs.features))
        # A NaN would win every comparison, and the first action be taken whatever it is.
        if not logits.isfinite().all():
            raise AgentError(f"agent {self.name!r}: its network's output is not finite")
        logits = logits.masked_fill(legal == 0, -torch.inf)
        if self.seed is None:
            chosen = logits.argmax(1).numpy()
        else:
            chosen = _drawn(logits.double().softmax(1).numpy(), views.deals["rng"], self.seed)
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
