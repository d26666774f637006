"""A policy of a game tree as an agent, to be played and measured like any other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from marias_agents.exact.tree import GameTree
from marias_agents.exact.values import Floats
from marias_agents.random_agent import DrawingAgent, random_rows
from marias_env.core.rng import mix
from marias_env.errors import AgentError
from marias_env.seeds import random_root
from marias_env.views import Views


class TabularAgent:
    """Plays a tabular policy; draws depend on (seed, view) only.

    Args:
        tree: the game.
        policy: (C,) probabilities of its choices.
        name: what tables call it.
        seed: agents of different seeds draw differently.
        others: what is done where the tree has no such information set, as in deals with another
            dealer: None raises, `"random"` plays randomly.
    """

    def __init__(
        self,
        tree: GameTree,
        policy: Floats,
        name: str = "tabular",
        seed: int = 0,
        others: str | None = None,
    ) -> None:
        self.name = name
        self._tree = tree
        self._cumulative = np.cumsum(policy)
        self._key = random_root(seed)
        self._random = DrawingAgent("random", random_rows, seed) if others == "random" else None

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Draws an action for every view.

        Raises:
            AgentError: views of another game than the tree's.
        """
        tree = self._tree
        infosets = tree.lookup(views)
        known = infosets >= 0
        if not known.all() and self._random is None:
            raise AgentError(
                f"agent {self.name!r}: view {int(np.argmin(known))} is not in its game tree"
            )
        actions = np.zeros(len(views), dtype=np.int64)
        if not known.all() and self._random is not None:
            actions = self._random.act(views, masks)
        where = infosets[known]
        start, stop = tree.first_choice[where], tree.first_choice[where + 1]
        hashes = views.deals["rng"][known]
        # A number in [0, 1) from the view's hash, and the choice whose share of [0, 1) it is in.
        drawn = np.array([int(mix(h ^ self._key)) >> 11 for h in hashes]) * 2.0**-53
        base = np.where(start > 0, self._cumulative[start - 1], 0.0)
        total = self._cumulative[stop - 1] - base
        chosen = np.searchsorted(self._cumulative, base + drawn * total, side="right")
        actions[known] = tree.action[np.clip(chosen, start, stop - 1)]
        return actions

    def __repr__(self) -> str:
        return f"TabularAgent({self.name!r}, {self._tree!r})"
