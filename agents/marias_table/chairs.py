"""A chair of a table: whose it is, and whether he is there."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass
class Chair:
    """One of the three chairs.

    Attributes:
        kind: `person`, `agent` or `open`.
        name: what people read; of an agent its spec.
        agent: spec of the agent whose chair it is.
        token: hash of the person's token.
        host: whether the person made the table.
        connections: how many connections of the person there are now.
        away: no connection for longer than the grace, or left: an agent plays.
        was_away: the others have been told so.
        ready: has asked for the next deal.
    """

    kind: str
    name: str = ""
    agent: str | None = None
    token: str | None = None
    host: bool = False
    connections: int = 0
    away: bool = False
    was_away: bool = False
    ready: bool = False

    @property
    def present(self) -> bool:
        """A person who is there, or was a moment ago."""
        return self.kind == "person" and not self.away
