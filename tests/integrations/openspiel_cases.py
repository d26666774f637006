"""Games and states that the OpenSpiel tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel

from marias_env.integrations import openspiel

MINI = {"suits": "h", "ranks": "7TQKA", "dealing": "explicit"}
FOURTEEN = {"suits": "sh", "ranks": "789TJQK", "dealing": "explicit", "dealer": 2}
SOLVED = {
    "rules": "online",
    "suits": "h",
    "ranks": "TJQKA",
    "options": "max_doublings:0",
    "dealing": "explicit",
    "dealer": 2,
}
GAMES: list[dict[str, Any]] = [
    {"seed": 1},
    {"seed": 2, "rules": "online", "dealer": 1, "infostate": "ids"},
    {"seed": 3, "rules": "additive", "suits": "scdh", "ranks": "7TQKA"},
    {"dealing": "explicit"},
    {"dealing": "explicit", "rules": "online", "suits": "sc", "ranks": "7TQK"},
    MINI,
    FOURTEEN,
]


def load(parameters: dict[str, Any]) -> Any:
    return pyspiel.load_game(openspiel.register(), parameters)


def random_states(
    parameters: dict[str, Any], deals: int, seed: int = 0, blind: float = 0.3
) -> Iterator[Any]:
    """Every state of some random deals, chance nodes and ends included; they are not copies."""
    rng = np.random.default_rng(seed)
    game = load(parameters)
    for _ in range(deals):
        state = game.new_initial_state()
        yield state
        while not state.is_terminal():
            actions = state.legal_actions()
            action = int(rng.choice(actions))
            if 32 in actions and not state.is_chance_node() and rng.random() < blind:
                action = 32
            state.apply_action(action)
            yield state


def everything_seen(state: Any, player: int) -> tuple[Any, ...]:
    return (
        state.information_state_string(player),
        tuple(state.information_state_tensor(player)),
        state.observation_string(player),
        tuple(state.observation_tensor(player)),
    )
