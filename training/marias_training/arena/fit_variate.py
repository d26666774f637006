"""Fits a control variate on deals of their own, before those that are evaluated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from marias_env.rules import get_rules
from marias_training.arena.chunk import AgentLike, common_deals
from marias_training.arena.pairs import METRICS
from marias_training.arena.run import evaluate
from marias_training.arena.variates import ControlVariate, DealFunction


def fit_variate(
    name: str,
    function: DealFunction,
    agents: Sequence[AgentLike],
    deals: int = 1000,
    seed: int = 1_000_003,
    **options: Any,
) -> ControlVariate:
    """Fits a variate's mean and coefficients for one pair on deals of their own.

    Args:
        name: name of the variate.
        function: deal to value.
        agents: the two agents.
        deals: pilot deals.
        seed: seed of the pilot's deal set; must not be the evaluation's.
        **options: of `evaluate`.

    Raises:
        ValueError: not exactly two agents.
    """
    if len(agents) != 2:
        raise ValueError(f"{len(agents)} agents; a variate is fitted for a pair")
    pilot = evaluate(agents, deals=deals, seed=seed, **options)
    rules = get_rules(options.get("rules", "traditional"))
    x = np.asarray(function(*common_deals(rules, seed, 0, deals), rules), dtype=np.float64)
    centred = x - x.mean()
    size = float(centred @ centred)
    pair = next(iter(pilot.pairs.values()))
    coefficients = {
        metric: float(centred @ pair.per_deal[metric]) / size if size > 0 else 0.0
        for metric in METRICS
    }
    error = float(x.std(ddof=1)) / math.sqrt(deals)
    return ControlVariate(name, function, float(x.mean()), coefficients, error)
