"""The compiled player: from a view to an action."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.rules.announce import announce_terms, raise_no_trumps_terms, raise_terms
from marias_agents.rules.betl import betl_terms, open_betl_leads
from marias_agents.rules.contract import certain_contract, contract_terms, reply_terms
from marias_agents.rules.durch import durch_terms, winners
from marias_agents.rules.follow import follow_terms
from marias_agents.rules.lead import lead_terms, led_before
from marias_agents.rules.sight import look
from marias_agents.rules.tables import MAX_TERMS
from marias_agents.rules.talon import (
    discard_betl_terms,
    discard_durch_terms,
    discard_suit_terms,
)
from marias_agents.rules.trump import best_trump, plainest, suits_of, trump_terms
from marias_env.actions import (
    BETL,
    BLIND,
    CONTRACT,
    CONTRACT_0,
    DISCARD,
    DOUBLE,
    DURCH,
    FLEK_GAME,
    GOOD,
    NAME_TRUMP,
    NAME_TRUMP_0,
    OPEN_BETL,
    OPEN_DURCH,
    PLAY,
    REPLY,
    SUIT_GAME,
    TRUMP,
)
from marias_env.core.bits import RANK_7, RANK_A, RANK_BITS, lowest_bit, popcount
from marias_env.core.jit import jit


@jit
def _is_durch(v: Any) -> Any:
    return np.int64(v["contract"] == DURCH or v["contract"] == OPEN_DURCH)


@jit
def intention(v: Any, s: Any, points: Any, at: Any) -> Any:
    """What all actions of a decision share: the trump suit meant, or the suits led before."""
    phase = v["phase"]
    if phase == PLAY:
        if s.trump >= 0 and v["in_trick"] == 0:
            return led_before(v, s.me)
        return np.int64(0)
    if phase in (CONTRACT, DISCARD):
        if v["trump"] >= 0 and v["declarer"] == s.me:
            return np.int64(v["trump"])
        return best_trump(s.hand, suits_of(s.hand), np.int64(1), points, at)
    return np.int64(0)


@jit
def _open_leads(v: Any, s: Any) -> Any:
    # The first lead of an open contract: only cards that do not lose it at once, if there are any.
    if v["contract"] == OPEN_BETL:
        return open_betl_leads(s.hand, s.out)
    return winners(s.hand, s.out)


@jit
def worth_considering(v: Any, r: Any, s: Any) -> Any:
    """The legal actions among which the points decide: where knowledge is certain, it decides."""
    legal = np.int64(v["legal"])
    phase = v["phase"]
    if phase == PLAY:
        if v["contract"] >= OPEN_BETL and s.me == s.declarer and v["tricks"] == 0:
            leads = legal & _open_leads(v, s)
            return leads if leads != 0 else legal
        if v["contract"] == DURCH and s.me == s.declarer:
            leads = legal & winners(s.hand, s.out)
            return leads if leads != 0 else legal
        return legal
    if phase == CONTRACT and popcount(s.hand) > r["hand_size"]:
        contract = certain_contract(s.hand, s.out, r["hand_size"])
        if contract == OPEN_DURCH and (legal >> (CONTRACT_0 + contract)) & 1 == 0:
            contract = np.int64(DURCH)
        if contract >= 0 and (legal >> (CONTRACT_0 + contract)) & 1:
            return np.int64(1) << (CONTRACT_0 + contract)
        return legal
    if phase == REPLY and v["contract"] >= OPEN_BETL:
        # Open contracts are named with certain hands: doubted only with two cards that stop one.
        stops = RANK_7 if v["contract"] == OPEN_BETL else RANK_A
        sure = popcount(s.hand & RANK_BITS[stops]) >= 2
        flek = legal & (np.int64(1) << FLEK_GAME)
        return flek if sure and flek != 0 else np.int64(1) << GOOD
    if phase == TRUMP:
        # Seven cards know more than none: never blind; and one card stands for its suit.
        cards = np.int64(0)
        for suit in range(4):
            card = plainest(legal & 0xFFFFFFFF, suit)
            if card >= 0:
                cards |= np.int64(1) << card
        return cards if cards != 0 else legal
    return legal


@jit
def terms(v: Any, r: Any, s: Any, common: Any, action: Any, at: Any) -> Any:
    """Writes the terms of an action; returns their number.

    Args:
        v: a view, a `DEAL` record.
        r: the rule set.
        s: the view's sight.
        common: the view's `intention`.
        action: a legal action.
        at: int64 buffer, out: places in the vector of points.
    """
    phase = v["phase"]
    contract = v["contract"]
    if phase == PLAY:
        if contract == SUIT_GAME:
            if v["in_trick"] == 0:
                return lead_terms(v, s, common, action, at)
            return follow_terms(v, s, action, at)
        if contract in (BETL, OPEN_BETL):
            return betl_terms(v, s, action, at)
        return durch_terms(v, s, action, at)
    if phase == DISCARD:
        if contract == SUIT_GAME:
            return discard_suit_terms(s.hand, np.int64(v["talon"]), action, common, at)
        if contract in (BETL, OPEN_BETL):
            return discard_betl_terms(s.hand, s.out, action, at)
        return discard_durch_terms(s.hand, s.out, action, at)
    if phase == CONTRACT:
        return contract_terms(s.hand, s.out, action - CONTRACT_0, common, r["hand_size"], at)
    if phase == TRUMP:
        if action == BLIND:
            return np.int64(0)
        return trump_terms(s.hand, action // 8, np.int64(0), at)
    if phase == NAME_TRUMP:
        return trump_terms(s.hand, action - NAME_TRUMP_0, np.int64(1), at)
    # What is left are calls, and `good` is what they are measured against.
    if action == GOOD:
        return np.int64(0)
    if phase == REPLY:
        return reply_terms(v, r, s, action, at)
    if phase == DOUBLE and action >= FLEK_GAME:
        if contract == SUIT_GAME:
            return raise_terms(v, s, action, at)
        return raise_no_trumps_terms(v, s, _is_durch(v), at)
    return announce_terms(v, s, action, at)


@jit
def choose(v: Any, r: Any, points: Any, at: Any) -> Any:
    """The action with most points, of the seat on turn.

    Args:
        v: a view, a `DEAL` record.
        r: the rule set.
        points: int64 vector.
        at: int64 buffer of MAX_TERMS.
    """
    s = look(v, r)
    actions = worth_considering(v, r, s)
    if actions & (actions - 1) == 0:
        return lowest_bit(actions)
    common = intention(v, s, points, at)
    best = np.int64(-1)
    most = np.int64(0)
    while actions != 0:
        action = lowest_bit(actions)
        actions &= actions - 1
        worth = np.int64(0)
        for i in range(terms(v, r, s, common, action, at)):
            worth += points[at[i]]
        if best < 0 or worth > most:
            best = action
            most = worth
    return best


@jit
def act_rows(views: Any, rules: Any, points: Any, out: Any) -> None:
    """Chooses for every view.

    Args:
        views: (N,) DEAL, views of seats on turn.
        rules: (1,) RULE_SET.
        points: int64 vector of points.
        out: (N,) int64.
    """
    at = np.empty(MAX_TERMS, dtype=np.int64)
    for i in range(views.shape[0]):
        out[i] = choose(views[i], rules[0], points, at)
