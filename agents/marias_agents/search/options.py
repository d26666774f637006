"""The options of a search agent, as its name spells them: `pimc:10,threads=2,bids=rules`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from marias_env.errors import AgentError
from marias_env.options import Bound, Choice, Whole, check_fields

BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {
        "worlds": Whole(1, 10_000),
        "bids": Choice("rules", "play", "solve"),
        "cards": Choice("search", "play", "solve", "rules"),
        "models": Choice("mixed", "rules"),
        "plays": Whole(1, 1000),
        "bid_worlds": Whole(1, 1000),
        "cap": Whole(0, 1_000_000),
        "ms": Whole(0, 1_000_000),
        "threads": Whole(1, 64),
    }
)


@dataclasses.dataclass(frozen=True)
class PimcOptions:
    """How `pimc` searches.

    Attributes:
        worlds: worlds solved for a card of the first trick; later tricks get more, and playing a
            world out is so much cheaper that more are played out than solved.
        bids: how options in the bidding are valued: `rules`: they are not searched, the rules
            player bids (search gains nothing here that could be shown, and loses by doubling);
            `play`: the rules player bids and plays on; `solve`: it bids on, and the play is solved
            double dummy with a skill correction.
        cards: how cards are valued: `search`: half by the solver, half by playing out; `solve` or
            `play`: by one of them; `rules`: they are not searched.
        models: who the others are taken for, in beliefs and in playing out: `mixed`: in each world
            by lot the rules player or a style for tuning; `rules`: always the rules player.
        plays: worlds played out for a card, for each of `worlds`.
        bid_worlds: worlds for a decision in the bidding, for each of `worlds`.
        cap: payments in the bidding count up to so many units per opponent; 0: as they are.
        ms: look at no more worlds after so many milliseconds a decision; 0: no limit. With a limit
            decisions depend on the machine.
        threads: how many threads work on one call.
    """

    worlds: int = 10
    bids: str = "rules"
    cards: str = "search"
    models: str = "mixed"
    plays: int = 20
    bid_worlds: int = 100
    cap: int = 64
    ms: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        check_fields(self, BOUNDS, AgentError, "agent 'pimc': ")


def parse_options(argument: str) -> PimcOptions:
    """Reads the argument of a spec: `10`, or `10,ms=200,threads=2`.

    Raises:
        AgentError: an unknown option, or a value out of range.
    """
    return PimcOptions(**parse_values(argument, BOUNDS, "pimc"))


def parse_values(argument: str, bounds: Mapping[str, Bound], agent: str) -> dict[str, Any]:
    """Reads the argument of a spec that begins with the number of worlds; returns its options.

    Args:
        argument: `10`, or `10,ms=200,threads=2`.
        bounds: of the options there are.
        agent: named in messages.

    Raises:
        AgentError: an unknown option, or a value out of range.
    """
    values: dict[str, Any] = {}
    for number, part in enumerate(argument.split(",") if argument else []):
        name, sign, value = part.strip().partition("=")
        if number == 0 and not sign:
            name, value = "worlds", name
        if name not in bounds:
            raise AgentError(
                f"agent {agent!r}: {part!r}; expected a number of worlds, then any of "
                f"{', '.join(sorted(bounds))} with =value"
            )
        values[name] = bounds[name].read(value)
    return values
