"""What a table's people and spectators are told: the state of a room, and what has happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from marias_env.core.deal import NUM_SEATS
from marias_env.showing.phrases import phrases
from marias_table.events import event_for
from marias_table.messages import Event, MatchState, SeatState, State
from marias_table.room import Room
from marias_table.view import EVERYTHING, deal_state, seat_cards, view_of


def covers(room: Room, since: int) -> bool:
    """Whether all events of a room after `since` are still known."""
    return since == room.seq or (
        since < room.seq and bool(room.events) and room.events[0].seq <= since + 1
    )


def events_since(room: Room, since: int, receiver: int | None, language: str) -> list[Event]:
    """Returns the events after `since` as a receiver (of `view.view_of`) is told of them."""
    names = shown_names(room, language)
    new = []
    for happening in reversed(room.events):
        if happening.seq <= since:
            break
        new.append(event_for(happening, receiver, language, names))
    return new[::-1]


def shown_names(room: Room, language: str) -> list[str]:
    """Returns who sits in the three chairs, for people; of one name each with a number."""
    words = phrases(language)
    names = [
        chair.name
        or words["open_chair" if chair.kind == "open" else "person"].format(number=seat + 1)
        for seat, chair in enumerate(room.chairs)
    ]
    return told_apart(names)


def told_apart(names: Sequence[str]) -> list[str]:
    """Returns the names of three seats, those that are the same with their numbers."""
    return [
        f"{name} ({seat + 1})" if names.count(name) > 1 else name for seat, name in enumerate(names)
    ]


def state_of(room: Room, receiver: int | None, language: str) -> State:
    """Returns all that a receiver may know of a room.

    Args:
        room: the table.
        receiver: a seat, `view.EVERYTHING` or `view.PUBLIC`.
        language: `en` or `cs`.
    """
    rules = room.terms.rules
    view = view_of(room.batch, receiver)
    you = receiver if receiver is not None and receiver != EVERYTHING else None
    state: dict[str, Any] = {
        "seq": room.seq,
        "deal": room.deal,
        "started": room.started,
        "paused": room.paused,
        "closed": room.closed,
        "you": you,
        "host": you is not None and room.chairs[you].host,
        "language": language,
        "rules": room.preset,
        "options": room.options,
        "spectators": room.terms.spectators,
        "watching": room.watching,
        "hints": room.terms.hints,
        "waiting_for": room.waiting_for(),
        "seats": _seats(room, view, language),
        "history": room.history,
        "match": _match(room),
        "result": room.result(language),
        **deal_state(view, rules, receiver, language, room.memo),
    }
    if not room.started:
        # There is no deal yet, whatever lies in the row.
        state.update(at=0, turn=None, unseen=0, legal=[], forbidden={}, talon=None, talon_count=0)
    return state  # type: ignore[return-value]


def _match(room: Room) -> MatchState | None:
    match = room.terms.match
    if match is None:
        return None
    totals, over = room.totals, room.match_over
    return {
        "deals": match.deals,
        "points": match.points,
        "played": len(room.history),
        "over": over,
        "winners": [s for s in range(NUM_SEATS) if totals[s] == max(totals)] if over else [],
    }


def _seats(room: Room, view: Any, language: str) -> list[SeatState]:
    names, totals = shown_names(room, language), room.totals
    found = []
    for seat, cards in enumerate(seat_cards(view, room.terms.rules)):
        chair = room.chairs[seat]
        if not room.started:
            cards.update(cards=0, hand=None, roles=[])
        found.append(
            {
                "seat": seat,
                "name": names[seat],
                "kind": chair.kind,
                "agent": chair.agent,
                "stand_in": None if chair.kind == "agent" else room.player(seat),
                "host": chair.host,
                "connected": chair.connections > 0 or chair.kind == "agent",
                "thinking": seat == room.thinking,
                "ready": chair.ready,
                "total": totals[seat],
                **cards,
            }
        )
    return found  # type: ignore[return-value]
