"""The compiled book player: from a view to an action."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_agents.book.bidding import contract, discard_worth, reply, trump_card, trump_name
from marias_agents.book.calls import announcement, doubling
from marias_agents.book.declarer import declarer_follow, declarer_lead
from marias_agents.book.defence import defender_follow, defender_lead
from marias_agents.book.holdings import book_trump
from marias_agents.book.plain_suits import no_trumps_card
from marias_agents.rules.sight import look
from marias_agents.rules.trump import suits_of
from marias_env.actions import (
    ANNOUNCE,
    CONTRACT,
    DISCARD,
    NAME_TRUMP,
    PLAY,
    REPLY,
    SUIT_GAME,
    TRUMP,
)
from marias_env.core.bits import lowest_bit
from marias_env.core.jit import jit


@jit
def _card_worth(v: Any, s: Any, trump: Any, card: Any) -> Any:
    if v["phase"] != PLAY:
        return discard_worth(v, s, trump, card)
    if v["contract"] != SUIT_GAME:
        return no_trumps_card(v, s, card)
    if s.me == s.declarer:
        return declarer_lead(v, s, card) if v["in_trick"] == 0 else declarer_follow(v, s, card)
    return defender_lead(v, s, card) if v["in_trick"] == 0 else defender_follow(v, s, card)


@jit
def book_choose(v: Any, r: Any) -> Any:
    """The book's action for the seat on turn.

    Args:
        v: a view, a `DEAL` record; hidden actions and the deck are not read.
        r: the rule set.
    """
    legal = np.int64(v["legal"])
    if legal & (legal - 1) == 0:
        return lowest_bit(legal)
    s = look(v, r)
    phase = v["phase"]
    if phase == TRUMP:
        return trump_card(v, s)
    if phase == NAME_TRUMP:
        return trump_name(v, s)
    if phase == CONTRACT:
        return contract(v, r, s)
    if phase == REPLY:
        return reply(v, r, s)
    if phase == ANNOUNCE:
        return announcement(v, r, s)
    if phase not in (DISCARD, PLAY):
        return doubling(v, r, s)
    trump = np.int64(v["trump"])
    if phase == DISCARD and trump < 0:
        trump = book_trump(s.hand, suits_of(s.hand))
    best = np.int64(-1)
    most = np.int64(0)
    while legal != 0:
        card = lowest_bit(legal)
        legal &= legal - 1
        worth = _card_worth(v, s, trump, card)
        if best < 0 or worth > most:
            best = card
            most = worth
    return best


@jit
def book_rows(views: Any, rules: Any, out: Any) -> None:
    """Chooses for every view: views (N,) DEAL, rules (1,) RULE_SET, out (N,) int64."""
    for i in range(views.shape[0]):
        out[i] = book_choose(views[i], rules[0])
