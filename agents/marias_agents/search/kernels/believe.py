"""How likely a world is, going by what the others have said and the rules player would have.

The sampler takes from the bidding only what is certain. Here it is replayed, and the rules player
is asked in the place of everybody else. Where his answer was to be heard it is compared with what
was said. Where it was hidden (a trump card not yet shown, cards put away) his answer is taken for
what was done: a sampled talon is any talon, a real one is chosen with care.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.search.kernels.simulate import rules_choice
from marias_env.actions import BLIND, DISCARD, PLAY, TRUMP
from marias_env.core.deal import HIDDEN_ACTION
from marias_env.core.dealing import start_deal
from marias_env.core.history import action_of
from marias_env.core.jit import jit
from marias_env.core.step import step

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
