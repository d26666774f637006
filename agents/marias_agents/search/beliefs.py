"""Worlds as likely as the others' bidding and play make them, if they were the rules player.

A uniform sample misleads: it has talons that nobody would put away, and hands that would have been
bid in another way. Worlds in which the rules player would have done what was done count in full,
others less, since the others need not be rules players.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from marias_agents.search.engine import Engine, Floats
from marias_agents.search.playouts import OUT_OF_QUESTION
from marias_env.core.deal import HIDDEN_ACTION
from marias_env.core.history import actions_of, seats_of

TRIED: Final = 8
"""So many worlds are sampled for each one that is wanted."""
DOUBT: Final = np.log(np.array([0.2, 0.4]))
"""What a world counts for each call, and for each card, that the rules player would not choose."""


def likely_worlds(engine: Engine, view: Any, rules: Any, n: int) -> tuple[Any, Floats]:
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
    if (seats_of(said) == seat).all():
        worlds = engine.worlds(view, rules, n)
        return worlds, np.ones(len(worlds))
    worlds = engine.worlds(view, rules, TRIED * n)
    # A seat that has had a talon knows what was put away.
    own_choice = view["taken"][0, seat] == 0 and view["taken_before"][0, seat] == 0
    hidden = (actions_of(said) == HIDDEN_ACTION).any()
    misses = engine.misses(view, rules, worlds, bool(own_choice and hidden))
    possible = np.flatnonzero(misses[:, 0] < OUT_OF_QUESTION)
    if possible.size == 0:
        return worlds[:n], np.ones(min(n, len(worlds)))
    weight = misses[possible] @ DOUBT
    weight -= weight.max()
    if possible.size <= n:
        return worlds[possible], np.exp(weight)
    # Without replacement; the lots come from the worlds' own random streams.
    lot = ((worlds["rng"][possible] >> np.uint64(11)).astype(np.float64) + 1.0) * 2.0**-53
    late = np.log(-np.log(lot) + 1e-300) - weight
    return worlds[possible[np.argsort(late, kind="stable")[:n]]], np.ones(n)
