"""One sitting at the terminal's table, and the file that it goes on from: a record for each deal.

The file is a file of deal records like any other; what else a sitting needs stands in further keys
of each record. It is written whole after every action, so whatever ends the process, nothing is
lost; and cards to come follow from the seed in it, so an interruption changes none of them.
"""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from marias_env.actions import ACTION_IDS, OVER
from marias_env.errors import MariasError
from marias_env.files import dump_json, write_text_atomic
from marias_env.match import Match
from marias_env.records import Record, read_records, record_of
from marias_env.rules import Rules, rules_with_options
from marias_table.chairs import Chair
from marias_table.journal import Journal
from marias_table.protocol import MatchSetup
from marias_table.room import PERSON, Room, Terms

MAX_SEED: Final = 2**53
"""Seeds are below it: every reader of JSON has these numbers exactly."""
KEY: Final = "sitting"
"""The key of a record that makes its file one that can be gone on with."""


class SittingError(MariasError):
    """The file of a sitting cannot be gone on with, or is not what it was."""


class _Saved(BaseModel):
    """What a record holds of its sitting."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    seed: Annotated[int, Field(ge=0, lt=MAX_SEED)]
    match: MatchSetup | None
    number: Annotated[int, Field(ge=1)]
    """Which deal of its match, or of the sitting, this one is."""
    language: Literal["en", "cs"]


class _Seat(BaseModel):
    """Who sits in a chair."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    kind: Literal["person", "agent"]
    agent: str | None = None


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is played, and by whom.

    Attributes:
        rules: the rule set.
        match: None for single deals.
        seats: specs of agents; None where the person sits, at most once.
        name: the person's.
        seed: what all cards follow from.
        language: `en` or `cs`.
    """

    rules: Rules
    match: Match | None
    seats: tuple[str | None, str | None, str | None]
    name: str
    seed: int
    language: str


class Sitting(Room):
    """A table where nobody comes and goes.

    Args:
        plan: what is played.
        path: the file.
    """

    def __init__(self, plan: Plan, path: Path) -> None:
        self.plan = plan
        self.path = path
        chairs = [
            Chair(PERSON, plan.name, host=True)
            if spec is None
            else Chair("agent", spec, agent=spec)
            for spec in plan.seats
        ]
        self.person = next((seat for seat, spec in enumerate(plan.seats) if spec is None), None)
        self._cards = random.Random(f"{plan.seed}/0")
        self.file = SittingFile(self, path)
        super().__init__(Terms(plan.rules, plan.match), chairs, self.file, self._cards)

    @property
    def paused(self) -> bool:
        """Never: without a person the agents play for whoever watches."""
        return False

    @property
    def over(self) -> bool:
        """Whether the deal on the table has ended."""
        return bool(self.batch.deals["phase"][0] == OVER)

    def _deal(self, first: bool = False) -> None:
        # Each deal's cards follow from the seed and its number, whatever came between.
        self._cards.seed(f"{self.plan.seed}/{self.deal + 1}")
        super()._deal(first)

    def next_deal(self) -> None:
        """Deals, once the deal before is over."""
        self._deal()


class SittingFile(Journal):
    """Writes the file of a sitting.

    Args:
        sitting: the sitting.
        path: where.
    """

    def __init__(self, sitting: Sitting, path: Path) -> None:
        self.sitting = sitting
        self.path = path
        self.by: list[str] = []
        self._earlier: list[str] = []
        self._last = ""
        self._mark: tuple[int, ...] | None = None

    def dealt(self, deal: int, dealer: int, deck: Sequence[str], first_of_match: bool) -> None:
        """Begins a line."""
        if self._last:
            self._earlier.append(self._last)
        self.by = []
        self.write()

    def acted(self, deal: int, at: int, seat: int, action: int, by: str) -> None:
        """Writes the deal with its new action."""
        self.by.append(by)
        self.write()

    def seat(self, seat: int, chair: Chair) -> None:
        """Writes who sits there now."""
        if self.sitting.started:
            self.write()

    def write(self) -> None:
        """Writes the file.

        Raises:
            SittingError: somebody else has written it meanwhile; it is left alone.
            OSError: it cannot be written.
        """
        if self._mark is not None and self._mark != _mark(self.path):
            raise SittingError(f"{self.path}: changed by another program; expected this one alone")
        self._last = dump_json(self.record())
        write_text_atomic(self.path, "".join(line + "\n" for line in (*self._earlier, self._last)))
        self._mark = _mark(self.path)

    def record(self) -> Record:
        """Returns the deal on the table as a record."""
        sitting = self.sitting
        match = sitting.terms.match
        players = sitting.players()
        # The payments of a deal that is over are in the history, or about to be.
        number = int(sitting.batch.deals["match_deals"][0]) + (0 if sitting.over else 1)
        return record_of(
            sitting.batch,
            players=[player["name"] for player in players],
            seats=[{k: v for k, v in player.items() if k != "name"} for player in players],
            by=list(self.by),
            deal=sitting.deal,
            time=round(time.time(), 3),
            sitting={
                "seed": sitting.plan.seed,
                "match": match and {"deals": match.deals, "points": match.points},
                "number": number,
                "language": sitting.plan.language,
            },
        )

    def go_on(self, records: Sequence[Record]) -> None:
        """Takes over what the file holds."""
        self._earlier = [dump_json(record) for record in records[:-1]]
        self._last = dump_json(records[-1])
        self.by = [str(by) for by in records[-1].get("by", ())]
        self._mark = _mark(self.path)


def begin(plan: Plan, path: Path) -> Sitting:
    """Deals the first deal of a new sitting.

    Raises:
        SittingError: there is a file already.
        OSError: it cannot be written.
    """
    if path.exists():
        raise SittingError(f"{path}: there already; --resume goes on with it")
    sitting = Sitting(plan, path)
    sitting.begin()
    return sitting


def resume(path: Path, language: str | None = None) -> Sitting:
    """Returns a sitting where its file says that it stood.

    Args:
        path: the file.
        language: from now on; None: as it was.

    Raises:
        OSError: the file cannot be read.
        RecordError: it holds a bad record.
        SittingError: it is no file of a sitting.
    """
    records = read_records(path)
    if not records:
        raise SittingError(f"{path}: empty; expected a file that marias play has written")
    last = records[-1]
    try:
        saved, seats, name = _read(last)
        plan = Plan(
            rules_with_options(last["rules"], last["options"]),
            None if saved.match is None else Match(saved.match.deals, saved.match.points),
            seats,
            name,
            saved.seed,
            language or saved.language,
        )
        history = _history(records, saved.number)
        sitting = Sitting(plan, path)
        sitting.resume(
            int(last["deal"]),
            last["dealer"],
            last["deck"],
            [ACTION_IDS[action] for _, action in last["actions"]],
            history,
            0,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SittingError(
            f"{path}: {_short(error)}; expected a file that marias play has written"
        ) from error
    sitting.file.go_on(records)
    return sitting


def latest(folder: Path) -> Path:
    """Returns the file of a folder that was written last.

    Raises:
        SittingError: there is none.
    """
    found = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    if not found:
        raise SittingError(f"{folder}: no game to go on with; expected one begun with marias play")
    return found[-1]


def _read(record: Record) -> tuple[_Saved, tuple[str | None, str | None, str | None], str]:
    if KEY not in record:
        raise KeyError(f"no key {KEY!r} in its last record")
    saved = _Saved.model_validate(record[KEY])
    chairs = [_Seat.model_validate(seat) for seat in record["seats"]]
    names = record["players"]
    if len(chairs) != 3 or len(names) != 3 or not all(isinstance(name, str) for name in names):
        raise ValueError("seats and players; expected three each")
    people = [seat for seat, chair in enumerate(chairs) if chair.kind == PERSON]
    if len(people) > 1:
        raise ValueError("two people; expected one at most")
    specs = [chair.agent if chair.kind != PERSON else None for chair in chairs]
    if any(spec is None for seat, spec in enumerate(specs) if seat not in people):
        raise ValueError("an agent without a spec")
    by = record["by"]
    if not isinstance(by, list) or len(by) != len(record["actions"]):
        raise ValueError("by; expected an entry for each action")
    return saved, (specs[0], specs[1], specs[2]), names[people[0]] if people else ""


def _history(records: Sequence[Record], number: int) -> list[list[int]]:
    # Payments of the finished deals of the match that the last record belongs to.
    if number > len(records):
        raise ValueError(f"deal {number} of its match, in a file of {len(records)}")
    ended = records[len(records) - number :]
    payments = [record["payments"] for record in ended]
    if any(paid is None for paid in payments[:-1]):
        raise ValueError("an unfinished deal before the last one")
    return [list(paid) for paid in payments if paid is not None]


def _mark(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _short(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return str(error.args[0]) if error.args else type(error).__name__
