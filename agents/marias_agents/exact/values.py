"""What policies on a game tree are worth: expected payments, exact best responses, NashConv.

A policy is one array: a probability for every choice of every information set of all three seats
(`GameTree.uniform()` is one).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.exact.tree import GameTree
from marias_env.core.jit import jit

Floats = npt.NDArray[np.float64]


@jit
def reach_of_others(
    parent: Any, choice: Any, chance: Any, infoset: Any, owner: Any, policy: Any, me: Any, out: Any
) -> None:
    """Writes, for every node, the probability that all but one seat play towards it, chance too.

    Args:
        parent: (N,) parents, -1 for roots; in order of depth.
        choice: (N,) choices that led here.
        chance: (N,) probabilities of chance.
        infoset: (N,) information sets, -1 at the end.
        owner: (I,) seats.
        policy: (C,) probabilities.
        me: the seat left out; -1 leaves nobody out.
        out: (N,) float64.
    """
    for n in range(parent.shape[0]):
        before = parent[n]
        if before < 0:
            out[n] = chance[n]
        elif owner[infoset[before]] == me:
            out[n] = out[before] * chance[n]
        else:
            out[n] = out[before] * chance[n] * policy[choice[n]]


@jit
def _payments(
    parent: Any, choice: Any, chance: Any, infoset: Any, policy: Any, payments: Any, out: Any
) -> None:
    # Expected payments of all seats at every node; out starts as the payments of finished deals.
    for n in range(parent.shape[0]):
        for seat in range(3):
            out[n, seat] = payments[n, seat]
    for n in range(parent.shape[0] - 1, -1, -1):
        before = parent[n]
        if before >= 0:
            weight = chance[n] * policy[choice[n]]
            for seat in range(3):
                out[before, seat] += weight * out[n, seat]


@jit
def _respond(
    parent: Any,
    choice: Any,
    chance: Any,
    infoset: Any,
    depth: Any,
    owner: Any,
    first_choice: Any,
    policy: Any,
    me: Any,
    reach: Any,
    value: Any,
    counterfactual: Any,
    best: Any,
) -> None:
    # From the deepest level up: first what every choice of this level is worth, summed over the
    # nodes of its information set; then the best ones; then the values of the level's nodes.
    n = parent.shape[0] - 1
    while n >= 0:
        level = depth[n]
        first = n
        while first > 0 and depth[first - 1] == level:
            first -= 1
        for m in range(first, n + 1):
            before = parent[m]
            if before >= 0 and owner[infoset[before]] == me:
                counterfactual[choice[m]] += reach[m] * value[m]
        for m in range(first, n + 1):
            before = parent[m]
            if before < 0:
                continue
            i = infoset[before]
            if owner[i] != me:
                value[before] += chance[m] * policy[choice[m]] * value[m]
                continue
            if best[i] < 0:
                best[i] = first_choice[i]
                for c in range(first_choice[i] + 1, first_choice[i + 1]):
                    if counterfactual[c] > counterfactual[best[i]]:
                        best[i] = c
            if best[i] == choice[m]:
                value[before] += chance[m] * value[m]
        n = first - 1


def expected_payments(tree: GameTree, policy: Floats) -> Floats:
    """Returns (3,) the units each seat wins on average when all follow the policy."""
    out = np.empty_like(tree.payments)
    _payments(
        tree.parent,
        tree.choice,
        tree.chance,
        tree.infoset,
        _checked(tree, policy),
        tree.payments,
        out,
    )
    roots = tree.parent < 0
    total: Floats = tree.chance[roots] @ out[roots]
    return total


def best_response(tree: GameTree, policy: Floats, seat: int) -> tuple[float, Floats]:
    """Returns the most that a seat can win on average against a policy, and how.

    Args:
        tree: the game.
        policy: what the other two play.
        seat: who responds.

    Returns:
        Units per deal, and a copy of the policy in which this seat plays its best response (always
        one action; where it cannot come, the first).
    """
    policy = _checked(tree, policy)
    reach = np.empty(tree.num_nodes)
    where = (tree.parent, tree.choice, tree.chance, tree.infoset)
    reach_of_others(*where, tree.seat, policy, seat, reach)
    value = tree.payments[:, seat].copy()
    best = np.full(tree.num_infosets, -1, dtype=np.int64)
    _respond(
        *where,
        tree.depth,
        tree.seat,
        tree.first_choice,
        policy,
        seat,
        reach,
        value,
        np.zeros(tree.num_choices),
        best,
    )
    response = policy.copy()
    mine = np.flatnonzero(tree.seat == seat)
    response[tree.seat[tree.infoset_of_choice] == seat] = 0.0
    response[best[mine]] = 1.0
    roots = tree.parent < 0
    return float(tree.chance[roots] @ value[roots]), response


def nash_conv(tree: GameTree, policy: Floats) -> float:
    """Returns what the three seats could win more, summed, each by a best response of its own.

    Zero exactly at a Nash equilibrium. (With three seats an equilibrium is no guarantee against two
    that change at once.)
    """
    on_policy = expected_payments(tree, policy)
    return sum(best_response(tree, policy, seat)[0] - float(on_policy[seat]) for seat in range(3))


def _checked(tree: GameTree, policy: npt.ArrayLike) -> Floats:
    given = np.ascontiguousarray(policy, dtype=np.float64)
    if given.shape != (tree.num_choices,):
        raise ValueError(
            f"policy of shape {given.shape}; expected ({tree.num_choices},), one probability for "
            "every choice of the tree"
        )
    return given
