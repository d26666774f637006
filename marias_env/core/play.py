"""Trick play: cards, marriages, tricks, early ends and open contracts (RULES.md 5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import BETL, OPEN_BETL, OPEN_DURCH, SUIT_GAME
from marias_env.core.bits import (
    BEATS,
    NO_TRUMP_MODE,
    RANK_7,
    RANK_K,
    RANK_Q,
    SHARPS,
    SUIT_BITS,
)
from marias_env.core.deal import (
    DECLARER,
    DEFENDERS,
    END_DECIDED,
    END_EXPOSED,
    END_PLAYED,
    END_RUNNING,
    NO_CARD,
)
from marias_env.core.jit import jit
from marias_env.core.legal import beats, strength_mode
from marias_env.core.worth import marriage_worth
from marias_env.rules import TEN


@jit
def side_of(d: Any, seat: Any) -> Any:
    """DECLARER or DEFENDERS."""
    return DECLARER if seat == d["declarer"] else DEFENDERS


@jit
def score_marriage(d: Any, seat: Any, suit: Any) -> None:
    """Scores a marriage for a seat's side (5.3)."""
    side = side_of(d, seat)
    worth = marriage_worth(suit, d["trump"])
    if d["marriage_sum"][side] == 0:
        d["marriage_first"][side] = worth
    d["marriage_best"][side] = max(d["marriage_best"][side], worth)
    d["marriage_sum"][side] += worth
    d["marriages"][seat] |= 1 << suit


@jit
def note_inference(d: Any, r: Any, seat: Any, card: Any) -> None:
    """Records what everybody now knows about the hand of the seat that plays a card.

    Called before the card joins the trick. Sound because legality in play depends on the hand only
    through `follow_mask`, the queen rule and the seven, and the last two never make a king or a
    seven the only way to head or to trump.
    """
    suit = card // 8
    trump = np.int64(d["trump"])
    cannot = np.int64(d["cannot"][seat])
    if d["in_trick"] > 0:
        led = np.int64(d["led"])
        best = np.int64(d["best_card"])
        higher = BEATS[strength_mode(trump), best]
        if suit == led:
            if not beats(card, best, trump):
                cannot |= higher & SUIT_BITS[led]
        else:
            cannot |= SUIT_BITS[led]
            if trump >= 0:
                if suit != trump:
                    cannot |= SUIT_BITS[trump]
                elif not beats(card, best, trump):
                    cannot |= higher & SUIT_BITS[trump]
    if trump >= 0:
        rank = card % 8
        if rank == RANK_Q:
            king = np.int64(1) << (card + 1)
            if (np.int64(d["hands"][seat]) & king) != 0:
                d["must"][seat] = np.int64(d["must"][seat]) | king
            else:
                cannot |= king
        elif rank == RANK_K:
            d["must"][seat] = np.int64(d["must"][seat]) & ~(np.int64(1) << card)
            if r["queen_forced"]:
                cannot |= np.int64(1) << (card - 1)
    d["cannot"][seat] = cannot


@jit
def lay_card(d: Any, r: Any, seat: Any, card: Any) -> None:
    """Moves a card from hand to table and scores a marriage."""
    note_inference(d, r, seat, card)
    bit = np.int64(1) << card
    hand = np.int64(d["hands"][seat])
    if d["trump"] >= 0 and card % 8 == RANK_Q and (hand & (bit << 1)) != 0:
        score_marriage(d, seat, card // 8)
    d["hands"][seat] = hand & ~bit
    d["played"][seat] = np.int64(d["played"][seat]) | bit
    if d["in_trick"] == 0:
        d["leader"] = seat
        d["led"] = card // 8
        d["best_card"] = card
        d["best_seat"] = seat
    elif beats(card, np.int64(d["best_card"]), np.int64(d["trump"])):
        d["best_card"] = card
        d["best_seat"] = seat
    d["table"][d["in_trick"]] = card
    d["in_trick"] += 1


@jit
def end_trick(d: Any, r: Any) -> None:
    """Gives the trick on the table to its winner, who leads next."""
    winner = d["best_seat"]
    side = side_of(d, winner)
    last = d["tricks"] == r["hand_size"] - 1
    points = TEN if last and d["contract"] == SUIT_GAME else 0
    for i in range(3):
        card = np.int64(d["table"][i])
        if (np.int64(SHARPS) >> card) & 1:
            points += TEN
        if last and d["trump"] >= 0 and card == 8 * np.int64(d["trump"]) + RANK_7:
            d["last_seven_seat"] = (d["leader"] + i) % 3
            d["last_seven_won"] = d["last_seven_seat"] == winner
        d["table"][i] = NO_CARD
    d["points"][side] += points
    d["tricks_won"][winner] += 1
    d["tricks"] += 1
    d["in_trick"] = 0
    d["led"] = -1
    d["best_card"] = NO_CARD
    d["best_seat"] = -1
    d["leader"] = winner
    d["turn"] = winner


@jit
def exposed_verdict(own: Any, defenders: Any, contract: Any) -> Any:
    """Whether exposed cards make an open contract (5.7).

    Args:
        own: the declarer's remaining cards, bit set.
        defenders: the cards in both defenders' hands, bit set.
        contract: OPEN_BETL or OPEN_DURCH.
    """
    for card in range(32):
        if (own >> card) & 1:
            suit = defenders & SUIT_BITS[card // 8]
            higher = suit & BEATS[NO_TRUMP_MODE, card]
            if contract == OPEN_BETL and higher != suit:
                return False
            if contract == OPEN_DURCH and higher != 0:
                return False
    return True


@jit
def trick_verdict(d: Any, r: Any, winner: Any) -> Any:
    """After a trick (already counted): how the deal ends with it, or END_RUNNING; sets `made`."""
    contract = d["contract"]
    done = d["tricks"] == r["hand_size"]
    if contract == SUIT_GAME:
        return END_PLAYED if done else END_RUNNING
    betl = contract in (BETL, OPEN_BETL)
    won = winner == d["declarer"]
    if d["made"] < 0 and won == betl:
        d["made"] = 0
    if contract in (OPEN_BETL, OPEN_DURCH):
        if d["made"] < 0:
            own = np.int64(d["hands"][d["declarer"]])
            others = np.int64(
                d["hands"][(d["declarer"] + 1) % 3] | d["hands"][(d["declarer"] + 2) % 3]
            )
            d["made"] = exposed_verdict(own, others, contract)
        return END_EXPOSED
    if done:
        if d["made"] < 0:
            d["made"] = 1
        return END_PLAYED
    if d["made"] == 0 and r["play_out"] == 0:
        return END_DECIDED
    return END_RUNNING
