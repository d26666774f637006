"""What a server allows, and which agents it offers."""

from __future__ import annotations

import dataclasses
from typing import Final

from marias_env.options import Bound, Real, Whole, check_fields

LIMIT_BOUNDS: Final[dict[str, Bound]] = {
    "tables": Whole(1),
    "tables_per_address": Whole(1),
    "sockets": Whole(1),
    "sockets_per_address": Whole(1),
    "messages_per_second": Real(0, above=True),
    "burst": Real(1),
    "grace": Real(0),
    "unload": Real(0),
    "idle_hours": Real(0, above=True),
}


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a server allows.

    Attributes:
        tables: open tables, those in the store that nobody is at included.
        tables_per_address: tables that one address may make an hour.
        sockets: connections.
        sockets_per_address: connections of one address.
        messages_per_second: of one connection, in the long run.
        burst: messages of one connection at once.
        grace: seconds without a connection until an agent plays for a person.
        unload: seconds until a table that nobody is at leaves the memory (it stays in the store).
        idle_hours: hours until a table where nothing happens is closed.
    """

    tables: int = 1000
    tables_per_address: int = 60
    sockets: int = 2000
    sockets_per_address: int = 100
    messages_per_second: float = 10.0
    burst: float = 30.0
    grace: float = 30.0
    unload: float = 300.0
    idle_hours: float = 72.0

    def __post_init__(self) -> None:
        check_fields(self, LIMIT_BOUNDS, ValueError, "limit ")


@dataclasses.dataclass(frozen=True)
class Offer:
    """Which agents a server offers.

    Attributes:
        agents: specs that may take a chair; nothing else is ever made from what a client says.
        opponent: who sits at a table whose maker named nobody.
        stand_in: who plays for the absent.
        adviser: who gives hints.
    """

    agents: tuple[str, ...] = ("rules", "random")
    opponent: str = "rules"
    stand_in: str = "rules"
    adviser: str = "rules"

    @property
    def specs(self) -> list[str]:
        """Every agent that may be asked for anything."""
        return list(dict.fromkeys([*self.agents, self.opponent, self.stand_in, self.adviser]))
