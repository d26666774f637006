"""Settlement: what a finished deal pays (RULES.md 6). Units per opponent, V > 0: declarer wins."""

from __future__ import annotations

from typing import Any

import numpy as np

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

HEARTS = 3


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
    return points + qualifying >= r["card_points"] + 10


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
            return np.int64(-4)
        return ladder(4, (points + total - r["card_points"] - 10) // 10, r)
    short = r["card_points"] - points - qualifying
    if r["opponents_marriages"]:
        short += opponents
    return -ladder(4, short // 10, r)


@jit
def quiet_game_value(
    points_d: Any,
    points_o: Any,
    quiet_d: Any,
    quiet_o: Any,
    sum_d: Any,
    sum_o: Any,
    r: Any,
) -> Any:
    """The game with nothing announced, before its level (6a.1), declarer's view.

    Args:
        points_d: declarer's trick points.
        points_o: defenders' trick points.
        quiet_d: declarer's marriage points that count for reaching a quiet hundred.
        quiet_o: the defenders'.
        sum_d: declarer's marriages' sum.
        sum_o: the defenders'.
        r: rule set.
    """
    hundred = r["card_points"] + 10
    if points_d + quiet_d >= hundred:
        return ladder(2, (points_d + sum_d - hundred) // 10, r)
    if r["defenders_quiet"] and points_o + quiet_o >= hundred:
        return -ladder(2, (points_o + sum_o - hundred) // 10, r)
    if points_d + sum_d > points_o + sum_o:
        return r["tariff"][SUIT_GAME]
    if points_d + sum_d == points_o + sum_o and r["dealing"] != DEALING_CHOSEN_TRUMP:
        return np.int64(0)
    return -r["tariff"][SUIT_GAME]


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
    game = np.int64(0)
    if hundred_side == DECLARER:
        game = announced_hundred_value(points_d, qualifying_d, sum_d, sum_o, spoiled, r)
    elif hundred_side == DEFENDERS:
        game = -announced_hundred_value(points_o, qualifying_o, sum_o, sum_d, spoiled, r)
    else:
        quiet_d = sum_d if r["quiet_all"] else qualifying_d
        quiet_o = sum_o if r["quiet_all"] else qualifying_o
        game = quiet_game_value(points_d, points_o, quiet_d, quiet_o, sum_d, sum_o, r)
    game = game << np.int64(level_game)
    seven = np.int64(0)
    if seven_side != NOBODY:
        seven = np.int64(2) << np.int64(level_seven)
        if seven_made != (seven_side == DECLARER):
            seven = -seven
    elif last_seven_side != NOBODY:
        seven = np.int64(1)
        if (last_seven_won != 0) != (last_seven_side == DECLARER):
            seven = -seven
    value = game + seven
    if trump == HEARTS:
        value *= 2
    return capped(value, r)


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
def deal_value(d: Any, r: Any) -> Any:
    """V of a finished deal."""
    if d["contract"] != SUIT_GAME:
        return no_trump_value(r, d["contract"], d["made"] == 1, d["levels"][GAME])
    if d["ending"] == END_UNPLAYED:
        if d["seven_side"] != NOBODY:
            return np.int64(0)
        value = r["tariff"][SUIT_GAME]
        return capped(value * 2 if d["trump"] == HEARTS else value, r)
    last_seven_side = NOBODY
    if d["last_seven_seat"] >= 0:
        last_seven_side = DECLARER if d["last_seven_seat"] == d["declarer"] else DEFENDERS
    return suit_value(
        r,
        d["trump"],
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
        np.int64(d["levels"][GAME]),
        np.int64(d["levels"][SEVEN_COMPONENT]),
        np.int64(last_seven_side),
        np.int64(d["last_seven_won"]),
    )


@jit
def revoke_stake(d: Any, r: Any) -> Any:
    """X of a revoke: what the offender pays each of the others (6e); `max_payment` is no limit."""
    if d["contract"] == SUIT_GAME:
        base = np.int64(4) if d["hundred_side"] != NOBODY else r["tariff"][SUIT_GAME]
        stake = base << np.int64(d["levels"][GAME])
        if d["seven_side"] != NOBODY:
            stake += np.int64(2) << np.int64(d["levels"][SEVEN_COMPONENT])
        if d["trump"] == HEARTS:
            stake *= 2
    else:
        stake = r["tariff"][d["contract"]] << np.int64(d["levels"][GAME])
    return max(np.int64(10), stake)


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
