"""Players in the place of the seats of a world: replaying what was done, and playing on. Compiled.

A world is a complete record, but nobody in it gets to see more than he would at the table: before
every decision the record is reduced to what the seat on turn knows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.kernel import choose
from marias_env.actions import BLIND, DISCARD, OVER, PLAY, TRUMP
from marias_env.core.deal import HIDDEN_ACTION
from marias_env.core.dealing import start_deal
from marias_env.core.history import action_of
from marias_env.core.jit import jit
from marias_env.core.knowledge import erase_position
from marias_env.core.step import step

IMPOSSIBLE = -(1 << 40)
"""Payment where an option is not legal in a world."""


@jit
def rules_choice(d: Any, r: Any, points: Any, at: Any, scratch: Any) -> Any:
    """What the rules player does in the place of the seat on turn, from what that seat knows.

    The rules player reads neither the deck nor hidden actions, so those need not be erased.

    Args:
        d: a complete DEAL record.
        r: rule set.
        points: the rules player's points.
        at: int64 buffer of MAX_TERMS.
        scratch: (1,) DEAL, overwritten.
    """
    legal = np.int64(d["legal"])
    if legal & (legal - 1) == 0:
        return choose(d, r, points, at)
    scratch[0] = d
    view = scratch[0]
    erase_position(view, r, np.int64(d["turn"]))
    return choose(view, r, points, at)


@jit
def to_end(d: Any, r: Any, points: Any, at: Any, scratch: Any) -> None:
    """Lets the rules player bid and play on for everybody, to the end of the deal."""
    while d["phase"] < OVER:
        step(d, r, rules_choice(d, r, points, at, scratch))


@jit
def simulate_rows(
    worlds: Any,
    rules: Any,
    points: Any,
    options: Any,
    seat: Any,
    end: Any,
    scratch: Any,
    at: Any,
    out: Any,
    ends: Any,
) -> None:
    """Takes each option in each world and lets the rules player go on for everybody.

    Args:
        worlds: (n,) DEAL.
        rules: (1,) RULE_SET.
        points: the rules player's points.
        options: (m, k) int64, actions one after the other, -1 where there are no more.
        seat: whose payments are asked for.
        end: the phase before which it stops: PLAY to bid only, OVER to play too.
        scratch: (2,) DEAL.
        at: int64 buffer of MAX_TERMS.
        out: (n, m) int64, out: payments of the seat; where the deal is not over, 0.
        ends: (n * m,) DEAL, out: where it stopped; or empty.
    """
    r = rules[0]
    m = options.shape[0]
    d = scratch[0]
    for i in range(worlds.shape[0]):
        for j in range(m):
            scratch[0] = worlds[i]
            out[i, j] = 0
            for k in range(options.shape[1]):
                action = options[j, k]
                if action >= 0 and out[i, j] == 0:
                    if (np.int64(d["legal"]) >> action) & 1:
                        step(d, r, action)
                    else:
                        out[i, j] = IMPOSSIBLE
            if out[i, j] == 0:
                while d["phase"] < end:
                    step(d, r, rules_choice(d, r, points, at, scratch[1:]))
                out[i, j] = d["payments"][seat]
            if ends.shape[0] > 0:
                ends[i * m + j] = d


OUT_OF_QUESTION = 1 << 20
"""Misses of a world that the replay has led somewhere else."""


@jit
def _heard_alike(d: Any, action: Any, answer: Any) -> Any:
    # Of the trump card only the suit counts: which card of it is shown is a matter of taste.
    if d["phase"] == TRUMP and action != BLIND and answer != BLIND:
        return action // 8 == answer // 8
    return action == answer


@jit
def _looks_alike(d: Any, view: Any) -> Any:
    # Whether the replay has come to where the view is, with the same things shown in play.
    if d["turn"] != view["turn"] or d["phase"] != view["phase"]:
        return False
    if view["turn"] == view["viewer"] and d["legal"] != view["legal"]:
        return False
    for seat in range(3):
        if d["cannot"][seat] != view["cannot"][seat] or d["must"][seat] != view["must"][seat]:
            return False
        if d["marriages"][seat] != view["marriages"][seat]:
            return False
    return True


@jit
def believe_rows(
    views: Any,
    rules: Any,
    points: Any,
    worlds: Any,
    own_choice: Any,
    scratch: Any,
    at: Any,
    misses: Any,
) -> None:
    """Replays worlds of one view and counts what the rules player would not have done.

    Args:
        views: (1,) DEAL, the view.
        rules: (1,) RULE_SET.
        points: the rules player's points.
        worlds: (n,) DEAL, worlds of the view; replaced by what the replay leads to.
        own_choice: whether hidden actions are what the rules player would have done.
        scratch: (2,) DEAL.
        at: int64 buffer of MAX_TERMS.
        misses: (n, 2) int64, out: in how many calls, and in how many cards, the rules player's
            choice differs from what was done.
    """
    view = views[0]
    r = rules[0]
    viewer = np.int64(view["viewer"])
    d = scratch[0]
    for i in range(worlds.shape[0]):
        scratch[0] = worlds[i]
        start_deal(d, r)
        misses[i, 0] = 0
        misses[i, 1] = 0
        for k in range(view["num_actions"]):
            action = action_of(worlds[i]["history"][k])
            legal = np.int64(d["legal"])
            other = d["turn"] != viewer and legal & (legal - 1) != 0
            if other and d["phase"] == PLAY:
                if rules_choice(d, r, points, at, scratch[1:]) != action:
                    misses[i, 1] += 1
            elif other:
                answer = rules_choice(d, r, points, at, scratch[1:])
                hidden = action_of(view["history"][k]) == HIDDEN_ACTION
                if hidden and d["phase"] == TRUMP and view["trump_shown"]:
                    hidden = False
                if not hidden:
                    misses[i, 0] += 0 if _heard_alike(d, action, answer) else 1
                elif own_choice or d["phase"] != DISCARD:
                    action = answer
                    legal = np.int64(d["legal"])
            if (legal >> action) & 1 == 0:
                misses[i, 0] = OUT_OF_QUESTION
                break
            step(d, r, action)
        if not _looks_alike(d, view):
            misses[i, 0] = OUT_OF_QUESTION
        if misses[i, 0] < OUT_OF_QUESTION:
            worlds[i] = d
