"""Deal records: a deal as one JSON object that replays to the same state anywhere."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from marias_env.actions import ACTION_IDS, ACTIONS, OVER, PHASES
from marias_env.batch import DealBatch
from marias_env.cards import CARD_IDS, CARDS
from marias_env.checks import deck_ids
from marias_env.core import kernels
from marias_env.core.history import history_of
from marias_env.errors import DeckError, RecordError, RulesError
from marias_env.files import parse_json, write_bytes_atomic
from marias_env.rules import RULES, Rules, preset_and_options, rules_with_options

FORMAT: Final = "marias-deal/1"
"""Value of the key `format`: the name and version of the layout."""
KEYS: Final = ("format", "rules", "options", "dealer", "deck", "actions", "payments")
"""The keys every record has; further ones are kept and not looked at."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "UTF-8 with a byte order mark"),
    (codecs.BOM_UTF32_LE, "UTF-32"),  # begins as UTF-16 does
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
"""Byte order marks of text files that editors save."""

Record = dict[str, Any]
"""A deal record as `json.loads` returns it."""


def record_of(batch: DealBatch, row: int = 0, **extra: Any) -> Record:
    """Returns the record of one row: the deal from its deck to its present state.

    A deal inside a match is recorded on its own, without the deals before it.

    Args:
        batch: any batch. In a batch that resets itself a finished deal is already gone.
        row: index of the row.
        **extra: further keys, such as `agents=["rules", "random", "rules"]`; JSON values.

    Raises:
        IndexError: no such row.
        RecordError: an extra key is one of the format's own.
    """
    deal = batch.deals[row]
    for key in extra:
        if key in KEYS:
            raise RecordError(f"extra key {key!r} is one of the format's own keys")
    preset, options = preset_and_options(batch.rules)
    return {
        "format": FORMAT,
        "rules": preset,
        "options": options,
        "dealer": int(deal["dealer"]),
        "deck": [CARDS[card] for card in deal["deck"][: batch.rules.num_cards].tolist()],
        "actions": [[seat, ACTIONS[action]] for seat, action in history_of(deal)],
        "payments": deal["payments"].tolist() if deal["phase"] == OVER else None,
        **extra,
    }


def replay(record: Mapping[str, Any]) -> DealBatch:
    """Returns the state a record describes, finished or not: one row, autoreset disabled.

    Raises:
        RecordError: the record is malformed or illegal. Its `index` is that of the first bad
            action, None where head, deck or payments are at fault.
    """
    rules, deck, dealer = _head(record)
    payments = _payments(record["payments"])
    batch = play_actions(rules, deck, dealer, record["actions"])
    deal = batch.deals[0]
    if deal["phase"] != OVER:
        if payments is not None:
            raise RecordError(
                f"payments: {payments}; expected null, since the deal is unfinished "
                f"(seat {deal['turn']} to act in phase {PHASES[deal['phase']]})"
            )
        return batch
    paid = deal["payments"].tolist()
    if payments != paid:
        given = "null" if payments is None else payments
        raise RecordError(f"payments: {given}; expected {paid}, since the deal is finished")
    return batch


def validate(record: Mapping[str, Any]) -> None:
    """Checks a record from head to payments.

    Raises:
        RecordError: as `replay`.
    """
    replay(record)


def beginning(record: Mapping[str, Any], actions: int) -> Record:
    """Returns a record cut off after so many actions.

    Raises:
        RecordError: it has fewer.
    """
    there = len(record["actions"])
    if actions > there:
        raise RecordError(f"it has {there} actions; there is no position after {actions}")
    if actions == there:
        return dict(record)
    return {**record, "actions": record["actions"][:actions], "payments": None}


def each_position(record: Mapping[str, Any]) -> Iterator[DealBatch]:
    """Yields the deal before each action of a record and after the last, each a batch of one row.

    Raises:
        RecordError: as `replay`, before anything is yielded.
    """
    actions = [action for _, action in history_of(replay(record).deals[0])]
    batch = replay(beginning(record, 0))
    for action in actions:
        yield batch.copy()
        batch.step(np.array([action]))
    yield batch


def play_actions(
    rules: Rules, deck: Sequence[int], dealer: int, actions: Any, check_seats: bool = True
) -> DealBatch:
    """Deals a deck and plays actions as records write them.

    Args:
        rules: rule set.
        deck: card ids, an ordering of exactly the cards of the rules.
        dealer: seat 0, 1 or 2.
        actions: list of `[seat, action text]`; anything else is refused.
        check_seats: whether a seat that is not on turn is refused; else seats are not looked at.

    Raises:
        RecordError: with the index of the first action that is malformed or not legal.
    """
    if not isinstance(actions, (list, tuple)):
        raise RecordError(f"actions: {_short(actions)}; expected a list of [seat, action] pairs")
    seats: list[int] = []
    ids: list[int] = []
    malformed: str | None = None
    for pair in actions:
        malformed = _malformed(pair)
        if malformed is not None:
            break
        seats.append(int(pair[0]))
        ids.append(ACTION_IDS[pair[1]])
    batch = DealBatch(1, rules, seed=0, autoreset=False)
    batch.set_decks(np.asarray(deck, dtype=np.int64), dealer)
    # What comes before a malformed action is played first: if illegal, that is the first bad one.
    bad = int(
        kernels.replay_row(
            batch.deals,
            batch.packed_rules,
            np.asarray(ids, dtype=np.int64),
            np.asarray(seats if check_seats else [-1] * len(seats), dtype=np.int64),
        )
    )
    if bad >= 0:
        seat = seats[bad] if check_seats else int(batch.deals["turn"][0])
        raise RecordError(_illegal(batch, seat, ids[bad]), bad)
    if malformed is not None:
        raise RecordError(malformed, len(ids))
    if batch.deals["phase"][0] == OVER:
        batch._payments[0] = batch.deals["payments"][0]
    return batch


def read_records(path: str | Path, check: bool = True) -> list[Record]:
    """Returns the records of a file, one JSON object a line, unknown keys included.

    Args:
        path: `.jsonl`, or `.jsonl.gz` for a compressed file.
        check: validate every record.

    Raises:
        OSError: the file cannot be read.
        RecordError: a line is not a JSON object or, with `check`, not a valid record. The reason
            names the line, counted from 1.
    """
    records: list[Record] = []
    for number, found in each_record(path, check):
        if isinstance(found, RecordError):
            raise RecordError(f"line {number}: {found.reason}", found.index) from found
        records.append(found)
    return records


def each_record(path: str | Path, check: bool = True) -> Iterator[tuple[int, Record | RecordError]]:
    """Yields each line's number, from 1, with its record or what is wrong with it; not empty lines.

    Args:
        path: `.jsonl`, or `.jsonl.gz` for a compressed file.
        check: validate every record.

    Raises:
        OSError: the file cannot be read.
        RecordError: the file as a whole is at fault: a broken gzip file, or not UTF-8 text.
    """
    for number, line in enumerate(_contents(Path(path)).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = parse_record(line)
            if check:
                validate(record)
        except RecordError as error:
            yield number, error
        else:
            yield number, record


def _contents(path: Path) -> bytes:
    raw = path.read_bytes()
    if path.suffix == ".gz":
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise RecordError(f"{path.name}: truncated or not a gzip file: {error}") from error
    for mark, name in _MARKS:
        if raw.startswith(mark):
            raise RecordError(f"{path.name}: {name}; expected UTF-8 without a byte order mark")
    if b"\0" in raw[:4]:  # the first character of a JSON object is ASCII
        raise RecordError(f"{path.name}: UTF-16 or not text; expected UTF-8")
    return raw


def parse_record(line: str | bytes) -> Record:
    """Returns the JSON object of one line, its contents unchecked.

    Raises:
        RecordError: not a complete JSON object, or one that holds what records never hold: NaN,
            infinities, a key twice.
    """
    try:
        record = parse_json(line)
    except ValueError as error:
        raise RecordError(f"truncated or not JSON: {error}") from error
    if not isinstance(record, dict):
        raise RecordError(f"{_short(record)}; expected a JSON object")
    return record


def write_records(
    path: str | Path, records: Iterable[Mapping[str, Any]], check: bool = True
) -> int:
    """Writes records to a file, one a line; a file of that name appears only when it is complete.

    Args:
        path: `.jsonl`, or `.jsonl.gz` to compress. An existing file is replaced.
        records: the records.
        check: validate every record before it is written.

    Returns:
        The number of records.

    Raises:
        OSError: the file cannot be written.
        RecordError: a record is not valid or holds values that JSON has not; nothing is written.
    """
    path = Path(path)
    lines: list[str] = []
    for number, record in enumerate(records, start=1):
        try:
            if check:
                validate(record)
            lines.append(json.dumps(dict(record), separators=(", ", ": "), allow_nan=False))
        except RecordError as error:
            raise RecordError(f"line {number}: {error.reason}", error.index) from error
        except (TypeError, ValueError, RecursionError) as error:
            raise RecordError(f"line {number}: not a JSON object: {error}") from error
    raw = "".join(line + "\n" for line in lines).encode()
    if path.suffix == ".gz":
        raw = gzip.compress(raw, mtime=0)  # no time stamp: equal records give equal files
    write_bytes_atomic(path, raw)
    return len(lines)


# ---------------------------------------------------------------------- checks of the parts


def _head(record: Any) -> tuple[Rules, list[int], int]:
    # Everything before the actions.
    if not isinstance(record, Mapping):
        raise RecordError(f"{_short(record)}; expected a JSON object")
    missing = [key for key in KEYS if key not in record]
    if missing:
        raise RecordError(f"missing {', '.join(missing)}")
    layout, preset, options = record["format"], record["rules"], record["options"]
    if not isinstance(layout, str) or layout != FORMAT:
        raise RecordError(f"format: {_short(layout)}; expected {FORMAT!r}")
    if not isinstance(preset, str) or preset not in RULES:
        raise RecordError(f"rules: {_short(preset)}; expected one of {', '.join(RULES)}")
    if not isinstance(options, Mapping):
        raise RecordError(f"options: {_short(options)}; expected an object")
    try:
        rules = rules_with_options(preset, options)
    except RulesError as error:
        raise RecordError(f"options: {_cut(str(error), 300)}") from error
    except (ValueError, RecursionError) as error:  # a value that Python cannot even print
        raise RecordError(f"options: {_short(options)}; not such values") from error
    dealer = record["dealer"]
    if not _is_int(dealer) or not 0 <= dealer <= 2:
        raise RecordError(f"dealer: {_short(dealer)}; expected a seat 0, 1 or 2")
    deck = record["deck"]
    if not isinstance(deck, (list, tuple)) or not all(isinstance(card, str) for card in deck):
        raise RecordError(f"deck: {_short(deck)}; expected a list of card texts")
    for card in deck:
        if card not in CARD_IDS:
            raise RecordError(f"deck: {_short(card)} is not a card")
    try:
        return rules, deck_ids(deck, rules), int(dealer)
    except DeckError as error:
        raise RecordError(str(error)) from error


def _payments(payments: Any) -> list[int] | None:
    if payments is None:
        return None
    if (
        not isinstance(payments, (list, tuple))
        or len(payments) != 3
        or not all(_is_int(units) for units in payments)
    ):
        raise RecordError(f"payments: {_short(payments)}; expected null or three whole numbers")
    return [int(units) for units in payments]


def _malformed(pair: Any) -> str | None:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        return f"{_short(pair)}; expected [seat, action]"
    seat, text = pair
    if not _is_int(seat) or not 0 <= seat <= 2:
        return f"seat {_short(seat)}; expected 0, 1 or 2"
    if not isinstance(text, str) or text not in ACTION_IDS:
        return f"{_short(text)} is not an action"
    return None


def _illegal(batch: DealBatch, seat: int, action: int) -> str:
    # Why the state does not take an action; `replay_row` has stopped in front of it.
    deal = batch.deals[0]
    if deal["phase"] == OVER:
        return f"{ACTIONS[action]}: the deal is over"
    if seat != deal["turn"]:
        return f"seat {seat} {ACTIONS[action]}: seat {deal['turn']} is on turn"
    legal = ", ".join(ACTIONS[a] for a in range(len(ACTIONS)) if int(deal["legal"]) >> a & 1)
    return (
        f"seat {seat} {ACTIONS[action]}: not legal in phase {PHASES[deal['phase']]}; "
        f"expected one of {legal}"
    )


def _is_int(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _short(value: Any) -> str:
    # A message stays one readable line, whatever the file holds.
    try:
        text = repr(value)
    except Exception:  # nested beyond Python's recursion limit, or an integer too long to print
        return f"a {type(value).__name__}"
    return _cut(text, 60)


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 3] + "..."
