"""Deals seen by one learner: everybody else's actions until the learner is on turn again.

Gymnasium's environments, Stable-Baselines3's and every other face with "one learner, two opponents"
share these loops. Random opponents are played here; rows in which another agent is on turn are left
for it and go on with `answer_rows`. A learner's seat of `EVERY_SEAT` means that each row is a
decision of whichever seat is on turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import OVER
from marias_env.core.dealing import match_over, next_deal
from marias_env.core.history import seat_of
from marias_env.core.jit import jit
from marias_env.core.legal import draw, takes
from marias_env.core.rng import advance, below, stream
from marias_env.core.step import step

EVERY_SEAT = -1
SEAT_ROTATES, SEAT_RANDOM = 3, 4
"""Where the learner sits: 0, 1, 2, or one of these."""
ILLEGAL_ERROR, ILLEGAL_PENALTY, ILLEGAL_RANDOM = range(3)
"""What an illegal action of the learner does."""
_SEAT_STREAM = 1 << 32
"""Of the streams of (key, episode): the deals of a match use the small numbers."""


@jit
def learner_seat(d: Any, row: Any, where: Any) -> Any:
    """The learner's seat in this episode: a function of (seed, row, episode) at most."""
    if where == SEAT_ROTATES:
        # Against the deal's direction: otherwise the place relative to the dealer never changed.
        return (row + 2 * d["episode"]) % 3
    if where == SEAT_RANDOM:
        return below(advance(stream(stream(d["key"], d["episode"]), _SEAT_STREAM)), 3)
    return np.int64(where)


@jit
def enter(d: Any, r: Any, action: Any, gained: Any, i: Any) -> None:
    """One action; a finished deal is paid out, and within a match the next one is dealt at once.

    Args:
        d: deal.
        r: rule set.
        action: what `takes` accepts.
        gained: (B, 3) int64, payments are added in row `i`. (To pass `gained[i]` would count a
            reference, which takes longer than many a step.)
        i: row.
    """
    step(d, r, action)
    if d["phase"] == OVER:
        for seat in range(3):
            gained[i, seat] += d["payments"][seat]
        if not match_over(d, r):
            next_deal(d, r)


@jit
def play_on(d: Any, r: Any, seat: Any, left: Any, right: Any, gained: Any, i: Any) -> None:
    """Plays random opponents until somebody else is on turn or the episode is over.

    Args:
        d: deal.
        r: rule set.
        seat: the learner's, or EVERY_SEAT.
        left: whether the learner's left neighbour (next clockwise) is random.
        right: whether the other one is.
        gained: (B, 3) int64, payments are added in row `i`.
        i: row.
    """
    while seat >= 0 and d["phase"] != OVER:
        place = (np.int64(d["turn"]) - seat + 3) % 3
        if place == 0 or (place == 1 and not left) or (place == 2 and not right):
            return
        enter(d, r, draw(d), gained, i)


@jit
def seat_rows(
    deals: Any,
    rules: Any,
    rows: Any,
    where: Any,
    first_index: Any,
    seats: Any,
    left: Any,
    right: Any,
    gained: Any,
) -> None:
    """Seats the learner in rows whose episode has just begun, and plays on there.

    Args:
        deals: (B,) DEAL.
        rules: (1,) RULE_SET.
        rows: (N,) int64.
        where: 0, 1, 2, SEAT_ROTATES, SEAT_RANDOM or EVERY_SEAT.
        first_index: index of row 0 in the seeding.
        seats: (B,) int64, out.
        left: as in `play_on`.
        right: as in `play_on`.
        gained: (B, 3) int64, payments are added.
    """
    for n in range(rows.shape[0]):
        i = rows[n]
        seats[i] = learner_seat(deals[i], first_index + i, where)
        play_on(deals[i], rules[0], seats[i], left, right, gained, i)


@jit
def act_rows(
    deals: Any,
    rules: Any,
    actions: Any,
    seats: Any,
    left: Any,
    right: Any,
    illegal: Any,
    gained: Any,
    refused: Any,
) -> Any:
    """Takes the learner's action in every row that is not over, then plays on.

    Args:
        deals: (B,) DEAL; in every row that is not over the learner is on turn.
        rules: (1,) RULE_SET.
        actions: (B,) int64.
        seats: (B,) int64.
        left: as in `play_on`.
        right: as in `play_on`.
        illegal: ILLEGAL_ERROR: nothing changes if any action is illegal. ILLEGAL_PENALTY: such a
            row does not change. ILLEGAL_RANDOM: a random legal action is taken instead.
        gained: (B, 3) int64, out: payments of the deals that ended.
        refused: (B,) bool, out: the action was illegal.

    Returns:
        The first row with an illegal action under ILLEGAL_ERROR, or -1.
    """
    r = rules[0]
    if illegal == ILLEGAL_ERROR:
        for i in range(deals.shape[0]):
            if deals[i]["phase"] != OVER and not takes(deals[i], r, np.int64(actions[i])):
                return i
    for i in range(deals.shape[0]):
        for seat in range(3):
            gained[i, seat] = 0
        refused[i] = False
        d = deals[i]
        if d["phase"] == OVER:
            continue
        action = np.int64(actions[i])
        if not takes(d, r, action):
            refused[i] = True
            if illegal == ILLEGAL_PENALTY:
                continue
            action = draw(d)
        enter(d, r, action, gained, i)
        play_on(d, r, seats[i], left, right, gained, i)
    return -1


@jit
def answer_rows(
    deals: Any,
    rules: Any,
    rows: Any,
    actions: Any,
    seats: Any,
    left: Any,
    right: Any,
    gained: Any,
) -> Any:
    """Takes an agent's actions in the rows where it is on turn, then plays on.

    Args:
        deals: (B,) DEAL.
        rules: (1,) RULE_SET.
        rows: (N,) int64.
        actions: (N,) int64.
        seats: (B,) int64, the learner's.
        left: as in `play_on`.
        right: as in `play_on`.
        gained: (B, 3) int64, payments are added.

    Returns:
        Place in `rows` of the first illegal action, or -1. Nothing changes if there is one.
    """
    r = rules[0]
    for n in range(rows.shape[0]):
        if not takes(deals[rows[n]], r, np.int64(actions[n])):
            return n
    for n in range(rows.shape[0]):
        i = rows[n]
        enter(deals[i], r, np.int64(actions[n]), gained, i)
        play_on(deals[i], r, seats[i], left, right, gained, i)
    return -1


@jit
def viewer_rows(deals: Any, seats: Any, out: Any) -> None:
    """Whose view a row's observation is: the learner's; else the seat on turn; else the last mover.

    Args:
        deals: (B,) DEAL.
        seats: (B,) int64: the learner's, or EVERY_SEAT.
        out: (B,) int64.
    """
    for i in range(deals.shape[0]):
        d = deals[i]
        if seats[i] >= 0:
            out[i] = seats[i]
        elif d["turn"] >= 0:
            out[i] = d["turn"]
        else:
            out[i] = seat_of(d["history"][d["num_actions"] - 1])
