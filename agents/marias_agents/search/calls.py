"""What can be done in the bidding: the options of a decision, each a sequence of own actions."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from marias_agents.rules.trump import plainest
from marias_env.actions import (
    ANNOUNCE,
    BAD,
    BLIND,
    CONTRACT_0,
    DISCARD,
    DOUBLE,
    FLEK_SEVEN,
    GOOD,
    REPLY,
    SEVEN,
    TRUMP,
)


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
