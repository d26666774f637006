"""The one action space of every phase, and the phases themselves (docs/actions.md)."""

from __future__ import annotations

from typing import Final

from marias_env.cards import CARDS
from marias_env.errors import ActionError

BLIND: Final = 32
NAME_TRUMP_0: Final = 33
"""First of the four actions that name a trump suit, in suit order."""
CONTRACT_0: Final = 37
"""First of the five actions that name a contract, in ascending order."""
GOOD: Final = 42
BAD: Final = 43
SEVEN: Final = 44
HUNDRED: Final = 45
FLEK_GAME: Final = 46
FLEK_SEVEN: Final = 47
NUM_ACTIONS: Final = 48

ACTIONS: Final = (
    *CARDS,
    "blind",
    "trump_s",
    "trump_c",
    "trump_d",
    "trump_h",
    "suit",
    "betl",
    "durch",
    "open_betl",
    "open_durch",
    "good",
    "bad",
    "seven",
    "hundred",
    "flek_game",
    "flek_seven",
)
"""Texts by action id."""
ACTION_IDS: Final = {text: action for action, text in enumerate(ACTIONS)}

TRUMP: Final = 0
CONTRACT: Final = 1
DISCARD: Final = 2
REPLY: Final = 3
NAME_TRUMP: Final = 4
ANNOUNCE: Final = 5
DOUBLE: Final = 6
PLAY: Final = 7
OVER: Final = 8
PHASES: Final = (
    "TRUMP",
    "CONTRACT",
    "DISCARD",
    "REPLY",
    "NAME_TRUMP",
    "ANNOUNCE",
    "DOUBLE",
    "PLAY",
    "OVER",
)
"""Names by phase id."""

CONTRACTS: Final = ("suit", "betl", "durch", "open_betl", "open_durch")
"""Names by contract id, ascending."""
SUIT_GAME: Final = 0
BETL: Final = 1
DURCH: Final = 2
OPEN_BETL: Final = 3
OPEN_DURCH: Final = 4
NO_CONTRACT: Final = -1


def action_id(action: str | int) -> int:
    """Returns the id (0…47) of an action given as text (`"flek_game"`, `"Qh"`) or as id.

    Raises:
        ActionError: it is neither.
    """
    if isinstance(action, str):
        if action in ACTION_IDS:
            return ACTION_IDS[action]
    elif not isinstance(action, bool):
        try:
            number = int(action)
        except (TypeError, ValueError, OverflowError):
            number = -1
        if number == action and 0 <= number < NUM_ACTIONS:
            return number
    raise ActionError(
        f"not an action: {action!r}; expected a card such as 'Qh', one of "
        f"{', '.join(ACTIONS[32:])}, or an id from 0 to {NUM_ACTIONS - 1}"
    )
