"""Any torch policy as an agent: `TorchAgent(module)` plays in the arena and in environments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from marias_agents.random_agent import stream_of
from marias_env.actions import NUM_ACTIONS
from marias_env.core.jit import jit
from marias_env.core.rng import mix
from marias_env.errors import AgentError
from marias_env.options import Flag, Maybe, Whole, check
from marias_env.seeds import random_root
from marias_env.views import Views
from marias_training.bucket_net import check_weights

_UNUSED_BITS: Final = np.uint64(11)
"""A float64 has room for 53 of 64 random bits."""


class TorchAgent:
    """Plays from a module that turns observations into logits (or values) of the 48 actions.

        agent = TorchAgent(module)
        marias_training.arena.compare(agent, "rules", deals=1000)

    Illegal actions are taken out here, so the module need not know the mask. Without a seed the
    legal action with the largest logit is taken. With one the action is drawn from the softmax of
    the legal logits; the draw is a hash of seed and view, so that the same view gets the same
    action in whatever batch it is.

    Args:
        module: called with (N, F) observations, and with the (N, 48) bool mask as its second
            argument if `with_mask`; returns (N, 48) logits, alone or first in a tuple. A
            `torch.nn.Module` (it is put into evaluation mode for each call and back afterwards) or
            any function of tensors.
        name: what tables call it.
        seed: None: the most probable action; a whole number: drawn.
        with_mask: the module also gets the mask.
        dtype: of the observations, `torch.float32` or `torch.int8`.
        device: where the module is; None: where its parameters are.

    Raises:
        AgentError: no such module, or weights that are not finite.
        OptionError: a seed or flag that is none.
    """

    def __init__(
        self,
        module: nn.Module | Callable[..., Any],
        name: str = "torch",
        seed: int | None = None,
        with_mask: bool = False,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str | None = None,
    ) -> None:
        if isinstance(module, type) or not callable(module):
            raise AgentError(f"agent {name!r}: {module!r}; expected a module, or a function")
        self.seed: int | None = check("seed", seed, Maybe(Whole()))
        self.module = module
        self.name = name if seed is None else f"{name}@{seed}"
        self.with_mask: bool = check("with_mask", with_mask, Flag())
        self.dtype = dtype
        if isinstance(module, nn.Module):
            check_weights(f"agent {name!r}", module.state_dict(), AgentError)
            if device is None:
                device = next((p.device for p in module.parameters()), None)
        self.device = torch.device("cpu" if device is None else device)

    @torch.no_grad()
    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses an action for every view.

        Raises:
            AgentError: the module's output is not (N, 48) finite numbers.
        """
        given = torch.from_numpy(views.observe()).to(self.device, self.dtype)
        legal = torch.from_numpy(np.ascontiguousarray(masks))
        inputs = (given, legal.bool().to(self.device)) if self.with_mask else (given,)
        logits = self._called(*inputs)
        if not isinstance(logits, torch.Tensor) or logits.shape != (len(views), NUM_ACTIONS):
            found = tuple(logits.shape) if isinstance(logits, torch.Tensor) else type(logits)
            raise AgentError(
                f"agent {self.name!r}: its module returned {found}; "
                f"expected ({len(views)}, {NUM_ACTIONS}) logits"
            )
        return choose(self.name, logits.cpu(), legal, views.deals["rng"], self.seed)

    def _called(self, *inputs: torch.Tensor) -> Any:
        if not isinstance(self.module, nn.Module):
            out = self.module(*inputs)
        else:
            training = self.module.training
            self.module.eval()
            try:
                out = self.module(*inputs)
            finally:
                self.module.train(training)
        return out[0] if isinstance(out, tuple) else out

    def __repr__(self) -> str:
        return f"TorchAgent({self.name!r})"


def choose(
    name: str,
    logits: torch.Tensor,
    legal: torch.Tensor,
    hashes: npt.NDArray[np.uint64],
    seed: int | None,
) -> npt.NDArray[np.int64]:
    """Returns (N,) legal actions: the most probable ones, or drawn from the softmax.

    Args:
        name: of the agent, for errors.
        logits: (N, A).
        legal: (N, A), 0 where an action is illegal.
        hashes: (N,) what draws depend on besides the seed: hashes of the views.
        seed: None: the largest logit.

    Raises:
        AgentError: logits of legal actions that are not finite.
    """
    # A NaN would win every comparison, and the first action be taken whatever it is. Infinities are
    # let pass where nothing is legal: some modules mask by themselves.
    if logits.isnan().any() or not logits[legal != 0].isfinite().all():
        raise AgentError(f"agent {name!r}: its network's output is not finite")
    logits = logits.masked_fill(legal == 0, -torch.inf)
    if seed is None:
        return np.asarray(logits.argmax(1).numpy(), dtype=np.int64)
    return _drawn(logits.double().softmax(1).numpy(), hashes, seed)


@jit
def _uniform(hashes: Any, key: Any, out: Any) -> None:
    for i in range(hashes.shape[0]):
        out[i] = np.float64(mix(stream_of(hashes[i], key)) >> _UNUSED_BITS) * 2.0**-53


def _drawn(
    probabilities: npt.NDArray[np.float64], hashes: npt.NDArray[np.uint64], seed: int
) -> npt.NDArray[np.int64]:
    marks = np.empty(len(hashes))
    key = random_root(seed)
    _uniform(np.ascontiguousarray(hashes), key, marks)
    sums = probabilities.cumsum(axis=1)
    # The first action whose sum passes the mark; an illegal one adds nothing and never does.
    chosen: npt.NDArray[np.int64] = (sums > (marks * sums[:, -1])[:, None]).argmax(axis=1)
    return chosen
