"""Players that draw: `random` (every action) and `good` (random cards, no bidding)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.agent import Agent
from marias_env.actions import ANNOUNCE, CONTRACT, CONTRACT_0, DOUBLE, GOOD, REPLY
from marias_env.core.jit import jit, jit_wrapping
from marias_env.core.rng import advance, mix, random_bit
from marias_env.errors import AgentError
from marias_env.seeds import random_root
from marias_env.views import Views

_SALT = np.uint64(0xA3EC647659359ACD)
"""Keeps these draws apart from other uses of a view's hash."""


@jit_wrapping
def stream_of(view_hash: Any, key: Any) -> Any:
    """The random stream of an agent (its key) at a view (its hash)."""
    return advance(mix(view_hash ^ key))


@jit
def draw(view: Any, key: Any) -> Any:
    """A uniformly random legal action: a function of the agent's key and the view's hash."""
    return random_bit(np.int64(view["legal"]), stream_of(view["rng"], key))


@jit
def random_rows(views: Any, key: Any, out: Any) -> None:
    """Draws for every view: views (N,) DEAL, key uint64, out (N,) int64."""
    for i in range(views.shape[0]):
        out[i] = draw(views[i], key)


@jit
def good_rows(views: Any, key: Any, out: Any) -> None:
    """As `random_rows`, but plain: a suit game where possible, and `good` to everything."""
    suit_game = np.int64(1) << CONTRACT_0
    for i in range(views.shape[0]):
        view = views[i]
        phase = view["phase"]
        if phase in (REPLY, ANNOUNCE, DOUBLE):
            out[i] = GOOD
        elif phase == CONTRACT and (np.int64(view["legal"]) & suit_game) != 0:
            out[i] = CONTRACT_0
        else:
            out[i] = draw(view, key)


class DrawingAgent:
    """An agent made of a compiled kernel that draws from (seed, view).

    Args:
        name: what tables call it.
        kernel: `random_rows` or another function of its signature.
        seed: agents of different seeds draw differently.
    """

    def __init__(self, name: str, kernel: Any, seed: int = 0) -> None:
        self.name = name if seed == 0 else f"{name}@{seed}"
        self.seed = seed
        self._kernel = kernel
        self._key = random_root(seed) ^ _SALT

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Draws an action for every view (the masks are in the views)."""
        actions = np.empty(len(views), dtype=np.int64)
        self._kernel(views.deals, self._key, actions)
        return actions

    def __repr__(self) -> str:
        return f"make({self.name!r})"


def _no_argument(name: str, argument: str) -> None:
    if argument:
        raise AgentError(f"agent {name!r} takes no argument: {argument!r}")


def make_random(argument: str = "", seed: int = 0) -> Agent:
    """Makes the agent `random`."""
    _no_argument("random", argument)
    return DrawingAgent("random", random_rows, seed)


def make_good(argument: str = "", seed: int = 0) -> Agent:
    """Makes the agent `good`."""
    _no_argument("good", argument)
    return DrawingAgent("good", good_rows, seed)
