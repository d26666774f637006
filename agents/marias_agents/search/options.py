"""The options of a search agent, as its name spells them: `pimc:10,threads=2,bids=rules`."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from marias_env.errors import AgentError

CHOICES: Final = {
    "bids": ("play", "solve", "rules"),
    "cards": ("search", "play", "solve", "rules"),
}
"""Options that are words, and the words they take."""
RANGES: Final = {
    "worlds": (1, 10_000),
    "plays": (1, 1000),
    "bid_worlds": (1, 1000),
    "ms": (0, 1_000_000),
    "threads": (1, 64),
    "cap": (0, 1_000_000),
}
"""Options that are numbers, and their least and greatest values."""


@dataclasses.dataclass(frozen=True)
class PimcOptions:
    """How `pimc` searches.

    Attributes:
        worlds: worlds solved for a card of the first trick; later tricks get more, and playing a
            world out is so much cheaper that more are played out than solved.
        bids: how options in the bidding are valued: `play`: the rules player bids and plays on;
            `solve`: it bids on, and the play is solved double dummy with a skill correction;
            `rules`: they are not searched.
        cards: how cards are valued: `search`: half by the solver, half by playing out; `solve` or
            `play`: by one of them; `rules`: they are not searched.
        plays: worlds played out for a card, for each of `worlds`.
        bid_worlds: worlds for a decision in the bidding, for each of `worlds`.
        cap: payments in the bidding count up to so many units per opponent; 0: as they are.
        ms: look at no more worlds after so many milliseconds a decision; 0: no limit. With a limit
            decisions depend on the machine.
        threads: how many threads work on one call.
    """

    worlds: int = 10
    bids: str = "play"
    cards: str = "search"
    plays: int = 20
    bid_worlds: int = 100
    cap: int = 64
    ms: int = 0
    threads: int = 1


def parse_options(argument: str) -> PimcOptions:
    """Reads the argument of a spec: `10`, or `10,ms=200,threads=2`.

    Raises:
        AgentError: an unknown option, or a value out of range.
    """
    values: dict[str, Any] = {}
    for number, part in enumerate(argument.split(",") if argument else []):
        name, sign, value = part.strip().partition("=")
        if number == 0 and not sign:
            name, value = "worlds", name
        values[name] = _value(name, value, part)
    return PimcOptions(**values)


def _value(name: str, value: str, part: str) -> str | int:
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise AgentError(f"agent 'pimc': {part!r}; expected one of {', '.join(CHOICES[name])}")
        return value
    if name not in RANGES:
        raise AgentError(
            f"agent 'pimc': {part!r}; expected a number of worlds, then any of "
            f"{', '.join(sorted({*CHOICES, *RANGES}))} with =value"
        )
    low, high = RANGES[name]
    if not value.isdecimal() or not low <= int(value) <= high:
        raise AgentError(f"agent 'pimc': {part!r}; expected a whole number from {low} to {high}")
    return int(value)
