"""The agents `rules` and `random-cards`."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from marias_agents.agent import Agent
from marias_agents.random_agent import DrawingAgent, random_rows
from marias_agents.rules.kernel import act_rows
from marias_agents.rules.tables import load_points
from marias_env.actions import PLAY
from marias_env.errors import AgentError
from marias_env.views import Views


@functools.cache
def _shipped_points() -> npt.NDArray[np.int64]:
    return load_points()


class RulesAgent:
    """The rule-based player. Deterministic: a function of the view alone.

    Args:
        name: what tables call it.
        points: another vector of points (see `marias_agents.rules.tables`); None: the shipped one.
    """

    def __init__(self, name: str = "rules", points: npt.NDArray[np.int64] | None = None) -> None:
        self.name = name
        self.points = _shipped_points() if points is None else points

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses an action for every view (the masks are in the views)."""
        actions = np.empty(len(views), dtype=np.int64)
        act_rows(views.deals, views.packed_rules, self.points, actions)
        return actions

    def __repr__(self) -> str:
        return f"make({self.name!r})"


class RandomCardsAgent:
    """Bids as `rules`, plays random cards: what is left of a player's strength is its bidding."""

    def __init__(self, seed: int = 0) -> None:
        self._rules = RulesAgent()
        self._random = DrawingAgent("random", random_rows, seed)
        self.name = "random-cards" if seed == 0 else f"random-cards@{seed}"

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses an action for every view."""
        actions = self._rules.act(views, masks)
        playing = views.deals["phase"] == PLAY
        return np.where(playing, self._random.act(views, masks), actions)

    def __repr__(self) -> str:
        return f"make({self.name!r})"


def make_rules(argument: str = "", seed: int = 0) -> Agent:
    """Makes the agent `rules`; the seed makes no difference."""
    if argument:
        raise AgentError(f"agent 'rules' takes no argument: {argument!r}")
    return RulesAgent()


def make_random_cards(argument: str = "", seed: int = 0) -> Agent:
    """Makes the agent `random-cards`."""
    if argument:
        raise AgentError(f"agent 'random-cards' takes no argument: {argument!r}")
    return RandomCardsAgent(seed)
