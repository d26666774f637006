"""Strangers: a population that judges, and a second one for tuning.

A player that is tuned against a kind of opponent is tuned to it. So the two populations share no
style, seed or file, and nothing that is judged may have met a judge: not in training, not in the
choice of thresholds, not in the choice between versions (docs/evaluation.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_agents.agent import Agent
from marias_agents.registry import make
from marias_agents.rules.agent import RulesAgent
from marias_agents.rules.tables import TABLES, load_points
from marias_env.errors import AgentError

_FOLDER: Final = Path(__file__).parent


class Style(NamedTuple):
    """How a stranger is made.

    Attributes:
        help: one line for lists of agents.
        points: name of a file of points (`points/`), for a player of `rules`' tables.
        shift: name of an entry of `shifts.json`: what tables of `rules`' points are raised by.
        spec: another agent of the registry, by its spec.
        slow: takes a second a deal and more, the others a millisecond.
    """

    help: str
    points: str = ""
    shift: str = ""
    spec: str = ""
    slow: bool = False


JUDGES: Final[dict[str, Style]] = {
    "book": Style("after the book's thresholds and conventions, nothing fitted", spec="book"),
    "cautious": Style("`rules` that doubles, announces and takes over less", shift="cautious"),
    "bold": Style("`rules` that doubles, announces and takes over more", shift="bold"),
    "fresh": Style("fitted from nothing: other deals, small stakes, plays for points", "fresh"),
    "winner": Style("fitted from nothing to win deals, however little they pay", "winner"),
    "ismcts": Style("information-set tree search of 60 rounds", spec="ismcts:60", slow=True),
}
"""The population that judges. Never tune on it."""

TUNING: Final[dict[str, Style]] = {
    "root": Style("fitted from nothing, afraid of high stakes", "root"),
    "quiet": Style("`rules` that announces and doubles less and takes over more", shift="quiet"),
    "grasping": Style("`rules` that announces and doubles more, takes over less", shift="grasping"),
}
"""The population to tune, train and choose versions with."""


def judging_specs(slow: bool = True) -> tuple[str, ...]:
    """Returns the specs of the judges, `stranger:book` and so on; without `slow` the quick ones."""
    return tuple(f"stranger:{name}" for name, style in JUDGES.items() if slow or not style.slow)


def tuning_specs() -> tuple[str, ...]:
    """Returns the specs of the tuning population, `tuning:root` and so on."""
    return tuple(f"tuning:{name}" for name in TUNING)


def shifted_points(shift: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Returns `rules`' points with every entry of some tables raised.

    Each of these tables speaks with one entry for or against its call, so that a shift moves the
    threshold of the call and nothing else.

    Args:
        shift: by table, thousandths of a unit.
    """
    points = load_points()
    for name, amount in shift.items():
        place = TABLES[name]
        points[place.base : place.base + int(np.prod(place.shape))] += amount
    return points


def tuning_points() -> list[npt.NDArray[np.int64]]:
    """Returns the points of every player of the tuning population, in its order."""
    return [_points_of(style) for style in TUNING.values()]


def make_stranger(argument: str = "", seed: int = 0) -> Agent:
    """Makes a judge, `stranger:NAME`."""
    return _make("stranger", JUDGES, argument, seed)


def make_tuning(argument: str = "", seed: int = 0) -> Agent:
    """Makes a player of the tuning population, `tuning:NAME`."""
    return _make("tuning", TUNING, argument, seed)


def _make(population: str, styles: Mapping[str, Style], argument: str, seed: int) -> Agent:
    if argument not in styles:
        raise AgentError(
            f"agent '{population}:{argument}'; expected {population}: and one of "
            f"{', '.join(sorted(styles))}"
        )
    style = styles[argument]
    name = f"{population}:{argument}"
    if style.spec:
        agent = make(style.spec, seed=seed)
        agent.name = name if seed == 0 else f"{name}@{seed}"
        return agent
    return RulesAgent(name, _points_of(style))


def _points_of(style: Style) -> npt.NDArray[np.int64]:
    if style.points:
        return load_points(_FOLDER / "points" / f"{style.points}.npz")
    shifts = json.loads((_FOLDER / "shifts.json").read_text(encoding="utf-8"))
    return shifted_points(shifts[style.shift])
