"""What a played deal was worth: every card, and every contract, trump and discard, double dummy.

Double dummy means that everybody sees all cards. So a cost of 0 does not make a card a good one, it
makes it one that lost nothing as the cards lay; and par is what the deal held, not what anybody
could have known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

from marias_agents.solver import NO_VALUE, SolverError, solve, solve_batch, solve_cards
from marias_env.actions import (
    ACTIONS,
    ANNOUNCE,
    BAD,
    CONTRACT,
    CONTRACT_0,
    CONTRACTS,
    GOOD,
    HUNDRED,
    NAME_TRUMP,
    NAME_TRUMP_0,
    OVER,
    PLAY,
    REPLY,
    SEVEN,
    SUIT_GAME,
    TRUMP,
)
from marias_env.batch import DealBatch
from marias_env.cards import CARDS, SUITS
from marias_env.core.deal import END_REVOKE
from marias_env.notebook import shown
from marias_env.records import each_position, replay

_ANNOUNCED: Final = ((), (SEVEN,), (HUNDRED,), (SEVEN, HUNDRED))


@dataclasses.dataclass(frozen=True)
class CardCost:
    """One card that was played.

    Attributes:
        index: of the action in the record.
        trick: from 1.
        seat: who played it.
        card: its text.
        value: V after it, units per opponent, declarer's view, under best play from there on.
        best: V after the best card.
        better: cards that would have been worth more to the player's side; empty where `cost` is 0.
        cost: what it cost the player's side, units per opponent, never negative.
        declarer: whether the declarer played it.
        choices: how many cards were legal.
    """

    index: int
    trick: int
    seat: int
    card: str
    value: int
    best: int
    better: tuple[str, ...]
    cost: int
    declarer: bool
    choices: int


@dataclasses.dataclass(frozen=True)
class Worth:
    """What a contract was worth to a seat, with the others silent and nothing doubled.

    Attributes:
        seat: the declarer.
        contract: its name.
        trump: suit letter, or "" without trumps.
        announced: `seven`, `hundred`, both or nothing.
        discards: the two cards that are best put away.
        value: V with them, units per opponent.
        discard_values: V by discards, for every two cards that could be put away.
    """

    seat: int
    contract: str
    trump: str
    announced: tuple[str, ...]
    discards: tuple[str, str]
    value: int
    discard_values: Mapping[tuple[str, str], int] = dataclasses.field(repr=False)

    @property
    def name(self) -> str:
        """For example `suit h seven`."""
        return " ".join([self.contract, *([self.trump] if self.trump else []), *self.announced])


@dataclasses.dataclass(frozen=True)
class Analysis:
    """A deal, analysed.

    Attributes:
        start: V of the play at its beginning, with what was announced and doubled; None if the
            record does not get there.
        value: V that was paid; None while the deal is not over.
        cards: every card played.
        worths: what could have been bid, best first.
    """

    start: int | None
    value: int | None
    cards: tuple[CardCost, ...]
    worths: tuple[Worth, ...]

    @property
    def par(self) -> Worth | None:
        """The contract that was worth most to whoever could name it."""
        return self.worths[0] if self.worths else None

    def _repr_html_(self) -> str:
        return shown(self, "marias_agents.notebook", "analysis_html")

    def cost_of(self, seat: int) -> int:
        """Returns what a seat's cards cost its side in all."""
        return sum(card.cost for card in self.cards if card.seat == seat)


def analyse(record: Mapping[str, Any], par: bool = True) -> Analysis:
    """Analyses a deal record.

    Args:
        record: a deal record, finished or not.
        par: also value what could have been bid.

    Raises:
        RecordError: a malformed or illegal record.
    """
    final = replay(record)
    stages = _decisions(record)
    cards = _card_costs(record, stages)
    start = next((stage for stage in stages if stage.phase[0] == PLAY), None)
    deal = final.deals[0]
    over = deal["phase"] == OVER and deal["ending"] != END_REVOKE
    return Analysis(
        start=None if start is None else int(solve_batch(start, threads=1)[0]),
        value=int(deal["value"]) if over else None,
        cards=tuple(cards),
        worths=tuple(worths(record) if par else ()),
    )


def best_line(record: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Returns (seat, card) to the end of the deal under best play from the record's last position.

    Of equally good cards it is the first in card-id order.

    Raises:
        RecordError: a malformed or illegal record.
        SolverError: the record is not in play.
    """
    batch = replay(record)
    if batch.phase[0] != PLAY:
        raise SolverError("a best line starts from a position in play")
    line = []
    while batch.phase[0] == PLAY:
        answer = solve(batch)
        card = next(text for text, value in answer["cards"].items() if value == answer["value"])
        line.append((int(batch.turn[0]), card))
        batch.step(np.array([CARDS.index(card)]))
    return line


def worths(record: Mapping[str, Any]) -> list[Worth]:
    """Returns what each contract was worth to each seat that could name it, best first.

    Forehand's contracts start from the deal. The others take the talon as it lay when they were
    asked in the record; seats that were not asked name nothing.

    Raises:
        RecordError: a malformed or illegal record.
    """
    found: list[Worth] = []
    asked: set[int] = set()
    for stage in _decisions(record):
        phase, seat = int(stage.phase[0]), int(stage.turn[0])
        if phase not in (TRUMP, CONTRACT, REPLY) or seat in asked:
            continue
        asked.add(seat)
        for plan in _plans(stage):
            found.extend(_worths_of(stage, seat, plan))
    return sorted(found, key=lambda worth: (-worth.value, worth.seat, worth.name))


@dataclasses.dataclass(frozen=True)
class _Plan:
    # What a seat does on its way to the play: contract, and trumps in a suit game.
    before: tuple[int, ...]
    contract: int
    suit: int


def _decisions(record: Mapping[str, Any]) -> list[DealBatch]:
    # The deal before each of its actions; the last position may wait for one that never came.
    return list(each_position(record))[:-1]


def _card_costs(record: Mapping[str, Any], stages: Sequence[DealBatch]) -> list[CardCost]:
    played = [(i, stage) for i, stage in enumerate(stages) if stage.phase[0] == PLAY]
    costs = []
    for index, stage in played:
        text = record["actions"][index][1]
        values = solve_cards(stage, threads=1)[0]
        card = CARDS.index(text)
        if values[card] == NO_VALUE:
            continue  # a revoke
        deal = stage.deals[0]
        sign = 1 if deal["turn"] == deal["declarer"] else -1
        legal = [c for c in range(32) if values[c] != NO_VALUE]
        best = max(legal, key=lambda c: sign * int(values[c]))
        better = [CARDS[c] for c in legal if sign * int(values[c]) > sign * int(values[card])]
        costs.append(
            CardCost(
                index,
                int(deal["tricks"]) + 1,
                int(deal["turn"]),
                text,
                int(values[card]),
                int(values[best]),
                tuple(better),
                sign * (int(values[best]) - int(values[card])),
                sign > 0,
                len(legal),
            )
        )
    return costs


def _plans(stage: DealBatch) -> Iterator[_Plan]:
    rules = stage.rules
    legal = int(stage.legal_bits[0])
    highest = 5 if rules.open_contracts else 3
    if stage.phase[0] == TRUMP:
        shown: dict[int, int] = {}
        for card in range(32):
            if legal >> card & 1:
                shown.setdefault(card // 8, card)
        for suit, card in shown.items():
            yield _Plan((card, CONTRACT_0), SUIT_GAME, suit)
        any_card = next(iter(shown.values()))
        for contract in range(1, highest):
            yield _Plan((any_card, CONTRACT_0 + contract), contract, -1)
        return
    bad = (BAD,) if stage.phase[0] == REPLY else ()
    if bad and not legal >> BAD & 1:
        return
    lowest = int(stage.deals["contract"][0]) + 1
    for contract in range(lowest, highest):
        suits = [s for s in range(4) if SUITS[s] in rules.suits] if contract == SUIT_GAME else [-1]
        for suit in suits:
            yield _Plan((*bad, CONTRACT_0 + contract), contract, suit)


def _worths_of(stage: DealBatch, seat: int, plan: _Plan) -> Iterator[Worth]:
    batch = stage.copy()
    for action in plan.before:
        batch.step(np.array([action]))
    while batch.phase[0] == REPLY:  # the talon comes last: the others accept first
        batch.step(np.array([GOOD]))
    allowed = [card for card in range(32) if int(batch.legal_bits[0]) >> card & 1]
    pairs = [pair for pair in combinations(allowed, 2) if _both_allowed(batch, pair)]
    if not pairs:
        return
    for announced in _ANNOUNCED if plan.contract == SUIT_GAME else ((),):
        rows, kept = _rows(batch, pairs, plan, announced)
        if not kept:
            continue
        values = _values(rows)
        by_pair = {
            (CARDS[a], CARDS[b]): int(value) for (a, b), value in zip(kept, values, strict=True)
        }
        best = max(by_pair, key=lambda pair: by_pair[pair])
        yield Worth(
            seat,
            CONTRACTS[plan.contract],
            SUITS[plan.suit] if plan.suit >= 0 else "",
            tuple(ACTIONS[action] for action in announced),
            best,
            by_pair[best],
            by_pair,
        )


def _both_allowed(batch: DealBatch, pair: tuple[int, int]) -> bool:
    after = batch.copy()
    after.step(np.array([pair[0]]))
    return bool(int(after.legal_bits[0]) >> pair[1] & 1)


def _rows(
    batch: DealBatch, pairs: list[tuple[int, int]], plan: _Plan, announced: tuple[int, ...]
) -> tuple[DealBatch, list[tuple[int, int]]]:
    # One row for each two cards put away, led on to the play; those that may not announce fall out.
    rows = batch[[0] * len(pairs)]
    for place in range(2):
        rows.step(np.array([pair[place] for pair in pairs]))
    kept = list(pairs)
    calls = list(announced)
    while rows.phase[0] < PLAY:
        phase = rows.phase[0]
        action = GOOD
        if phase == NAME_TRUMP:
            action = NAME_TRUMP_0 + plan.suit
        elif phase == ANNOUNCE and calls:
            action = calls.pop(0)
        may = np.flatnonzero(rows.legal_bits >> np.uint64(action) & np.uint64(1))
        if not may.size:
            return rows, []
        if may.size < len(rows):
            rows = rows[may]
            kept = [kept[i] for i in may]
        rows.step(np.full(len(rows), action))
    return rows, kept


def _values(rows: DealBatch) -> Any:
    if rows.phase[0] == OVER:
        return rows.deals["value"]
    return solve_batch(rows)
