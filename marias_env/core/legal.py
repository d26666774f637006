"""Legal cards (RULES.md 5.2–5.4) as bare functions of hand and trick; what a seat may do at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from marias_env.actions import NUM_ACTIONS, PLAY, SUIT_GAME
from marias_env.core.bits import (
    BEATS,
    NO_TRUMP_MODE,
    RANK_7,
    SUIT_BITS,
    SUIT_MODE,
    marriages_in,
)
from marias_env.core.jit import jit
from marias_env.core.rng import advance, random_bit


@jit
def strength_mode(trump: Any) -> Any:
    """Row of `BEATS` for a trump suit, -1 for no trumps."""
    return SUIT_MODE if trump >= 0 else NO_TRUMP_MODE


@jit
def beats(card: Any, other: Any, trump: Any) -> Any:
    """Whether a card played later beats the card that wins the trick so far."""
    if card // 8 == other // 8:
        return (BEATS[strength_mode(trump), other] >> card) & 1 == 1
    return card // 8 == trump


@jit
def follow_mask(hand: Any, led: Any, best: Any, trump: Any) -> Any:
    """The cards that follow a trick: compulsory heading and trumping (5.2).

    Args:
        hand: bit set, int64.
        led: suit led, -1 when leading.
        best: card that wins the trick so far.
        trump: trump suit, -1 for no trumps.
    """
    if led < 0:
        return hand
    higher = BEATS[strength_mode(trump), best]
    same = hand & SUIT_BITS[led]
    if same != 0:
        # `higher` is of another suit when the trick has been trumped: then any of the suit will do.
        heading = same & higher
        return heading if heading != 0 else same
    if trump >= 0:
        trumps = hand & SUIT_BITS[trump]
        if trumps != 0:
            over = trumps & higher
            return over if over != 0 else trumps
    return hand


@jit
def card_mask(
    hand: Any, led: Any, best: Any, trump: Any, queen_forced: Any, keeps_seven: Any
) -> Any:
    """The legal cards: `follow_mask`, less kings behind their queens and a seven to be kept.

    Args:
        hand: bit set, int64.
        led: suit led, -1 when leading.
        best: card that wins the trick so far.
        trump: trump suit, -1 for no trumps.
        queen_forced: `queen_before_king` is `forced` (5.3, suit game only).
        keeps_seven: this player announced seven or seven-against (5.4).
    """
    mask = follow_mask(hand, led, best, trump)
    if trump >= 0:
        if queen_forced:
            mask &= ~(marriages_in(hand) << 1)
        if keeps_seven:
            others = mask & ~(np.int64(1) << (8 * np.int64(trump) + RANK_7))
            if others != 0:
                mask = others
    return mask


@jit
def play_mask(d: Any, r: Any) -> Any:
    """PLAY: the legal cards of the seat on turn."""
    trump = np.int64(d["trump"]) if d["contract"] == SUIT_GAME else np.int64(-1)
    return card_mask(
        np.int64(d["hands"][d["turn"]]),
        np.int64(d["led"]),
        np.int64(d["best_card"]),
        trump,
        r["queen_forced"],
        d["seven_seat"] == d["turn"],
    )


@jit
def is_revoke(d: Any, r: Any, action: Any) -> Any:
    """Whether an illegal action is a revoke (6e): a card of the actor's hand, during play."""
    if r["revoke"] == 0 or d["phase"] != PLAY or action < 0 or action >= 32:
        return False
    return (np.int64(d["hands"][d["turn"]]) >> action) & 1 == 1


@jit
def takes(d: Any, r: Any, action: Any) -> Any:
    """Whether the seat on turn may do this: it is legal, or a revoke."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    return ((np.int64(d["legal"]) >> action) & 1) == 1 or is_revoke(d, r, action)


@jit
def draw(d: Any) -> Any:
    """A uniformly random legal action from the record's own stream."""
    state = advance(d["rng"])
    d["rng"] = state
    return random_bit(np.int64(d["legal"]), state)
