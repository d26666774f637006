"""Deciding in the bidding: the option first, then the average over worlds.

Choosing the best option in each world and averaging what it brings would take for granted that one
knows the world one is in.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

import numpy as np

from marias_agents.rules.trump import plainest
from marias_agents.search.beliefs import likely_worlds
from marias_agents.search.engine import Doubt, Engine, race
from marias_agents.search.searching import Decision
from marias_env.actions import (
    ANNOUNCE,
    BAD,
    BLIND,
    CONTRACT_0,
    DISCARD,
    DOUBLE,
    FLEK_GAME,
    FLEK_SEVEN,
    GOOD,
    REPLY,
    SEVEN,
    SUIT_GAME,
    TRUMP,
)
from marias_env.core.deal import DECLARER

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
    likely = likely_worlds(engine, view, rules, max(n // SOLVED_LESS, 1) if solve else n)
    doubt = doubt_of(view[0], listed)
    found = race(engine, likely.worlds, likely.weights, rules, options, solve, doubt, likely.models)
    most = found.units[found.alive].max()
    best = [int(i) for i in found.alive if found.units[i] >= most - 1e-9]
    chosen = next((i for i in best if rules_action in listed[i]), best[0])
    action = listed[chosen][0]
    if view["phase"][0] == DISCARD and rules_action in listed[chosen]:
        action = rules_action  # of two cards either may go first
    told = np.flatnonzero(found.possible)
    how = "solved" if solve else "played out"
    return Decision(
        action,
        f"{found.worlds} worlds {how}, {likely.effective:.0f} effective",
        [listed[i] for i in told],
        found.units[told].tolist(),
        found.wins[told].tolist(),
        chosen=listed[chosen],
    )


def doubt_of(view: Any, listed: list[tuple[int, ...]]) -> Doubt | None:
    """Returns the reasons to fear that a raise among the options loses; None without raises.

    One reason is a contract that nobody names lightly (betl, durch, an announced hundred, with or
    without a seven) of the other side; another is each raise of the other side before.

    Args:
        view: a DEAL record, a view of the seat on turn.
        listed: `options_of` it.
    """
    if (GOOD,) not in listed:
        return None
    defends = view["turn"] != view["declarer"]
    named = view["contract"] != SUIT_GAME or view["hundred_side"] == DECLARER
    strong = int(defends and named)
    reasons = np.zeros(len(listed), dtype=np.int64)
    for i, actions in enumerate(listed):
        for action in actions:
            if action in (FLEK_GAME, FLEK_SEVEN):
                raised = (int(view["levels"][action - FLEK_GAME]) + 1) // 2
                reasons[i] = max(reasons[i], raised + strong)
    return Doubt(listed.index((GOOD,)), reasons) if reasons.any() else None


def options_of(view: Any) -> list[tuple[int, ...]]:
    """Returns the options of a view in the bidding.

    A turn of several calls is one option, and so are two discards, since one is right or wrong
    with the other. An option may turn out to be illegal on its way: it counts nothing.

    Args:
        view: a DEAL record, a view of the seat on turn.
    """
    legal = int(view["legal"])
    actions = [action for action in range(48) if legal >> action & 1]
    phase = int(view["phase"])
    if phase == TRUMP:
        # One card stands for its suit: the one that tells the others least when it is shown.
        hand = legal & 0xFFFFFFFF
        cards = [int(plainest(hand, suit)) for suit in range(4) if hand >> (8 * suit) & 0xFF]
        return [(action,) for action in [*cards, *([BLIND] if legal >> BLIND & 1 else [])]]
    if phase == DISCARD and int(view["talon"]) == 0:
        return list(combinations(actions, 2))
    if phase == REPLY:
        higher = range(int(view["contract"]) + 1, 5) if BAD in actions else range(0)
        return [
            *((action,) for action in actions if action != BAD),
            *((BAD, CONTRACT_0 + contract) for contract in higher),
        ]
    if phase in (ANNOUNCE, DOUBLE):
        calls = [action for action in range(SEVEN, FLEK_SEVEN + 1) if action in actions]
        turns = [c for size in range(len(calls) + 1) for c in combinations(calls, size)]
        return [(*turn, GOOD) for turn in turns]
    return [(action,) for action in actions]
