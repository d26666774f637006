"""One action of one deal: the only way a deal's record changes after the cards are dealt."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import (
    ANNOUNCE,
    BAD,
    BLIND,
    CONTRACT,
    CONTRACT_0,
    DISCARD,
    DOUBLE,
    FLEK_GAME,
    GOOD,
    NAME_TRUMP,
    NAME_TRUMP_0,
    OVER,
    PLAY,
    REPLY,
    SUIT_GAME,
    TRUMP,
)
from marias_env.core.bidding import (
    contract_mask,
    discard_mask,
    may_discard_now,
    name_contract,
    name_trump_mask,
    put_away,
    reply_mask,
    take_talon,
    trump_mask,
)
from marias_env.core.deal import (
    DEALING_CHOSEN_TRUMP,
    DECLARER,
    DEFENDERS,
    END_REVOKE,
    END_RUNNING,
    END_UNPLAYED,
    GAME,
)
from marias_env.core.dealing import blind_card
from marias_env.core.doubling import (
    announce,
    announce_mask,
    begin_doubling,
    begin_no_trump_doubling,
    double_mask,
    end_turn,
    raise_component,
)
from marias_env.core.history import entry_of
from marias_env.core.jit import jit
from marias_env.core.legal import play_mask
from marias_env.core.play import end_trick, lay_card, trick_verdict
from marias_env.core.settlement import settle, unplayed_ending


@jit
def legal_mask(d: Any, r: Any) -> Any:
    """Bit set of the legal actions of the seat on turn, 0 when the deal is over."""
    phase = d["phase"]
    if phase == PLAY:
        return play_mask(d, r)
    if phase == DISCARD:
        return discard_mask(d, r)
    if phase == REPLY:
        return reply_mask(d, r)
    if phase == DOUBLE:
        return double_mask(d, r)
    if phase == ANNOUNCE:
        return announce_mask(d, r)
    if phase == CONTRACT:
        return contract_mask(d, r)
    if phase == TRUMP:
        return trump_mask(d, r)
    if phase == NAME_TRUMP:
        return name_trump_mask(d, r)
    return np.int64(0)


@jit
def _finish(d: Any, r: Any, ending: Any, offender: Any) -> None:
    d["ending"] = ending
    d["phase"] = OVER
    d["turn"] = -1
    settle(d, r, offender)


@jit
def _begin_play(d: Any, r: Any) -> None:
    d["open"] = 0
    d["next_open"] = 0
    d["defender"] = -1
    d["last_call"] = -1
    if unplayed_ending(d, r):
        _finish(d, r, END_UNPLAYED, -1)
        return
    d["phase"] = PLAY
    d["turn"] = d["declarer"]
    d["leader"] = d["declarer"]


@jit
def _ask_replies(d: Any) -> None:
    d["phase"] = REPLY
    d["turn"] = (d["declarer"] + 1 + d["replies"]) % 3


@jit
def _contract_stands(d: Any, r: Any) -> None:
    # Both others have accepted and the exchange is done.
    if d["contract"] == SUIT_GAME:
        d["turn"] = d["declarer"]
        if r["dealing"] == DEALING_CHOSEN_TRUMP:
            d["trump_shown"] = 1
            d["phase"] = ANNOUNCE
        else:
            d["phase"] = NAME_TRUMP
    elif not begin_no_trump_doubling(d, r):
        _begin_play(d, r)


@jit
def _trump(d: Any, r: Any, action: Any) -> None:
    card = action
    if action == BLIND:
        d["blind"] = 1
        card = blind_card(d, r)
    d["trump_card"] = card
    d["trump"] = card // 8
    d["pending"] = 0
    d["phase"] = CONTRACT


@jit
def _contract(d: Any, r: Any, action: Any) -> None:
    name_contract(d, action - CONTRACT_0)
    if may_discard_now(d, r):
        d["phase"] = DISCARD
    else:
        _ask_replies(d)


@jit
def _discard(d: Any, r: Any, action: Any) -> None:
    if put_away(d, np.int64(d["turn"]), action):
        if d["accepted"]:
            _contract_stands(d, r)
        else:
            _ask_replies(d)


@jit
def _reply(d: Any, r: Any, action: Any) -> None:
    if action == BAD:
        take_talon(d, np.int64(d["turn"]))
        d["declarer"] = d["turn"]
        d["levels"][GAME] = 0
        d["reply_flek"] = 0
        d["replies"] = 0
        d["phase"] = CONTRACT
        return
    if action == FLEK_GAME:
        d["reply_flek"] = 1
        d["levels"][GAME] = 1
    d["replies"] += 1
    if d["replies"] < 2:
        _ask_replies(d)
        return
    d["accepted"] = 1
    if may_discard_now(d, r):
        _contract_stands(d, r)
    else:
        d["turn"] = d["declarer"]
        take_talon(d, np.int64(d["turn"]))
        d["phase"] = DISCARD


@jit
def _name_trump(d: Any, action: Any) -> None:
    d["trump"] = action - NAME_TRUMP_0
    d["trump_shown"] = 1
    d["phase"] = ANNOUNCE


@jit
def _announce(d: Any, r: Any, action: Any) -> None:
    if action != GOOD:
        announce(d, r, action, DECLARER)
    elif not begin_doubling(d, r):
        _begin_play(d, r)


@jit
def _double(d: Any, r: Any, action: Any) -> None:
    if action == GOOD:
        if not end_turn(d, r):
            _begin_play(d, r)
    elif action >= FLEK_GAME:
        raise_component(d, r, action)
    else:
        announce(d, r, action, DEFENDERS)


@jit
def _play(d: Any, r: Any, action: Any) -> None:
    seat = np.int64(d["turn"])
    if (np.int64(d["legal"]) >> action) & 1 == 0:
        lay_card(d, r, seat, action)
        _finish(d, r, END_REVOKE, seat)
        return
    lay_card(d, r, seat, action)
    if d["in_trick"] < 3:
        d["turn"] = (seat + 1) % 3
        return
    end_trick(d, r)
    ending = trick_verdict(d, r, d["leader"])
    if ending != END_RUNNING:
        _finish(d, r, ending, -1)


@jit
def step(d: Any, r: Any, action: Any) -> None:
    """Takes an action that is legal, or a revoke; the caller has checked that it is one of the two.

    Args:
        d: the deal, a `DEAL` record; changed in place.
        r: the rule set, a `RULE_SET` record.
        action: action id, int64.
    """
    d["history"][d["num_actions"]] = entry_of(d["turn"], action)
    d["num_actions"] += 1
    phase = d["phase"]
    if phase == PLAY:
        _play(d, r, action)
    elif phase == DISCARD:
        _discard(d, r, action)
    elif phase == REPLY:
        _reply(d, r, action)
    elif phase == DOUBLE:
        _double(d, r, action)
    elif phase == ANNOUNCE:
        _announce(d, r, action)
    elif phase == CONTRACT:
        _contract(d, r, action)
    elif phase == TRUMP:
        _trump(d, r, action)
    else:
        _name_trump(d, action)
    d["legal"] = legal_mask(d, r)
