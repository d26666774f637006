"""Players of Mariáš: random, rule-based, search and trained agents, and their registry."""

from __future__ import annotations

from marias_agents.agent import Agent
from marias_agents.registry import make, names, register

__all__ = ["Agent", "make", "names", "register"]
