"""The benchmark suite: reproducible, exact, and refused where it is not what it says."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from typer.testing import CliRunner

from marias_agents import make
from marias_agents.analysis import worths
from marias_agents.solver import solve
from marias_agents.suite import (
    CONTRACT_NAMES,
    MISSING,
    Suite,
    SuiteError,
    load_suite,
    make_suite,
    save_suite,
    score,
)
from marias_agents.suite.contracts import suit_candidates
from marias_env.actions import DISCARD, PLAY
from marias_env.batch import DealBatch
from marias_env.cards import CARDS, card_id
from marias_env.cli import app
from marias_env.core.history import actions_of
from marias_env.errors import AgentError
from marias_env.records import record_of
from marias_env.views import Views

DEALS, GAMES = 12, 30


@pytest.fixture(scope="module")
def suite() -> Suite:
    return make_suite(DEALS, 7, games=GAMES)


@pytest.fixture(scope="module")
def file(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite") / "suite.npz"
    save_suite(suite, path)
    return path


class Oracle:
    """Knows the labels: plays a best card, or a worst one."""

    name = "oracle"

    def __init__(self, suite: Suite, worst: bool = False) -> None:
        self.regrets = suite.decisions().regrets
        self.worst = worst
        self.at = 0

    def act(self, views: Views, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        regrets = self.regrets[self.at : self.at + len(views)]
        self.at += len(views)
        if self.worst:
            return regrets.argmax(axis=1)
        return np.where(regrets < 0, np.iinfo(np.int64).max, regrets).argmin(axis=1)


def test_same_seed_same_fingerprint(suite: Suite) -> None:
    again = make_suite(DEALS, 7, games=GAMES, threads=1)
    assert again.fingerprint() == suite.fingerprint()
    assert make_suite(DEALS, 8, games=GAMES).fingerprint() != suite.fingerprint()


def test_a_smaller_suite_is_the_beginning_of_a_larger_one(suite: Suite) -> None:
    small = make_suite(5, 7, games=4)
    assert np.array_equal(small.values, suite.values[:5])
    count = small.num_decisions
    for name in ("decision_game", "decision_step", "best", "regrets"):
        assert np.array_equal(small.arrays[name], suite.arrays[name][:count])
    assert suite.arrays["decision_game"][count] == 4


def test_contract_values_are_those_of_analysis(suite: Suite) -> None:
    # `worths` solves every discard: the suite's value is that of its own discard, and the best of
    # all for betl and durch.
    gaps = []
    for row in range(3):
        batch = suite.deal_batch()[row]
        batch.step(batch.sample_legal())  # forehand is asked, nobody else
        found = {worth.name: worth for worth in worths(record_of(batch))}
        assert {name for name in CONTRACT_NAMES if name in found} == {
            name
            for name, value in zip(CONTRACT_NAMES, suite.values[row], strict=True)
            if value != MISSING
        }
        for column, name in enumerate(CONTRACT_NAMES):
            if name not in found:
                assert (suite.discards[row, column] == -1).all()
                continue
            pair = tuple(CARDS[card] for card in suite.discards[row, column])
            value = int(suite.values[row, column])
            assert found[name].discard_values[pair] == value
            gaps.append(found[name].value - value)
            if column >= 4:
                assert gaps[-1] == 0
    assert min(gaps) >= 0
    assert np.mean(np.array(gaps) == 0) > 0.7


def test_candidates_of_a_discard() -> None:
    hand = ["7s", "8s", "As", "7c", "9d", "Jd", "Qd", "Kd", "Th", "Ah", "7h", "8h"]
    bits = sum(1 << card_id(card) for card in hand)
    allowed = bits & ~sum(1 << card_id(card) for card in ("As", "Th", "Ah", "7h"))
    found = [tuple(CARDS[card] for card in pair) for pair in suit_candidates(allowed, bits, 3)]
    assert found[0] == ("7s", "7c")  # clubs are emptied; of 7 and 8 the lower stands for both
    assert ("7s", "8s") in found
    assert all("h" not in card and card not in ("Qd", "Kd") for pair in found for card in pair)
    # Nothing but trumps to choose from.
    trumps = sum(1 << card_id(card) for card in ("7h", "8h", "9h"))
    assert suit_candidates(trumps, trumps, 3)


def test_regrets_are_those_of_solve(suite: Suite) -> None:
    rows = np.arange(0, suite.num_decisions, 9)
    asked = suite.decisions(rows)
    for place in range(len(rows)):
        answer = solve(asked.batch[place])
        sign = 1 if asked.declarer[place] else -1
        assert asked.best[place] == sign * answer["value"]
        for card in range(32):
            wanted = -1
            if CARDS[card] in answer["cards"]:
                wanted = sign * (answer["value"] - answer["cards"][CARDS[card]])
            assert asked.regrets[place, card] == wanted


def test_decisions_are_choices_in_play(suite: Suite) -> None:
    asked = suite.decisions()
    legal = asked.regrets >= 0
    assert (legal.sum(axis=1) >= 2).all()
    assert (np.where(legal, asked.regrets, 99).min(axis=1) == 0).all()  # a best card costs nothing
    assert np.array_equal(asked.masks()[:, :32] != 0, legal)
    assert (asked.batch.phase == PLAY).all()
    assert np.array_equal(asked.observations(), asked.views().observe())
    assert set(asked.trick.tolist()) <= set(range(1, 10))  # the last trick is forced
    assert set(asked.names()) <= {"suit", "betl", "durch", "open_betl", "open_durch"}
    # All of them: as many as the games have.
    count = 0
    for game in range(GAMES):
        played = int(suite.arrays["num_actions"][game])
        batch = suite._dealt(
            suite.arrays["game_decks"][[game]], suite.arrays["game_dealers"][[game]]
        )
        for action in suite.arrays["history"][game, :played]:
            count += batch.phase[0] == PLAY and int(batch.legal_bits[0]).bit_count() > 1
            batch.step(actions_of(np.array([action])))
        assert batch.turn[0] == -1
    assert count == suite.num_decisions


def test_some_cards_are_random_and_the_bidding_is_that_of_rules(suite: Suite) -> None:
    asked = suite.decisions()
    history = suite.arrays["history"]
    played = actions_of(history[asked.game, suite.arrays["decision_step"]])
    rules = make("rules").act(asked.views(), asked.masks())
    assert 0.02 < np.mean(played != rules) < 0.12
    batch = DealBatch(GAMES, seed=7, autoreset=False)
    for step in range(3):
        views = batch.views()
        actions = make("rules").act(views, views.legal_mask())
        assert np.array_equal(actions, actions_of(history[:, step]))
        batch.step(actions)
    assert (batch.phase >= DISCARD).all()


def test_scores(suite: Suite) -> None:
    oracle = score(Oracle(suite), suite)
    assert oracle.total.regret.mean == 0
    assert oracle.total.best.mean == 1
    worst = score(Oracle(suite, worst=True), suite)
    assert worst.critical is not None
    assert worst.critical.best.mean == 0
    rules, cards = score("rules", suite), score("random-cards", suite)
    assert rules.total.regret.mean < cards.total.regret.mean < worst.total.regret.mean
    assert rules.total.best.mean > cards.total.best.mean
    assert rules.total.capped.mean <= rules.total.regret.mean
    assert sum(part.decisions for part in rules.tricks.values()) == suite.num_decisions
    assert sum(part.decisions for part in rules.roles.values()) == suite.num_decisions
    assert score("random@3", suite).to_dict() == score("random@3", suite).to_dict()
    assert json.loads(json.dumps(rules.to_dict()))["total"]["decisions"] == suite.num_decisions


def test_interval_counts_games_not_decisions(suite: Suite) -> None:
    asked = suite.decisions()
    card = make("random").act(asked.views(), asked.masks())
    regret = asked.regrets[np.arange(len(asked)), card].astype(float)
    sums = np.array([(regret[asked.game == game] - regret.mean()).sum() for game in range(GAMES)])
    assert len(np.unique(asked.game)) == GAMES
    error = np.sqrt(GAMES / (GAMES - 1) * (sums**2).sum()) / len(asked)
    total = score("random", suite).total
    assert total.regret.mean == pytest.approx(regret.mean())
    assert total.regret.half == pytest.approx(1.96 * error, rel=1e-4)
    one = score("random", suite, limit=1)
    assert one.total.decisions == 1
    assert one.to_dict()["total"]["regret"]["half"] is None


def test_bad_agents_and_arguments(suite: Suite) -> None:
    class Passes:
        name = "passes"

        def act(self, views: Any, masks: Any) -> Any:
            return np.full(len(views), 42)

    with pytest.raises(AgentError, match=r"passes.*not legal in decision 0"):
        score(Passes(), suite)
    with pytest.raises(ValueError, match="limit"):
        score("random", suite, limit=0)
    with pytest.raises(ValueError, match="deals"):
        make_suite(0)
    with pytest.raises(ValueError, match="seed"):
        make_suite(1, seed=-1)
    with pytest.raises(IndexError):
        suite.decisions([])


@pytest.mark.parametrize("rules", ["online", "additive"])
def test_other_rules(rules: str) -> None:
    other = make_suite(2, 3, rules, games=3)
    assert (other.values[:, 4:] != MISSING).all()
    assert score("rules", other).total.decisions == other.num_decisions
    if rules == "online":  # every suit can be named
        assert (other.values != MISSING).all()


def test_file_round_trip(suite: Suite, file: Path) -> None:
    read = load_suite(file)
    assert read.rules == suite.rules
    assert read.seed == suite.seed
    assert read.fingerprint() == suite.fingerprint()
    assert np.array_equal(read.decisions().observations(), suite.decisions().observations())


def changed(file: Path, path: Path, header: dict[str, Any] | None = None, **arrays: Any) -> Path:
    with np.load(file) as saved:
        parts: dict[str, Any] = {name: saved[name] for name in saved.files}
    head = {**json.loads(parts["header"].tobytes()), **(header or {})}
    parts["header"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    parts.update(arrays)
    np.savez_compressed(path, **{name: part for name, part in parts.items() if part is not None})
    return path


def test_damaged_files_are_refused(suite: Suite, file: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    data = file.read_bytes()
    for wrong in (b"", b"no suite", data[: len(data) // 2], data[:200] + b"\0" * 50 + data[250:]):
        path.write_bytes(wrong)
        with pytest.raises(SuiteError):
            load_suite(path)
    values = suite.values.copy()
    values[0, 4] += 1
    with pytest.raises(SuiteError, match="fingerprint"):
        load_suite(changed(file, path, values=values))
    with pytest.raises(SuiteError, match="fingerprint"):
        load_suite(changed(file, path, {"seed": 8}))
    with pytest.raises(SuiteError, match="version 99"):
        load_suite(changed(file, path, {"version": 99}))
    with pytest.raises(SuiteError, match="header"):
        load_suite(changed(file, path, {"rules": "no such"}))
    with pytest.raises(SuiteError, match="lacks best"):
        load_suite(changed(file, path, best=None))
    with pytest.raises(SuiteError, match="shape"):
        load_suite(changed(file, path, best=suite.arrays["best"][:-1]))
    with pytest.raises(SuiteError, match="type"):
        load_suite(changed(file, path, best=suite.arrays["best"].astype(float)))
    buffer = io.BytesIO()
    np.savez(buffer, weights=np.zeros(3))
    path.write_bytes(buffer.getvalue())
    with pytest.raises(SuiteError, match="not a suite"):
        load_suite(path)
    with pytest.raises(FileNotFoundError):
        load_suite(tmp_path / "none.npz")


def test_contents_that_do_not_replay_are_refused(suite: Suite) -> None:
    history = suite.arrays["history"].copy()
    history[:, 1] = 47
    decks = suite.arrays["game_decks"].copy()
    decks[0, 0] = decks[0, 1]
    for name, array in (
        ("history", history),
        ("game_decks", decks),
        ("decision_step", suite.arrays["decision_step"] + np.uint8(1)),
    ):
        with pytest.raises(SuiteError):
            Suite(suite.rules, suite.seed, {**suite.arrays, name: array}).decisions()


def test_commands(tmp_path: Path) -> None:
    runner = CliRunner()
    path = tmp_path / "small.npz"
    made = runner.invoke(
        app, ["suite", "--out", str(path), "--deals", "2", "--games", "3", "--seed", "5"]
    )
    assert made.exit_code == 0, made.output
    fingerprint = make_suite(2, 5, games=3).fingerprint()
    assert fingerprint in made.output
    scored = runner.invoke(app, ["suite-score", "rules", str(path), "--json", "--limit", "20"])
    assert scored.exit_code == 0, scored.output
    found = json.loads(scored.stdout.strip().splitlines()[-1])
    assert found["total"]["decisions"] == 20
    assert found["fingerprint"] == fingerprint
    assert "share best" in runner.invoke(app, ["suite-score", "rules", str(path)]).output
    path.write_bytes(b"damaged")
    assert runner.invoke(app, ["suite-score", "rules", str(path)]).exit_code == 2
    missing = ["suite", "--out", str(tmp_path / "no" / "s.npz")]
    assert runner.invoke(app, missing).exit_code == 2
