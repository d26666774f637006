"""Positions made of hands, and deals played by agents, for the tests of agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from marias_agents import make
from marias_agents.agent import Agent
from marias_env.actions import ACTION_IDS, ACTIONS, PLAY
from marias_env.batch import DealBatch
from marias_env.cards import card_id
from marias_env.records import record_of
from marias_env.rules import RULES, Rules

LINE_UPS = ((0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
"""Who sits where: agent 0 and agent 1 of a duel."""

VARIANTS: dict[str, Rules] = {
    **RULES,
    "revoke, no plain play": Rules(illegal_action="revoke", unplayed_plain_suit=True),
    "no talon trumps": Rules(talon_trumps=False, seven_hundred_together=True, max_doublings=0),
    "free announcements": Rules(seven_requires_card=False, hundred_requires_marriage=False),
    "long, played out": Rules(max_doublings=16, play_out_decided=True, blind_trump=False),
    "2 x 4": Rules(suits="sh", ranks="7QKA"),
    "2 x 7": Rules(suits="ch", ranks="789TQKA"),
    "4 x 5": Rules(ranks="7TQKA"),
    "1 x 5": Rules(suits="h", ranks="7TQKA"),
    "4 x 2, sharps": Rules(ranks="TA"),
    "2 x 4, online": Rules(dealing="talon", open_contracts=False, suits="sh", ranks="7TQA"),
}


def position(
    forehand: str, left: str, right: str, talon: str, trump_card: str, actions: str = ""
) -> DealBatch:
    """A traditional deal of these ten-card hands; seat 0 is forehand, dealer is seat 2.

    Args:
        forehand: seat 0's cards after the exchange.
        left: seat 1's cards.
        right: seat 2's cards.
        talon: what seat 0 puts away; "" leaves the deal at its first decision.
        trump_card: what seat 0 chooses.
        actions: what follows the discards, texts separated by spaces.
    """
    own = forehand.split()
    away = talon.split()
    first = [trump_card, *[card for card in own if card != trump_card]][:7]
    rest = [card for card in [*own, *away] if card not in first]
    one, two = left.split(), right.split()
    deck = [*first, *one[:5], *two[:5], *rest, *one[5:], *two[5:]]
    batch = DealBatch(1, "traditional", seed=0, autoreset=False)
    batch.set_decks([card_id(card) for card in deck], 2)
    if actions:
        for text in [trump_card, "suit", *away, *actions.split()]:
            batch.step([ACTION_IDS[text]])
    return batch


def answer(agent: Agent, batch: DealBatch) -> str:
    """What an agent does in row 0."""
    views = batch.views()
    return ACTIONS[int(agent.act(views, views.legal_mask())[0])]


def play_out(batch: DealBatch, agents: Sequence[Agent], seats: Sequence[int]) -> None:
    """Plays every row to its end; `seats[seat]` is the number of the agent that sits there."""
    where = np.asarray(seats)
    while (batch.turn >= 0).any():
        actions = np.full(len(batch), -1, dtype=np.int64)
        live = np.flatnonzero(batch.turn >= 0)
        who = where[batch.turn[live]]
        for number, agent in enumerate(agents):
            rows = live[who == number]
            if rows.size:
                views = batch.views(rows)
                actions[rows] = agent.act(views, views.legal_mask())
        batch.step(actions)


def duel(
    first: Agent, second: Agent, deals: int, rules: str | Rules = "traditional", cap: int = 16
) -> npt.NDArray[np.float64]:
    """Per deal, first minus second in capped units per seat, over the six line-ups."""
    start = DealBatch(deals, rules, seed=7, autoreset=False)
    difference = np.zeros(deals)
    for line_up in LINE_UPS:
        batch = start.copy()
        play_out(batch, (first, second), line_up)
        units = np.clip(batch.payments, -2 * cap, 2 * cap)
        mine = np.asarray(line_up) == 0
        difference += (units[:, mine].mean(axis=1) - units[:, ~mine].mean(axis=1)) / 6
    return difference


def interval(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Ends of the 95 % interval of a mean."""
    half = 1.96 * float(values.std()) / len(values) ** 0.5
    return float(values.mean()) - half, float(values.mean()) + half


def played(preset: str, seed: int, cards: str = "random") -> dict[str, Any]:
    """A record bid by the rules player, with cards of another."""
    batch = DealBatch(1, preset, seed=seed, autoreset=False)
    rules, other = make("rules"), make(cards)
    while batch.turn[0] >= 0:
        views = batch.views()
        agent = other if batch.phase[0] == PLAY else rules
        batch.step(agent.act(views, views.legal_mask()))
    return dict(record_of(batch))
