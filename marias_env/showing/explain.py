"""How a finished deal is settled, in words: the parts that the core's settlement gives."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np

from marias_env.actions import SUIT_GAME
from marias_env.core.deal import (
    DECLARER,
    DEFENDERS,
    END_DECIDED,
    END_REVOKE,
    END_UNPLAYED,
    ENDINGS,
    GAME,
    NOBODY,
    SEVEN_COMPONENT,
    pack_rules,
)
from marias_env.core.history import history_of
from marias_env.core.settlement import (
    PART_AGAINST,
    PART_DEFENDERS_QUIET,
    PART_GAME,
    PART_HUNDRED,
    PART_NONE,
    PART_QUIET_HUNDRED,
    parts_of,
)
from marias_env.rules import Rules
from marias_env.showing.phrases import CONTRACT_NAMES, level_name, phrases

_KINDS: Final = {
    PART_NONE: "contract",
    PART_GAME: "game",
    PART_QUIET_HUNDRED: "quiet_hundred",
    PART_DEFENDERS_QUIET: "quiet_hundred_defenders",
    PART_HUNDRED: "hundred",
    PART_AGAINST: "hundred_against",
}
"""Names in `phrases` of what the game component was settled as."""


@dataclasses.dataclass(frozen=True)
class Part:
    """One component of V.

    Attributes:
        name: key of `phrases`, or `contract`.
        value: units before doubling, declarer's view.
        level: its level.
    """

    name: str
    value: int
    level: int

    @property
    def total(self) -> int:
        """Units with its level."""
        return self.value * (1 << self.level)


@dataclasses.dataclass(frozen=True)
class Settlement:
    """V taken apart: the sum of the parts, times `factor`, then capped, is `value`."""

    parts: tuple[Part, ...]
    factor: int
    value: int

    @property
    def uncapped(self) -> int:
        """V before `max_payment`."""
        return self.factor * sum(part.total for part in self.parts)


def settlement_of(deal: Any, rules: Rules) -> Settlement:
    """Returns the parts of a finished deal's V.

    A revoke has no V: its one part is what the offender pays each of the others, negative.
    """
    kind, game, seven, factor = parts_of(np.array([deal]), pack_rules(rules))[0].tolist()
    level = int(deal["levels"][GAME])
    if deal["ending"] == END_REVOKE:
        return Settlement((Part("stake", game, 0),), 1, game)
    value = int(deal["value"])
    if deal["ending"] == END_UNPLAYED:
        return Settlement((Part("game", game, 0),), factor, value)
    parts = [Part(_KINDS[kind], game, level)]
    if deal["seven_side"] != NOBODY:
        name = "seven" if deal["seven_side"] == DECLARER else "seven_against"
        parts.append(Part(name, seven, int(deal["levels"][SEVEN_COMPONENT])))
    elif seven:
        parts.append(Part("quiet_seven", seven, 0))
    return Settlement(tuple(parts), factor, value)


def ending_text(deal: Any, language: str = "en") -> str:
    """Returns how a deal ended, in words."""
    words = phrases(language)
    text = words[f"ending_{ENDINGS[deal['ending']]}"]
    if deal["ending"] == END_DECIDED:
        return text.format(deal["tricks"])
    if deal["ending"] == END_REVOKE:
        return text.format(history_of(deal)[-1][0])
    return text


def points_text(deal: Any, side: int) -> str:
    """Returns a side's trick points and marriages, such as `60 + 40`."""
    marriages = int(deal["marriage_sum"][side])
    return f"{deal['points'][side]} + {marriages}" if marriages else str(deal["points"][side])


def settlement_lines(deal: Any, rules: Rules, language: str = "en") -> list[str]:
    """Returns the settlement of a finished deal in words, a line for each step.

    Args:
        deal: a finished deal.
        rules: its rules.
        language: `en` or `cs`.

    Raises:
        ValueError: no such language.
    """
    words = phrases(language)
    found = settlement_of(deal, rules)
    lines = [ending_text(deal, language)]
    if deal["contract"] == SUIT_GAME and deal["ending"] != END_UNPLAYED:
        lines.append(
            f"{words['declarer']} {points_text(deal, DECLARER)}, "
            f"{words['defenders']} {points_text(deal, DEFENDERS)}"
        )
    for part in found.parts:
        name = (
            CONTRACT_NAMES[language][deal["contract"]]
            if part.name == "contract"
            else words[part.name]
        )
        line = f"{name}: {part.value:+d}"
        if part.level:
            line += f" × {1 << part.level} ({level_name(part.level)}) = {part.total:+d}"
        lines.append(line)
    if deal["ending"] == END_REVOKE:
        return lines
    total = sum(part.total for part in found.parts)
    if found.factor != 1 and total:
        lines.append(f"{words['hearts']}: {total:+d} × {found.factor} = {found.uncapped:+d}")
    if found.uncapped != found.value:
        lines.append(f"{words['cap']}: {found.value:+d}")
    lines.append(f"V = {found.value:+d} {words['each']}")
    return lines
