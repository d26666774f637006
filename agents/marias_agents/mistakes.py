"""Mistakes of players over many recorded deals, by phase: what their choices cost double dummy."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from marias_agents.analysis import Analysis, Worth, analyse
from marias_env.actions import CONTRACT, CONTRACTS, DISCARD, NO_CONTRACT, PHASES, SUIT_GAME
from marias_env.cards import CARDS, SUITS, cards_of
from marias_env.core.deal import DECLARER, NUM_SEATS
from marias_env.records import replay

CAP: Final = 16
"""Units per opponent at which values are cut for `capped`, as in evaluations."""
ROLES: Final = ("declarer", "defender")


@dataclasses.dataclass
class Mistakes:
    """What one player's decisions of one kind cost, over all deals.

    Attributes:
        player: a name from the records' key `agents`, or `seat 0` where there is none.
        role: `declarer` or `defender`.
        phase: `CONTRACT` (with the choice of trumps and announcements), `DISCARD`, or `PLAY` with
            the trick, as `PLAY 3`.
        decisions: decisions between two options or more.
        mistakes: those that cost something.
        cost: units per opponent in all, from the player's side.
        capped: the same with the values cut at 16 units before they are compared.
        worst: the greatest cost, and the number of the record it is from.
    """

    player: str
    role: str
    phase: str
    decisions: int = 0
    mistakes: int = 0
    cost: int = 0
    capped: int = 0
    worst: tuple[int, int] = (0, -1)

    def add(self, best: int, value: int, number: int) -> None:
        """Counts a decision: values of the best option and of the one taken, player's side."""
        cost = best - value
        self.decisions += 1
        self.mistakes += cost > 0
        self.cost += cost
        self.capped += _cut(best) - _cut(value)
        self.worst = max(self.worst, (cost, number), key=lambda item: item[0])


def mistakes(
    records: Iterable[Mapping[str, Any]],
    par: bool = False,
    progress: Callable[[int], None] | None = None,
) -> list[Mistakes]:
    """Returns what each player's decisions cost, by role and phase.

    A cost is a difference of V under best play of everybody with all cards seen. Cards are always
    judged; with `par` also the declarer's contract (against everything that it could have named
    when it was asked, the others silent and nothing doubled) and discards. That solves hundreds of
    positions a deal.

    Args:
        records: deal records; unfinished ones count as far as they go.
        par: also judge contracts and discards.
        progress: called with the number of records done.

    Raises:
        RecordError: a malformed or illegal record.
    """
    found: dict[tuple[str, str, str], Mistakes] = {}

    def entry(player: str, role: str, phase: str) -> Mistakes:
        return found.setdefault((player, role, phase), Mistakes(player, role, phase))

    for number, record in enumerate(records):
        players = _players(record)
        analysis = analyse(record, par)
        for card in analysis.cards:
            if card.choices > 1:
                sign = 1 if card.declarer else -1
                role = ROLES[0] if card.declarer else ROLES[1]
                phase = entry(players[card.seat], role, f"PLAY {card.trick}")
                phase.add(sign * card.best, sign * card.value, number)
        for phase_name, seat, best, value in _bidding(record, analysis):
            entry(players[seat], ROLES[0], phase_name).add(best, value, number)
        if progress is not None:
            progress(number + 1)
    return sorted(found.values(), key=_order)


def totals(rows: Iterable[Mistakes]) -> list[Mistakes]:
    """Returns each player's sums by role over all cards, `PLAY`, and the bidding as it is."""
    found: dict[tuple[str, str, str], Mistakes] = {}
    for row in rows:
        phase = row.phase.split()[0]
        key = (row.player, row.role, phase)
        into = found.setdefault(key, Mistakes(*key))
        into.decisions += row.decisions
        into.mistakes += row.mistakes
        into.cost += row.cost
        into.capped += row.capped
        into.worst = max(into.worst, row.worst, key=lambda item: item[0])
    return sorted(found.values(), key=_order)


def _players(record: Mapping[str, Any]) -> list[str]:
    names = record.get("agents")
    if isinstance(names, list) and len(names) == 3 and all(isinstance(n, str) for n in names):
        return names
    return [f"seat {seat}" for seat in range(NUM_SEATS)]


def _bidding(record: Mapping[str, Any], analysis: Analysis) -> Iterator[tuple[str, int, int, int]]:
    # (phase, seat, V of the best option, V of the one taken) of the last declarer.
    if not analysis.worths:
        return
    deal = replay(record).deals[0]
    seat, contract = int(deal["declarer"]), int(deal["contract"])
    put_away = tuple(CARDS[card] for card in cards_of(deal["discards"][seat]))
    if contract == NO_CONTRACT or len(put_away) != 2:
        return
    announced: tuple[str, ...] = ()
    trump = ""
    if contract == SUIT_GAME:
        said = (("seven", "seven_side"), ("hundred", "hundred_side"))
        announced = tuple(name for name, side in said if deal[side] == DECLARER)
        trump = SUITS[deal["trump"]] if deal["trump"] >= 0 else ""
    own = [worth for worth in analysis.worths if worth.seat == seat]
    taken = [
        worth
        for worth in own
        if (worth.contract, worth.trump, worth.announced) == (CONTRACTS[contract], trump, announced)
    ]
    if not taken:
        return
    [this] = taken
    value = _value_with(this, put_away)
    if value is not None and len(this.discard_values) > 1:
        yield PHASES[DISCARD], seat, this.value, value
    if len(own) > 1:
        yield PHASES[CONTRACT], seat, own[0].value, this.value


def _value_with(worth: Worth, put_away: tuple[str, ...]) -> int | None:
    for pair, value in worth.discard_values.items():
        if set(pair) == set(put_away):
            return value
    return None


def _cut(value: int) -> int:
    return max(-CAP, min(CAP, value))


def _order(row: Mistakes) -> tuple[str, str, int, int]:
    name, _, trick = row.phase.partition(" ")
    return row.player, row.role, PHASES.index(name), int(trick or 0)
