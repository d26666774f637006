from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marias_env.batch import DealBatch
from marias_env.errors import StateError
from marias_env.positions import from_position, position_text
from marias_env.rules import Rules
from tests.env.helpers import PRESETS, nodes, rule_sets

NOT_IN_A_TEXT = ("key", "rng", "episode", "totals", "match_deals")


def assert_round_trip(batch: DealBatch, row: int) -> None:
    text = position_text(batch, row)
    assert "\n" not in text
    again = from_position(text)
    assert again.rules == batch.rules
    for name in batch.deals.dtype.names:
        if name not in NOT_IN_A_TEXT:
            assert np.array_equal(again.deals[name][0], batch.deals[name][row]), name
    assert position_text(again) == text


@pytest.mark.parametrize("preset", PRESETS)
def test_round_trip_at_every_node(preset: str) -> None:
    for number, batch in enumerate(nodes(DealBatch(16, preset, seed=1, autoreset=False), 1)):
        for row in (number % 16, (number * 7 + 3) % 16):
            assert_round_trip(batch, row)


@settings(max_examples=40, deadline=None)
@given(rule_sets(), st.integers(0, 2**32))
def test_round_trip_with_options_of_every_kind(rules: Rules, seed: int) -> None:
    for batch in nodes(DealBatch(1, rules, seed=seed, autoreset=False), seed):
        text = position_text(batch)
    assert text.count(" ") == 4
    assert_round_trip(batch, 0)


def test_what_it_looks_like() -> None:
    batch = DealBatch(1, Rules(max_doublings=3, max_payment=100), seed=0, autoreset=False)
    fields = position_text(batch).split(" ")
    assert fields[:2] == ["marias-pos/1", "traditional,max_doublings=3,max_payment=100"]
    assert len(fields[3]) == 64
    assert fields[4] == "."
    batch.step(np.array([32]))
    batch.step(np.array([37]))
    assert position_text(batch).endswith(" ?S")


def good_text() -> str:
    *_, last = nodes(DealBatch(1, "online", seed=5, autoreset=False), 5)
    return position_text(last)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("marias-pos/1", "marias-pos/9"),
        (" online ", " offline "),
        (" online ", " online,max_doublings "),
        (" online ", " online,max_doublings=three "),
        (" online ", " online,max_doublings=99 "),
        (" online ", " online,max_doublings=2,max_doublings=2 "),
        (" online ", " online,no_such_option=1 "),
        (" online ", " online,tariff=1:2 "),
        (" online ", " online,suits=sc,ranks=78 "),
        (" online ", "  online "),
    ],
)
def test_bad_fields(old: str, new: str) -> None:
    with pytest.raises(StateError):
        from_position(good_text().replace(old, new))


def test_bad_decks_dealers_and_actions() -> None:
    version, rules, dealer, deck, actions = good_text().split(" ")
    for bad in (
        [version, rules, "3", deck, actions],
        [version, rules, "", deck, actions],
        [version, rules, dealer, deck[:-1], actions],
        [version, rules, dealer, deck[2:], actions],
        [version, rules, dealer, deck[:2] + deck[:-2], actions],
        [version, rules, dealer, deck, ""],
        [version, rules, dealer, deck, actions + "+"],
        [version, rules, dealer, deck, "~" + actions],
        [version, rules, dealer, deck, "++" + actions],
        [version, rules, dealer, deck, actions, "x"],
        [],
    ):
        with pytest.raises(StateError):
            from_position(" ".join(bad))
    with pytest.raises(StateError):
        from_position(None)  # type: ignore[arg-type]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 200), st.text(max_size=3), st.integers(0, 3))
def test_nothing_but_state_errors_comes_out(at: int, inserted: str, dropped: int) -> None:
    text = good_text()
    text = text[:at] + inserted + text[at + dropped :]
    try:
        batch = from_position(text)
    except StateError:
        return
    assert from_position(position_text(batch)).deals.tobytes() == batch.deals.tobytes()


def test_an_information_view_has_no_text() -> None:
    batch = DealBatch(1, seed=0)
    batch.deals = batch.views([0], [1]).deals
    with pytest.raises(StateError):
        position_text(batch)
