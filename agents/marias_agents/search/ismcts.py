"""The agent `ismcts`: information-set tree search over cards, a plain reference to measure against.

Single observer: worlds are sampled from what the searching seat knows, uniformly, and one tree is
grown through all of them. From where the tree ends the rules player plays on; he also bids.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from marias_agents.agent import Agent
from marias_agents.rules.tables import MAX_TERMS
from marias_agents.search.engine import Engine
from marias_agents.search.options import PimcOptions
from marias_agents.search.playouts import to_end
from marias_agents.search.searching import Decision, Searcher
from marias_agents.worlds import kernels as sampler
from marias_env.actions import PLAY
from marias_env.core.deal import DEAL
from marias_env.core.jit import jit
from marias_env.core.rng import advance, random_bit
from marias_env.core.step import step
from marias_env.errors import AgentError
from marias_env.options import Whole, check
from marias_env.views import Views

VISITS, CHANCES, UNITS, WINS = range(4)
"""What is counted of a node: visits, visits and times it could have been visited, payments to
whoever moved there, and how many of them were positive."""


@jit
def _best_child(d: Any, children: Any, node: Any, counts: Any, explore: Any) -> Any:
    # The card with the highest upper bound among the legal ones; all have been tried before.
    mean = np.float64(0.0)
    best = np.int64(-1)
    for card in range(32):
        if (np.int64(d["legal"]) >> card) & 1:
            child = children[node, card]
            visits = counts[child, VISITS]
            bonus = explore * np.sqrt(np.log(counts[child, CHANCES]) / visits)
            value = counts[child, UNITS] / visits + bonus
            if best < 0 or value > mean:
                best = np.int64(card)
                mean = value
    return best


@jit
def grow_rows(
    worlds: Any,
    rules: Any,
    points: Any,
    explore: Any,
    children: Any,
    counts: Any,
    scratch: Any,
    at: Any,
    path: Any,
) -> None:
    """Grows a tree by one node for every world.

    Args:
        worlds: (n,) DEAL in play, worlds of one view.
        rules: (1,) RULE_SET.
        points: the rules player's points; he plays on from where the tree ends.
        explore: how much is tried, in terms of the mean payment's size.
        children: (n + 1, 32) int64 of zeros, out: nodes by card; node 0 is the root.
        counts: (n + 1, 4) float64 of zeros, out: see VISITS.
        scratch: (2,) DEAL.
        at: int64 buffer of MAX_TERMS.
        path: (2, 64) int64 buffer: nodes, and who moved there.
    """
    r = rules[0]
    d = scratch[0]
    size = np.int64(1)
    stake = np.float64(0.0)
    for i in range(worlds.shape[0]):
        scratch[0] = worlds[i]
        state = worlds[i]["rng"]
        node = np.int64(0)
        depth = np.int64(0)
        grown = False
        scale = explore * stake / max(i, 1)
        while d["phase"] == PLAY and not grown:
            untried = np.int64(0)
            for card in range(32):
                if (np.int64(d["legal"]) >> card) & 1:
                    child = children[node, card]
                    if child == 0:
                        untried |= np.int64(1) << card
                    else:
                        counts[child, CHANCES] += 1.0
            if untried != 0:
                state = advance(state)
                chosen = random_bit(untried, state)
                children[node, chosen] = size
                counts[size, CHANCES] = 1.0
                size += 1
                grown = True
            else:
                chosen = _best_child(d, children, node, counts, scale)
            path[1, depth] = d["turn"]
            node = children[node, chosen]
            path[0, depth] = node
            depth += 1
            step(d, r, chosen)
        to_end(d, r, points, at, scratch[1:])
        stake += abs(np.float64(d["value"]))
        for k in range(depth):
            paid = np.float64(d["payments"][path[1, k]])
            counts[path[0, k], VISITS] += 1.0
            counts[path[0, k], UNITS] += paid
            if paid > 0:
                counts[path[0, k], WINS] += 1.0


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

    def _decide(self, views: Views, i: int, base_action: int) -> Decision:
        view = views.deals[i : i + 1]
        legal = int(view["legal"][0])
        if legal & (legal - 1) == 0:
            return Decision(base_action, "nothing else is legal")
        if view["phase"][0] != PLAY:
            return Decision(base_action, "as the rules player does")
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
            base_action if base_action in most else most[0],
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
