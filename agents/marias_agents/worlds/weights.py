"""Weights for worlds: how likely a policy's bidding is to have gone as it went.

The sampler takes from the bidding only what is certain. A policy says more: a player who would have
announced with such a hand, and was silent, has it less often. `weights` replays each world's
bidding and multiplies the policy's probabilities of what everybody heard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from marias_agents.agent import Agent
from marias_env.actions import PLAY
from marias_env.batch import DealBatch
from marias_env.core.history import actions_of
from marias_env.options import Real, check
from marias_env.views import Views

Policy: TypeAlias = Callable[
    [Views, npt.NDArray[np.int8], npt.NDArray[np.int64]], npt.NDArray[np.float64]
]
"""Called with N views, (N, 48) masks and (N,) actions; returns (N,) probabilities."""


def deterministic(agent: Agent, epsilon: float = 0.0) -> Policy:
    """Returns the policy of an agent that always does the same in the same view.

    Args:
        agent: any agent.
        epsilon: how often any legal action is taken at random instead; 0: other actions are
            impossible, which can leave no world at all when the players are not this agent.

    Raises:
        ValueError: `epsilon` is no probability.
    """
    check("epsilon", epsilon, Real(0, 1))

    def policy(
        views: Views, masks: npt.NDArray[np.int8], actions: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        same = agent.act(views, masks) == actions
        noise = epsilon / masks.sum(axis=1, dtype=np.float64)
        return np.asarray((1.0 - epsilon) * same + noise, dtype=np.float64)

    return policy


def weights(worlds: DealBatch, policy: Policy, viewer: int) -> npt.NDArray[np.float64]:
    """Returns (B,) likelihoods of the public bidding of the other seats in each world.

    Left out are the viewer's own decisions, hidden actions (trump cards from hand, discards: their
    values in a world are fill-ins), forced ones, and card play. Every decision is judged by the
    view of the seat that made it, so the policy cannot cheat either. Multiply into averages over
    worlds and divide by the sum.

    Args:
        worlds: worlds of one view, from `sample_worlds` or `enumerate_worlds`.
        policy: the probabilities, for every other seat.
        viewer: the seat whose worlds they are.

    Raises:
        ValueError: the worlds differ in their public history, so they are not of one view.
    """
    likelihood = np.ones(len(worlds), dtype=np.float64)
    replayed = worlds.copy()
    cards = replayed.rules.num_cards
    # A batch deals rows from a deck and a dealer, whatever they held before.
    replayed.set_decks(worlds.deals["deck"][:, :cards].copy(), worlds.deals["dealer"].copy())
    count = int(worlds.deals["num_actions"][0])
    if (worlds.deals["num_actions"] != count).any():
        raise ValueError("worlds of different views")
    for i in range(count):
        if replayed.deals["phase"][0] == PLAY:
            break
        actions = actions_of(worlds.deals["history"][:, i])
        seat = int(replayed.deals["turn"][0])
        public = bool((actions >= 32).all())
        if public and (actions != actions[0]).any():
            raise ValueError("worlds of different views")
        masks: npt.NDArray[Any] = replayed.legal_mask()
        open_rows = np.flatnonzero((likelihood > 0) & (masks.sum(axis=1) > 1))
        if public and seat != viewer and open_rows.size:
            likelihood[open_rows] *= policy(
                replayed.views(open_rows), masks[open_rows], actions[open_rows]
            )
        replayed.step(actions)
    return likelihood
