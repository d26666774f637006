"""What a suit game pays, as a table the search can read: V by the declarer's tens and the 7's fate.

A marriage is a constant of the position. Where the K may not be played before its Q
(`queen_before_king` forced) it always scores. Where it may (free), the two cards are neighbours
without points, so playing the K first changes nothing but the marriage, and a marriage never hurts
its own side: it can only bring a hundred nearer, raise its rung, shrink a shortfall or win the
count.
Two options break this, and `needs_order` finds them: `qualifying_marriage` first, while it is still
open whether a side's first marriage is the one in trumps, and a tariff above 2 for the plain game,
with which a quiet hundred pays less than the game it replaces. `general` solves those positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.solver.lanes import count
from marias_agents.solver.workspace import NUM_STEPS, PAY, SEVEN, STEPS, TENS_LEFT
from marias_env.core.bits import SHARPS, marriages_in
from marias_env.core.deal import DECLARER, DEFENDERS, NOBODY, QUALIFY_FIRST
from marias_env.core.jit import jit
from marias_env.core.settlement import suit_value
from marias_env.core.worth import marriage_worth
from marias_env.rules import TEN

FATE_NONE, FATE_WON, FATE_BEATEN = range(3)
"""The trump 7: not played in the last trick, played and winning it, played and beaten."""
PLAIN_TARIFF_LIMIT = 2
"""Up to here the lowest quiet hundred pays as much as the plain game, or more."""


@jit
def pending_marriages(d: Any, seat: Any) -> Any:
    """The queens with which a seat can still score."""
    return marriages_in(np.int64(d["hands"][seat]))


@jit
def needs_order(d: Any, r: Any) -> Any:
    """Whether the payment depends on when, or whether, marriages are scored."""
    trump = np.int64(d["trump"])
    pending = np.int64(0)
    for side in range(2):
        queens = np.int64(0)
        for seat in range(3):
            if (seat == d["declarer"]) == (side == DECLARER):
                queens |= pending_marriages(d, seat)
        pending |= queens
        if r["qualifying"] == QUALIFY_FIRST and d["marriage_sum"][side] == 0:
            in_trumps = queens & (np.int64(0xFF) << (8 * trump))
            if in_trumps != 0 and queens != in_trumps:
                return True
    if d["hundred_side"] != NOBODY or r["tariff"][0] <= PLAIN_TARIFF_LIMIT:
        return False
    return pending != 0 and r["queen_forced"] == 0


@jit
def tens_left(d: Any) -> Any:
    """Tens that are still to be won: sharps in hand and on the table, and the last trick."""
    cards = np.int64(d["hands"][0] | d["hands"][1] | d["hands"][2])
    for i in range(d["in_trick"]):
        cards |= np.int64(1) << np.int64(d["table"][i])
    return count(cards & SHARPS) + 1


@jit
def seven_holder(d: Any) -> Any:
    """Side whose trump 7 is in hand or on the table, or NOBODY."""
    seven = 8 * np.int64(d["trump"])
    for seat in range(3):
        has = (np.int64(d["hands"][seat]) >> seven) & 1 == 1
        for i in range(d["in_trick"]):
            if d["table"][i] == seven and (np.int64(d["leader"]) + i) % 3 == seat:
                has = True
        if has:
            return np.int64(DECLARER if seat == d["declarer"] else DEFENDERS)
    return np.int64(NOBODY)


@jit
def suit_payment(d: Any, r: Any, tens: Any, fate: Any, forfeited: Any) -> Any:
    """V if the declarer takes `tens` from here on and every marriage but `forfeited` is scored.

    Args:
        d: the deal, in play.
        r: rule set.
        tens: of what is left.
        fate: of the trump 7, one of the FATE constants.
        forfeited: queens that will not score.
    """
    trump = np.int64(d["trump"])
    first = np.zeros(2, dtype=np.int64)
    best = np.zeros(2, dtype=np.int64)
    total = np.zeros(2, dtype=np.int64)
    for side in range(2):
        first[side] = d["marriage_first"][side]
        best[side] = d["marriage_best"][side]
        total[side] = d["marriage_sum"][side]
    holder = seven_holder(d)
    for seat in range(3):
        side = DECLARER if seat == d["declarer"] else DEFENDERS
        hand = np.int64(d["hands"][seat])
        queens = marriages_in(hand) & ~forfeited
        for suit in range(4):
            if (queens >> (8 * suit)) & 0xFF:
                worth = marriage_worth(suit, trump)
                if first[side] == 0:
                    first[side] = worth
                best[side] = max(best[side], worth)
                total[side] += worth
    return suit_value(
        r,
        d["trump"],
        np.int64(d["points"][DECLARER]) + TEN * tens,
        np.int64(d["points"][DEFENDERS]) + TEN * (tens_left(d) - tens),
        first[0],
        first[1],
        best[0],
        best[1],
        total[0],
        total[1],
        np.int64(d["hundred_side"]),
        np.int64(d["seven_side"]),
        np.int64(d["levels"][0]),
        np.int64(d["levels"][1]),
        holder if fate != FATE_NONE else np.int64(NOBODY),
        np.int64(1) if fate == FATE_WON else np.int64(0),
    )


@jit
def fill_payments(w: Any, d: Any, r: Any, forfeited: Any) -> Any:
    """Writes PAY, STEPS and TENS_LEFT of a workspace; returns whether PAY grows with the tens.

    It does not only where a quiet hundred pays less than the plain game.
    """
    left = tens_left(d)
    w[TENS_LEFT] = left
    fates = 3 if w[SEVEN] != 0 else 1
    growing = True
    size = np.int64(0)
    for fate in range(3):
        for tens in range(left + 1):
            value = w[PAY + tens]
            if fate < fates:
                value = suit_payment(d, r, np.int64(tens), np.int64(fate), forfeited)
            w[PAY + 16 * fate + tens] = value
            if tens > 0 and value < w[PAY + 16 * fate + tens - 1]:
                growing = False
            place = size
            while place > 0 and w[STEPS + place - 1] >= value:
                place -= 1
            if place < size and w[STEPS + place] == value:
                continue
            for i in range(size, place, -1):
                w[STEPS + i] = w[STEPS + i - 1]
            w[STEPS + place] = value
            size += 1
    w[NUM_STEPS] = size
    return growing


@jit
def need(w: Any, fate: Any, threshold: Any) -> Any:
    """Tens that the declarer needs for V >= threshold; one more than there are if none will do."""
    tens = np.int64(0)
    while tens <= w[TENS_LEFT] and w[PAY + 16 * fate + tens] < threshold:
        tens += 1
    return tens
