"""Every action of a decision tried out on the deal as it lies: lessons by the million.

Players play deals; at a sample of the decisions every action that is legal is taken on a copy of
the deal, and the others and the seat itself play on to the end. One deal tells little about one
decision, yet the deals are drawn as the bidding and play so far leave them likely: nothing about
anybody's hand is presumed, and what one deal gets wrong the next million put right. Worlds drawn
for every decision (`marias_training.labels`) cost some forty times as much.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_agents.net.kernel import (
    canonical_legal,
    net_choose,
    new_scratch,
    policy_inputs,
    uniform,
)
from marias_agents.net.shape import NetParams, bucket_of
from marias_agents.rules.kernel import choose
from marias_agents.rules.tables import MAX_TERMS
from marias_env import DealBatch
from marias_env.actions import NUM_ACTIONS, OVER, PLAY
from marias_env.canonical import ACTION_OF, NUM_INPUTS
from marias_env.core.bits import lowest_bit, popcount
from marias_env.core.deal import DEAL, HISTORY
from marias_env.core.encode import encode
from marias_env.core.jit import jit
from marias_env.core.knowledge import erase_position
from marias_env.core.rng import advance, random_bit, stream
from marias_env.core.step import step
from marias_training.self_play import stake_of, write_inputs

BID_SCALE: Final = 4.0
"""Before play a payment is divided by this, in play by the stake."""
LEADS: Final = 2.5
FOLLOWS: Final = 0.6
"""How often leads, and cards to another's lead, are tried, beside all else: most of what `rules`
leaves to gain lies in leads (`python -m marias_training.headroom`)."""
MANY: Final = 5
"""Bids with more actions than this are tried the less often the more they have: they cost more."""
PLAYER: Final = 0
"""In `players`: the network; -1 - q is the rules player with points q."""


class Lessons(NamedTuple):
    """Decisions at which every action was tried.

    Attributes:
        features: (N, NUM_INPUTS) int8 canonical inputs.
        masks: (N, 48) int8 canonical legal actions.
        gains: (N, 48) float32, what an action brings the seat more than the mean of the legal
            ones, by stake (see `BID_SCALE`); others 0.
        buckets: (N,) int64: see `bucket_of`.
    """

    features: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    gains: npt.NDArray[np.float32]
    buckets: npt.NDArray[np.int64]


def new_lessons(size: int) -> Lessons:
    """Returns room for `size` decisions."""
    return Lessons(
        np.empty((size, NUM_INPUTS), dtype=np.int8),
        np.empty((size, NUM_ACTIONS), dtype=np.int8),
        np.empty((size, NUM_ACTIONS), dtype=np.float32),
        np.empty(size, dtype=np.int64),
    )


@jit
def _decide(
    d: Any, r: Any, player: Any, params: Any, points: Any, s: Any, view: Any, at: Any
) -> Any:
    # What a player does, from what its seat knows.
    legal = np.int64(d["legal"])
    if legal & (legal - 1) == 0:
        return lowest_bit(legal)
    if player == PLAYER:
        return net_choose(d, r, params, s)
    view[0] = d
    erase_position(view[0], r, np.int64(d["turn"]))
    return choose(view[0], r, points[-1 - player], at)


@jit
def _try(
    d: Any, r: Any, players: Any, cap: Any, params: Any, points: Any, s: Any, copies: Any,
    at: Any, paid: Any,
) -> None:  # fmt: skip
    # Writes what each legal action brings, in capped units.
    seat = np.int64(d["turn"])
    left = np.int64(d["legal"])
    copy = copies[0]
    while left != 0:
        action = lowest_bit(left)
        left &= left - 1
        copies[0] = d
        step(copy, r, action)
        while copy["phase"] != OVER:
            player = players[copy["turn"]]
            step(copy, r, _decide(copy, r, player, params, points, s, copies[1:], at))
        # Who is paid double may be known at the end only.
        most = np.float32(2 * cap if copy["declarer"] == seat else cap)
        paid[action] = max(-most, min(most, np.float32(copy["payments"][seat])))


@jit
def _weight_of(d: Any) -> Any:
    if d["phase"] == PLAY:
        return LEADS if d["in_trick"] == 0 else FOLLOWS
    return min(1.0, MANY / popcount(np.int64(d["legal"])))


@jit
def try_rows(
    deals: Any,
    rules: Any,
    first: Any,
    players: Any,
    go_on: Any,
    params: Any,
    points: Any,
    root: Any,
    rate: Any,
    explore: Any,
    cap: Any,
    s: Any,
    copies: Any,
    at: Any,
    out: Any,
) -> Any:
    """Plays deals to their end and tries the actions of some decisions.

    Args:
        deals: (B,) DEAL.
        rules: (1,) RULE_SET.
        first: row to begin with.
        players: (B, 3) int64, who plays each seat: see `PLAYER`.
        go_on: (B, 3) int64, who goes on in each seat after an action that is tried.
        params: `NetParams`.
        points: (Q, n) int64, vectors of points of rules players.
        root: uint64, of the random streams.
        rate: share of the decisions with a choice that are tried, times a weight (see `LEADS`).
        explore: share of the decisions in which a random action is taken.
        cap: units per opponent beyond which a payment counts no more.
        s: `Scratch`.
        copies: (2,) DEAL.
        at: int64 buffer of MAX_TERMS.
        out: `Lessons`, out.

    Returns:
        The row that there was no more room for, or B; and the number of lessons.
    """
    r = rules[0]
    paid = np.zeros(NUM_ACTIONS, dtype=np.float32)
    i = 0
    for row in range(first, deals.shape[0]):
        if i + HISTORY > out.buckets.shape[0]:
            return row, i
        d = deals[row]
        state = stream(root, row)
        while d["phase"] != OVER:
            legal = np.int64(d["legal"])
            seat = np.int64(d["turn"])
            player = players[row, seat]
            action = _decide(d, r, player, params, points, s, copies[1:], at)
            if legal & (legal - 1) != 0:
                state = advance(state)
                if uniform(state) < rate * _weight_of(d):
                    _try(d, r, go_on[row], cap, params, points, s, copies, at, paid)
                    encode(d, r, seat, s.state[0, 0]["seen"])
                    n, number = policy_inputs(s)
                    places = canonical_legal(legal, number)
                    write_inputs(s, n, places, out.features[i], out.masks[i])
                    scale = np.float32(BID_SCALE)
                    if d["phase"] == PLAY:
                        scale = min(stake_of(d, r), np.float32(cap))
                    total = np.float32(0.0)
                    count = np.float32(0.0)
                    for place in range(NUM_ACTIONS):
                        if (places >> place) & 1:
                            total += paid[ACTION_OF[number, place]]
                            count += np.float32(1.0)
                    for place in range(NUM_ACTIONS):
                        gain = (paid[ACTION_OF[number, place]] - total / count) / scale
                        out.gains[i, place] = gain if out.masks[i, place] else np.float32(0.0)
                    out.buckets[i] = bucket_of(d, seat)
                    i += 1
                state = advance(state)
                if uniform(state) < explore:
                    state = advance(state)
                    action = random_bit(legal, state)
            step(d, r, action)
    return deals.shape[0], i


def try_out(
    batch: DealBatch,
    players: npt.NDArray[np.int64],
    go_on: npt.NDArray[np.int64],
    params: NetParams,
    points: npt.NDArray[np.int64],
    root: np.uint64,
    rate: float,
    explore: float,
    cap: float,
) -> Lessons:
    """Starts a batch's next deals and plays them to their end (arguments as in `try_rows`)."""
    batch.reset(indices=np.arange(len(batch)))
    s, at = new_scratch(params), np.empty(MAX_TERMS, dtype=np.int64)
    copies = np.empty(2, dtype=DEAL)
    parts: list[Lessons] = []
    row = 0
    while row < len(batch):
        lessons = new_lessons(max(int(30 * rate * len(batch)), 2 * HISTORY))
        row, n = try_rows(
            batch.deals, batch.packed_rules, row, players, go_on, params, points, root, rate,
            explore, cap, s, copies, at, lessons,
        )  # fmt: skip
        parts.append(Lessons._make(column[:n] for column in lessons))
    return Lessons._make(np.concatenate(columns) for columns in zip(*parts))
