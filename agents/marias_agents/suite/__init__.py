"""The benchmark suite (docs/suite.md): deals with solved contracts, decisions with regrets."""

from __future__ import annotations

from marias_agents.suite.contracts import CONTRACT_NAMES, MISSING, solve_contracts
from marias_agents.suite.games import NOT_LEGAL
from marias_agents.suite.scoring import Estimate, Part, Score, score
from marias_agents.suite.store import load_suite, save_suite
from marias_agents.suite.suite import ARRAYS, VERSION, Decisions, Suite, SuiteError, make_suite

__all__ = [
    "ARRAYS",
    "CONTRACT_NAMES",
    "MISSING",
    "NOT_LEGAL",
    "VERSION",
    "Decisions",
    "Estimate",
    "Part",
    "Score",
    "Suite",
    "SuiteError",
    "load_suite",
    "make_suite",
    "save_suite",
    "score",
    "solve_contracts",
]
