"""Tabular counterfactual regret minimisation over a whole game tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents.exact.tree import GameTree
from marias_agents.exact.values import Floats, reach_of_others
from marias_env.core.jit import jit


@jit
def _match_regrets(first_choice: Any, owner: Any, me: Any, regrets: Any, policy: Any) -> None:
    # Plays the choices of one seat in proportion to their positive regrets.
    for i in range(owner.shape[0]):
        if owner[i] != me:
            continue
        start, stop = first_choice[i], first_choice[i + 1]
        total = 0.0
        for c in range(start, stop):
            total += max(regrets[c], 0.0)
        for c in range(start, stop):
            if total > 0.0:
                policy[c] = max(regrets[c], 0.0) / total
            else:
                policy[c] = 1.0 / (stop - start)


@jit
def _own_reach(
    parent: Any, choice: Any, infoset: Any, owner: Any, policy: Any, me: Any, node: Any, out: Any
) -> None:
    # The probability that one seat plays towards its information sets; all their nodes have one.
    for n in range(parent.shape[0]):
        before = parent[n]
        if before < 0:
            node[n] = 1.0
        elif owner[infoset[before]] == me:
            node[n] = node[before] * policy[choice[n]]
        else:
            node[n] = node[before]
        i = infoset[n]
        if i >= 0 and owner[i] == me:
            out[i] = node[n]


@jit
def _gains(
    parent: Any,
    choice: Any,
    chance: Any,
    infoset: Any,
    owner: Any,
    policy: Any,
    me: Any,
    reach: Any,
    value: Any,
    gains: Any,
) -> None:
    # Counterfactual values of one seat's choices; `value` starts as its payments.
    for n in range(parent.shape[0] - 1, -1, -1):
        before = parent[n]
        if before < 0:
            continue
        c = choice[n]
        value[before] += chance[n] * policy[c] * value[n]
        if owner[infoset[before]] == me:
            gains[c] += reach[n] * value[n]


@jit
def _update(
    first_choice: Any,
    owner: Any,
    me: Any,
    gains: Any,
    own_reach: Any,
    weight: Any,
    plus: Any,
    policy: Any,
    regrets: Any,
    sums: Any,
) -> None:
    for i in range(owner.shape[0]):
        if owner[i] != me:
            continue
        start, stop = first_choice[i], first_choice[i + 1]
        mean = 0.0
        for c in range(start, stop):
            mean += policy[c] * gains[c]
        for c in range(start, stop):
            regrets[c] += gains[c] - mean
            if plus:
                regrets[c] = max(regrets[c], 0.0)
            sums[c] += weight * own_reach[i] * policy[c]


class TabularCFR:
    """CFR with exact expectations: every iteration visits the whole tree once per seat.

    With three seats no method is known to be sure to reach an equilibrium; the average policy gets
    close to one on these decks, and `nash_conv` says how close.

    Args:
        tree: the game.
        plus: CFR+ (no negative regrets, later iterations weigh more) instead of plain CFR.

    Attributes:
        iterations: how many have been run.
        policy: (C,) the current policy.
    """

    def __init__(self, tree: GameTree, plus: bool = True) -> None:
        self.tree = tree
        self.plus = plus
        self.iterations = 0
        self.policy = tree.uniform()
        self._regrets = np.zeros(tree.num_choices)
        self._sums = np.zeros(tree.num_choices)
        self._reach = np.empty(tree.num_nodes)
        self._value = np.empty(tree.num_nodes)
        self._payments: list[npt.NDArray[np.float64]] = [
            np.ascontiguousarray(tree.payments[:, seat]) for seat in range(3)
        ]

    def run(self, iterations: int) -> TabularCFR:
        """Runs some more iterations, seat after seat in each; returns itself."""
        for _ in range(iterations):
            self.iterations += 1
            for seat in range(3):
                self._improve(seat)
        return self

    def _improve(self, seat: int) -> None:
        tree = self.tree
        where = (tree.parent, tree.choice, tree.chance, tree.infoset)
        own_reach = np.zeros(tree.num_infosets)
        _own_reach(
            tree.parent,
            tree.choice,
            tree.infoset,
            tree.seat,
            self.policy,
            seat,
            self._reach,
            own_reach,
        )
        reach_of_others(*where, tree.seat, self.policy, seat, self._reach)
        self._value[:] = self._payments[seat]
        gains = np.zeros(tree.num_choices)
        _gains(*where, tree.seat, self.policy, seat, self._reach, self._value, gains)
        weight = float(self.iterations) if self.plus else 1.0
        _update(
            tree.first_choice,
            tree.seat,
            seat,
            gains,
            own_reach,
            weight,
            self.plus,
            self.policy,
            self._regrets,
            self._sums,
        )
        _match_regrets(tree.first_choice, tree.seat, seat, self._regrets, self.policy)

    def average(self) -> Floats:
        """Returns the average policy, the one that converges: (C,) probabilities."""
        of = self.tree.infoset_of_choice
        totals = np.bincount(of, weights=self._sums, minlength=self.tree.num_infosets)[of]
        never = totals <= 0.0
        return np.where(never, self.tree.uniform(), self._sums / np.where(never, 1.0, totals))

    def __repr__(self) -> str:
        name = "CFR+" if self.plus else "CFR"
        return f"TabularCFR({self.tree!r}, {name}, {self.iterations} iterations)"
