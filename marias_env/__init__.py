"""Mariáš for reinforcement learning."""

from marias_env.batch import DealBatch
from marias_env.rules import RULES, Rules
