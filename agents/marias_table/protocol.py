"""What a client may say: the messages of `marias-table/1`, read from JSON and checked.

docs/protocol.md describes both directions; the shapes of what the server says are in `messages`.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from marias_env.errors import MariasError

PROTOCOL: Final = "marias-table/1"
"""Name and version; a client says it in its first message."""
MAX_MESSAGE: Final = 8192
"""Bytes of the longest message a client may send."""
MAX_TOLD: Final = 400
"""Characters of an error's message."""
MAX_NAME: Final = 24
"""Characters of a player's name."""
MAX_DEALS: Final = 999
"""Deals of the longest match."""


class ErrorCode(str, enum.Enum):
    """Why something was refused. A refused message changes nothing."""

    BAD_MESSAGE = "bad_message"
    """Not JSON, no such type, or a field that is missing, unknown or of the wrong kind."""
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"
    TOO_FAST = "too_fast"
    """More messages than the limit; later ones are heard again."""
    NOT_ENTERED = "not_entered"
    """The first message must be `create`, `join`, `enter` or `watch`."""
    ALREADY_ENTERED = "already_entered"
    """One connection is at one table."""
    BAD_TOKEN = "bad_token"
    """The token opens nothing (never did, or its table has been closed)."""
    TABLE_FULL = "table_full"
    """No chair is open to who was invited."""
    SEAT_TAKEN = "seat_taken"
    TOO_MANY_TABLES = "too_many_tables"
    TOO_MANY_SOCKETS = "too_many_sockets"
    NOT_ALLOWED = "not_allowed"
    """Spectators only watch; some things are the host's."""
    NOT_YOUR_TURN = "not_your_turn"
    STALE = "stale"
    """Said about a position that is no longer there."""
    ILLEGAL_ACTION = "illegal_action"
    WRONG_TIME = "wrong_time"
    """Not in this phase, such as `next` in the middle of a deal."""
    BAD_RULES = "bad_rules"
    BAD_AGENT = "bad_agent"
    """Not one of the agents that this server offers."""
    BAD_NAME = "bad_name"
    BUSY = "busy"
    """The answer to an earlier request of this kind is still being worked out."""
    FAILED = "failed"
    """The server could not do it; the table is as it was."""


class ProtocolError(MariasError):
    """A message that is refused, or a server's limit that is reached.

    Attributes:
        code: why, for programs.
        extra: further fields of the answer, such as `rule`.
        re: the `id` of the message, None where it could not be read.
    """

    def __init__(self, code: ErrorCode, message: str, re: int | None = None, **extra: Any) -> None:
        # What a client made too long does not come back at its whole length.
        super().__init__(message if len(message) <= MAX_TOLD else message[: MAX_TOLD - 3] + "...")
        self.code = code
        self.extra = extra
        self.re = re


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


Token = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Name = Annotated[str, Field(max_length=4 * MAX_NAME)]
Language = Literal["en", "cs"]
SeatNumber = Annotated[int, Field(ge=0, le=2)]
Counter = Annotated[int, Field(ge=0, le=2**53)]


class AgentSeat(_Message):
    """A chair that an agent sits in."""

    agent: Annotated[str, Field(max_length=80)]
    """One of the specs that the form offers."""


class MatchSetup(_Message):
    """How long a match lasts (`marias_env.Match`)."""

    deals: Annotated[int, Field(ge=1, le=MAX_DEALS)]
    points: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class Setup(_Message):
    """What is played at a new table, and by whom."""

    rules: Annotated[str, Field(max_length=40)] = "traditional"
    options: Annotated[dict[str, Any], Field(max_length=40)] = Field(default_factory=dict)
    """Fields of `Rules` that differ from the preset."""
    match: MatchSetup | Literal["standard"] | None = None
    """None: single deals, as many as people like, with a running score."""
    seats: (
        tuple[
            AgentSeat | Literal["me", "open"],
            AgentSeat | Literal["me", "open"],
            AgentSeat | Literal["me", "open"],
        ]
        | None
    ) = None
    """Who sits where, `me` exactly once; None: the host and two of the server's agents."""
    spectators: Literal["nobody", "table", "cards"] = "table"
    """What a spectator sees: the open table only, or all cards; or nobody may watch."""
    hints: bool = True
    """Whether people may ask for an agent's advice during a deal."""


class Create(_Message):
    """A new table; who says it is its host."""

    type: Literal["create"]
    protocol: str
    id: Counter = 0
    name: Name = ""
    language: Language = "en"
    setup: Setup = Field(default_factory=Setup)


class Join(_Message):
    """Sits down in an open chair, with the token of an invitation link."""

    type: Literal["join"]
    protocol: str
    id: Counter = 0
    invite: Token
    name: Name = ""
    language: Language = "en"
    seat: SeatNumber | None = None


class Enter(_Message):
    """Comes back to the own chair."""

    type: Literal["enter"]
    protocol: str
    id: Counter = 0
    token: Token
    language: Language = "en"
    since: Counter | None = None
    """The last `seq` that was heard."""


class Watch(_Message):
    """Looks on, with the token of a spectator link."""

    type: Literal["watch"]
    protocol: str
    id: Counter = 0
    watch: Token
    language: Language = "en"
    since: Counter | None = None


class Act(_Message):
    """An action in the deal."""

    type: Literal["action"]
    id: Counter = 0
    deal: Counter
    at: Counter
    """`deal` and `at` of the state that the person saw: a second click is stale, not a card."""
    action: Annotated[str, Field(max_length=16)]
    revoke: bool = False
    """A card that the rules forbid is meant, where they know revokes (RULES.md 6e)."""


class Hint(_Message):
    """What would an agent do here, and why."""

    type: Literal["hint"]
    id: Counter = 0


class AskAnalysis(_Message):
    """What each card of the finished deal cost, and what could have been bid."""

    type: Literal["analysis"]
    id: Counter = 0


class Next(_Message):
    """Ready for the next deal, or for the next match."""

    type: Literal["next"]
    id: Counter = 0


class Start(_Message):
    """The host begins though chairs are open; agents sit in until somebody joins."""

    type: Literal["start"]
    id: Counter = 0


class Leave(_Message):
    """Gets up: an agent plays on until the person returns with `enter`."""

    type: Literal["leave"]
    id: Counter = 0


class Rename(_Message):
    """Another name."""

    type: Literal["rename"]
    id: Counter = 0
    name: Name


class SetLanguage(_Message):
    """Another language for everything this connection is told."""

    type: Literal["language"]
    id: Counter = 0
    language: Language


class ChangeSeat(_Message):
    """The host puts an agent in a chair, or opens it; only chairs without a person."""

    type: Literal["seat"]
    id: Counter = 0
    seat: SeatNumber
    agent: Annotated[str, Field(max_length=80)] | None
    """None opens the chair."""


class CloseTable(_Message):
    """The host ends the table for good."""

    type: Literal["close"]
    id: Counter = 0


class Sync(_Message):
    """Asks for the state again."""

    type: Literal["sync"]
    id: Counter = 0
    since: Counter | None = None


class Ping(_Message):
    """Is anybody there?"""

    type: Literal["ping"]
    id: Counter = 0


Entrance = Create | Join | Enter | Watch
"""The first message of a connection."""
Request = (
    Act
    | Hint
    | AskAnalysis
    | Next
    | Start
    | Leave
    | Rename
    | SetLanguage
    | ChangeSeat
    | CloseTable
    | Sync
    | Ping
)
"""Every later one."""

_READER: TypeAdapter[Entrance | Request] = TypeAdapter(
    Annotated[Entrance | Request, Field(discriminator="type")]
)


def parse(raw: str | bytes) -> Entrance | Request:
    """Reads one message.

    Raises:
        ProtocolError: it is too long, not JSON, of no known type, or a field is wrong.
    """
    if len(raw) > MAX_MESSAGE:
        raise ProtocolError(
            ErrorCode.BAD_MESSAGE, f"a message of {len(raw)} bytes; expected at most {MAX_MESSAGE}"
        )
    try:
        message = _READER.validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        # The discriminator's own place is the type's name, which is not a field of the message.
        where = ".".join(str(part) for part in first["loc"][1:])
        told = f"{where}: {first['msg']}" if where else first["msg"]
        raise ProtocolError(ErrorCode.BAD_MESSAGE, told) from None
    except RecursionError:
        raise ProtocolError(ErrorCode.BAD_MESSAGE, "nested too deeply") from None
    if isinstance(message, Entrance) and message.protocol != PROTOCOL:
        raise ProtocolError(
            ErrorCode.UNSUPPORTED_PROTOCOL,
            f"protocol {message.protocol[:40]!r}; this server speaks {PROTOCOL!r}",
            message.id,
        )
    return message
