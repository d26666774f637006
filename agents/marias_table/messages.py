"""What the server says: shapes of the JSON objects of `marias-table/1` (docs/protocol.md).

Cards and actions are texts (`Qh`, `flek_game`), seats numbers, units whole numbers. Everything here
is made from what the receiver may know: a spectator's or a seat's information view.
"""

from __future__ import annotations

from typing import Any, TypedDict


class Choice(TypedDict):
    """A legal action of the receiver."""

    id: int
    action: str
    label: str
    kind: str
    """`card`, `blind`, `trump`, `contract`, `good`, `bad`, `announce` or `raise`."""


class Forbidden(TypedDict):
    """Why a card of the own hand, or a call of this phase, is not legal now."""

    rule: str
    """`follow`, `head`, `trump`, `overtrump`, `queen`, `seven`, `sharp`, `trump_card`, …"""
    text: str


class SeatState(TypedDict):
    """Who sits in a chair, and what lies before him."""

    seat: int
    name: str
    kind: str
    """`person`, `agent` or `open`."""
    agent: str | None
    """Spec of the agent whose chair it is."""
    stand_in: str | None
    """Spec of the agent that plays for an absent person or in an open chair."""
    host: bool
    connected: bool
    thinking: bool
    ready: bool
    """Has said `next`."""
    cards: int
    """Cards in hand, those not yet picked up included."""
    hand: list[str] | None
    """The cards, as far as the receiver knows them, in display order; None: nothing known."""
    tricks: int
    marriages: list[dict[str, Any]]
    """Each with `suit` (a letter) and `worth`."""
    roles: list[str]
    """Of `dealer`, `forehand`, `declarer`, `defender`."""
    total: int
    """Units since the match, or the sitting, began."""


class CallState(TypedDict):
    """One thing said or done before play."""

    seat: int
    kind: str
    """`trump`, `discard` or `call`."""
    action: str | None
    """None where it is hidden, and for discards."""
    label: str
    cards: list[str | None]
    """Cards put away, None for each that is hidden."""
    level: int
    """Level that a raise brings its component to, else 0."""


class TrickState(TypedDict):
    """One trick, perhaps unfinished."""

    number: int
    leader: int
    cards: list[dict[str, Any]]
    """Each with `seat` and `card`, in order of play."""
    winner: int | None
    """Who took it; in an unfinished one None."""
    best: int
    """Who wins it so far."""
    points: int
    marriages: list[dict[str, Any]]
    """Each with `seat`, `suit` and `worth`."""


class StakeState(TypedDict):
    """A component at stake."""

    component: str
    """`game` or `seven`."""
    name: str
    side: str | None
    """`declarer` or `defenders`: whose announcement it is; None: nobody announced it."""
    level: int
    level_name: str
    factor: int


class Result(TypedDict):
    """How a deal ended; every card is known from here on."""

    value: int
    """V, units per opponent, declarer's view (RULES.md 6)."""
    payments: list[int]
    ending: str
    lines: list[str]
    """The settlement in words, a line a step."""
    talon: list[str]
    dealt: list[list[str]]
    """The hands as they were dealt, by seat, display order."""


class MatchState(TypedDict):
    """The match, if one is played."""

    deals: int
    points: int | None
    played: int
    over: bool
    winners: list[int]


class State(TypedDict):
    """All that the receiver may know of the table now: enough to draw everything."""

    seq: int
    deal: int
    at: int
    started: bool
    paused: bool
    closed: bool
    you: int | None
    host: bool
    language: str
    rules: str
    options: dict[str, Any]
    spectators: str
    watching: int
    hints: bool
    phase: str
    phase_name: str
    turn: int | None
    waiting_for: list[int]
    dealer: int
    forehand: int
    declarer: int | None
    contract: str | None
    contract_name: str
    trump: str | None
    trump_card: str | None
    trump_shown: bool
    blind: bool
    seats: list[SeatState]
    unseen: int
    talon: list[str] | None
    talon_count: int
    discards: list[str]
    taken: list[str]
    legal: list[Choice]
    forbidden: dict[str, Forbidden]
    calls: list[CallState]
    tricks: list[TrickState]
    stakes: list[StakeState]
    points: dict[str, dict[str, int]] | None
    history: list[list[int]]
    match: MatchState | None
    result: Result | None


class Event(TypedDict, total=False):
    """Something that happened, for animation and for a live region; `text` says it in words."""

    seq: int
    kind: str
    text: str
    seat: int
    action: str | None
    card: str | None
    cards: list[str | None]
    suit: str
    worth: int
    points: int
    winner: int
    payments: list[int]
    deal: int
    agent: str
    by: str
    why: str
    name: str
