"""Deciding in the bidding: the option first, then the average over worlds.

Choosing the best option in each world and averaging what it brings would take for granted that one
knows the world one is in.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from marias_agents.search.beliefs import likely_worlds
from marias_agents.search.calls import options_of
from marias_agents.search.decision import Decision
from marias_agents.search.engine import Engine
from marias_agents.search.race import race
from marias_env.actions import DISCARD

SOLVED_LESS: Final = 20
"""Solving costs more than playing out: so many times fewer worlds are solved."""


def decide_bid(engine: Engine, view: Any, rules: Any, rules_action: int) -> Decision:
    """Chooses an action of the bidding.

    Args:
        engine: the search.
        view: (1,) DEAL, before the play.
        rules: packed.
        rules_action: the rules player's choice, which decides where all else is equal.
    """
    listed = options_of(view[0])
    options = np.full((len(listed), max(map(len, listed))), -1, dtype=np.int64)
    for i, actions in enumerate(listed):
        options[i, : len(actions)] = actions
    solve = engine.options.bids == "solve"
    n = engine.options.worlds * engine.options.bid_worlds
    worlds, weights = likely_worlds(engine, view, rules, max(n // SOLVED_LESS, 1) if solve else n)
    found = race(engine, worlds, weights, rules, options, solve)
    most = found.units[found.alive].max()
    best = [int(i) for i in found.alive if found.units[i] >= most - 1e-9]
    chosen = next((i for i in best if rules_action in listed[i]), best[0])
    action = listed[chosen][0]
    if view["phase"][0] == DISCARD and rules_action in listed[chosen]:
        action = rules_action  # of two cards either may go first
    told = np.flatnonzero(found.possible)
    return Decision(
        action,
        f"{found.worlds} worlds {'solved' if solve else 'played out'}",
        [listed[i] for i in told],
        found.units[told].tolist(),
        found.wins[told].tolist(),
        chosen=listed[chosen],
    )
