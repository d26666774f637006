from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from marias_env.actions import ACTIONS
from marias_env.batch import DealBatch
from marias_env.cards import cards_of
from marias_env.cli import app
from marias_env.errors import RecordError
from marias_env.positions import position_text
from marias_env.records import record_of, replay
from marias_env.rules import Rules
from marias_env.showing.explain import settlement_lines, settlement_of
from marias_env.showing.layout import visible
from marias_env.showing.render import WIDTH, render_text
from marias_env.showing.story import hand_counts, tricks_of
from marias_env.showing.svg import render_svg
from marias_env.showing.transcript import transcript
from tests.env.helpers import DATA, PRESETS, beginning, cases, nodes, traces

MINI = Rules(suits="sh", ranks="9TQK")


@pytest.mark.parametrize("rules", [*PRESETS, MINI], ids=str)
def test_every_node_from_every_seat(rules: Any) -> None:
    batch = DealBatch(6, rules, seed=11, autoreset=False)
    for number, state in enumerate(nodes(batch, 11)):
        row = number % 6
        for perspective in (None, 0, 1, 2):
            language = ("en", "cs")[number % 2]
            text = render_text(state, row, perspective, language, color=False)
            assert "\x1b" not in text
            assert {len(line) for line in text.splitlines()} == {WIDTH}
            colored = render_text(state, row, perspective, language)
            assert {visible(line) for line in colored.splitlines()} == {WIDTH}
            assert "\x1b" in colored
        picture = render_svg(state, row, number % 3, language)
        assert picture._repr_svg_() == picture
        ET.fromstring(picture)
        assert transcript(state, row, language, color=False)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_every_line_has_the_width_asked_for(width: int) -> None:
    names = ("0 Eva", "1 pimc:10", "2 rules")
    for number, preset in enumerate(PRESETS):
        batch = DealBatch(6, preset, seed=17 + number, autoreset=False)
        for count, state in enumerate(nodes(batch, 17)):
            language = ("en", "cs")[count % 2]
            for color in (False, True):
                text = render_text(state, count % 6, count % 3, language, color, width, names)
                assert {visible(line) for line in text.splitlines()} == {width}
            held = sum(len(cards_of(hand)) for hand in state.deals[count % 6]["hands"][2:])
            whole = render_text(state, count % 6, None, language, False, width, names)
            own = whole.partition("2 rules")[2]
            # No card is lost where a line is broken; those of the last seat are the last hand.
            assert held <= len(own.split("├")[0].split())


def test_what_may_be_done_may_be_left_out_and_a_table_has_a_least_width() -> None:
    batch = DealBatch(1, "traditional", seed=1)
    assert "blind" in render_text(batch, 0, None, color=False)
    assert "blind" not in render_text(batch, 0, None, color=False, brief=True)
    with pytest.raises(ValueError, match="at least 40"):
        render_text(batch, width=39)


def test_the_counts_of_hands_are_right_and_public() -> None:
    for preset in PRESETS:
        batch = DealBatch(12, preset, seed=5, autoreset=False)
        for number, state in enumerate(nodes(batch, 5)):
            deal = state.deals[number % 12]
            held = tuple(len(cards_of(hand)) for hand in deal["hands"])
            assert hand_counts(deal, state.rules) == held
            for seat in range(3):
                view = state.views([number % 12], [seat]).deals[0]
                assert hand_counts(view, state.rules) == held


@pytest.mark.parametrize("preset", PRESETS)
def test_a_seat_sees_nothing_that_it_cannot_know(preset: str) -> None:
    # Another deal with the same course as far as the seat can tell looks exactly the same to it.
    rng = np.random.default_rng(3)
    compared = 0
    for number in range(60):
        trace = traces(preset)[number]
        record = beginning(trace, int(rng.integers(len(trace["actions"]))))
        batch = replay(record)
        seat = int(rng.integers(3))
        known = set(cards_of(batch.views([0], [seat]).deals["hands"][0][seat]))
        known |= {c for cards in batch.deals["played"][0] for c in cards_of(cards)}
        known |= {ACTIONS.index(action) for s, action in record["actions"] if s == seat}
        known |= set(cards_of(batch.deals["taken"][0][seat]))
        shown = bool(batch.deals["trump_shown"][0])
        places = [i for i, c in enumerate(batch.deals["deck"][0].tolist()) if c not in known]
        if len(places) < 2:
            continue
        for _ in range(4):
            a, b = rng.choice(places, 2, replace=False)
            deck = list(record["deck"])
            names = {deck[a]: deck[b], deck[b]: deck[a]}
            deck[a], deck[b] = deck[b], deck[a]
            # Secret trump cards and discards of others follow the cards.
            actions = [[s, names.get(t, t)] for s, t in record["actions"]]
            try:
                other = replay({**record, "deck": deck, "actions": actions})
            except RecordError:
                continue
            public = ("marriages", "trump", "trump_card")[: 3 if shown else 1]
            if any(not np.array_equal(other.deals[p], batch.deals[p]) for p in public):
                continue
            compared += 1
            assert render_text(other, 0, seat) == render_text(batch, 0, seat)
            assert render_svg(other, 0, seat) == render_svg(batch, 0, seat)
    assert compared > 60


def test_what_the_table_shows() -> None:
    trace = traces("traditional")[0]
    state = replay(beginning(trace, 24))
    shown = render_text(state, 0, 0, color=False)
    assert "trumps ♥ hearts" in shown
    assert "hundred ×1 · seven ×1" in shown
    assert "♦ K Q 7  ♣ A J 9" in shown
    assert "▒▒▒▒▒▒ 6" in shown
    assert "K♣" not in shown  # in the declarer's talon
    assert "K♣" in render_text(state, 0, None, color=False)
    assert "trumfy ♥ červené" in render_text(state, 0, 0, "cs", color=False)


def test_bad_arguments() -> None:
    batch = DealBatch(1, seed=0)
    with pytest.raises(ValueError, match="language"):
        render_text(batch, language="de")
    with pytest.raises(ValueError, match="seat"):
        render_text(batch, perspective=3)
    with pytest.raises(IndexError):
        render_text(batch, row=1)


def all_finished() -> list[DealBatch]:
    records = [case["record"] for case in cases("scoring") if case["record"]]
    for preset in PRESETS:
        records += traces(preset)[:100]
    return [replay(record) for record in records]


def test_the_settlement_in_words_adds_up() -> None:
    for batch in all_finished():
        deal = batch.deals[0]
        found = settlement_of(deal, batch.rules)
        cap = batch.rules.max_payment
        expected = found.uncapped
        if cap and deal["ending"] != 5:
            expected = max(-cap, min(cap, expected))
        assert expected == found.value
        for language in ("en", "cs"):
            assert len(settlement_lines(deal, batch.rules, language)) >= 2


def test_tricks_add_up() -> None:
    for batch in all_finished():
        deal = batch.deals[0]
        tricks = tricks_of(deal, batch.rules)
        won = [0, 0, 0]
        points = 0
        for trick in tricks:
            if trick.winner is not None:
                won[trick.winner] += 1
                points += trick.points
        assert won == deal["tricks_won"].tolist()
        if deal["contract"] == 0 and deal["ending"] == 1:
            assert points == batch.rules.card_points == deal["points"].sum()
        marriages = sum(worth for trick in tricks for *_, worth in trick.marriages)
        assert marriages == deal["marriage_sum"].sum()


# --------------------------------------------------------------------------- console command

runner = CliRunner()
FILE = str(DATA / "traces_traditional.jsonl.gz")


def test_replay_command(tmp_path: Any) -> None:
    result = runner.invoke(app, ["replay", FILE, "--index", "0"])
    assert result.exit_code == 0, result.output
    assert re.search(r"8  0 Ac · 1 Qh \(marriage 40\) · 2 Qs \(marriage 20\) → 1", result.output)
    assert "Payments  0: +4 · 1: -8 · 2: +4" in result.output
    svg = tmp_path / "table.svg"
    arguments = ["replay", FILE, "-n", "-1", "--at", "9", "--seat", "1", "-l", "cs"]
    result = runner.invoke(app, [*arguments, "--svg", str(svg)])
    assert result.exit_code == 0, result.output
    assert "Na tahu" in result.output
    ET.parse(svg)


def test_position_command() -> None:
    batch = replay(beginning(traces("online")[0], 12))
    result = runner.invoke(app, ["position", position_text(batch)])
    assert result.exit_code == 0, result.output
    assert "trick 1/10" in result.output


def test_bad_input_is_one_line_and_exit_code_2(tmp_path: Any) -> None:
    record = record_of(replay(traces("online")[0]))
    record["actions"][3][0] = 0
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps(record), encoding="utf-8")
    for arguments in (
        ["replay", str(tmp_path / "none.jsonl")],
        ["replay", str(tmp_path)],
        ["replay", str(bad)],
        ["replay", FILE, "--index", "300"],
        ["position", "nonsense"],
    ):
        result = runner.invoke(app, arguments)
        assert result.exit_code == 2, arguments
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
    assert runner.invoke(app, ["replay", FILE, "-l", "de"]).exit_code == 2


def test_help_lists_the_commands() -> None:
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    assert "replay" in result.output
