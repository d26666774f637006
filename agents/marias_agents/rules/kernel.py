"""The compiled player: from a view to an action, by phase."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.announce import choose_announcement, choose_doubling
from marias_agents.rules.betl import (
    highest_loser,
    lead_betl_declarer,
    lowest,
    most_dangerous,
)
from marias_agents.rules.contract import choose_contract, choose_reply
from marias_agents.rules.durch import discard_against_durch, lead_durch_declarer
from marias_agents.rules.follow import choose_follow
from marias_agents.rules.lead import choose_lead
from marias_agents.rules.sight import look
from marias_agents.rules.talon import discard_betl, discard_durch, discard_suit
from marias_agents.rules.trump import choose_trump_card, choose_trump_name
from marias_env.actions import (
    ANNOUNCE,
    BETL,
    CONTRACT,
    DISCARD,
    DOUBLE,
    NAME_TRUMP,
    OPEN_BETL,
    PLAY,
    REPLY,
    SUIT_GAME,
    TRUMP,
)
from marias_env.core.bits import BEATS, NO_TRUMP_MODE
from marias_env.core.jit import jit


@jit
def _discard(v: Any, s: Any) -> Any:
    legal = np.int64(v["legal"])
    contract = v["contract"]
    if contract == SUIT_GAME:
        trump = np.int64(v["trump"])
        return discard_suit(s.hand, legal, trump)
    if contract == BETL or contract == OPEN_BETL:
        return discard_betl(s.hand, legal, s.out)
    return discard_durch(s.hand, legal, s.out)


@jit
def _play(v: Any, r: Any, s: Any) -> Any:
    legal = np.int64(v["legal"])
    contract = v["contract"]
    if contract == SUIT_GAME:
        if v["in_trick"] == 0:
            return choose_lead(v, r, s)
        return choose_follow(v, r, s)
    best = np.int64(v["best_card"])
    if contract == BETL or contract == OPEN_BETL:
        if s.me == s.declarer:
            if best < 0:
                return lead_betl_declarer(legal, s.out)
            return highest_loser(legal, best, s.out)
        if best < 0:
            return lowest(legal)
        return most_dangerous(legal, s.out)
    if s.me == s.declarer:
        return lead_durch_declarer(legal, s.out)
    if best >= 0:
        return discard_against_durch(legal, s.hand, s.out & ~BEATS[NO_TRUMP_MODE, best])
    return lowest(legal)


@jit
def choose(v: Any, r: Any) -> Any:
    """The action of the seat on turn.

    Args:
        v: a view, a `DEAL` record.
        r: the rule set.
    """
    phase = v["phase"]
    s = look(v, r)
    if phase == PLAY:
        return _play(v, r, s)
    if phase == DISCARD:
        return _discard(v, s)
    if phase == REPLY:
        return choose_reply(v, r, s)
    if phase == DOUBLE:
        return choose_doubling(v, r, s)
    if phase == ANNOUNCE:
        return choose_announcement(v, r, s)
    if phase == CONTRACT:
        return choose_contract(v, r, s)
    if phase == TRUMP:
        return choose_trump_card(s.hand)
    if phase == NAME_TRUMP:
        return choose_trump_name(s.hand, np.int64(v["legal"]))
    return np.int64(-1)


@jit
def act_rows(views: Any, rules: Any, out: Any) -> None:
    """Chooses for every view.

    Args:
        views: (N,) DEAL, views of seats on turn.
        rules: (1,) RULE_SET.
        out: (N,) int64.
    """
    for i in range(views.shape[0]):
        out[i] = choose(views[i], rules[0])
