"""What a person may type: numbers, names of cards and calls in either language, commands."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

from marias_env.actions import ACTION_IDS, BLIND, CONTRACT_0, DISCARD, NAME_TRUMP_0
from marias_env.cards import CARDS, SUIT_SYMBOLS, SUITS, card_name
from marias_env.rules import Rules
from marias_env.showing.phrases import LANGUAGES, phrases, rank_sign, suit_name
from marias_table.view import label_of

COMMANDS: Final = ("hint", "why", "table", "last", "score", "rules", "help", "next", "quit")
"""What is no action; each by its own word and by those of the languages."""
HINT_SIGN: Final = "?"
REVOKE_SIGN: Final = "!"


@dataclasses.dataclass(frozen=True)
class Entry:
    """What was typed.

    Attributes:
        actions: action texts, in order; one, or two cards to put away.
        command: one of `COMMANDS`, instead of actions.
        revoke: an action that is meant although it is forbidden.
    """

    actions: tuple[str, ...] = ()
    command: str | None = None
    revoke: bool = False


class EntryError(ValueError):
    """Something typed that means nothing here; the message is for the person."""


def command_of(line: str) -> str | None:
    """Returns the command that a line is; None where it is none."""
    typed = folded(line)
    if typed == HINT_SIGN:
        return "hint"
    for command in COMMANDS:
        words = (phrases(language)[f"terminal_word_{command}"] for language in LANGUAGES)
        if typed in (command, *map(folded, words)):
            return command
    return None


def read_entry(
    line: str, deal: Any, rules: Rules, choices: Sequence[str], language: str = "en"
) -> Entry:
    """Returns what a line means.

    Args:
        line: what was typed; an empty one takes the only choice.
        deal: the view of the seat on turn.
        rules: its rules.
        choices: action texts by number, from 1.
        language: of errors.

    Raises:
        EntryError: it means nothing, or more than one thing.
    """
    command = command_of(line)
    if command is not None:
        return Entry(command=command)
    words = phrases(language)
    typed = folded(line)
    revoke = typed.endswith(REVOKE_SIGN)
    typed = typed.removesuffix(REVOKE_SIGN).strip()
    if not typed and not revoke and len(choices) == 1:
        return Entry((choices[0],))
    if not typed:
        raise EntryError(words["terminal_nothing"])
    names = _names(deal, rules)
    try:
        return Entry((_action(typed, names, choices, language),), revoke=revoke)
    except EntryError:
        parts = typed.replace(",", " ").split()
        if deal["phase"] != DISCARD or len(parts) != 2:
            raise
        actions = [_action(part, names, choices, language) for part in parts]
        return Entry(tuple(actions), revoke=revoke)


def folded(text: str) -> str:
    """Returns a text as it is compared: no case, no accents, one space between words."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(plain.replace("_", " ").split())


def _action(typed: str, names: dict[str, set[str]], choices: Sequence[str], language: str) -> str:
    words = phrases(language)
    if typed.isdecimal() and typed.isascii():
        if not 1 <= int(typed[:6]) <= len(choices):
            raise EntryError(words["terminal_number"].format(typed[:6], len(choices)))
        return choices[int(typed) - 1]
    exact = [action for action, known in names.items() if typed in known]
    legal = [action for action in exact if action in choices]
    if len(exact) == 1 or len(legal) == 1:
        return (legal or exact)[0]
    begun = [action for action in choices if any(name.startswith(typed) for name in names[action])]
    if len(begun) == 1:
        return begun[0]
    shown = typed if len(typed) <= 30 else typed[:27] + "..."
    if begun:
        several = ", ".join(f"{choices.index(action) + 1} {action}" for action in begun)
        raise EntryError(words["terminal_ambiguous"].format(shown, several))
    raise EntryError(words["terminal_unknown"].format(shown))


def _names(deal: Any, rules: Rules) -> dict[str, set[str]]:
    # Every action by all that it may be called, legal now or not.
    found = {}
    for text, action in ACTION_IDS.items():
        names = {text}
        if action < BLIND:
            names |= _card_names(action)
        else:
            for language in LANGUAGES:
                names.add(label_of(deal, rules, action, language))
                if action < CONTRACT_0 and action >= NAME_TRUMP_0:
                    suit = action - NAME_TRUMP_0
                    names |= {suit_name(suit, language), SUITS[suit], SUIT_SYMBOLS[suit]}
        found[text] = {folded(name) for name in names}
    return found


def _card_names(card: int) -> set[str]:
    names = set()
    for language in LANGUAGES:
        names.add(card_name(card, language))
        for rank in (rank_sign(card, language), CARDS[card][0]):
            for suit in (SUITS[card // 8], SUIT_SYMBOLS[card // 8]):
                names |= {rank + suit, suit + rank, f"{rank} {suit}"}
    return names
