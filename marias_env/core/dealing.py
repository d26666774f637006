"""Dealing: shuffling, cutting, packets, and the start of a deal (RULES.md 2, 9)."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import CONTRACT, NO_CONTRACT, TRUMP
from marias_env.core.bidding import contract_mask, trump_mask
from marias_env.core.deal import (
    DEALING_CHOSEN_TRUMP,
    END_RUNNING,
    NO_CARD,
    NOBODY,
    TALON_PLACE,
)
from marias_env.core.history import action_of
from marias_env.core.jit import jit
from marias_env.core.rng import advance, below, shuffle_deck, stream

_DEALER_STREAM = 0
_ACTION_STREAM = 1
_FIRST_DECK_STREAM = 2


@jit
def clear(d: Any) -> None:
    """Sets every field of a deal's course to its value before the first action."""
    for seat in range(3):
        d["hands"][seat] = 0
        d["played"][seat] = 0
        d["cannot"][seat] = 0
        d["must"][seat] = 0
        d["table"][seat] = NO_CARD
        d["tricks_won"][seat] = 0
        d["marriages"][seat] = 0
        d["discards"][seat] = 0
        d["taken"][seat] = 0
        d["taken_before"][seat] = 0
        d["payments"][seat] = 0
    for side in range(2):
        d["points"][side] = 0
        d["marriage_first"][side] = 0
        d["marriage_best"][side] = 0
        d["marriage_sum"][side] = 0
        d["levels"][side] = 0
    d["viewer"] = -1
    d["contract"] = NO_CONTRACT
    d["trump"] = -1
    d["tricks"] = 0
    d["in_trick"] = 0
    d["leader"] = -1
    d["led"] = -1
    d["best_card"] = NO_CARD
    d["best_seat"] = -1
    d["num_actions"] = 0
    d["talon"] = 0
    d["pending"] = 0
    d["trump_card"] = NO_CARD
    d["blind"] = 0
    d["trump_shown"] = 0
    d["talon_taken"] = 0
    d["accepted"] = 0
    d["replies"] = 0
    d["reply_flek"] = 0
    for contract in range(5):
        d["named_by"][contract] = -1
    d["hundred_side"] = NOBODY
    d["hundred_seat"] = -1
    d["seven_side"] = NOBODY
    d["seven_seat"] = -1
    d["round"] = 0
    d["defender"] = -1
    d["open"] = 0
    d["next_open"] = 0
    d["last_call"] = -1
    d["made"] = -1
    d["ending"] = END_RUNNING
    d["last_seven_seat"] = -1
    d["last_seven_won"] = 0
    d["value"] = 0
    for i in range(d["history"].shape[0]):
        d["history"][i] = 0


@jit
def dealt_to(i: Any, r: Any) -> Any:
    """Whose card `deck[i]` is, in order from forehand 0, and its packet 0 or 1: 2 * order + packet.

    TALON_PLACE for the dealt talon, NO_PLACE behind the deck's end.
    """
    return np.int64(r["places"][i])


@jit
def start_deal(d: Any, r: Any) -> None:
    """Deals `deck` with `dealer` set: hands, talon, and the first decision (RULES.md 2.2, 2.3)."""
    clear(d)
    forehand = (np.int64(d["dealer"]) + 1) % 3
    d["declarer"] = forehand
    d["turn"] = forehand
    for i in range(r["num_cards"]):
        bit = np.int64(1) << np.int64(d["deck"][i])
        place = dealt_to(i, r)
        if place == TALON_PLACE:
            d["talon"] |= bit
        else:
            d["hands"][(forehand + place // 2) % 3] |= bit
            if place == 1 and r["dealing"] == DEALING_CHOSEN_TRUMP:
                d["pending"] |= bit
    if r["dealing"] == DEALING_CHOSEN_TRUMP:
        d["phase"] = TRUMP
        d["legal"] = trump_mask(d, r)
    else:
        d["phase"] = CONTRACT
        d["legal"] = contract_mask(d, r)


@jit
def blind_card(d: Any, r: Any) -> Any:
    """The card a blind choice turns up: the first dealt of forehand's unseen ones."""
    i = 0
    while dealt_to(i, r) != 1:
        i += 1
    return np.int64(d["deck"][i])


@jit
def fresh_deck(d: Any, r: Any) -> None:
    """Writes the deck of this episode and deal of the match: a uniform shuffle."""
    size = 0
    for card in range(32):
        if (r["deck"] >> card) & 1:
            d["deck"][size] = card
            size += 1
    for i in range(size, 32):
        d["deck"][i] = 0
    number = _FIRST_DECK_STREAM + d["match_deals"]
    shuffle_deck(d["deck"], size, stream(stream(d["key"], d["episode"]), number))


@jit
def _named_again(d: Any, i: Any) -> Any:
    # A card chosen as trump or discarded may be discarded or played later: its last entry counts.
    for j in range(i + 1, d["num_actions"]):
        if action_of(d["history"][j]) == action_of(d["history"][i]):
            return True
    return False


@jit
def gather(d: Any, r: Any, deck: Any) -> None:
    """Writes the finished deal's cards as they fell to `deck` (RULES.md 2.4).

    Cards played in order, then hands (forehand first, in card-id order) if the deal ended early,
    then the talon in the order it was put away (dealt, where nobody took it).
    """
    n = 0
    played = np.int64(d["played"][0] | d["played"][1] | d["played"][2])
    for i in range(d["num_actions"]):
        action = action_of(d["history"][i])
        if action < 32 and (played >> action) & 1 and not _named_again(d, i):
            deck[n] = action
            n += 1
    for offset in range(1, 4):
        seat = (np.int64(d["dealer"]) + offset) % 3
        for card_id in range(32):
            if (np.int64(d["hands"][seat]) >> card_id) & 1:
                deck[n] = card_id
                n += 1
    talon = np.int64(d["talon"])
    if d["talon_taken"] == 0 and r["dealing"] != DEALING_CHOSEN_TRUMP:
        for i in range(r["num_cards"] - 2, r["num_cards"]):
            deck[n] = d["deck"][i]
            n += 1
    else:
        for i in range(d["num_actions"]):
            action = action_of(d["history"][i])
            if action < 32 and (talon >> action) & 1 and not _named_again(d, i):
                deck[n] = action
                n += 1


@jit
def cut_deck(d: Any, r: Any) -> None:
    """Gathers the finished deal and cuts it at a random place, two cards or more in each part."""
    size = r["num_cards"]
    gathered = np.zeros(32, dtype=np.uint8)
    gather(d, r, gathered)
    number = _FIRST_DECK_STREAM + d["match_deals"]
    state = advance(stream(stream(d["key"], d["episode"]), number))
    place = 2 + below(state, size - 3)
    for i in range(size):
        d["deck"][i] = gathered[(place + i) % size]


@jit
def match_over(d: Any, r: Any) -> Any:
    """Whether the episode is over with the deals finished so far (RULES.md 7)."""
    if d["match_deals"] >= r["match_length"]:
        return True
    if r["match_points"] > 0:
        for seat in range(3):
            if d["totals"][seat] >= r["match_points"]:
                return True
    return False


@jit
def new_episode(d: Any, r: Any) -> None:
    """Starts the episode whose number is in the record: random first dealer, shuffled deck."""
    for seat in range(3):
        d["totals"][seat] = 0
    d["match_deals"] = 0
    if d["episode"] == 0:
        d["dealer"] = below(advance(stream(stream(d["key"], 0), _DEALER_STREAM)), 3)
        d["rng"] = stream(stream(d["key"], 0), _ACTION_STREAM)
    fresh_deck(d, r)
    start_deal(d, r)


@jit
def next_episode(d: Any, r: Any) -> None:
    """Starts the next episode, whatever the state of this one; the deal rotates."""
    d["dealer"] = (d["dealer"] + 1) % 3
    d["episode"] += 1
    new_episode(d, r)


@jit
def next_deal(d: Any, r: Any) -> None:
    """Deals on after a finished deal: the match's next one, or a new episode; the deal rotates."""
    if match_over(d, r):
        next_episode(d, r)
        return
    if r["cut"]:
        cut_deck(d, r)
    else:
        fresh_deck(d, r)
    d["dealer"] = (d["dealer"] + 1) % 3
    start_deal(d, r)
