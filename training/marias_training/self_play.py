"""Self-play in compiled code: deals from their start to their end, and what is learned from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_agents.net.kernel import (
    canonical_legal,
    drawn_from,
    forward,
    new_scratch,
    policy_inputs,
    probabilities_of,
    uniform,
)
from marias_agents.net.shape import NetParams, bucket_of
from marias_agents.rules.kernel import choose
from marias_agents.rules.tables import MAX_TERMS
from marias_env.actions import CONTRACT, NUM_ACTIONS, OVER, PLAY, REPLY, SUIT_GAME
from marias_env.batch import DealBatch
from marias_env.canonical import (
    ACTION_OF,
    NUM_CRITIC_INPUTS,
    OBSERVATION_WORDS,
    STATE_WORDS,
    sparse_inputs,
)
from marias_env.core.bits import popcount
from marias_env.core.deal import DEAL, HISTORY
from marias_env.core.encode import state_rows
from marias_env.core.jit import jit
from marias_env.core.knowledge import erase_position
from marias_env.core.rng import advance, stream
from marias_env.core.step import step
from marias_env.rules import HEARTS
from marias_env.seeds import random_root

LEARNER: Final = 0
"""The player whose decisions are recorded: the first of the networks."""
GROUPS: Final = 4
"""Role and stage of a decision: 2 * (in play) + (by the declarer)."""


class Record(NamedTuple):
    """Decisions with a choice, in the order of the deals and within a deal of time.

    Attributes:
        features: (N, NUM_CRITIC_INPUTS) int8 canonical inputs: the policy's first.
        masks: (N, 48) int8 canonical legal actions.
        actions: (N,) int64 canonical actions taken.
        log_probs: (N,) float32 their log-probabilities.
        rows: (N,) int64 deal.
        seats: (N,) int64.
        groups: (N,) int64, 0…3: see `GROUPS`.
        buckets: (N,) int64: see `bucket_of`.
        stakes: (N,) float32: in play, units per opponent that a simple loss costs; before it, 1.
    """

    features: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]
    log_probs: npt.NDArray[np.float32]
    rows: npt.NDArray[np.int64]
    seats: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    buckets: npt.NDArray[np.int64]
    stakes: npt.NDArray[np.float32]


def new_record(size: int) -> Record:
    """Returns room for `size` decisions."""
    return Record(
        features=np.empty((size, NUM_CRITIC_INPUTS), dtype=np.int8),
        masks=np.empty((size, NUM_ACTIONS), dtype=np.int8),
        actions=np.empty(size, dtype=np.int64),
        log_probs=np.empty(size, dtype=np.float32),
        rows=np.empty(size, dtype=np.int64),
        seats=np.empty(size, dtype=np.int64),
        groups=np.empty(size, dtype=np.int64),
        buckets=np.empty(size, dtype=np.int64),
        stakes=np.empty(size, dtype=np.float32),
    )


@jit
def stake_of(d: Any, r: Any) -> Any:
    """Units per opponent that a simple loss of the contract costs, in play; before it, 1."""
    if d["phase"] != PLAY:
        return np.float32(1.0)
    units = np.float32(r["tariff"][d["contract"]]) * np.float32(1 << np.int64(d["levels"][0]))
    if d["contract"] == SUIT_GAME and d["trump"] == HEARTS:
        units *= np.float32(2.0)
    return units


@jit
def _net_of(nets: Any, number: Any) -> Any:
    return NetParams(
        nets.first[number],
        nets.first_bias[number],
        nets.second[number],
        nets.second_bias[number],
        nets.third[number],
        nets.third_bias[number],
        nets.head[number],
        nets.head_bias[number],
    )


@jit
def write_inputs(s: Any, n: Any, legal: Any, features: Any, mask: Any) -> None:
    """Writes a network's inputs as a row of zeros and values, and its legal outputs.

    Args:
        s: `Scratch` with `n` inputs.
        n: their number.
        legal: bit set in the order of the network's outputs.
        features: int8, out.
        mask: (48,) int8, out.
    """
    features[:] = 0
    for k in range(n):
        features[s.inputs[k]] = s.values[k]
    for place in range(NUM_ACTIONS):
        mask[place] = (legal >> place) & 1


@jit
def write_position(d: Any, r: Any, s: Any, n: Any, number: Any, i: Any, out: Any) -> None:
    """Writes the position in `s` as decision `i` of a record: all but what was done.

    Args:
        d: DEAL, the whole truth.
        r: rule set.
        s: `Scratch` with the state in `s.vector`, and the policy's inputs.
        n: number of the policy's inputs.
        number: of the suit order.
        i: number of the decision.
        out: `Record`.
    """
    n = sparse_inputs(
        s.vector[0], s.words[0], OBSERVATION_WORDS, STATE_WORDS, number, s.inputs, s.values, n
    )
    write_inputs(s, n, canonical_legal(np.int64(d["legal"]), number), out.features[i], out.masks[i])
    seat = np.int64(d["turn"])
    out.seats[i] = seat
    out.groups[i] = 2 * np.int64(d["phase"] == PLAY) + np.int64(d["declarer"] == seat)
    out.buckets[i] = bucket_of(d, seat)
    out.stakes[i] = stake_of(d, r)


@jit
def play_rows(
    deals: Any,
    rules: Any,
    first: Any,
    players: Any,
    nets: Any,
    points: Any,
    root: Any,
    explore: Any,
    s: Any,
    scratch: Any,
    at: Any,
    out: Any,
) -> Any:
    """Plays deals to their end.

    Args:
        deals: (B,) DEAL.
        rules: (1,) RULE_SET.
        first: row to begin with.
        players: (B, 3) int64, who plays each seat: a number of `nets`, or -1 - a number of
            `points`.
        nets: `NetParams` with one more dimension in front; they draw from their policies.
        points: (Q, n) int64, vectors of points of `rules` players.
        root: uint64, of the random streams.
        explore: (2,) float32, the shares that networks draw uniformly: of contracts and replies,
            and of all other decisions.
        s: `Scratch`.
        scratch: (1,) DEAL.
        at: int64 buffer of MAX_TERMS.
        out: `Record`, out: the decisions of player `LEARNER`.

    Returns:
        The row that there was no more room for, or B; and the number of decisions recorded.
    """
    r = rules[0]
    seats = np.zeros(1, dtype=np.int64)
    probabilities = np.zeros(NUM_ACTIONS, dtype=np.float32)
    i = 0
    for row in range(first, deals.shape[0]):
        if i + HISTORY > out.rows.shape[0]:
            return row, i
        d = deals[row]
        state = stream(root, row)
        while d["phase"] != OVER:
            legal = np.int64(d["legal"])
            seat = np.int64(d["turn"])
            player = players[row, seat]
            if player < 0 or legal & (legal - 1) == 0:
                scratch[0] = d
                erase_position(scratch[0], r, seat)
                step(d, r, choose(scratch[0], r, points[max(-1 - player, 0)], at))
                continue
            seats[0] = seat
            state_rows(deals[row : row + 1], rules, seats, s.vector)
            n, number = policy_inputs(s)
            forward(_net_of(nets, player), bucket_of(d, seat), n, s)
            places = canonical_legal(legal, number)
            probabilities_of(s.logits, places, probabilities)
            # A contract that is never named teaches nobody to play it, or to defend against it.
            bids = d["phase"] == CONTRACT or d["phase"] == REPLY
            share = explore[0] if bids else explore[1]
            for place in range(NUM_ACTIONS):
                if (places >> place) & 1:
                    probabilities[place] *= 1 - share
                    probabilities[place] += share / popcount(legal)
            state = advance(state)
            chosen = drawn_from(probabilities, places, uniform(state))
            if player == LEARNER:
                write_position(d, r, s, n, number, i, out)
                out.actions[i] = chosen
                out.log_probs[i] = np.log(max(probabilities[chosen], np.float32(1e-30)))
                out.rows[i] = row
                i += 1
            step(d, r, ACTION_OF[number, chosen])
    return deals.shape[0], i


def stack_nets(nets: list[NetParams]) -> NetParams:
    """Returns networks of one size with a dimension in front, for `play_rows`."""
    return NetParams(*(np.stack(parts) for parts in zip(*nets)))


def play(
    batch: DealBatch,
    players: npt.NDArray[np.int64],
    nets: NetParams,
    points: npt.NDArray[np.int64],
    root: np.uint64,
    explore: tuple[float, float],
    expected: int,
) -> Record:
    """Starts a batch's next deals and plays them to their end (arguments as in `play_rows`).

    Args:
        batch: deals; left over.
        players: (B, 3).
        nets: see `play_rows`.
        points: see `play_rows`.
        root: see `play_rows`.
        explore: see `play_rows`.
        expected: decisions to make room for at first; it takes more where that is too few.
    """
    batch.reset(indices=np.arange(len(batch)))
    one = NetParams(*(part[0] for part in nets))
    s = new_scratch(one)
    scratch, at = np.empty(1, dtype=DEAL), np.empty(MAX_TERMS, dtype=np.int64)
    parts: list[Record] = []
    row = 0
    while row < len(batch):
        record = new_record(max(expected, HISTORY))
        row, n = play_rows(
            batch.deals, batch.packed_rules, row, players, nets, points, root,
            np.array(explore, dtype=np.float32), s, scratch, at, record,
        )  # fmt: skip
        parts.append(Record._make(column[:n] for column in record))
    if len(parts) == 1:
        return parts[0]
    return Record._make(np.concatenate(columns) for columns in zip(*parts))


@jit
def stake_rows(deals: Any, rules: Any, out: Any) -> None:
    """Writes `stake_of` every row: deals (N,) DEAL, rules (1,) RULE_SET, out (N,) float32."""
    for i in range(deals.shape[0]):
        out[i] = stake_of(deals[i], rules[0])


def mixed_seed(numbers: Sequence[int]) -> int:
    """Returns a seed made of several numbers: of a run, and of a part of it."""
    return int(random_root(numbers) >> np.uint64(1))
