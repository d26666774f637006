"""Exact methods on mini decks (RULES.md 9): whole game trees, best responses, tabular CFR.

A deck of five cards has a game tree of some hundred thousand nodes, on which everything that is
approximate for the full game can be computed: what a policy is worth (`expected_payments`), what
its best opponents win (`best_response`), how far it is from an equilibrium (`nash_conv`), and a
policy that is close to one (`TabularCFR`).
"""

from marias_agents.exact.agent import TabularAgent
from marias_agents.exact.cfr import TabularCFR
from marias_agents.exact.tree import GameTree, build_tree
from marias_agents.exact.values import best_response, expected_payments, nash_conv

__all__ = [
    "GameTree",
    "TabularAgent",
    "TabularCFR",
    "best_response",
    "build_tree",
    "expected_payments",
    "nash_conv",
]
