"""Matches (RULES.md 7): several deals that are one episode."""

from __future__ import annotations

import dataclasses

from marias_env.errors import RulesError
from marias_env.rules import Rules


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
        if isinstance(self.deals, bool) or not isinstance(self.deals, int) or self.deals < 1:
            raise RulesError(f"match deals: {self.deals!r}; expected a whole number from 1")
        if self.points is not None and (
            isinstance(self.points, bool) or not isinstance(self.points, int) or self.points < 1
        ):
            raise RulesError(
                f"match points: {self.points!r}; expected a whole number from 1 or None"
            )
        if not isinstance(self.chips_per_point, (int, float)) or self.chips_per_point <= 0:
            raise RulesError(
                f"match chips_per_point: {self.chips_per_point!r}; expected a positive number"
            )


def standard_match(rules: Rules, rotations: int = 1, chips_per_point: float = 1.0) -> Match:
    """Returns the match that goes with a rule set.

    Trumps chosen from seven cards: `rotations` complete dealer rotations. Talon dealing: until
    somebody has 20 points, or 20 deals.
    """
    if rules.dealing == "talon":
        return Match(deals=20, points=20, chips_per_point=chips_per_point)
    if isinstance(rotations, bool) or not isinstance(rotations, int) or rotations < 1:
        raise RulesError(f"match rotations: {rotations!r}; expected a whole number from 1")
    return Match(deals=3 * rotations, chips_per_point=chips_per_point)
