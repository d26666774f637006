"""Loops over the rows of a batch. Every array is C-contiguous with the dtype named here."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import OVER
from marias_env.core.bits import spread
from marias_env.core.dealing import new_episode, next_deal, next_episode, start_deal
from marias_env.core.encode import OBSERVATION_ROW, show
from marias_env.core.jit import jit
from marias_env.core.legal import draw, takes
from marias_env.core.prefetch import ask_ahead
from marias_env.core.rng import stream
from marias_env.core.step import step

AUTORESET_DISABLED, AUTORESET_SAME_STEP, AUTORESET_NEXT_STEP = range(3)
NO_ACTION = -1
"""What a finished row takes and what is sampled for it."""


@jit
def reset_rows(deals: Any, rules: Any, root: Any, first_index: Any) -> None:
    """Seeds every row from (root, first_index + row) and starts its episode 0."""
    for i in range(deals.shape[0]):
        d = deals[i]
        d["key"] = stream(root, first_index + i)
        d["episode"] = 0
        new_episode(d, rules[0])


@jit
def restart_rows(deals: Any, rules: Any, rows: Any) -> None:
    """Starts the next episode of some rows, whatever their state; the deal rotates."""
    for n in range(rows.shape[0]):
        next_episode(deals[rows[n]], rules[0])


@jit
def deal_rows(deals: Any, rules: Any) -> None:
    """Starts every row anew from its own `deck` and `dealer`."""
    for i in range(deals.shape[0]):
        start_deal(deals[i], rules[0])


@jit
def continue_rows(deals: Any, rules: Any, rows: Any) -> None:
    """Deals the next deal of some finished rows."""
    for n in range(rows.shape[0]):
        next_deal(deals[rows[n]], rules[0])


@jit
def _acceptable(d: Any, r: Any, action: Any, autoreset: Any) -> Any:
    if d["phase"] == OVER:
        return autoreset == AUTORESET_NEXT_STEP or action == NO_ACTION
    return takes(d, r, action)


@jit
def step_rows(
    deals: Any,
    rules: Any,
    actions: Any,
    done: Any,
    payments: Any,
    autoreset: Any,
    mask: Any,
    observation: Any,
) -> Any:
    """Steps every row, or none: returns the first row whose action is not acceptable, or -1.

    What the seat on turn may do and sees afterwards is written while the row is at hand, which
    saves a way through memory for each of the two.

    Args:
        deals: (B,) DEAL.
        rules: (1,) RULE_SET.
        actions: (B,) int64.
        done: (B,) bool, out: the deal ended with this action.
        payments: (B, 3) int64, out: written for rows whose deal ended.
        autoreset: one of the AUTORESET constants.
        mask: (B, 48) int8, out; (0, 48): not wanted.
        observation: (B, OBSERVATION_SIZE) int8, out; (0, OBSERVATION_SIZE): not wanted.
    """
    r = rules[0]
    masks = mask.view(np.uint64)
    seen = observation.view(OBSERVATION_ROW)
    for i in range(deals.shape[0]):
        if not _acceptable(deals[i], r, np.int64(actions[i]), autoreset):
            return i
    for i in range(deals.shape[0]):
        ask_ahead(deals, i)
        d = deals[i]
        done[i] = False
        if d["phase"] != OVER:
            step(d, r, np.int64(actions[i]))
            if d["phase"] == OVER:
                done[i] = True
                for seat in range(3):
                    payments[i, seat] = d["payments"][seat]
                if autoreset == AUTORESET_SAME_STEP:
                    next_deal(d, r)
        elif autoreset == AUTORESET_NEXT_STEP:
            next_deal(d, r)
        if masks.shape[0] > 0:
            for byte in range(masks.shape[1]):
                masks[i, byte] = spread(np.int64(d["legal"]), byte)
        if seen.shape[0] > 0:
            show(d, r, np.int64(d["turn"]), seen[i, 0])
    return -1


@jit
def legal_rows(deals: Any, out: Any) -> None:
    """Writes masks: out is (B, 6) uint64, the (B, 48) int8 mask seen eight entries at a time."""
    for i in range(deals.shape[0]):
        legal = np.int64(deals[i]["legal"])
        for byte in range(6):
            out[i, byte] = spread(legal, byte)


@jit
def sample_rows(deals: Any, out: Any) -> None:
    """Draws a uniformly random legal action per row from the row's own stream; (B,) int64 out."""
    for i in range(deals.shape[0]):
        ask_ahead(deals, i)
        d = deals[i]
        out[i] = draw(d) if d["legal"] != 0 else NO_ACTION


@jit
def replay_row(deals: Any, rules: Any, actions: Any, seats: Any) -> Any:
    """Plays a list of (seat, action) on row 0; returns the index of the first bad one, or -1.

    Args:
        deals: (1,) DEAL, dealt.
        rules: (1,) RULE_SET.
        actions: (N,) int64.
        seats: (N,) int64, or -1 where the seat is not to be checked.
    """
    d = deals[0]
    r = rules[0]
    for i in range(actions.shape[0]):
        action = np.int64(actions[i])
        if d["phase"] == OVER or (seats[i] >= 0 and seats[i] != d["turn"]):
            return i
        if not _acceptable(d, r, action, AUTORESET_DISABLED):
            return i
        step(d, r, action)
    return -1
