from __future__ import annotations

import concurrent.futures
import json
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import marias_training.arena.chunk as chunk_module
from marias_env.errors import AgentError, RulesError
from marias_env.records import read_records
from marias_training.arena import (
    Evaluation,
    EvaluationInterrupted,
    Progress,
    ResultsError,
    compare,
    evaluate,
)
from marias_training.arena.workers import WorkerError
from marias_training.play import Played, play
from tests.processes import lines_in, running, wait_for
from tests.training.arena_helpers import Array, First, Last, Moody, without_time

PAIR = ["good", "random"]


def test_known_payments(monkeypatch: pytest.MonkeyPatch) -> None:
    # A alone gets 6, B alone -4, the two others half of it each with the other sign:
    # A − B = (3·(6 + 3) + 3·(2 + 4)) / 6 = 7.5.
    def paid(*args: Any, **options: Any) -> Played:
        played = play(*args, **options)
        a_seats = (played.seating == 0).sum(axis=1)
        alone = np.where(a_seats == 1, 6, -4)
        lone = np.where(a_seats == 1, 0, 1)[:, None] == played.seating
        played.deals["payments"] = np.where(lone, alone[:, None], -alone[:, None] // 2)
        return played

    monkeypatch.setattr(chunk_module, "play", paid)
    result = compare(First(), Last(), deals=30, chunk=10)
    assert result.raw.mean == result.capped.mean == result.trimmed == 7.5
    assert result.raw.half_width == 0
    assert result.raw.excludes_zero
    assert result.alone_a.mean == 6
    assert result.alone_b.mean == -4


def test_seat_symmetry() -> None:
    ab = evaluate([First(), Last()], deals=100)
    ba = evaluate([Last(), First()], deals=100)
    there, back = ab.pair("first", "last"), ba.pair("first", "last")
    assert there.raw == back.raw
    assert there.capped == back.capped
    assert ab.counts("first") == ba.counts("first")
    assert ab.pair("last", "first").raw.mean == -there.raw.mean


def test_the_same_decks_in_all_six_seatings(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl.gz"
    evaluate(PAIR, deals=25, chunk=10, records=file)
    records = read_records(file)
    assert len(records) == 150
    assert [p.name for p in tmp_path.iterdir()] == ["games.jsonl.gz"]
    by_deal: dict[int, list[Any]] = defaultdict(list)
    for record in records:
        by_deal[record["deal"]].append(record)
    assert sorted(by_deal) == list(range(25))
    for games in by_deal.values():
        assert len({(game["dealer"], *game["deck"]) for game in games}) == 1
        assert [g["lineup"] for g in games] == ["ABB", "BAB", "BBA", "BAA", "ABA", "AAB"]
        for game in games:
            assert game["agents"] == [PAIR["AB".index(letter)] for letter in game["lineup"]]
    assert len({tuple(games[0]["deck"]) for games in by_deal.values()}) == 25


def test_results_agree_with_the_records(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    evaluation = evaluate(PAIR, deals=60, chunk=25, records=file)
    values: dict[int, float] = defaultdict(float)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for record in read_records(file, check=False):
        paid = record["payments"]
        seats = {name: [s for s in range(3) if record["agents"][s] == name] for name in PAIR}
        a, b = (np.mean([paid[s] for s in seats[name]]) for name in PAIR)
        values[record["deal"]] += (a - b) / 6
        for seat in seats["random"]:
            place = ("forehand", "middle", "rear")[(seat - record["dealer"] - 1) % 3]
            for key in (place, "all"):
                counts[key][0] += 1
                counts[key][1] += paid[seat] > 0
                counts[key][2] += paid[seat]
    pair = evaluation.pair("good", "random")
    assert pair.per_deal["raw"] == pytest.approx([values[deal] for deal in range(60)])
    assert pair.raw.mean == pytest.approx(np.mean(list(values.values())))
    found = evaluation.counts("random")
    total = counts.pop("all")
    assert found["position"] == dict(counts)
    for group in ("position", "role"):
        assert np.sum(list(found[group].values()), axis=0).tolist() == total
    declared = np.sum(list(found["declared"].values()), axis=0).tolist()
    assert declared == found["role"]["declarer"]
    assert np.sum(list(found["level"].values()), axis=0).tolist() == declared
    defended = np.sum(list(found["defended"].values()), axis=0).tolist()
    assert defended == found["role"]["defender"]


def test_announcements_and_raises_agree_with_the_records(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    evaluation = evaluate(["random", "random@3"], deals=250, records=file)
    said: dict[str, int] = defaultdict(int)
    for record in read_records(file, check=False):
        contract, declarer = "", -1
        for seat, action in record["actions"]:
            if action in ("suit", "betl", "durch", "open_betl", "open_durch"):
                contract, declarer = action, seat
            if record["agents"][seat] != "random":
                continue
            if action in ("seven", "hundred"):
                said[action if seat == declarer else f"{action} against"] += 1
            if action == "flek_game":
                said["raises"] += 1
        assert contract
    found = evaluation.counts("random")
    assert {key: entry[0] for key, entry in found["announced"].items()} == {
        key: n for key, n in said.items() if key != "raises"
    }
    # A flek of a contract that was overtaken is a flek said, too.
    assert sum(entry[0] for entry in found["raised"].values()) == said["raises"]


def test_identity_control() -> None:
    evaluation = evaluate([First(), "random"], deals=60, control_deals=40, chunk=25)
    for name in ("first", "random"):
        control = evaluation.controls[name]
        assert (control.mean, control.low, control.high, control.deals) == (0, 0, 0, 40)
    twice = evaluate(["random", "random"], deals=40)
    assert twice.agents == ("random", "random#2")
    assert twice.pair("random", "random#2").raw.high == 0
    # An agent that is no function of its views is found out, and still contains zero.
    moody = evaluate([Moody(), First()], deals=300, control_deals=300).controls["moody"]
    assert moody.half_width > 0
    assert moody.low <= 0 <= moody.high


def test_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    whole = evaluate(PAIR, deals=90, chunk=20, control_deals=30, out=tmp_path / "whole.jsonl")
    out = tmp_path / "parts.jsonl"

    def stop(done: Progress) -> None:
        if done.deals >= 40:
            raise KeyboardInterrupt

    options: dict[str, Any] = {"deals": 90, "chunk": 20, "control_deals": 30, "out": out}
    with pytest.raises(EvaluationInterrupted) as stopped:
        evaluate(PAIR, on_progress=stop, **options)
    assert stopped.value.evaluation.deals == 40
    assert stopped.value.saved == out
    with out.open("ab") as file:  # killed within a write
        file.write(b'{"start":40,"deals":20,"conte')
    seen: list[Progress] = []
    resumed = evaluate(PAIR, resume=True, on_progress=seen.append, **options)
    assert seen[0].resumed == 40
    assert without_time(resumed.to_dict()) == without_time(whole.to_dict())
    # Everything is there: nothing is played a third time; and it can be made longer or shorter.
    again = evaluate(PAIR, resume=True, **options)
    assert again.to_dict() == resumed.to_dict()
    longer = evaluate(PAIR, resume=True, **{**options, "deals": 100})
    fresh = evaluate(PAIR, deals=100, chunk=20, control_deals=30)
    assert without_time(longer.to_dict()) == without_time(fresh.to_dict())


class FirstChunkLate(concurrent.futures.Executor):
    """Plays every chunk at once but the first, which a slow worker never finishes."""

    workers = 2

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        if args[1] > 0:
            future.set_result(fn(*args, **kwargs))
        return future


def test_interrupted_before_the_slowest_worker_has_finished(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    calls = iter(range(3))

    def stop(done: Progress) -> None:
        if next(calls) == 2:  # before anything, then after each of two chunks
            raise KeyboardInterrupt

    options: dict[str, Any] = {"deals": 90, "chunk": 20, "out": out, "executor": FirstChunkLate()}
    with pytest.raises(EvaluationInterrupted) as stopped:
        evaluate(PAIR, on_progress=stop, **options)
    found = stopped.value.evaluation
    assert found.deals == 40
    assert found.pair(*PAIR).raw.deals == 40
    assert lines_in(out) == 1 + 2
    fresh = evaluate(PAIR, deals=60, chunk=20).pair(*PAIR)
    np.testing.assert_array_equal(found.pair(*PAIR).per_deal["raw"], fresh.per_deal["raw"][20:])


def test_killed_process_loses_nothing(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    program = (
        "from marias_training.arena import evaluate\n"
        f"evaluate(['good', 'random'], deals=10**6, chunk=20, out={str(out)!r})"
    )
    with running(sys.executable, "-c", program) as process:
        wait_for(lambda: lines_in(out) > 3, process)
        process.kill()
        process.wait()
    saved = lines_in(out) - 1
    seen: list[Progress] = []
    resumed = evaluate(PAIR, deals=60, chunk=20, out=out, resume=True, on_progress=seen.append)
    assert saved >= 3
    assert seen[0].resumed == 60
    fresh = evaluate(PAIR, deals=60, chunk=20)
    assert without_time(resumed.to_dict()) == without_time(fresh.to_dict())


def test_process_count_and_chunk_size_change_nothing(tmp_path: Path) -> None:
    options: dict[str, Any] = {"deals": 400, "until": 9.0, "min_deals": 60, "chunk": 20}
    one = evaluate(PAIR, records=tmp_path / "one.jsonl", **options)
    two = evaluate(PAIR, records=tmp_path / "two.jsonl", processes=2, **options)
    assert 60 <= one.deals < 400
    assert without_time(one.to_dict()) == without_time(two.to_dict())
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    other = evaluate(PAIR, deals=one.deals, chunk=37)
    assert other.pair(*PAIR).raw == one.pair(*PAIR).raw
    assert other.counts("good") == one.counts("good")


def test_adaptive_stop() -> None:
    seen: list[Progress] = []
    found = evaluate(
        PAIR, until=0.8, metric="capped", chunk=50, min_deals=100, on_progress=seen.append
    )
    assert found.pair(*PAIR).capped.half_width <= 0.8
    assert seen[-1].half_width == found.pair(*PAIR).capped.half_width
    assert 100 <= found.deals < 2000
    # One chunk less was not enough.
    shorter = evaluate(PAIR, deals=found.deals - 50, chunk=50)
    assert shorter.pair(*PAIR).capped.half_width > 0.8 or found.deals == 100
    limited = evaluate(PAIR, until=0.01, deals=120, chunk=50, min_deals=50)
    assert limited.deals == 120


def test_results_file_errors(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    evaluate(PAIR, deals=20, chunk=10, out=out)
    with pytest.raises(ResultsError, match="exists already"):
        evaluate(PAIR, deals=20, chunk=10, out=out)
    for other in (
        {"seed": 1},
        {"rules": "online"},
        {"chunk": 5},
        {"control_deals": 10},
    ):
        options: dict[str, Any] = {"deals": 20, "chunk": 10, "out": out, "resume": True, **other}
        with pytest.raises(ResultsError, match="another evaluation.*" + next(iter(other))):
            evaluate(PAIR, **options)
    with pytest.raises(ResultsError, match="agents"):
        evaluate(["random", "good"], deals=20, chunk=10, out=out, resume=True)
    lines = out.read_text().splitlines()
    out.write_text("\n".join([lines[0], lines[1][:40], lines[2]]) + "\n")
    with pytest.raises(ResultsError, match="line 2: not JSON"):
        evaluate(PAIR, deals=20, chunk=10, out=out, resume=True)
    out.write_text(json.dumps({"format": "something else"}) + "\n")
    with pytest.raises(ResultsError, match="not a results file"):
        evaluate(PAIR, deals=20, chunk=10, out=out, resume=True)


def test_a_checkpoint_that_changed_is_another_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = tmp_path / "net.pt"
    net.write_bytes(b"weights")
    monkeypatch.setattr(
        chunk_module, "make_agent", lambda agent: First() if agent == str(net) else Last()
    )
    out = tmp_path / "results.jsonl"
    evaluate([str(net), "good"], deals=5, out=out)
    evaluate([str(net), "good"], deals=5, out=out, resume=True)
    net.write_bytes(b"more weights")
    with pytest.raises(ResultsError, match="files"):
        evaluate([str(net), "good"], deals=5, out=out, resume=True)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"agents": ["good"]}, AgentError),
        ({"agents": "good"}, AgentError),
        ({"agents": ["good", "nobody"]}, AgentError),
        ({"agents": ["good", "nobody"], "processes": 2}, AgentError),
        ({"deals": 0}, ValueError),
        ({"processes": 0}, ValueError),
        ({"until": -1.0}, ValueError),
        ({"until": float("nan")}, ValueError),
        ({"metric": "elo"}, ValueError),
        ({"rules": "poker"}, RulesError),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        evaluate(**{"agents": PAIR, "deals": 5, **options})


def test_illegal_agent_stops_the_run_and_keeps_the_chunks(tmp_path: Path) -> None:
    class Tired(First):
        name = "tired"
        calls = 0

        def act(self, views: Any, masks: Array) -> Array:
            self.calls += 1
            return np.full(len(masks), 47) if self.calls > 120 else super().act(views, masks)

    out = tmp_path / "results.jsonl"
    with pytest.raises(AgentError, match=r"'tired': action 47 .flek_seven. is not legal for seat"):
        evaluate([Tired(), Last()], deals=200, chunk=10, out=out)
    assert out.read_bytes().count(b"\n") > 1


def test_round_robin_of_three() -> None:
    agents = ["good", "random", "random@1"]
    evaluation = evaluate(agents, deals=80)
    assert evaluation.games == 80 * (3 * 6 + 6)
    matrix = evaluation.matrix()
    assert np.isnan(np.diag(matrix)).all()
    off = ~np.eye(3, dtype=bool)
    assert matrix[off] == pytest.approx(-matrix.T[off])
    assert evaluation.ratings().values.sum() == pytest.approx(0)
    assert np.argmax(evaluation.ratings("capped").values) == 0
    table = evaluation.tables[0]
    assert sum(interval.mean for interval in table.raw) == pytest.approx(0)
    assert table.differences["good", "random"].low > 0
    # The matrix is of one common deal set: each cell is what the pair alone would give.
    alone = evaluate(["good", "random@1"], deals=80)
    assert alone.pair("good", "random@1").raw.mean == evaluation.pair("good", "random@1").raw.mean
    without = evaluate(agents, deals=10, tables=False)
    assert without.tables == []


@pytest.mark.parametrize("rules", ["traditional", "online", "additive"])
def test_rules_beats_random(rules: str) -> None:
    result = compare("rules", "random", deals=150, rules=rules)
    assert result.capped.low > 2
    assert result.trimmed > 2


def test_any_executor() -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        found = evaluate(PAIR, deals=60, chunk=20, executor=pool)
    assert without_time(found.to_dict()) == without_time(
        evaluate(PAIR, deals=60, chunk=20).to_dict()
    )


def test_dead_worker() -> None:
    with pytest.raises(WorkerError, match="ended unexpectedly"):
        evaluate(["good", "tests.training.arena_helpers:Dying"], deals=20, processes=2)


def test_ray() -> None:
    pytest.importorskip("ray")
    from marias_training.arena.ray_pool import RayExecutor

    with RayExecutor(num_cpus=2) as pool:
        found = evaluate(PAIR, deals=60, chunk=10, executor=pool)
    assert found.pair(*PAIR).raw == evaluate(PAIR, deals=60).pair(*PAIR).raw


def interrupted_workers(out: Path) -> Evaluation:
    def stop(done: Progress) -> None:
        if done.deals >= 40:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(EvaluationInterrupted) as stopped:
        evaluate(PAIR, deals=10**5, chunk=20, out=out, processes=2, on_progress=stop)
    return stopped.value.evaluation


def test_ctrl_c_with_processes_keeps_what_is_done(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    partial = interrupted_workers(out)
    assert 40 <= partial.deals < 10**5
    resumed = evaluate(PAIR, deals=40, chunk=20, out=out, resume=True)
    fresh = evaluate(PAIR, deals=40, chunk=20)
    assert without_time(resumed.to_dict()) == without_time(fresh.to_dict())


def test_a_class_is_no_agent() -> None:
    from marias_agents.rules.agent import RulesAgent

    with pytest.raises(AgentError, match="is a class"):
        evaluate([RulesAgent, "rules"], deals=1)  # type: ignore[list-item]
