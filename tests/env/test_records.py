from __future__ import annotations

import contextlib
import copy
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marias_env.actions import ACTIONS, OVER
from marias_env.batch import DealBatch
from marias_env.errors import RecordError
from marias_env.records import (
    KEYS,
    read_records,
    record_of,
    replay,
    validate,
    write_records,
)
from marias_env.rules import TARIFF, Rules
from tests.env.helpers import PRESETS, beginning, cases, finished, nodes, rule_sets, traces


def whole(preset: str = "traditional", number: int = 0) -> dict[str, Any]:
    """A finished deal's record, free to be changed."""
    record = copy.deepcopy(traces(preset)[number])
    return {key: record[key] for key in KEYS}


def refused(record: Any) -> RecordError:
    with pytest.raises(RecordError) as caught:
        replay(record)
    return caught.value


# ------------------------------------------------------------------------------ round trips


@pytest.mark.parametrize("preset", PRESETS)
def test_every_beginning_replays_to_the_same_state(preset: str) -> None:
    start = DealBatch(1, preset, seed=7, autoreset=False)
    for batch in nodes(start, seed=7):
        record = json.loads(json.dumps(record_of(batch)))
        again = replay(record)
        for name in batch.deals.dtype.names:
            if name not in ("key", "rng", "episode"):
                assert np.array_equal(again.deals[name], batch.deals[name]), name
        assert np.array_equal(again.payments, batch.payments)
        assert record_of(again) == record


@settings(max_examples=40, deadline=None)
@given(rule_sets(), st.integers(0, 2**32))
def test_options_of_every_kind_survive(rules: Rules, seed: int) -> None:
    batch = finished(1, rules, seed)
    record = json.loads(json.dumps(record_of(batch)))
    assert replay(record).rules == rules
    assert record["payments"] == batch.payments[0].tolist()


def test_options_are_only_what_differs_and_the_tariff_is_whole() -> None:
    batch = DealBatch(1, Rules(tariff={"betl": 7}, max_doublings=3), seed=0)
    record = record_of(batch)
    assert record["rules"] == "traditional"
    assert record["options"] == {"max_doublings": 3, "tariff": {**TARIFF, "betl": 7}}
    record["options"]["tariff"] = {"betl": 7}
    assert replay(record).rules == batch.rules


def test_a_deal_inside_a_match_is_recorded_on_its_own() -> None:
    from marias_env.match import Match

    batch = DealBatch(1, Rules(deck_policy="cut"), seed=3, match=Match(deals=3))
    while not batch.step(batch.sample_legal())[0]:
        pass
    batch.step(batch.sample_legal())
    assert batch.deals["match_deals"][0] == 1
    again = replay(record_of(batch))
    assert np.array_equal(again.deals["hands"], batch.deals["hands"])
    assert np.array_equal(again.legal_mask(), batch.legal_mask())


def test_extra_keys_are_kept_but_may_not_be_the_formats_own() -> None:
    batch = DealBatch(2, seed=0)
    assert record_of(batch, 1, agents=["a", "b"])["agents"] == ["a", "b"]
    with pytest.raises(RecordError):
        record_of(batch, 1, dealer=2)
    with pytest.raises(IndexError):
        record_of(batch, 2)


# ------------------------------------------------------------------------------- what is refused

HEAD_FAULTS: list[tuple[str, Any]] = [
    ("format", "marias-deal/2"),
    ("format", 1),
    ("rules", "klasik"),
    ("rules", None),
    ("rules", ["traditional"]),
    ("options", None),
    ("options", []),
    ("options", {"no_such_option": 1}),
    ("options", {"max_doublings": 17}),
    ("options", {"max_doublings": "3"}),
    ("options", {"max_doublings": True}),
    ("options", {"tariff": {"ramsch": 1}}),
    ("options", {"tariff": {"suit": -1}}),
    ("options", {"hundred_steps": "quadratic"}),
    ("options", {"blind_trump": 1}),
    ("options", {"suits": "sc", "ranks": "789"}),
    ("dealer", 3),
    ("dealer", -1),
    ("dealer", "0"),
    ("dealer", True),
    ("dealer", 1.0),
    ("deck", None),
    ("deck", "7h" * 32),
    ("deck", [0] * 32),
    ("deck", ["7h"] * 32),
    ("actions", None),
    ("actions", {}),
    ("actions", "good"),
    ("payments", [0, 0]),
    ("payments", [0, 0, 0]),
    ("payments", ["4", "-8", "4"]),
    ("payments", [4.0, -8.0, 4.0]),
    ("payments", None),
    ("payments", {}),
]


@pytest.mark.parametrize(("key", "value"), HEAD_FAULTS)
def test_faults_of_the_head_have_no_index(key: str, value: Any) -> None:
    error = refused({**whole(), key: value})
    assert error.index is None
    assert key in error.reason


@pytest.mark.parametrize("key", KEYS)
def test_missing_keys(key: str) -> None:
    record = whole()
    del record[key]
    error = refused(record)
    assert error.index is None
    assert key in error.reason


@pytest.mark.parametrize("record", [None, [], "{}", 3, whole])
def test_what_is_no_object(record: Any) -> None:
    assert refused(record).index is None


def test_values_too_big_or_too_deep_to_print() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for bad in (deep, 10**6000, "x" * 10**6, {"a": deep}, [10**6000]):
        for key in KEYS:
            error = refused({**whole(), key: bad})
            assert error.index is None or key == "actions"
            assert len(str(error)) < 600
        for option in ("dealing", "max_doublings", "tariff", "suits", "blind_trump"):
            assert len(str(refused({**whole(), "options": {option: bad}}))) < 600
        for part in ("deck", "actions"):
            record = whole()
            record[part][3] = bad
            assert len(str(refused(record))) < 600
        record = whole()
        record["actions"][3][1] = bad
        assert refused(record).index == 3
    # Taken apart from the outside, or the interpreter would recurse as deep to free it.
    while deep:
        deep = deep.pop()


def test_deck_faults() -> None:
    error = refused({**whole(), "options": {"suits": "sc", "ranks": "789T"}})
    assert error.index is None
    assert "8 cards" in error.reason
    record = whole()
    record["deck"][0], record["deck"][1] = record["deck"][1], record["deck"][1]
    assert refused(record).index is None
    record = whole()
    record["deck"] = record["deck"][:-1]
    assert refused(record).index is None


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "good",
        [],
        [0],
        [0, "good", 1],
        [3, "7h"],
        [-1, "7h"],
        ["0", "7h"],
        [True, "7h"],
        [0, "7x"],
        [0, 5],
        [0, None],
        [0, ["7h"]],
        {"seat": 0},
    ],
)
def test_malformed_actions(bad: Any) -> None:
    record = whole()
    record["actions"][5] = bad
    assert refused(record).index == 5


def test_the_first_bad_action_counts() -> None:
    record = whole()
    record["actions"][20] = None
    record["actions"][4] = [record["actions"][4][0], "durch"]
    error = refused(record)
    assert error.index == 4
    assert "good" in error.reason


@pytest.mark.parametrize("preset", PRESETS)
def test_a_wrong_seat_anywhere(preset: str) -> None:
    for index in range(len(whole(preset)["actions"])):
        record = whole(preset)
        record["actions"][index][0] = (record["actions"][index][0] + 1) % 3
        assert refused(record).index == index


@pytest.mark.parametrize("preset", PRESETS)
def test_every_illegal_action_anywhere(preset: str) -> None:
    trace = traces(preset)[1]
    for index, legal in enumerate(trace["legal"]):
        for action in set(ACTIONS) - set(legal):
            record = whole(preset, 1)
            record["actions"][index][1] = action
            assert refused(record).index == index


def test_actions_after_the_end() -> None:
    record = whole()
    record["actions"].append([0, "good"])
    error = refused(record)
    assert error.index == len(record["actions"]) - 1
    assert "over" in error.reason


def test_payments_must_fit_the_state() -> None:
    record = whole()
    record["payments"][0] += 1
    assert refused(record).index is None
    record = beginning(whole(), 10)
    validate(record)
    record["payments"] = [0, 0, 0]
    error = refused(record)
    assert error.index is None
    assert "unfinished" in error.reason


def test_a_revoke_is_legal_as_the_last_action_only() -> None:
    found = 0
    for number in range(40):
        trace = traces("traditional")[number]
        batch = replay(beginning(trace, 0))
        for index, (seat, action) in enumerate(trace["actions"]):
            hand = [c for c in range(32) if int(batch.deals["hands"][0][seat]) >> c & 1]
            wrong = [c for c in hand if ACTIONS[c] not in trace["legal"][index]]
            if batch.phase[0] == 7 and wrong:
                record = beginning(trace, index)
                record["options"] = {**record["options"], "illegal_action": "revoke"}
                record["actions"] = [*record["actions"], [seat, ACTIONS[wrong[0]]]]
                payments = [-20 if s == seat else 10 for s in range(3)]
                stake = -int(_revoked(record).payments[0].min()) // 2
                assert stake >= 10
                assert replay({**record, "payments": [u * stake // 10 for u in payments]})
                record["actions"].append([(seat + 1) % 3, "good"])
                assert refused(record).index == index + 1
                found += 1
                break
            batch.step(np.array([ACTIONS.index(action)]))
    assert found > 20


def _revoked(record: dict[str, Any]) -> DealBatch:
    # Plays a record whose payments are not known yet.
    *opening, (_, last) = record["actions"]
    batch = replay({**record, "actions": opening, "payments": None})
    batch.step(np.array([ACTIONS.index(last)]))
    assert batch.phase[0] == OVER
    return batch


# ---------------------------------------------------------------------------------------- fuzz

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["7h", "good", "suit", "traditional", "blind"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def broken_records(draw: st.DrawFn) -> Any:
    """A good record with something replaced, dropped, doubled or swapped anywhere in it."""
    record = whole(draw(st.sampled_from(PRESETS)), draw(st.integers(0, 299)))
    for _ in range(draw(st.integers(1, 3))):
        key = draw(st.sampled_from(KEYS))
        part = record.get(key)
        if isinstance(part, list) and part and draw(st.booleans()):
            at = draw(st.integers(0, len(part) - 1))
            how = draw(st.sampled_from(["set", "drop", "double", "cut", "inner"]))
            if how == "set":
                part[at] = draw(json_values)
            elif how == "drop":
                del part[at]
            elif how == "double":
                part.insert(at, copy.deepcopy(part[at]))
            elif how == "cut":
                del part[at:]
            elif isinstance(part[at], list) and part[at]:
                part[at][draw(st.integers(0, len(part[at]) - 1))] = draw(json_values)
        elif key == "options":
            names = st.sampled_from([*vars(Rules())]) | st.text(max_size=5)
            record["options"] = draw(st.dictionaries(names, json_values, max_size=2))
        else:
            record[key] = draw(json_values)
    return record


@settings(max_examples=400, deadline=None)
@given(broken_records())
def test_nothing_but_record_errors_comes_out(record: Any) -> None:
    with contextlib.suppress(RecordError):
        batch = replay(record)
        assert record_of(batch)["payments"] == record["payments"]
        return
    error = refused(record)
    assert error.index is None or 0 <= error.index < len(record["actions"])


@settings(max_examples=100, deadline=None)
@given(json_values)
def test_any_json_value_is_refused(value: Any) -> None:
    refused(value)


# --------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("name", ["deals.jsonl", "deals.jsonl.gz"])
def test_files_round_trip(tmp_path: Path, name: str) -> None:
    records = [*traces("online")[:20], beginning(traces("additive")[0], 3)]
    path = tmp_path / name
    assert write_records(path, records) == 21
    assert read_records(path) == records
    assert [file.name for file in tmp_path.iterdir()] == [name]
    first = path.read_bytes()
    assert first[:2] == (b"\x1f\x8b" if name.endswith("gz") else b'{"')
    write_records(str(path), records)
    assert path.read_bytes() == first


def test_records_of_cases_read_from_files(tmp_path: Path) -> None:
    records = [case["record"] for case in cases("scoring") if case["record"]]
    write_records(tmp_path / "all.jsonl", records)
    assert read_records(tmp_path / "all.jsonl") == records


def test_nothing_is_written_when_a_record_is_bad(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    write_records(path, [whole()])
    before = path.read_bytes()
    for bad in ({**whole(), "dealer": 3}, {**whole(), "x": object()}, {**whole(), "x": np.inf}):
        with pytest.raises(RecordError, match="line 2"):
            write_records(path, [whole(), bad])
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_lines_that_are_not_records_are_named(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    line = json.dumps(whole())
    for bad in (line[:-20], "[1]", "nonsense", "[" * 100_000, '{"a": ' + "9" * 5000 + "}", "\xff"):
        path.write_bytes(f"{line}\n\n{bad}\n".encode("latin-1"))
        with pytest.raises(RecordError, match="line 3: ") as caught:
            read_records(path)
        assert caught.value.index is None
    wrong = whole()
    wrong["actions"][7][0] = (wrong["actions"][7][0] + 1) % 3
    path.write_text(f"{line}\n{json.dumps(wrong)}\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 2: ") as caught:
        read_records(path)
    assert caught.value.index == 7
    assert len(read_records(path, check=False)) == 2


def test_damaged_compressed_files(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl.gz"
    packed = gzip.compress((json.dumps(whole()) + "\n").encode())
    for raw in (packed[:-5], packed[:50], b"no gzip", packed[:40] + b"\0" * 20 + packed[60:]):
        path.write_bytes(raw)
        with pytest.raises(RecordError):
            read_records(path)
    with pytest.raises(FileNotFoundError):
        read_records(tmp_path / "none.jsonl")
