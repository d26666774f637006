"""Information-set tree search over cards: one tree for all worlds, from the observer's side.

All cards are played in the open, so a node of the tree is the sequence of cards since the root:
what the observer can tell apart. A world only decides which of a node's children may be visited.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.search.kernels.simulate import to_end
from marias_env.actions import PLAY
from marias_env.core.jit import jit
from marias_env.core.rng import advance, random_bit
from marias_env.core.step import step

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
