"""Writes event tokens: a view as the sequence of what its seat has seen (`marias_env.tokens`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import BAD, FLEK_GAME, GOOD, SUIT_GAME
from marias_env.core.bits import RANK_Q
from marias_env.core.deal import (
    DEALING_CHOSEN_TRUMP,
    HIDDEN_ACTION,
    NO_CARD,
    UNKNOWN_CARD,
)
from marias_env.core.dealing import dealt_to
from marias_env.core.history import action_of, plays_from, seat_of
from marias_env.core.jit import jit
from marias_env.core.knowledge import erase
from marias_env.core.legal import beats

PAD = 0
DEALER_AT = 1
DEALT_AT = 4
PICKED_UP_AT = 36
ACTION_AT = 68
HIDDEN_AT = 212
SHOWN_AT = 215
MARRIAGE_AT = 247
TRICK_AT = 259
NUM_TOKENS = 262
TOKENS_LENGTH = 144
"""No deal has more events: 1 dealer, 12 cards, 4 picked up, 101 actions, 2 of the trump card (seen,
shown), 4 marriages, 10 tricks."""


@jit
def _cards(out: Any, n: Any, cards: Any, at: Any) -> Any:
    for card in range(32):
        if (cards >> card) & 1:
            out[n] = at + card
            n += 1
    return n


@jit
def _packet_of(d: Any, r: Any, place: Any) -> Any:
    # Cards of one packet, whose places in the deck the view knows.
    cards = np.int64(0)
    for i in range(r["num_cards"]):
        if dealt_to(i, r) == place and d["deck"][i] != UNKNOWN_CARD:
            cards |= np.int64(1) << np.int64(d["deck"][i])
    return cards


@jit
def _accepts(d: Any, i: Any) -> Any:
    action = action_of(d["history"][i])
    return action in (GOOD, FLEK_GAME)


@jit
def write_tokens(d: Any, r: Any, out: Any) -> Any:
    """Writes the events of a view; returns their number, the rest of `out` becomes PAD.

    Args:
        d: the view.
        r: rule set.
        out: (TOKENS_LENGTH,) int16.
    """
    me = np.int64(d["viewer"])
    forehand = (np.int64(d["dealer"]) + 1) % 3
    chosen = r["dealing"] == DEALING_CHOSEN_TRUMP
    order = (me - forehand + 3) % 3
    second = _packet_of(d, r, 2 * order + 1)
    first = _packet_of(d, r, 2 * order)
    # Forehand picks his second packet up after choosing trumps; everybody else has it at once.
    waits = chosen and order == 0
    out[0] = DEALER_AT + (np.int64(d["dealer"]) - me + 3) % 3
    n = _cards(out, 1, first if waits else first | second, DEALT_AT)
    plays = plays_from(d)
    pick_ups = 0
    trump = np.int64(d["trump"])
    best = np.int64(-1)
    best_seat = np.int64(-1)
    on_table = 0
    taken = 0
    for i in range(np.int64(d["num_actions"])):
        action = action_of(d["history"][i])
        seat = seat_of(d["history"][i])
        relative = (seat - me + 3) % 3
        if action == HIDDEN_ACTION:
            out[n] = HIDDEN_AT + relative
        else:
            out[n] = ACTION_AT + 48 * relative + action
        n += 1
        if i == 0 and waits:
            n = _cards(out, n, second, PICKED_UP_AT)
            # Chosen blind, the trump card is one of these: forehand has looked which.
            if d["blind"] and d["trump_card"] != NO_CARD:
                out[n] = SHOWN_AT + np.int64(d["trump_card"])
                n += 1
        if action == BAD and seat == me:
            again = d["taken_before"][me] != 0 and pick_ups == 0
            cards = d["taken_before"][me] if again else d["taken"][me]
            n = _cards(out, n, np.int64(cards), PICKED_UP_AT)
            pick_ups += 1
        # A suit game with chosen trumps is accepted by the sixth action, or never.
        if i == 5 and chosen and d["contract"] == SUIT_GAME and d["trump_shown"] != 0:
            out[n] = SHOWN_AT + np.int64(d["trump_card"])
            n += 1
        # With talon dealing forehand takes the talon after his opening was accepted by both.
        if i == 2 and not chosen and order == 0 and _accepts(d, 1) and _accepts(d, 2):
            n = _cards(out, n, np.int64(d["taken"][me]), PICKED_UP_AT)
        if i < plays:
            continue
        suit = action // 8
        if action % 8 == RANK_Q and (np.int64(d["marriages"][seat]) >> suit) & 1:
            out[n] = MARRIAGE_AT + 4 * relative + suit
            n += 1
        if on_table == 0 or beats(action, best, trump):
            best = action
            best_seat = relative
        on_table += 1
        # A revoke ends the deal before the trick has a winner, even as its third card.
        if on_table == 3 and taken < d["tricks"]:
            out[n] = TRICK_AT + best_seat
            n += 1
            on_table = 0
            taken += 1
    for i in range(n, out.shape[0]):
        out[i] = PAD
    return n


@jit
def token_rows(deals: Any, rules: Any, seats: Any, scratch: Any, out: Any, lengths: Any) -> None:
    """Writes the events that a seat of every row has seen.

    Args:
        deals: (B,) DEAL, deals or views.
        rules: (1,) RULE_SET.
        seats: (B,) int64: the seat, or -1 for nobody (all PAD).
        scratch: (1,) DEAL, overwritten.
        out: (B, TOKENS_LENGTH) int16.
        lengths: (B,) int64, out: number of events.
    """
    for i in range(deals.shape[0]):
        if seats[i] < 0:
            out[i, :] = PAD
            lengths[i] = 0
            continue
        scratch[0] = deals[i]
        if scratch[0]["viewer"] < 0:
            erase(scratch[0], rules[0], seats[i])
        lengths[i] = write_tokens(scratch[0], rules[0], out[i])
