"""A recorded deal as the page shows it: the state of the table after every action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from marias_env.actions import ACTIONS, OVER
from marias_env.batch import DealBatch
from marias_env.core.deal import NUM_SEATS
from marias_env.core.history import history_of
from marias_env.records import each_position, replay
from marias_env.rules import preset_and_options
from marias_env.showing.phrases import phrases
from marias_env.showing.render import TextTable
from marias_table.messages import State
from marias_table.telling import told_apart
from marias_table.view import (
    EVERYTHING,
    Memo,
    choices_of,
    deal_state,
    result_of,
    seat_cards,
    view_of,
)

RECEIVERS: Final = (EVERYTHING, 0, 1, 2)
"""Whose eyes a deal can be seen through: everybody's cards, or what one seat knows."""
LONGEST_NAME: Final = 40


def names_of(record: Mapping[str, Any], language: str) -> list[str]:
    """Returns who sat where: the record's `players` or `agents`, or the seats' numbers."""
    for key in ("players", "agents"):
        found = record.get(key)
        if (
            isinstance(found, list)
            and len(found) == NUM_SEATS
            and all(isinstance(n, str) for n in found)
        ):
            number = phrases(language)["person"]
            return told_apart(
                [name[:LONGEST_NAME] or number.format(number=n) for n, name in enumerate(found, 1)]
            )
    return [phrases(language)["seat"].format(seat) for seat in range(NUM_SEATS)]


def film(record: Mapping[str, Any], receiver: int, language: str, number: int = 1) -> list[State]:
    """Returns the states of a deal, before each action and after the last.

    Args:
        record: a deal record, finished or not.
        receiver: a seat, or `EVERYTHING`.
        language: `en` or `cs`.
        number: of the deal, to be shown.

    Raises:
        RecordError: a malformed or illegal record.
    """
    names, memo = names_of(record, language), Memo()
    return [
        _state(batch, receiver, language, number, names, memo) for batch in each_position(record)
    ]


def _state(
    batch: DealBatch, receiver: int, language: str, number: int, names: list[str], memo: Memo
) -> State:
    rules = batch.rules
    view = view_of(batch, receiver)
    preset, options = preset_and_options(rules)
    over = batch.phase[0] == OVER
    paid = batch.deals["payments"][0].tolist() if over else [0, 0, 0]
    state: dict[str, Any] = {
        "seq": int(batch.deals["num_actions"][0]),
        "deal": number,
        "started": True,
        "paused": False,
        "closed": False,
        "you": None if receiver == EVERYTHING else receiver,
        "host": False,
        "language": language,
        "rules": preset,
        "options": options,
        "spectators": "nobody",
        "watching": 0,
        "hints": False,
        "waiting_for": [],
        "seats": [
            {
                "seat": seat,
                "name": names[seat],
                "kind": "person",
                "agent": None,
                "stand_in": None,
                "host": False,
                "connected": True,
                "thinking": False,
                "ready": False,
                "total": paid[seat],
                **cards,
            }
            for seat, cards in enumerate(seat_cards(view, rules))
        ],
        "history": [paid] if over else [],
        "match": None,
        "result": result_of(batch, language),
        **deal_state(view, rules, receiver, language, memo),
    }
    return state  # type: ignore[return-value]


def position_at(record: Mapping[str, Any], at: int) -> DealBatch:
    """Returns a deal as it stood after so many actions.

    Raises:
        IndexError: it has fewer.
        RecordError: a malformed or illegal record.
    """
    if not 0 <= at <= len(record["actions"]):
        raise IndexError(f"{at}: the deal has {len(record['actions'])} actions")
    return next(batch for n, batch in enumerate(each_position(record)) if n == at)


def options_at(
    batch: DealBatch, taken: int | None, values: Mapping[str, int], language: str
) -> dict[str, Any]:
    """Returns what can be done in a position, and what it is worth double dummy.

    Args:
        batch: the deal, one row.
        taken: action id of what was done; None at the end of the record.
        values: what `action_values` returned for it.
        language: `en` or `cs`.

    Returns:
        `legal`: as of `State`, here also of a seat whose cards are not shown; `values`,
        by action text; `taken`: text, or None.
    """
    deal, rules = batch.deals[0], batch.rules
    legal = choices_of(deal, TextTable(deal, rules, language, color=False), language)
    return {
        "legal": legal,
        "values": dict(values),
        "taken": None if taken is None else ACTIONS[taken],
    }


def actions_of_record(record: Mapping[str, Any]) -> list[int]:
    """Returns the action ids of a record.

    Raises:
        RecordError: a malformed or illegal record.
    """
    return [action for _, action in history_of(replay(record).deals[0])]
