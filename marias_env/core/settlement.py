"""Settlement: what a finished deal pays (RULES.md 6). Units per opponent, V > 0: declarer wins."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from marias_env.actions import SUIT_GAME
from marias_env.core.deal import (
    DEALING_CHOSEN_TRUMP,
    DECLARER,
    DEFENDERS,
    END_REVOKE,
    END_UNPLAYED,
    GAME,
    NOBODY,
    QUALIFY_ALL,
    QUALIFY_FIRST,
    SEVEN_COMPONENT,
    STEPS_DOUBLING,
    STEPS_LINEAR,
)
from marias_env.core.jit import jit
from marias_env.core.worth import hearts_factor
from marias_env.rules import (
    ANNOUNCED_HUNDRED,
    ANNOUNCED_SEVEN,
    LEAST_REVOKE,
    QUIET_HUNDRED,
    QUIET_SEVEN,
    TEN,
)

PART_NONE, PART_GAME, PART_QUIET_HUNDRED, PART_DEFENDERS_QUIET, PART_HUNDRED, PART_AGAINST = range(
    6
)
"""What the game component was settled as (6a.1–3); `PART_NONE` in a contract without trumps."""
KIND, GAME_UNITS, SEVEN_UNITS, FACTOR = range(4)
"""Columns of `parts_rows`: what the game was settled as; units of the game (or contract) and of the
seven, both before their levels, declarer's view; what their sum is multiplied by."""
NUM_PARTS = 4


@jit
def ladder(base: Any, steps: Any, r: Any) -> Any:
    """A hundred's payment `steps` tens above (or short of) its first rung."""
    if r["hundred_steps"] == STEPS_DOUBLING:
        return np.int64(base) << np.int64(steps)
    if r["hundred_steps"] == STEPS_LINEAR:
        return np.int64(base) * (np.int64(steps) + 1)
    return np.int64(base)


@jit
def qualifying_marriage(first: Any, best: Any, total: Any, r: Any) -> Any:
    """The marriage points that count for reaching a hundred."""
    if r["qualifying"] == QUALIFY_FIRST:
        return first
    if r["qualifying"] == QUALIFY_ALL:
        return total
    return best


@jit
def hundred_reached(points: Any, qualifying: Any, r: Any) -> Any:
    """Whether a side's trick points and qualifying marriage make a hundred (P + 10, RULES.md 9)."""
    return points + qualifying >= r["card_points"] + TEN


@jit
def announced_hundred_value(
    points: Any, qualifying: Any, total: Any, opponents: Any, spoiled: Any, r: Any
) -> Any:
    """What an announced hundred pays the side that announced it, before its level (6a.2, 6a.3).

    Args:
        points: the side's trick points.
        qualifying: its qualifying marriage.
        total: its marriages' sum.
        opponents: the other side's marriages' sum.
        spoiled: counted lost although reached (`seven_hundred_together`).
        r: rule set.
    """
    if hundred_reached(points, qualifying, r):
        if spoiled:
            return np.int64(-ANNOUNCED_HUNDRED)
        return ladder(ANNOUNCED_HUNDRED, (points + total - r["card_points"] - TEN) // TEN, r)
    short = r["card_points"] - points - qualifying
    if r["opponents_marriages"]:
        short += opponents
    return -ladder(ANNOUNCED_HUNDRED, short // TEN, r)


@jit
def quiet_game(
    points_d: Any,
    points_o: Any,
    quiet_d: Any,
    quiet_o: Any,
    sum_d: Any,
    sum_o: Any,
    r: Any,
) -> Any:
    """What the game is settled as with nothing announced (6a.1), and its units before its level.

    Args:
        points_d: declarer's trick points.
        points_o: defenders' trick points.
        quiet_d: declarer's marriage points that count for reaching a quiet hundred.
        quiet_o: the defenders'.
        sum_d: declarer's marriages' sum.
        sum_o: the defenders'.
        r: rule set.

    Returns:
        Two numbers: one of the PART constants, and units, declarer's view.
    """
    hundred = r["card_points"] + TEN
    if hundred_reached(points_d, quiet_d, r):
        units = ladder(QUIET_HUNDRED, (points_d + sum_d - hundred) // TEN, r)
        return PART_QUIET_HUNDRED, units
    if r["defenders_quiet"] and hundred_reached(points_o, quiet_o, r):
        units = -ladder(QUIET_HUNDRED, (points_o + sum_o - hundred) // TEN, r)
        return PART_DEFENDERS_QUIET, units
    units = np.int64(r["tariff"][SUIT_GAME])
    if points_d + sum_d == points_o + sum_o and r["dealing"] != DEALING_CHOSEN_TRUMP:
        units = np.int64(0)
    elif points_d + sum_d <= points_o + sum_o:
        units = -units
    return PART_GAME, units


@jit
def capped(value: Any, r: Any) -> Any:
    """V under `max_payment`."""
    if r["max_payment"] > 0:
        if value > r["max_payment"]:
            return r["max_payment"]
        if value < -r["max_payment"]:
            return -r["max_payment"]
    return value


@jit
def suit_parts(
    r: Any,
    points_d: Any,
    points_o: Any,
    first_d: Any,
    first_o: Any,
    best_d: Any,
    best_o: Any,
    sum_d: Any,
    sum_o: Any,
    hundred_side: Any,
    seven_side: Any,
    last_seven_side: Any,
    last_seven_won: Any,
) -> Any:
    """The components of a played suit game (6a); arguments as in `suit_value`.

    Returns:
        Three numbers: what the game is settled as (a PART constant), its units and the seven's
        before their levels and hearts, declarer's view.
    """
    qualifying_d = qualifying_marriage(first_d, best_d, sum_d, r)
    qualifying_o = qualifying_marriage(first_o, best_o, sum_o, r)
    seven_made = last_seven_side == seven_side and last_seven_won != 0
    spoiled = False
    if r["together"] and seven_side != NOBODY and seven_side == hundred_side:
        spoiled = not seven_made
        if seven_side == DECLARER:
            seven_made = seven_made and hundred_reached(points_d, qualifying_d, r)
        else:
            seven_made = seven_made and hundred_reached(points_o, qualifying_o, r)
    kind = PART_HUNDRED
    game = np.int64(0)
    if hundred_side == DECLARER:
        game = announced_hundred_value(points_d, qualifying_d, sum_d, sum_o, spoiled, r)
    elif hundred_side == DEFENDERS:
        kind = PART_AGAINST
        game = -announced_hundred_value(points_o, qualifying_o, sum_o, sum_d, spoiled, r)
    else:
        quiet_d = sum_d if r["quiet_all"] else qualifying_d
        quiet_o = sum_o if r["quiet_all"] else qualifying_o
        kind, game = quiet_game(points_d, points_o, quiet_d, quiet_o, sum_d, sum_o, r)
    seven = np.int64(0)
    if seven_side != NOBODY:
        seven = np.int64(ANNOUNCED_SEVEN)
        if seven_made != (seven_side == DECLARER):
            seven = -seven
    elif last_seven_side != NOBODY:
        seven = np.int64(QUIET_SEVEN)
        if (last_seven_won != 0) != (last_seven_side == DECLARER):
            seven = -seven
    return kind, game, seven


@jit
def suit_value(
    r: Any,
    trump: Any,
    points_d: Any,
    points_o: Any,
    first_d: Any,
    first_o: Any,
    best_d: Any,
    best_o: Any,
    sum_d: Any,
    sum_o: Any,
    hundred_side: Any,
    seven_side: Any,
    level_game: Any,
    level_seven: Any,
    last_seven_side: Any,
    last_seven_won: Any,
) -> Any:
    """V of a played suit game (6a), after hearts, levels and cap.

    Args:
        r: rule set.
        trump: trump suit.
        points_d: declarer's trick points, last trick included.
        points_o: defenders' trick points.
        first_d: declarer's first marriage, 0 if none.
        first_o: the defenders'.
        best_d: declarer's best marriage.
        best_o: the defenders'.
        sum_d: declarer's marriages' sum.
        sum_o: the defenders'.
        hundred_side: side that announced the hundred, or NOBODY.
        seven_side: side that announced the seven, or NOBODY.
        level_game: level of the game component.
        level_seven: level of the seven component.
        last_seven_side: side that played the trump 7 in the last trick, or NOBODY.
        last_seven_won: whether it won that trick.
    """
    _, game, seven = suit_parts(
        r,
        points_d,
        points_o,
        first_d,
        first_o,
        best_d,
        best_o,
        sum_d,
        sum_o,
        hundred_side,
        seven_side,
        last_seven_side,
        last_seven_won,
    )
    return capped(total_units(game, level_game, seven, level_seven, hearts_factor(trump)), r)


@jit
def total_units(game: Any, level_game: Any, seven: Any, level_seven: Any, factor: Any) -> Any:
    """The components together, before the cap; a seven that nobody announced has level 0."""
    return ((game << np.int64(level_game)) + (seven << np.int64(level_seven))) * factor


@jit
def no_trump_value(r: Any, contract: Any, made: Any, level: Any) -> Any:
    """V of betl, durch and their open forms (6b)."""
    value = r["tariff"][contract] << np.int64(level)
    if not made:
        value = -value
    return capped(value, r)


@jit
def unplayed_ending(d: Any, r: Any) -> Any:
    """Whether a suit game is not played out (6d), asked when doubling is over."""
    if d["contract"] != SUIT_GAME or d["hundred_side"] != NOBODY:
        return False
    if r["unplayed_plain"] and d["seven_side"] == NOBODY and d["levels"][GAME] == 0:
        return True
    return (
        r["unplayed_seven"] != 0
        and d["seven_side"] == DECLARER
        and d["levels"][GAME] == 1
        and d["levels"][SEVEN_COMPONENT] == 0
    )


@jit
def deal_parts(d: Any, r: Any) -> Any:
    """What V of a finished deal is made of, the columns of `parts_rows` as four numbers.

    A revoke has no V: its units are what the offender pays each of the others, negative.
    """
    zero = np.int64(0)
    one = np.int64(1)
    if d["ending"] == END_REVOKE:
        return PART_NONE, -revoke_stake(d, r), zero, one
    if d["contract"] != SUIT_GAME:
        units = np.int64(r["tariff"][d["contract"]])
        return PART_NONE, units if d["made"] == 1 else -units, zero, one
    factor = hearts_factor(d["trump"])
    if d["ending"] == END_UNPLAYED:
        plain = d["seven_side"] == NOBODY
        return PART_GAME, np.int64(r["tariff"][SUIT_GAME]) if plain else zero, zero, factor
    last_seven_side = NOBODY
    if d["last_seven_seat"] >= 0:
        last_seven_side = DECLARER if d["last_seven_seat"] == d["declarer"] else DEFENDERS
    kind, game, seven = suit_parts(
        r,
        np.int64(d["points"][DECLARER]),
        np.int64(d["points"][DEFENDERS]),
        np.int64(d["marriage_first"][DECLARER]),
        np.int64(d["marriage_first"][DEFENDERS]),
        np.int64(d["marriage_best"][DECLARER]),
        np.int64(d["marriage_best"][DEFENDERS]),
        np.int64(d["marriage_sum"][DECLARER]),
        np.int64(d["marriage_sum"][DEFENDERS]),
        np.int64(d["hundred_side"]),
        np.int64(d["seven_side"]),
        np.int64(last_seven_side),
        np.int64(d["last_seven_won"]),
    )
    return kind, game, seven, factor


@jit
def deal_value(d: Any, r: Any) -> Any:
    """V of a finished deal that no revoke ended."""
    _, game, seven, factor = deal_parts(d, r)
    levels = d["levels"]
    return capped(total_units(game, levels[GAME], seven, levels[SEVEN_COMPONENT], factor), r)


@jit
def parts_rows(deals: Any, rules: Any, out: Any) -> None:
    """Writes what V of finished deals is made of.

    Args:
        deals: (B,) DEAL, over.
        rules: (1,) RULE_SET.
        out: (B, NUM_PARTS) int64: columns KIND, GAME_UNITS, SEVEN_UNITS and FACTOR.
    """
    for i in range(deals.shape[0]):
        kind, game, seven, factor = deal_parts(deals[i], rules[0])
        out[i, KIND] = kind
        out[i, GAME_UNITS] = game
        out[i, SEVEN_UNITS] = seven
        out[i, FACTOR] = factor


def parts_of(deals: npt.NDArray[Any], rules: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Returns what V of (B,) finished DEAL records is made of: (B, NUM_PARTS), see `parts_rows`."""
    out = np.empty((len(deals), NUM_PARTS), dtype=np.int64)
    parts_rows(np.ascontiguousarray(deals), rules, out)
    return out


@jit
def revoke_stake(d: Any, r: Any) -> Any:
    """X of a revoke: what the offender pays each of the others (6e); `max_payment` is no limit."""
    if d["contract"] == SUIT_GAME:
        game = np.int64(r["tariff"][SUIT_GAME])
        if d["hundred_side"] != NOBODY:
            game = np.int64(ANNOUNCED_HUNDRED)
        seven = np.int64(ANNOUNCED_SEVEN if d["seven_side"] != NOBODY else 0)
        levels = d["levels"]
        factor = hearts_factor(d["trump"])
        stake = total_units(game, levels[GAME], seven, levels[SEVEN_COMPONENT], factor)
    else:
        stake = r["tariff"][d["contract"]] << np.int64(d["levels"][GAME])
    return max(np.int64(LEAST_REVOKE), stake)


@jit
def settle(d: Any, r: Any, offender: Any) -> None:
    """Writes `value` and `payments` of a finished deal and adds them to the match.

    Args:
        d: the deal, `ending` set.
        r: rule set.
        offender: seat that revoked; read only when `ending` is END_REVOKE.
    """
    payer = np.int64(d["declarer"])
    if d["ending"] == END_REVOKE:
        payer = np.int64(offender)
        units = -revoke_stake(d, r)
    else:
        units = deal_value(d, r)
        d["value"] = units
    for seat in range(3):
        d["payments"][seat] = 2 * units if seat == payer else -units
        d["totals"][seat] += d["payments"][seat]
    d["match_deals"] += 1
