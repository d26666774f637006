"""The agent `ismcts`: information-set tree search over cards, a plain reference to measure against.

Single observer: worlds are sampled from what the searching seat knows, uniformly, and one tree is
grown through all of them. From where the tree ends the rules player plays on; he also bids.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from marias_agents.agent import Agent
from marias_agents.rules.tables import MAX_TERMS
from marias_agents.search.decision import Decision
from marias_agents.search.engine import Engine
from marias_agents.search.kernels.tree import UNITS, VISITS, WINS, grow_rows
from marias_agents.search.options import PimcOptions
from marias_agents.search.searcher import Searcher
from marias_agents.worlds import kernels as sampler
from marias_env.actions import PLAY
from marias_env.core.deal import DEAL
from marias_env.errors import AgentError
from marias_env.options import Whole, check
from marias_env.views import Views

EXPLORE: Final = 1.0
"""Weight of what has been tried less, in terms of the mean size of a payment."""
ROUNDS: Final = Whole(1, 1_000_000)


class IsmctsAgent(Searcher):
    """Bids as the rules player, and searches cards.

    Args:
        rounds: worlds, each of which adds a node to the tree.
        seed: agents of different seeds sample different worlds.
        name: what tables call it.
    """

    def __init__(self, rounds: int = 200, seed: int = 0, name: str = "ismcts") -> None:
        super().__init__(Engine(PimcOptions(), seed), seed, name)
        self.rounds = check("agent 'ismcts': rounds", rounds, ROUNDS, AgentError)

    def _decide(self, views: Views, i: int, rules_action: int) -> Decision:
        view = views.deals[i : i + 1]
        legal = int(view["legal"][0])
        if legal & (legal - 1) == 0:
            return Decision(rules_action, "nothing else is legal")
        if view["phase"][0] != PLAY:
            return Decision(rules_action, "as the rules player does")
        rounds = self.rounds
        worlds = np.empty(rounds, dtype=DEAL)
        if sampler.sample_rows(view, views.packed_rules, self._engine.key, worlds) >= 0:
            raise ValueError("no deal gives this view")
        children = np.zeros((rounds + 1, 32), dtype=np.int64)
        counts = np.zeros((rounds + 1, 4), dtype=np.float64)
        grow_rows(
            worlds,
            views.packed_rules,
            self._engine.points,
            EXPLORE,
            children,
            counts,
            np.zeros(2, dtype=DEAL),
            np.empty(MAX_TERMS, dtype=np.int64),
            np.empty((2, 64), dtype=np.int64),
        )
        cards = [card for card in range(32) if children[0, card]]
        found = counts[children[0, cards]]
        visits = found[:, VISITS]
        most = [card for card, n in zip(cards, visits, strict=True) if n == visits.max()]
        return Decision(
            rules_action if rules_action in most else most[0],
            f"{rounds} rounds in sampled worlds",
            [(card,) for card in cards],
            (found[:, UNITS] / visits).tolist(),
            (found[:, WINS] / visits).tolist(),
        )

    def __repr__(self) -> str:
        return f"make({self.name!r})"


def make_ismcts(argument: str = "", seed: int = 0) -> Agent:
    """Makes the agent `ismcts`."""
    name = "ismcts" + (f":{argument}" if argument else "") + (f"@{seed}" if seed else "")
    return IsmctsAgent(ROUNDS.read(argument or "200"), seed, name)
