from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from typing import Any

import gymnasium
import pytest
from gymnasium.envs.registration import EnvSpec
from hypothesis import given
from hypothesis import strategies as st

from marias_env.actions import ACTIONS, PHASES, action_id
from marias_env.batch import DealBatch
from marias_env.cards import CARDS, card_id, card_name, cards_of, mask_of
from marias_env.errors import ActionError, CardError, RulesError
from marias_env.match import Match
from marias_env.rules import (
    RULES,
    TARIFF,
    Rules,
    get_rules,
    preset_and_options,
    read_rules,
    rules_text,
    rules_with_options,
)
from tests.env.helpers import rule_sets


def test_presets_are_those_of_the_rules_page() -> None:
    assert set(RULES) == {"traditional", "online", "additive"}
    assert RULES["traditional"] == Rules()
    assert RULES["online"].options("traditional") == {
        "dealing": "talon",
        "open_contracts": False,
        "queen_before_king": "free",
        "max_doublings": 3,
    }
    assert RULES["additive"].options("traditional") == {
        "hundred_steps": "linear",
        "quiet_hundred_marriages": "all",
        "opponents_marriages_in_failed_hundred": True,
        "max_payment": 500,
        "max_doublings": 4,
    }


def test_names_by_id_are_those_of_the_interface_page() -> None:
    assert len(ACTIONS) == 48
    assert ACTIONS[29] == CARDS[29] == "Qh"
    assert ACTIONS[32:38] == ("blind", "trump_s", "trump_c", "trump_d", "trump_h", "suit")
    assert ACTIONS[42:] == ("good", "bad", "seven", "hundred", "flek_game", "flek_seven")
    assert PHASES[0] == "TRUMP"
    assert PHASES[-1] == "OVER"
    for number, text in enumerate(ACTIONS):
        assert action_id(text) == action_id(number) == number


@given(rule_sets())
def test_rule_sets_are_values(rules: Rules) -> None:
    preset, options = preset_and_options(rules)
    again = rules_with_options(preset, json.loads(json.dumps(options)))
    for other in (again, pickle.loads(pickle.dumps(rules)), dataclasses.replace(rules)):
        assert other == rules
        assert hash(other) == hash(rules)
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.suits = "s"  # type: ignore[misc]
    with pytest.raises(TypeError):
        rules.tariff["suit"] = 2  # type: ignore[index]


@pytest.mark.parametrize(
    "options",
    [
        {"dealing": "face_up"},
        {"dealing": None},
        {"dealing": ["talon"]},
        {"blind_trump": 1},
        {"blind_trump": "yes"},
        {"max_doublings": -1},
        {"max_doublings": 17},
        {"max_doublings": 2.0},
        {"max_doublings": None},
        {"max_payment": 0},
        {"max_payment": 10**7},
        {"max_payment": False},
        {"tariff": None},
        {"tariff": {"hra": 1}},
        {"tariff": {"suit": 1.5}},
        {"tariff": {"suit": -1}},
        {"tariff": {1: 1}},
        {"suits": "sx"},
        {"suits": ""},
        {"suits": 3},
        {"suits": "ssc"},
        {"ranks": "789"},
        {"suits": "s", "ranks": "78"},
        {"suits": "sc", "ranks": "789TJ"},
    ],
)
def test_values_that_an_option_does_not_take(options: dict[str, Any]) -> None:
    with pytest.raises(RulesError, match="option"):
        Rules(**options)
    with pytest.raises(RulesError, match="option"):
        rules_with_options("traditional", options)


def test_unknown_presets_and_options() -> None:
    with pytest.raises(RulesError, match="klasik"):
        rules_with_options("klasik", {})
    with pytest.raises(RulesError, match="volba"):
        rules_with_options("online", {"volba": 1})


def test_a_partial_tariff_is_completed() -> None:
    assert dict(Rules(tariff={"betl": 6}).tariff) == {**TARIFF, "betl": 6}


def test_mini_decks() -> None:
    rules = Rules(suits="hs", ranks="AKQT987")
    assert (rules.suits, rules.ranks) == ("sh", "789TQKA")
    assert (rules.num_cards, rules.hand_size, rules.card_points) == (14, 4, 50)
    assert Rules().card_points == 90


@given(st.integers() | st.text(max_size=3) | st.floats() | st.none() | st.booleans())
def test_what_is_no_card_or_action(value: Any) -> None:
    if not (isinstance(value, str) and value in CARDS) and value not in range(32):
        with pytest.raises(CardError):
            card_id(value)
    if not (isinstance(value, str) and value in ACTIONS) and value not in range(48):
        with pytest.raises(ActionError):
            action_id(value)


def test_cards_have_names_and_sets() -> None:
    assert card_name("Qh") == "queen of hearts"
    assert card_name("Qh", "cs") == "svršek červený"
    assert card_name("7s", "cs") == "sedma zelená"
    assert card_name("Ac", "cs") == "eso žaludové"
    assert cards_of(mask_of(["7s", "Ah"])) == [0, 31]
    with pytest.raises(CardError):
        card_name("Qh", "de")


@pytest.mark.parametrize(
    ("text", "preset", "options"),
    [
        ("online", "online", {}),
        ("online,seven_hundred_together=true", "online", {"seven_hundred_together": True}),
        ("additive, max_payment=none", "additive", {"max_payment": None}),
        ("additive,suits=sh,ranks=AKQT", "additive", {"suits": "sh", "ranks": "TQKA"}),
        ("traditional,tariff=2:5:10:10:20", "traditional", {"tariff": {"suit": 2}}),
        ("traditional,blind_trump=False", "traditional", {"blind_trump": False}),
        ("traditional,max_doublings=3", "traditional", {"max_doublings": 3}),
    ],
)
def test_rules_as_text(text: str, preset: str, options: dict[str, Any]) -> None:
    expected = dataclasses.replace(RULES[preset], **options)
    assert read_rules(text) == get_rules(text) == expected
    assert read_rules(rules_text(expected)) == expected
    assert DealBatch(1, text, seed=0).rules == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("offline", "unknown rules"),
        ("offline,max_doublings=3", "unknown rules"),
        ("online,max_doublings", "name=value"),
        ("online,max_doublings=3,max_doublings=3", "each name once"),
        ("online,maximum=3", "unknown option"),
        ("online,max_doublings=many", "max_doublings"),
        ("online,max_doublings=99", "max_doublings"),
        ("online,blind_trump=maybe", "blind_trump"),
        ("online,tariff=1:2", "five numbers"),
        ("online,", "name=value"),
        ("online,max_doublings=" + "9" * 5000, "max_doublings"),
        ("online,tariff=1:1:1:1:" + "9" * 5000, "tariff"),
    ],
)
def test_rules_texts_that_are_refused(text: str, reason: str) -> None:
    with pytest.raises(RulesError, match=reason):
        get_rules(text)


def test_a_rule_set_goes_through_dicts_json_copies_and_pickles() -> None:
    rules = Rules(max_doublings=3, tariff={"betl": 7})
    options = dataclasses.asdict(rules)
    assert options["tariff"]["betl"] == 7
    assert Rules(**options) == get_rules(json.loads(json.dumps(options))) == rules
    assert Rules(*dataclasses.astuple(rules)) == rules
    for other in (pickle.loads(pickle.dumps(rules)), copy.copy(rules), copy.deepcopy(rules)):
        assert other == rules
        assert hash(other) == hash(rules)
    assert dataclasses.replace(rules, tariff={**rules.tariff, "suit": 2}) != rules
    changes = (
        lambda tariff: tariff.update(suit=3),
        lambda tariff: tariff.__setitem__("suit", 3),
        lambda tariff: tariff.pop("suit"),
        lambda tariff: tariff.clear(),
    )
    for change in changes:
        with pytest.raises(TypeError, match="does not change"):
            change(rules.tariff)


@pytest.mark.parametrize("vector", [False, True])
def test_a_gymnasium_spec_goes_through_json(vector: bool) -> None:
    make = gymnasium.make_vec if vector else gymnasium.make
    given = {"rules": RULES["online"], "episode": "match", "match": Match(2)}
    env = make("marias_env:Marias-v0", **given)
    spec = EnvSpec.from_json(env.spec.to_json())
    again = spec.make() if not vector else make("Marias-v0", **{n: spec.kwargs[n] for n in given})
    assert again.unwrapped.rules == RULES["online"]
