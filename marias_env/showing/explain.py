"""How a finished deal is settled, in words: V taken apart by the core's own settlement."""

from __future__ import annotations

import dataclasses
from typing import Any

from marias_env.actions import SUIT_GAME
from marias_env.core import settlement
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
from marias_env.rules import Rules
from marias_env.showing.phrases import CONTRACT_NAMES, level_name, phrases
from marias_env.showing.story import history_of


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
    if deal["ending"] == END_REVOKE:
        units = int(min(deal["payments"])) // 2
        return Settlement((Part("stake", units, 0),), 1, units)
    value = int(deal["value"])
    level = int(deal["levels"][GAME])
    if deal["contract"] != SUIT_GAME:
        base = _value_with(deal, rules, 0, 0)
        return Settlement((Part("contract", base, level),), 1, value)
    factor = 2 if deal["trump"] == settlement.HEARTS else 1
    plain = _value_with(deal, rules, 0, 0) // factor
    if deal["ending"] == END_UNPLAYED:
        return Settlement((Part("game", plain, 0),), factor, value)
    # Only the game component grows with its level, so that one level more shows its share.
    game = _value_with(deal, rules, 1, 0) // factor - plain
    parts = [Part(_game_name(deal, rules, game), game, level)]
    if deal["seven_side"] != NOBODY:
        name = "seven" if deal["seven_side"] == DECLARER else "seven_against"
        parts.append(Part(name, plain - game, int(deal["levels"][SEVEN_COMPONENT])))
    elif plain != game:
        parts.append(Part("quiet_seven", plain - game, 0))
    return Settlement(tuple(parts), factor, value)


def _value_with(
    deal: Any, rules: Rules, game_level: int, seven_level: int, suit_tariff: int | None = None
) -> int:
    # V of the deal without a cap, had its levels been these.
    packed = pack_rules(rules)
    packed["max_payment"] = 0
    if suit_tariff is not None:
        packed["tariff"][0, SUIT_GAME] = suit_tariff
    changed = deal.copy()
    changed["levels"] = (game_level, seven_level)
    return int(settlement.deal_value(changed, packed[0]))


def _game_name(deal: Any, rules: Rules, game: int) -> str:
    if deal["hundred_side"] != NOBODY:
        return "hundred" if deal["hundred_side"] == DECLARER else "hundred_against"
    # The tariff of the suit game plays a part in the plain game only (a tie pays nothing at all).
    factor = 2 if deal["trump"] == settlement.HEARTS else 1
    other = 1 + rules.tariff["suit"]
    values = [_value_with(deal, rules, level, 0, other) // factor for level in (0, 1)]
    if values[1] - values[0] != game or game == 0:
        return "game"
    return "quiet_hundred" if game > 0 else "quiet_hundred_defenders"


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
        lines.append(f"{words['hearts']}: {total:+d} × 2 = {found.uncapped:+d}")
    if found.uncapped != found.value:
        lines.append(f"{words['cap']}: {found.value:+d}")
    lines.append(f"V = {found.value:+d} {words['each']}")
    return lines
