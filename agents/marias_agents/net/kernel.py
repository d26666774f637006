"""The compiled player: from a view to an action, and what training shares with it.

To let the network decide inside other compiled code (a search's playouts, self-play):

    scratch = new_scratch(params)                       # one for each thread
    action = net_choose(view, rules[0], params, scratch)

`view` is a DEAL record: a view of the seat on turn, or the whole truth, of which no more than that
seat knows is read (`encode` sees to it), so a playout needs no copy. `params` is a `NetParams`:
`make("net:base").params_for(rules)`, or `load_weights(path).params`. It stands where
`marias_agents.rules.kernel.choose` does, and costs some microseconds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from marias_agents.net.shape import TABLE_OF, NetParams, bucket_of
from marias_agents.random_agent import stream_of
from marias_env.actions import NUM_ACTIONS
from marias_env.canonical import (
    ACTION_OF,
    HEARTS_AT,
    MAX_SPARSE,
    OBSERVATION_WORDS,
    PLACE_OF_HEARTS,
    sparse_inputs,
    suit_order,
)
from marias_env.core.bits import lowest_bit
from marias_env.core.encode import STATE_ROW, encode
from marias_env.core.jit import jit
from marias_env.core.layout import STATE_SIZE
from marias_env.core.rng import mix

_UNUSED_BITS = np.uint64(11)
"""A float64 has room for 53 of 64 random bits."""


class Scratch(NamedTuple):
    """Memory that a decision overwrites; one for each thread."""

    vector: npt.NDArray[np.int8]
    """(1, STATE_SIZE)"""
    words: npt.NDArray[np.uint64]
    state: npt.NDArray[Any]
    """The same memory as words and as `STATE_ROW`."""
    inputs: npt.NDArray[np.int16]
    values: npt.NDArray[np.int8]
    rows: npt.NDArray[np.int64]
    scales: npt.NDArray[np.float32]
    wide: npt.NDArray[np.float32]
    narrow: npt.NDArray[np.float32]
    """(2, H)"""
    logits: npt.NDArray[np.float32]
    """(48,), canonical"""


def new_scratch(params: NetParams) -> Scratch:
    """Returns scratch memory for networks of the size of `params`."""
    width, narrow = params.second.shape[1:]
    vector = np.zeros((1, STATE_SIZE), dtype=np.int8)
    return Scratch(
        vector,
        vector.view(np.uint64),
        vector.view(STATE_ROW),
        np.zeros(MAX_SPARSE, dtype=np.int16),
        np.zeros(MAX_SPARSE, dtype=np.int8),
        np.zeros(max(MAX_SPARSE, width), dtype=np.int64),
        np.zeros(max(MAX_SPARSE, width), dtype=np.float32),
        np.zeros(width, dtype=np.float32),
        np.zeros((2, narrow), dtype=np.float32),
        np.zeros(NUM_ACTIONS, dtype=np.float32),
    )


@jit
def add_rows(weights: Any, rows: Any, scales: Any, n: Any, out: Any) -> None:
    """Adds rows of a table to `out`, each times its scale.

    Eight at a time: what limits this is memory, and so `out` is read and written an eighth as
    often.
    """
    k = 0
    while k + 8 <= n:
        a, b, c, d = scales[k], scales[k + 1], scales[k + 2], scales[k + 3]
        e, f, g, h = scales[k + 4], scales[k + 5], scales[k + 6], scales[k + 7]
        row_a, row_b = weights[rows[k]], weights[rows[k + 1]]
        row_c, row_d = weights[rows[k + 2]], weights[rows[k + 3]]
        row_e, row_f = weights[rows[k + 4]], weights[rows[k + 5]]
        row_g, row_h = weights[rows[k + 6]], weights[rows[k + 7]]
        for j in range(out.shape[0]):
            out[j] += ((a * row_a[j] + b * row_b[j]) + (c * row_c[j] + d * row_d[j])) + (
                (e * row_e[j] + f * row_f[j]) + (g * row_g[j] + h * row_h[j])
            )
        k += 8
    while k + 4 <= n:
        a, b, c, d = scales[k], scales[k + 1], scales[k + 2], scales[k + 3]
        row_a, row_b = weights[rows[k]], weights[rows[k + 1]]
        row_c, row_d = weights[rows[k + 2]], weights[rows[k + 3]]
        for j in range(out.shape[0]):
            out[j] += (a * row_a[j] + b * row_b[j]) + (c * row_c[j] + d * row_d[j])
        k += 4
    while k < n:
        a = scales[k]
        row_a = weights[rows[k]]
        for j in range(out.shape[0]):
            out[j] += a * row_a[j]
        k += 1


@jit
def _dense(before: Any, weights: Any, bias: Any, rows: Any, scales: Any, out: Any) -> None:
    # ReLU, then the layer. About half of the units are 0, and their rows are left out.
    n = 0
    for i in range(before.shape[0]):
        rows[n] = i
        scales[n] = before[i]
        n += np.int64(before[i] > 0)  # no branch: nobody could predict it
    out[:] = bias
    add_rows(weights, rows, scales, n, out)


@jit
def forward(params: Any, bucket: Any, n: Any, s: Any) -> None:
    """Evaluates a network.

    Args:
        params: `NetParams`.
        bucket: see `bucket_of`.
        n: number of inputs in `s.inputs` and `s.values`.
        s: `Scratch`; the result is in `s.logits`.
    """
    table = TABLE_OF[bucket]
    for i in range(n):
        s.rows[i] = s.inputs[i]
        s.scales[i] = s.values[i]
    s.wide[:] = params.first_bias[table]
    add_rows(params.first[table], s.rows, s.scales, n, s.wide)
    _dense(s.wide, params.second[bucket], params.second_bias[bucket], s.rows, s.scales, s.narrow[0])
    _dense(
        s.narrow[0], params.third[bucket], params.third_bias[bucket], s.rows, s.scales, s.narrow[1]
    )
    _dense(s.narrow[1], params.head[bucket], params.head_bias[bucket], s.rows, s.scales, s.logits)


@jit
def policy_inputs(s: Any) -> Any:
    """Lists the inputs of the observation in `s.vector`; returns (their number, suit order)."""
    number = suit_order(s.vector[0])
    n = sparse_inputs(s.vector[0], s.words[0], 0, OBSERVATION_WORDS, number, s.inputs, s.values, 0)
    s.inputs[n] = HEARTS_AT + PLACE_OF_HEARTS[number]
    s.values[n] = 1
    return n + 1, number


@jit
def canonical_legal(legal: Any, number: Any) -> Any:
    """A bit set of actions in the order of the network's outputs."""
    out = np.int64(0)
    for place in range(NUM_ACTIONS):
        out |= ((legal >> ACTION_OF[number, place]) & 1) << place
    return out


@jit
def best_of(logits: Any, legal: Any) -> Any:
    """The legal output that is largest, the first of equals."""
    best = np.int64(-1)
    while legal != 0:
        place = lowest_bit(legal)
        legal &= legal - 1
        if best < 0 or logits[place] > logits[best]:
            best = place
    return best


@jit
def probabilities_of(logits: Any, legal: Any, out: Any) -> None:
    """Writes the policy's probabilities of the legal outputs to `out`, (48,) float32; others 0."""
    top = logits[best_of(logits, legal)]
    total = np.float32(0.0)
    for place in range(NUM_ACTIONS):
        out[place] = 0.0
        if (legal >> place) & 1:
            out[place] = np.exp(logits[place] - top)
            total += out[place]
    for place in range(NUM_ACTIONS):
        out[place] /= total


@jit
def uniform(state: Any) -> Any:
    """A number from 0 to 1 (excluded) of a random stream."""
    return np.float64(mix(state) >> _UNUSED_BITS) * 2.0**-53


@jit
def drawn_from(probabilities: Any, legal: Any, mark: Any) -> Any:
    """The legal output whose share of the probabilities holds `mark`, 0 to 1."""
    last = np.int64(-1)
    left = np.float64(mark)
    while legal != 0:
        last = lowest_bit(legal)
        legal &= legal - 1
        left -= np.float64(probabilities[last])
        if left < 0:
            break
    return last


@jit
def net_logits(view: Any, r: Any, params: Any, s: Any) -> Any:
    """Evaluates a view of the seat on turn; the canonical logits are in `s.logits`.

    Returns:
        The number of the suit order, for `ACTION_OF`.
    """
    seat = np.int64(view["turn"])
    encode(view, r, seat, s.state[0, 0]["seen"])
    n, number = policy_inputs(s)
    forward(params, bucket_of(view, seat), n, s)
    return number


@jit
def net_choose(view: Any, r: Any, params: Any, s: Any) -> Any:
    """The action that the network finds best, of the seat on turn.

    Args:
        view: a DEAL record, a view of the seat on turn or the whole truth.
        r: rule set.
        params: `NetParams`.
        s: `Scratch`.
    """
    legal = np.int64(view["legal"])
    if legal & (legal - 1) == 0:
        return lowest_bit(legal)
    number = net_logits(view, r, params, s)
    return ACTION_OF[number, best_of(s.logits, canonical_legal(legal, number))]


@jit
def net_draw(view: Any, r: Any, params: Any, s: Any, state: Any) -> Any:
    """As `net_choose`, but draws from the policy by a state of a random stream."""
    legal = np.int64(view["legal"])
    if legal & (legal - 1) == 0:
        return lowest_bit(legal)
    number = net_logits(view, r, params, s)
    places = canonical_legal(legal, number)
    probabilities_of(s.logits, places, s.scales[:NUM_ACTIONS])
    return ACTION_OF[number, drawn_from(s.scales[:NUM_ACTIONS], places, uniform(state))]


@jit
def net_rows(views: Any, rules: Any, params: Any, s: Any, seeded: Any, key: Any, out: Any) -> None:
    """Chooses for every view.

    Args:
        views: (N,) DEAL, views of seats on turn.
        rules: (1,) RULE_SET.
        params: `NetParams`.
        s: `Scratch`.
        seeded: draw from the policy, by the view's hash and `key`.
        key: uint64.
        out: (N,) int64.
    """
    buckets = np.empty(views.shape[0], dtype=np.int64)
    for i in range(views.shape[0]):
        buckets[i] = bucket_of(views[i], np.int64(views[i]["turn"]))
    # Bucket by bucket: the weights of all of them are more than the CPU's cache holds.
    for i in np.argsort(buckets):
        if seeded:
            state = stream_of(views[i]["rng"], key)
            out[i] = net_draw(views[i], rules[0], params, s, state)
        else:
            out[i] = net_choose(views[i], rules[0], params, s)


@jit
def logit_rows(views: Any, rules: Any, params: Any, s: Any, out: Any) -> None:
    """Writes the logits of every view by action id to `out`, (N, 48) float32."""
    for i in range(views.shape[0]):
        number = net_logits(views[i], rules[0], params, s)
        for place in range(NUM_ACTIONS):
            out[i, ACTION_OF[number, place]] = s.logits[place]


@jit
def bucket_rows(deals: Any, seats: Any, out: Any) -> None:
    """Writes the bucket of every row's decision: deals (N,) DEAL, seats and out (N,) int64."""
    for i in range(deals.shape[0]):
        out[i] = bucket_of(deals[i], seats[i])
