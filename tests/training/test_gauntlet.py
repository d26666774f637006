"""The gauntlet: differences in the same seat, zero where nothing differs, whole when cut."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from marias_agents import make
from marias_env.batch import DealBatch
from marias_env.cli import app
from marias_env.errors import AgentError, MariasError
from marias_env.records import replay
from marias_env.rules import get_rules
from marias_training.arena.chunk import common_deals
from marias_training.arena.lineups import cap_payments
from marias_training.arena.results import ResultsError
from marias_training.gauntlet import Gauntlet, gauntlet
from marias_training.gauntlet.parting import SAME, parting_phases
from marias_training.gauntlet.report import markdown, write_outputs
from marias_training.gauntlet.seats import tables_of
from marias_training.play import play

KINDS = ("stranger:bold", "stranger:cautious")
RULES = get_rules("traditional")


@pytest.fixture(scope="module")
def result() -> Gauntlet:
    return gauntlet("good", deals=30, kinds=KINDS, chunk=10, seed=3)


def test_tables_seat_everybody_once() -> None:
    tables = tables_of(("a", "b", "c"), mixed=True)
    assert [table.label for table in tables] == ["a", "b", "c", "a + b", "b + c", "c + a"]
    assert tables[0].seating(0).tolist() == [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    assert tables[0].seating(2).tolist() == [[2, 2, 2]]
    assert tables[3].seating(1).tolist() == [[1, 2, 3], [3, 1, 2], [2, 3, 1]]
    assert len(tables_of(("a", "b"), mixed=True)) == 3
    assert len(tables_of(("a",), mixed=True)) == 1


def test_differences_are_those_of_games_played_by_hand(result: Gauntlet) -> None:
    decks, dealers = common_deals(RULES, 3, 0, 30)
    kind = make(KINDS[0])
    alone = play(decks, dealers, (1, 1, 1), [make("good"), kind], RULES)
    apart = []
    for seat in range(3):
        seating = [1, 1, 1]
        seating[seat] = 0
        for player in ("good", "rules"):
            games = play(decks, dealers, seating, [make(player), kind], RULES)
            paid = cap_payments(games.payments)[:, seat]
            apart.append(paid - cap_payments(alone.payments)[:, seat])
    found = result.tables[KINDS[0]]
    assert found["agent - stranger"].capped.mean == pytest.approx(np.mean(apart[0::2]))
    assert found["reference - stranger"].capped.mean == pytest.approx(np.mean(apart[1::2]))
    assert found["agent - reference"].capped.mean == pytest.approx(
        np.mean(apart[0::2]) - np.mean(apart[1::2])
    )
    assert found["agent - stranger"].capped.deals == 30


def test_zero_where_nothing_differs() -> None:
    same = gauntlet(KINDS[0], deals=12, kinds=KINDS[:1], reference=KINDS[0], chunk=6)
    for difference in same.tables[KINDS[0]].values():
        assert difference.raw.mean == difference.raw.half_width == 0
    assert list(same.phases) == ["same"]


def test_the_worst_kind_of_the_reference_is_told_by_the_strangers() -> None:
    found = gauntlet("rules", deals=40, kinds=("good", "stranger:bold"), chunk=40, mixed=False)
    # Against `good` it wins units a deal: a tie of two zeros would have named the first kind.
    assert found.worst() == found.worst("agent - stranger") == "stranger:bold"


def test_positions_and_phases_add_up(result: Gauntlet) -> None:
    for difference, whole in result.mean.items():
        parts = [result.positions[p][difference].raw.mean for p in result.positions]
        assert np.mean(parts) == pytest.approx(whole.raw.mean)
    tables = [found["agent - reference"].raw.mean for found in result.tables.values()]
    assert sum(p["raw"] for p in result.phases.values()) == pytest.approx(np.mean(tables))
    assert sum(p["share"] for p in result.phases.values()) == pytest.approx(1)
    assert result.phases["PLAY"]["share"] > 0.1
    assert result.worst() in KINDS


def test_parting_is_the_phase_of_the_first_difference() -> None:
    decks, dealers = common_deals(RULES, 1, 0, 60)
    one = play(decks, dealers, (0, 0, 0), [make("rules")], RULES)
    other = play(decks, dealers, (0, 0, 0), [make("random-cards")], RULES)
    phases = parting_phases(one.deals, other.deals, RULES)
    assert (parting_phases(one.deals, one.deals, RULES) == SAME).all()
    for row in range(60):
        pairs = zip(one.record(row)["actions"], other.record(row)["actions"])
        first = next(i for i, (a, b) in enumerate(pairs) if a != b)
        cut = {**one.record(row), "payments": None}
        cut["actions"] = cut["actions"][:first]
        assert replay(cut).phase[0] == phases[row]


def test_chunks_and_interruptions_change_nothing(result: Gauntlet, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"

    def stop(done: int, wanted: int) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        gauntlet("good", deals=30, kinds=KINDS, chunk=10, seed=3, out=out, on_progress=stop)
    assert stopped.value.gauntlet.deals == 20  # type: ignore[attr-defined]
    with pytest.raises(ResultsError, match="exists already"):
        gauntlet("good", deals=30, kinds=KINDS, chunk=10, seed=3, out=out)
    with pytest.raises(ResultsError, match="another evaluation"):
        gauntlet("rules", deals=30, kinds=KINDS, chunk=10, seed=3, out=out, resume=True)
    whole = gauntlet("good", deals=30, kinds=KINDS, chunk=10, seed=3, out=out, resume=True)
    assert whole.to_dict() == result.to_dict()


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(AgentError, match="one stranger or more"):
        gauntlet("rules", kinds=())
    with pytest.raises(AgentError, match="nobody"):
        gauntlet("rules", kinds=("stranger:nobody",))
    with pytest.raises((MariasError, ValueError), match="deals"):
        gauntlet("rules", deals=0)


def test_tables_and_picture(result: Gauntlet, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    names = [path.name for path in write_outputs(result, tmp_path)]
    assert names == ["gauntlet.json", "gauntlet.md", "gauntlet.png"]
    text = markdown(result)
    assert f"| {KINDS[0]} | {result.tables[KINDS[0]]['agent - stranger'].capped}" in text
    assert json.loads((tmp_path / "gauntlet.json").read_text())["mean"]


def test_the_command(tmp_path: Path) -> None:
    given = ["gauntlet", "rules", "--deals", "4", "--kind", KINDS[0], "--json"]
    done = CliRunner().invoke(app, [*given, "--rules", "online", "--seed", "2"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["deals"] == 4
    assert found["rules"] == "online"
    assert CliRunner().invoke(app, [*given, "--resume"]).exit_code == 2


def test_works_on_a_mini_deck() -> None:
    import dataclasses

    mini = dataclasses.replace(RULES, suits="sh", ranks="7TQA")
    assert DealBatch(1, mini).rules == mini
    small = gauntlet("random", deals=6, kinds=("book", "tuning:quiet"), rules=mini, chunk=6)
    assert small.games == 6 * (7 + 7 + 6)
