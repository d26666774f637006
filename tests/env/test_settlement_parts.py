"""The parts of V, on deals written down by hand: what was announced, made and paid."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from marias_env.core.deal import (
    DEAL,
    DECLARER,
    DEFENDERS,
    END_PLAYED,
    END_REVOKE,
    END_UNPLAYED,
    NOBODY,
    pack_rules,
)
from marias_env.core.settlement import (
    PART_AGAINST,
    PART_DEFENDERS_QUIET,
    PART_GAME,
    PART_HUNDRED,
    PART_NONE,
    PART_QUIET_HUNDRED,
    deal_value,
    parts_of,
)
from marias_env.rules import HEARTS, RULES, Rules
from marias_training.arena.breakdown import announcement_made

TRADITIONAL = RULES["traditional"]
TOGETHER = dataclasses.replace(TRADITIONAL, seven_hundred_together=True)
SPADES = 0


def played(
    points: int,
    marriages: tuple[tuple[int, ...], tuple[int, ...]] = ((), ()),
    hundred: int = NOBODY,
    seven: int = NOBODY,
    last_seven: tuple[int, bool] | None = None,
    levels: tuple[int, int] = (0, 0),
    trump: int = SPADES,
) -> Any:
    """A suit game that was played out; seat 0 declares, `last_seven` is (seat, won)."""
    deal = np.zeros(1, dtype=DEAL)
    deal["viewer"] = -1
    deal["ending"] = END_PLAYED
    deal["trump"] = trump
    deal["points"] = (points, 90 - points)
    for side, scored in enumerate(marriages):
        deal["marriage_first"][0, side] = scored[0] if scored else 0
        deal["marriage_best"][0, side] = max(scored, default=0)
        deal["marriage_sum"][0, side] = sum(scored)
    deal["hundred_side"], deal["seven_side"] = hundred, seven
    deal["levels"] = levels
    deal["last_seven_seat"] = -1 if last_seven is None else last_seven[0]
    deal["last_seven_won"] = last_seven is not None and last_seven[1]
    return deal


@pytest.mark.parametrize(
    ("deal", "parts"),
    [
        (played(50), [PART_GAME, 1, 0, 1]),
        (played(40), [PART_GAME, -1, 0, 1]),
        (played(40, trump=HEARTS), [PART_GAME, -1, 0, 2]),
        (played(80, ((40,), ())), [PART_QUIET_HUNDRED, 8, 0, 1]),
        (played(80, ((20, 40), ()), levels=(2, 0)), [PART_QUIET_HUNDRED, 2 << 4, 0, 1]),
        (played(10, ((), (20,))), [PART_DEFENDERS_QUIET, -2, 0, 1]),
        (played(60, ((40,), ()), hundred=DECLARER), [PART_HUNDRED, 4, 0, 1]),
        (played(40, ((40,), ()), hundred=DECLARER), [PART_HUNDRED, -8, 0, 1]),
        (played(20, ((), (40,)), hundred=DEFENDERS), [PART_AGAINST, -8, 0, 1]),
        (played(70, ((), (40,)), hundred=DEFENDERS), [PART_AGAINST, 32, 0, 1]),
        (played(50, last_seven=(0, True)), [PART_GAME, 1, 1, 1]),
        (played(50, last_seven=(2, True)), [PART_GAME, 1, -1, 1]),
        (played(50, last_seven=(2, False)), [PART_GAME, 1, 1, 1]),
        (played(50, seven=DECLARER, last_seven=(0, True)), [PART_GAME, 1, 2, 1]),
        (played(50, seven=DECLARER), [PART_GAME, 1, -2, 1]),
        (played(50, seven=DEFENDERS, last_seven=(1, True)), [PART_GAME, 1, -2, 1]),
    ],
)
def test_parts_by_hand(deal: Any, parts: list[int]) -> None:
    rules = pack_rules(TRADITIONAL)
    assert parts_of(deal, rules)[0].tolist() == parts
    _, game, seven, factor = parts
    levels = deal["levels"][0].tolist()
    assert deal_value(deal[0], rules[0]) == ((game << levels[0]) + (seven << levels[1])) * factor


def test_parts_of_deals_that_were_not_played_out() -> None:
    rules = pack_rules(TRADITIONAL)
    plain = played(0, trump=HEARTS)
    plain["ending"] = END_UNPLAYED
    assert parts_of(plain, rules)[0].tolist() == [PART_GAME, 1, 0, 2]
    seven = played(0, seven=DECLARER, levels=(1, 0))
    seven["ending"] = END_UNPLAYED
    assert parts_of(seven, rules)[0].tolist() == [PART_GAME, 0, 0, 1]
    revoke = played(0, hundred=DECLARER, seven=DEFENDERS, levels=(1, 1), trump=HEARTS)
    revoke["ending"] = END_REVOKE
    assert parts_of(revoke, rules)[0].tolist() == [PART_NONE, -(4 * 2 + 2 * 2) * 2, 0, 1]


def both(side: int, points: int, won: bool) -> Any:
    """Seven and hundred announced by one side, a marriage of 40 on it."""
    marriages = ((40,), ()) if side == DECLARER else ((), (40,))
    return played(points, marriages, side, side, (0 if side == DECLARER else 1, won))


@pytest.mark.parametrize(
    ("rules", "deal", "made", "value"),
    [
        (TRADITIONAL, both(DECLARER, 60, True), (True, True), 6),
        (TRADITIONAL, both(DECLARER, 60, False), (False, True), 2),
        (TRADITIONAL, both(DECLARER, 50, True), (True, False), -2),
        (TOGETHER, both(DECLARER, 60, True), (True, True), 6),
        (TOGETHER, both(DECLARER, 60, False), (False, False), -6),
        (TOGETHER, both(DECLARER, 50, True), (False, False), -6),
        (TOGETHER, both(DEFENDERS, 30, True), (True, True), -6),
        (TOGETHER, both(DEFENDERS, 30, False), (False, False), 6),
        (TOGETHER, both(DEFENDERS, 40, True), (False, False), 6),
    ],
)
def test_announcements_that_belong_together(
    rules: Rules, deal: Any, made: tuple[bool, bool], value: int
) -> None:
    assert tuple(bool(flags[0]) for flags in announcement_made(deal, rules)) == made
    assert deal_value(deal[0], pack_rules(rules)[0]) == value
