"""Worlds as likely as the others' bidding and play make them, if they were one of several players.

A uniform sample misleads: it has talons that nobody would put away, and hands that would have been
bid in another way. So the bidding and play are replayed with a model of a player in the place of
the others: worlds in which he would have done what was done count in full, others less. Nobody
knows of what school the others are: each world has its own model, the rules player or one of the
styles that are for tuning (docs/evaluation.md), and a share of the trust goes to none of them.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from marias_agents.search.engine import Engine, Floats, Ints
from marias_agents.search.playouts import OUT_OF_QUESTION
from marias_env.core.deal import HIDDEN_ACTION
from marias_env.core.history import actions_of, seats_of

TRIED: Final = 8
"""So many worlds are sampled for each one that is wanted."""
DOUBT: Final = np.log(np.array([0.2, 0.4]))
"""What a world counts for each call, and for each card, that its model would not choose."""
NOBODY: Final = 0.1
"""Share of the trust that no model gets: a player who is none of them fits all worlds alike."""
EFFECTIVE: Final = 0.5
"""The weights are tempered until so many worlds count, for each one that is wanted."""


class Beliefs(NamedTuple):
    """Worlds of a view, n of them.

    Attributes:
        worlds: (n,) DEAL.
        weights: (n,) what each counts.
        models: (n,) who the others are in each, a row of `Engine.players`.
        effective: how many worlds that count alike would say as much as those these were drawn
            from, (Σw)² / Σw².
    """

    worlds: Any
    weights: Floats
    models: Ints
    effective: float

    def first(self, n: int) -> Beliefs:
        """Returns the first n of them."""
        return Beliefs(self.worlds[:n], self.weights[:n], self.models[:n], self.effective)


def likely_worlds(engine: Engine, view: Any, rules: Any, n: int) -> Beliefs:
    """Returns up to n worlds of a view, and what each counts.

    Where all worlds are few enough, these are all of them, each with its weight; else a weighted
    draw of n, which count alike.

    Args:
        engine: the search.
        view: (1,) DEAL.
        rules: packed.
        n: worlds wanted.

    Raises:
        ValueError: no deal gives this view.
    """
    seat = int(view["viewer"][0])
    said = view["history"][0, : int(view["num_actions"][0])]
    others = seats_of(said) != seat
    if not others.any():
        worlds = engine.worlds(view, rules, n)
        return Beliefs(worlds, np.ones(len(worlds)), engine.models(worlds), float(len(worlds)))
    worlds = engine.worlds(view, rules, TRIED * n)
    models = engine.models(worlds)
    # A seat that has had a talon knows what was put away.
    own_choice = view["taken"][0, seat] == 0 and view["taken_before"][0, seat] == 0
    hidden = (actions_of(said) == HIDDEN_ACTION).any()
    misses = engine.misses(view, rules, worlds, bool(own_choice and hidden), models)
    possible = np.flatnonzero(misses[:, 0] < OUT_OF_QUESTION)
    if possible.size == 0:
        n = min(n, len(worlds))
        return Beliefs(worlds[:n], np.ones(n), models[:n], float(n))
    # Nobody in particular is wrong half as often as he could be in the worst of these worlds.
    fits = misses[possible] @ DOUBT
    nobody = misses[possible].max(axis=0) @ DOUBT / 2
    weight = tempered(
        np.logaddexp(np.log(1 - NOBODY) + fits, np.log(NOBODY) + nobody),
        EFFECTIVE * min(n, possible.size),
    )
    effective = effective_number(np.exp(weight))
    if possible.size <= n:
        return Beliefs(worlds[possible], np.exp(weight), models[possible], effective)
    # Without replacement; the lots come from the worlds' own random streams.
    lot = ((worlds["rng"][possible] >> np.uint64(11)).astype(np.float64) + 1.0) * 2.0**-53
    late = np.log(-np.log(lot) + 1e-300) - weight
    drawn = possible[np.argsort(late, kind="stable")[:n]]
    return Beliefs(worlds[drawn], np.ones(n), models[drawn], effective)


def effective_number(weights: Floats) -> float:
    """Returns how many worlds that count alike would say as much as these, (Σw)² / Σw²."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def tempered(logs: Floats, least: float) -> Floats:
    """Returns log weights, flattened as little as makes their effective number large enough.

    Args:
        logs: (n,) logarithms of weights.
        least: effective number wanted, at most n.

    Returns:
        (n,) logs times a number from 0 to 1, less their maximum.
    """
    logs = logs - logs.max()
    if effective_number(np.exp(logs)) >= least:
        return np.asarray(logs)
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        if effective_number(np.exp(middle * logs)) >= least:
            low = middle
        else:
            high = middle
    return np.asarray(low * logs)
