"""Matches (RULES.md 7): several deals that are one episode."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from marias_env.errors import RulesError
from marias_env.options import Bound, Maybe, Real, Whole, check, check_fields
from marias_env.rules import Rules

BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {"deals": Whole(1), "points": Maybe(Whole(1)), "chips_per_point": Real(0, above=True)}
)


@dataclasses.dataclass(frozen=True)
class Match:
    """How long a match lasts and what its points are worth.

    Attributes:
        deals: the match ends after this many deals at the latest.
        points: it ends as soon as a player has this net total after a deal; None: never.
        chips_per_point: chips a player wins or loses per unit of net total.

    Raises:
        RulesError: a number out of range.
    """

    deals: int = 3
    points: int | None = None
    chips_per_point: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self, BOUNDS, RulesError, "match ")


def match_of(options: Mapping[str, Any]) -> Match:
    """Returns the match of a mapping of its fields by name, as `dataclasses.asdict` makes it.

    Raises:
        RulesError: an unknown field, or a number out of range.
    """
    unknown = sorted(set(options) - set(BOUNDS))
    if unknown:
        raise RulesError(f"match: unknown {unknown}; expected some of {list(BOUNDS)}")
    return Match(**options)


def standard_match(rules: Rules, rotations: int = 1, chips_per_point: float = 1.0) -> Match:
    """Returns the match that goes with a rule set.

    Trumps chosen from seven cards: `rotations` complete dealer rotations. Talon dealing: until
    somebody has 20 points, or 20 deals.
    """
    if rules.dealing == "talon":
        return Match(deals=20, points=20, chips_per_point=chips_per_point)
    check("match rotations", rotations, BOUNDS["deals"], RulesError)
    return Match(deals=3 * rotations, chips_per_point=chips_per_point)
