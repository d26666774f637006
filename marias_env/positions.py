"""One-line texts of positions that round-trip, what FEN is to chess.

    marias-pos/1 traditional,max_doublings=3 2 7hAs…8c QhS7s8s++

Five fields: version, rules (preset and the options that differ from it), dealer, deck, and the
actions so far without their seats, which follow from the game. `.` stands for no actions.
"""

from __future__ import annotations

import re
from typing import Final

from marias_env.actions import ACTIONS
from marias_env.batch import DealBatch
from marias_env.cards import CARDS
from marias_env.checks import deck_ids
from marias_env.core.deal import HIDDEN_ACTION, UNKNOWN_CARD
from marias_env.core.history import history_of
from marias_env.errors import DeckError, RecordError, RulesError, StateError
from marias_env.records import play_actions
from marias_env.rules import read_rules, rules_text

VERSION: Final = "marias-pos/1"
"""First field of every text."""

_CODES: Final = dict(
    zip(ACTIONS, (*CARDS, "?", "=s", "=c", "=d", "=h", *"SBDbd", "+", "-", *"VHfF"))
)
# No code is the beginning of another, so that they need no separators.
_TEXTS: Final = {code: text for text, code in _CODES.items()}
_CODE = re.compile("|".join(re.escape(code) for code in _TEXTS))
_NONE: Final = "."


def position_text(batch: DealBatch, row: int = 0) -> str:
    """Returns the text of one row's position; equal deals give equal texts.

    Totals of a match and the random stream are no part of it.

    Raises:
        IndexError: no such row.
        StateError: the row is an information view: what it hides cannot be written.
    """
    deal = batch.deals[row]
    deck = deal["deck"][: batch.rules.num_cards].tolist()
    actions = [action for _, action in history_of(deal)]
    if UNKNOWN_CARD in deck or HIDDEN_ACTION in actions:
        raise StateError("an information view has no position text, which would need every card")
    codes = "".join(_CODES[ACTIONS[action]] for action in actions)
    cards = "".join(CARDS[card] for card in deck)
    return f"{VERSION} {rules_text(batch.rules)} {deal['dealer']} {cards} {codes or _NONE}"


def from_position(text: str) -> DealBatch:
    """Returns the position of a text: one row, autoreset disabled.

    Raises:
        StateError: not such a text, or its actions are not legal.
    """
    if not isinstance(text, str):
        raise StateError(f"position of type {type(text).__name__}; expected a text")
    fields = text.split(" ")
    if len(fields) != 5:
        raise StateError(
            f"position of {len(fields)} fields; expected version, rules, dealer, deck and actions"
        )
    version, preset_and_options, dealer_text, deck_text, codes = fields
    if version != VERSION:
        raise StateError(f"position version {_short(version)}; expected {VERSION!r}")
    try:
        rules = read_rules(preset_and_options)
    except RulesError as error:
        raise StateError(f"position: {error}") from error
    if dealer_text not in ("0", "1", "2"):
        raise StateError(f"position dealer {_short(dealer_text)}; expected 0, 1 or 2")
    try:
        deck = deck_ids([deck_text[i : i + 2] for i in range(0, len(deck_text), 2)], rules)
    except DeckError as error:
        raise StateError(f"position {error}") from error
    # The seats are those that the game gives: only the actions themselves can be wrong.
    actions = _read_actions(codes)
    try:
        return play_actions(rules, deck, int(dealer_text), actions, check_seats=False)
    except RecordError as error:
        raise StateError(f"position, action {error.index}: {error.reason}") from error


def _read_actions(codes: str) -> list[tuple[int, str]]:
    if codes == _NONE:
        return []
    found = _CODE.findall(codes)
    if not codes or "".join(found) != codes:
        raise StateError(
            f"position actions {_short(codes)}; expected codes such as Qh, ? (blind), =h (trump), "
            "S B D b d (contracts), + - (good, bad), V H (seven, hundred), f F (flek), "
            f"or {_NONE!r} for none"
        )
    return [(0, _TEXTS[code]) for code in found]


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
