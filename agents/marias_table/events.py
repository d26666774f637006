"""What happens at a table, as each receiver is told of it: for animation and live regions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

from marias_env.actions import ACTIONS, BLIND, DISCARD, TRUMP
from marias_env.cards import CARDS, SUITS, card_name
from marias_env.core.deal import NUM_SEATS
from marias_env.rules import Rules
from marias_env.showing.phrases import phrases, suit_name
from marias_env.showing.story import tricks_of
from marias_table.messages import Event
from marias_table.view import EVERYTHING

ABOUT_CHAIRS: Final = ("sat", "left", "returned", "renamed", "opened", "agent", "replaced")
"""Kinds of events that tell of a chair and who sits in it."""


@dataclasses.dataclass(frozen=True)
class Happening:
    """One event as the room keeps it.

    Attributes:
        seq: number of the event at its table, from 1.
        kind: as docs/protocol.md lists them.
        data: fields of the event that everybody is told.
        secret: an action that only `data["seat"]` is told of (a trump card, a discard), else None.
        calls: the action in words, by language; empty where the text is made from other fields.
    """

    seq: int
    kind: str
    data: dict[str, Any]
    secret: int | None = None
    calls: dict[str, str] = dataclasses.field(default_factory=dict)


def is_secret(phase: int, action: int) -> bool:
    """Whether an action is told to nobody but who takes it (RULES.md 8)."""
    return phase in (TRUMP, DISCARD) and action < BLIND


def event_for(
    happening: Happening, receiver: int | None, language: str, names: Sequence[str]
) -> Event:
    """Returns an event as one receiver is told of it.

    Args:
        happening: what happened.
        receiver: as of `view.view_of`.
        language: `en` or `cs`.
        names: who sits in the three chairs.
    """
    event: dict[str, Any] = {"seq": happening.seq, "kind": happening.kind, **happening.data}
    secret = happening.secret
    if secret is not None and receiver in (event["seat"], EVERYTHING):
        event["action"] = event["card"] = ACTIONS[secret]
    if happening.kind in ABOUT_CHAIRS:
        event.setdefault("name", names[event["seat"]])
    event["text"] = _text(event, happening, language, names)
    return event  # type: ignore[return-value]


def _text(event: dict[str, Any], happening: Happening, language: str, names: Sequence[str]) -> str:
    words, kind = phrases(language), happening.kind
    seat = event.get("seat", event.get("winner"))
    name = event.get("name") or (names[seat] if seat is not None else "")
    filled: dict[str, Any] = {"name": name}
    if event.get("card") is not None:
        filled["card"] = card_name(event["card"], language)
    if "suit" in event:
        filled["suit"] = suit_name(SUITS.index(event["suit"]), language)
    key = f"event_{kind}"
    if kind == "action":
        key = f"event_{event['what']}"
        if event["what"] == "discard" and event["card"] is not None:
            key = "event_discard_own"
        filled["call"] = happening.calls.get(language, "")
    elif kind == "trump_shown" and event["card"] is None:
        key = "event_trump_named"
    elif kind == "trick":
        key = "event_trick_points" if event["points"] else key
        filled["points"] = event["points"]
    elif kind in ("over", "match_over"):
        paid = zip(names, event["payments"], strict=True)
        filled["payments"] = ", ".join(f"{who} {units:+d}" for who, units in paid)
    elif kind == "replaced":
        key = f"event_replaced_{event['why']}"
    for field in ("worth", "by", "agent"):
        filled[field] = event.get(field)
    if kind == "renamed":
        filled["old"] = event["old"] or words["person"].format(number=event["seat"] + 1)
    filled["number"] = event.get("deal")
    return words[key].format(**filled)


def what_of(phase: int, action: int) -> str:
    """Returns which sentence tells of an action: `trump`, `blind`, `discard`, `call` or `play`."""
    if phase == TRUMP:
        return "blind" if action == BLIND else "trump"
    if phase == DISCARD:
        return "discard"
    return "play" if action < BLIND else "call"


class Marks:
    """What of a deal is looked at before and after an action, to tell what it led to.

    Args:
        deal: the DEAL record.
    """

    def __init__(self, deal: Any) -> None:
        self.shown = bool(deal["trump_shown"])
        self.marriages = deal["marriages"].tolist()
        self.tricks = int(deal["tricks"])


def changes(before: Marks, deal: Any, rules: Rules) -> list[tuple[str, dict[str, Any]]]:
    """Returns what an action led to in public: kinds of events and their fields, in order.

    Args:
        before: the marks before it.
        deal: the DEAL record after it.
        rules: its rules.
    """
    after = Marks(deal)
    found: list[tuple[str, dict[str, Any]]] = []
    if after.shown and not before.shown:
        card = int(deal["trump_card"])
        shown = CARDS[card] if card >= 0 else None
        found.append(("trump_shown", {"card": shown, "suit": SUITS[int(deal["trump"])]}))
    for seat in range(NUM_SEATS):
        new = after.marriages[seat] & ~before.marriages[seat]
        for suit in range(4):
            if new >> suit & 1:
                worth = 40 if suit == deal["trump"] else 20
                found.append(("marriage", {"seat": seat, "suit": SUITS[suit], "worth": worth}))
    if after.tricks > before.tricks:
        trick = tricks_of(deal, rules)[after.tricks - 1]
        cards = [CARDS[card] for _, card in trick.cards]
        found.append(("trick", {"winner": trick.winner, "points": trick.points, "cards": cards}))
    return found
