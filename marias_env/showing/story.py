"""The course of a deal, read back from its record or from an information view of it.

Nothing is decided here: who won a trick or what a marriage was worth stands in the record.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from marias_env.actions import (
    BAD,
    BETL,
    BLIND,
    CONTRACT,
    CONTRACT_0,
    DISCARD,
    FLEK_GAME,
    FLEK_SEVEN,
    GOOD,
    HUNDRED,
    SUIT_GAME,
    TRUMP,
)
from marias_env.cards import cards_of
from marias_env.core.bits import RANK_Q, SHARPS, STRENGTH
from marias_env.core.deal import HIDDEN_ACTION, NUM_SEATS
from marias_env.core.history import history_of, num_plays
from marias_env.core.worth import marriage_worth
from marias_env.rules import TEN, Rules

DISPLAY_ORDER = (3, 0, 2, 1)
"""Suits of a hand from left to right, so that red and black ones alternate."""


@dataclasses.dataclass(frozen=True)
class Trick:
    """One trick, perhaps unfinished.

    Attributes:
        cards: (seat, card) in order of play.
        winner: seat that took it, None while unfinished.
        points: card points in it, the last trick's ten included.
        marriages: (seat, suit, worth) scored in it.
    """

    cards: tuple[tuple[int, int], ...]
    winner: int | None
    points: int
    marriages: tuple[tuple[int, int, int], ...]


@dataclasses.dataclass(frozen=True)
class Call:
    """One thing said or done before play.

    Attributes:
        seat: who.
        kind: `trump`, `discard`, or `call`.
        action: action id of a call or trump choice; -1 where it is hidden or a discard.
        cards: cards put away, -1 for each that is hidden.
        level: level that a raise brings its component to, else 0.
    """

    seat: int
    kind: str
    action: int = -1
    cards: tuple[int, ...] = ()
    level: int = 0


def tricks_of(deal: Any, rules: Rules) -> list[Trick]:
    """Returns the tricks so far; an unfinished one, or one that a revoke ended, comes last."""
    plays = num_plays(deal)
    history = history_of(deal)
    played = history[len(history) - plays :]
    found: list[Trick] = []
    for start in range(0, plays, NUM_SEATS):
        cards = tuple(played[start : start + 3])
        number = start // 3
        winner: int | None = None
        points = 0
        if number < int(deal["tricks"]):
            # The winner leads to the next trick; after the last one `leader` names him.
            following = played[start + 3 : start + 4]
            winner = following[0][0] if following else int(deal["leader"])
            points = TEN * sum(SHARPS >> card & 1 for _, card in cards)
            if number == rules.hand_size - 1 and deal["contract"] == SUIT_GAME:
                points += TEN
        found.append(Trick(cards, winner, points, marriages_in(deal, cards)))
    return found


def marriages_in(deal: Any, cards: Sequence[tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
    """Returns (seat, suit, worth) of the marriages scored with some (seat, card) played."""
    found = []
    for seat, card in cards:
        suit = card // 8
        if card % 8 == RANK_Q and int(deal["marriages"][seat]) >> suit & 1:
            found.append((seat, suit, int(marriage_worth(suit, int(deal["trump"])))))
    return tuple(found)


def calls_of(deal: Any, rules: Rules) -> list[Call]:
    """Returns everything before the first trick, an exchange's discards as one entry."""
    history = history_of(deal)
    before = history[: len(history) - num_plays(deal)]
    calls: list[Call] = []
    levels = {FLEK_GAME: 0, FLEK_SEVEN: 0}
    for index, (seat, action) in enumerate(before):
        if index == 0 and rules.dealing == "chosen_trump":
            calls.append(Call(seat, "trump", -1 if action == HIDDEN_ACTION else action))
        elif action < BLIND or action == HIDDEN_ACTION:
            card = -1 if action == HIDDEN_ACTION else action
            last = calls[-1]
            if last.kind == "discard":
                calls[-1] = dataclasses.replace(last, cards=(*last.cards, card))
            else:
                calls.append(Call(seat, "discard", cards=(card,)))
        else:
            if action == BAD or CONTRACT_0 <= action < GOOD:
                levels[FLEK_GAME] = 0
            elif action == HUNDRED and seat != deal["declarer"]:
                levels[FLEK_GAME] = 0  # a hundred-against replaces the game
            elif action in levels:
                levels[action] += 1
            calls.append(Call(seat, "call", action, level=levels.get(action, 0)))
    return calls


def hand_counts(deal: Any, rules: Rules) -> tuple[int, int, int]:
    """Returns how many cards each seat holds; public, so the same for every view."""
    counts = [rules.hand_size - int(bin(int(cards)).count("1")) for cards in deal["played"]]
    exchanging = rules.dealing == "chosen_trump" or bool(deal["talon_taken"])
    if deal["phase"] in (TRUMP, CONTRACT, DISCARD) and exchanging:
        last = history_of(deal)[-1:]
        put_away = (
            deal["phase"] == DISCARD
            and bool(last)
            and (last[0][1] < BLIND or last[0][1] == HIDDEN_ACTION)
        )
        counts[int(deal["turn"])] += 1 if put_away else 2
    return counts[0], counts[1], counts[2]


def sorted_hand(cards: int, deal: Any) -> list[list[int]]:
    """Returns a hand by suit, trumps first, each suit in the contract's order of strength."""
    mode = 1 if deal["contract"] >= BETL else 0
    suits = sorted(range(4), key=lambda s: (s != deal["trump"], DISPLAY_ORDER.index(s)))
    held = cards_of(cards)
    groups = [
        sorted((c for c in held if c // 8 == suit), key=lambda c: -int(STRENGTH[mode, c % 8]))
        for suit in suits
    ]
    return [group for group in groups if group]
