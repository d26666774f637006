"""Generated tables of the documentation, rewritten by `python -m marias_env.showing.docs_tables`.

A page holds a table between `<!-- table: NAME -->` and `<!-- end table -->`; a test keeps the pages
equal to the code.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from marias_env.actions import ACTIONS, CONTRACTS, PHASES
from marias_env.cards import CARDS, RANK_NAMES, SUIT_NAMES, SUIT_SYMBOLS, SUITS, card_name
from marias_env.files import write_text_atomic
from marias_env.observation import OBSERVATION_SLICES, STATE_SLICES, Slice
from marias_env.rules import CHOICES, RULES, Rules
from marias_env.tokens import TOKEN_GROUPS

_ACTION_MEANINGS: Final = (
    (0, 31, "a card: trump card (TRUMP), discard (DISCARD), play (PLAY)"),
    (32, 32, "TRUMP: blind, the first dealt of forehand's unseen cards"),
    (33, 36, "NAME_TRUMP: name the trump suit"),
    (37, 41, "CONTRACT: name a contract"),
    (42, 42, "REPLY: accept; ANNOUNCE, DOUBLE: nothing more"),
    (43, 43, "REPLY: take the talon; a higher contract must follow"),
    (44, 44, "ANNOUNCE: seven; DOUBLE, a defender: seven-against"),
    (45, 45, "ANNOUNCE: hundred; DOUBLE, a defender: hundred-against"),
    (46, 46, "DOUBLE: raise the game one level; REPLY to a no-trump contract: accept and flek"),
    (47, 47, "DOUBLE: raise the seven one level"),
)
_PHASE_MEANINGS: Final = (
    "forehand chooses the trump card",
    "a contract is named",
    "two cards go to the talon, one action each",
    "the other players accept, flek or overtake",
    "the declarer names trumps (talon dealing)",
    "the declarer's announcements",
    "the defenders' announcements, and doubling in turn",
    "trick play",
    "the deal is over",
)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    # A bar inside a cell, as in |V|, would end it.
    lines = [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, *rows)
    ]
    lines.insert(1, "|" + "---|" * len(head))
    return "\n".join(lines)


def actions_table() -> str:
    """Action ids, texts and meanings."""
    rows = []
    for first, last, meaning in _ACTION_MEANINGS:
        ids = str(first) if first == last else f"{first}–{last}"
        names = " ".join(f"`{name}`" for name in ACTIONS[first : last + 1])
        if last - first > 8:
            names = f"`{ACTIONS[first]}` … `{ACTIONS[last]}`"
        rows.append((ids, names, meaning))
    return _table(("id", "text", "meaning by phase"), rows)


def phases_table() -> str:
    """Phase ids, names and meanings."""
    rows = [(str(i), f"`{name}`", _PHASE_MEANINGS[i]) for i, name in enumerate(PHASES)]
    return _table(("id", "phase", "what is decided"), rows)


def cards_table() -> str:
    """Cards by suit, with ids and long names."""
    rows = []
    for suit, letter in enumerate(SUITS):
        ids = f"{8 * suit}–{8 * suit + 7}"
        texts = " ".join(f"`{text}`" for text in CARDS[8 * suit : 8 * suit + 8])
        names = f"{SUIT_SYMBOLS[suit]} {SUIT_NAMES['en'][suit]} / {SUIT_NAMES['cs'][suit]}"
        rows.append((f"`{letter}`", names, ids, texts))
    return _table(("suit", "name", "ids", "cards"), rows)


def ranks_table() -> str:
    """Ranks with English and Czech names."""
    rows = [
        (f"`{CARDS[24 + rank][0]}`", RANK_NAMES["en"][rank], RANK_NAMES["cs"][rank],
         card_name(24 + rank, "cs"))
        for rank in range(8)
    ]  # fmt: skip
    return _table(("rank", "English", "Czech", "in hearts"), rows)


def _slices_table(slices: Mapping[str, Slice]) -> str:
    rows = [
        (
            f"`{part.name}`",
            f"{part.start}–{part.stop - 1}",
            str(part.size),
            part.kind,
            f"±{part.bound}" if part.signed else str(part.bound),
            part.access,
            part.about,
        )
        for part in slices.values()
    ]
    return _table(("slice", "entries", "size", "kind", "up to", "known", "meaning"), rows)


def observation_table() -> str:
    """Slices of the observation vector."""
    return _slices_table(OBSERVATION_SLICES)


def state_table() -> str:
    """Slices of the state vector behind those of the observation."""
    return _slices_table({k: v for k, v in STATE_SLICES.items() if k not in OBSERVATION_SLICES})


def tokens_table() -> str:
    """Groups of event tokens."""
    rows = [
        (f"`{name}`", f"{first}–{first + size - 1}", str(size), about)
        for name, first, size, about in TOKEN_GROUPS
    ]
    return _table(("tokens", "ids", "number", "meaning"), rows)


def _show(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {value[name]}" for name in CONTRACTS)
    return f"`{value}`"


def _option_meanings() -> dict[str, str]:
    # The meanings stand once, in the docstring of Rules.
    doc = re.sub(r"\n {4,}(?=\S)", "\n", Rules.__doc__ or "")
    found: dict[str, str] = {}
    name = ""
    for line in doc[doc.index("Attributes:") : doc.index("Raises:")].splitlines()[1:]:
        match = re.match(r"(\w+): (.*)", line)
        if match and match[1] in Rules.__dataclass_fields__:
            name = match[1]
            found[name] = match[2]
        elif name and line.strip():
            found[name] += " " + line.strip()
    return found


def options_table() -> str:
    """Options of `Rules` with their values in the presets."""
    meanings = _option_meanings()
    rows = []
    for field in dataclasses.fields(Rules):
        values = " ".join(f"`{choice}`" for choice in CHOICES.get(field.name, ()))
        if not values:
            values = {"bool": "`True` `False`", "str": "letters"}.get(str(field.type), "number")
        if field.name == "tariff":
            values = "mapping"
        presets = [_show(getattr(rules, field.name)) for rules in RULES.values()]
        rows.append((f"`{field.name}`", values, *presets, meanings[field.name]))
    return _table(("option", "values", *(f"`{name}`" for name in RULES), "meaning"), rows)


TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "actions": actions_table,
    "phases": phases_table,
    "cards": cards_table,
    "ranks": ranks_table,
    "observation": observation_table,
    "state": state_table,
    "tokens": tokens_table,
    "options": options_table,
}
"""Makers of the tables by the name that pages use."""

_REGION = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end table -->)", re.DOTALL)


def with_tables(text: str) -> str:
    """Returns a page with every table in it made anew.

    Raises:
        KeyError: the page asks for a table that does not exist.
    """
    return _REGION.sub(lambda m: f"{m[1]}{TABLES[m[2]]()}\n{m[3]}", text)


def main(folder: str = "docs") -> list[str]:
    """Rewrites the tables of all pages of a folder; returns the names of the pages that changed."""
    changed = []
    for path in sorted(Path(folder).glob("*.md")):
        text = path.read_text(encoding="utf-8")
        new = with_tables(text)
        if new != text:
            write_text_atomic(path, new)
            changed.append(path.name)
    return changed


if __name__ == "__main__":
    for page in main(*sys.argv[1:2]):
        sys.stdout.write(f"rewrote {page}\n")
