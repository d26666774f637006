"""The cases and whole deals of tests/data, made by an independent implementation of the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from marias_env.actions import ACTIONS, CONTRACTS, PHASES
from marias_env.cards import CARDS, SUITS, card_id, cards_of, mask_of
from marias_env.core.deal import DECLARER, DEFENDERS, NOBODY, pack_rules
from marias_env.core.legal import beats, card_mask
from marias_env.core.play import exposed_verdict
from marias_env.core.settlement import no_trump_value, suit_value
from marias_env.records import record_of, replay
from marias_env.rules import rules_with_options
from tests.env.helpers import PRESETS, cases, traces

SIDES = {"declarer": DECLARER, "defenders": DEFENDERS, None: NOBODY}


def legal_texts(batch: Any) -> list[str]:
    return sorted(ACTIONS[a] for a in np.flatnonzero(batch.legal_mask()[0]))


@pytest.mark.parametrize("case", cases("legal"), ids=lambda case: case["id"])
def test_legal_actions_of_a_position(case: dict[str, Any]) -> None:
    batch = replay(case["record"])
    assert PHASES[batch.phase[0]] == case["phase"]
    assert batch.turn[0] == case["turn"]
    assert legal_texts(batch) == case["legal"]
    if "hand" in case:
        deal = batch.deals[0]
        assert CONTRACTS[deal["contract"]] == case["contract"]
        assert set(cards_of(deal["hands"][case["turn"]])) == set(map(card_id, case["hand"]))
        assert [CARDS[card] for card in deal["table"] if card >= 0] == case["trick"]


@pytest.mark.parametrize(
    "case", [c for c in cases("legal") if "hand" in c], ids=lambda case: case["id"]
)
def test_legal_cards_by_the_bare_function(case: dict[str, Any]) -> None:
    rules = rules_with_options(case["rules"], case["options"])
    trump = SUITS.index(case["trump"]) if case["trump"] else -1
    trick = [card_id(card) for card in case["trick"]]
    best = trick[0] if trick else -1
    for card in trick[1:]:
        if beats(np.int64(card), np.int64(best), np.int64(trump)):
            best = card
    mask = card_mask(
        np.int64(mask_of(case["hand"])),
        np.int64(trick[0] // 8 if trick else -1),
        np.int64(best),
        np.int64(trump),
        rules.queen_before_king == "forced",
        case["keeps_seven"],
    )
    assert sorted(CARDS[card] for card in cards_of(int(mask))) == case["legal"]


@pytest.mark.parametrize("case", cases("scoring"), ids=lambda case: case["id"])
def test_payments_of_a_finished_deal(case: dict[str, Any]) -> None:
    if case["record"] is None:
        pytest.skip("cannot occur in play: see the bare function")
    batch = replay(case["record"])
    deal = batch.deals[0]
    if case["value"] is not None:
        assert deal["value"] == case["value"]
    by_role = [int(deal["payments"][(deal["declarer"] + offset) % 3]) for offset in range(3)]
    assert by_role == case["payments_by_role"]
    assert batch.payments[0].tolist() == case["record"]["payments"]


@pytest.mark.parametrize(
    "case", [c for c in cases("scoring") if c["facts"]], ids=lambda case: case["id"]
)
def test_value_by_the_bare_functions(case: dict[str, Any]) -> None:
    rules = pack_rules(rules_with_options(case["rules"], case["options"]))[0]
    facts = case["facts"]
    if facts["contract"] != "suit":
        contract = CONTRACTS.index(facts["contract"])
        level = np.int64(facts["level"]["game"])
        assert no_trump_value(rules, np.int64(contract), facts["made"], level) == case["value"]
        return
    numbers: list[int] = []
    marriages = [facts["marriages"][side] for side in ("declarer", "defenders")]
    numbers += [facts["points"][side] for side in ("declarer", "defenders")]
    numbers += [scored[0] if scored else 0 for scored in marriages]
    numbers += [max(scored, default=0) for scored in marriages]
    numbers += [sum(scored) for scored in marriages]
    last = facts["last_seven"]
    numbers += [SIDES[facts["hundred"]], SIDES[facts["seven"]]]
    numbers += [facts["level"]["game"], facts["level"]["seven"]]
    numbers += [SIDES[last["side"]] if last else NOBODY, int(last["won"]) if last else 0]
    trump = np.int64(SUITS.index(facts["trump"]))
    assert suit_value(rules, trump, *map(np.int64, numbers)) == case["value"]


@pytest.mark.parametrize(
    "case",
    [c for c in cases("scoring") if (c["facts"] or {}).get("exposed")],
    ids=lambda case: case["id"],
)
def test_verdict_on_exposed_cards_by_the_bare_function(case: dict[str, Any]) -> None:
    exposed = case["facts"]["exposed"]
    verdict = exposed_verdict(
        np.int64(mask_of(exposed["declarer"])),
        np.int64(mask_of(exposed["defenders"])),
        np.int64(CONTRACTS.index(case["facts"]["contract"])),
    )
    assert bool(verdict) == case["facts"]["made"]


@pytest.mark.parametrize("preset", PRESETS)
def test_whole_deals(preset: str) -> None:
    for number, trace in enumerate(traces(preset)):
        opening = {**trace, "actions": [], "payments": None}
        batch = replay(opening)
        for index, (seat, action) in enumerate(trace["actions"]):
            where = f"{preset} deal {number}, action {index}"
            assert batch.turn[0] == seat, where
            assert legal_texts(batch) == trace["legal"][index], where
            batch.step(np.array([ACTIONS.index(action)]))
        assert batch.turn[0] == -1
        assert batch.payments[0].tolist() == trace["payments"], f"{preset} deal {number}"
        extra = {key: trace[key] for key in ("legal", "tags")}
        assert record_of(batch, **extra) == trace
