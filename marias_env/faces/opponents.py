"""The learner's opponents: agents, or names of agents, for the two other seats."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from marias_env.actions import ACTIONS, NUM_ACTIONS, PHASES
from marias_env.errors import AgentError
from marias_env.views import Views

RANDOM: Final = "random"
"""This opponent is played inside the compiled loops and draws from the row's own stream."""


class Opponent(Protocol):
    """Whatever plays the other seats: the agents of `marias_agents`, or one of yours."""

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Chooses a legal action for each of N information views; masks are (N, 48) int8."""
        ...


Opponents = str | Opponent | Sequence[str | Opponent]
"""One opponent for both seats, or the left neighbour (next clockwise) and the right one."""


def resolve(opponents: Opponents) -> tuple[Opponent | None, Opponent | None]:
    """Returns the opponents on the learner's left and right; None stands for `random`.

    Names other than `random` are resolved by `marias_agents.make` (imported only then, since the
    environment does not depend on the agents).

    Raises:
        AgentError: nothing is called like this, something has no method `act`, or there are not
            one or two.
    """
    given = [opponents] if isinstance(opponents, str) or hasattr(opponents, "act") else opponents
    if isinstance(given, type) or not isinstance(given, Sequence) or len(given) not in (1, 2):
        raise AgentError(f"opponents: {opponents!r}; expected one or two agents or names of agents")
    made: dict[Any, Opponent | None] = {}
    for opponent in given:
        key = opponent if isinstance(opponent, str) else id(opponent)
        if key not in made:
            made[key] = _make(opponent)
    found = [made[one if isinstance(one, str) else id(one)] for one in given]
    return found[0], found[-1]


def _make(opponent: Any) -> Opponent | None:
    if isinstance(opponent, str):
        if opponent == RANDOM:
            return None
        try:
            make = importlib.import_module("marias_agents").make
        except ImportError as error:
            raise AgentError(
                f"opponent {opponent!r}: agents by name need the package marias_agents ({error})"
            ) from error
        found: Opponent = make(opponent)
        return found
    if isinstance(opponent, type):
        raise AgentError(f"opponent {opponent!r} is a class; expected an agent made from it")
    if not callable(getattr(opponent, "act", None)):
        raise AgentError(f"opponent {opponent!r}: expected a name or an object with a method `act`")
    chosen: Opponent = opponent
    return chosen


def ask(opponent: Opponent, views: Views) -> npt.NDArray[np.int64]:
    """Returns an opponent's actions for some views, checked.

    Raises:
        AgentError: not one legal action for each view.
    """
    masks = views.legal_mask()
    # A copy, since an agent that writes to its masks must not be able to make an action legal.
    answer = np.asarray(opponent.act(views, masks.copy()))
    name = getattr(opponent, "name", type(opponent).__name__)
    if answer.shape != (len(views),) or answer.dtype.kind not in "iu":
        raise AgentError(
            f"opponent {name!r}: `act` returned an array of shape {answer.shape} and dtype "
            f"{answer.dtype}; expected ({len(views)},) integers"
        )
    inside = (answer >= 0) & (answer < NUM_ACTIONS)
    actions = np.where(inside, answer, 0).astype(np.int64)
    bad = np.flatnonzero(~inside | (masks[np.arange(len(views)), actions] == 0))
    if bad.size:
        at = int(bad[0])
        deal, action = views.deals[at], int(answer[at])
        text = ACTIONS[action] if 0 <= action < NUM_ACTIONS else "out of range"
        legal = ", ".join(ACTIONS[a] for a in np.flatnonzero(masks[at]))
        raise AgentError(
            f"opponent {name!r}: action {action} ({text}) is not legal for seat {deal['turn']} in "
            f"phase {PHASES[deal['phase']]}; expected one of {legal}"
        )
    return actions
