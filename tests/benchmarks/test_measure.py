"""The measuring helpers of the benchmarks; no figure is tested here."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import measure, peer_cases, peers, report, scaling, throughput
from benchmarks.measure import Case, NotAvailableError, Result, Span, Workload
from benchmarks.workloads import core, sample_masks

TINY = Span(repeats=3, seconds=0.002, warmup=0.001)
HERE = "tests.benchmarks.test_measure:"


def busy(decisions: int = 7, games: int = 1) -> Workload:
    """A workload that does nothing for about a millisecond."""

    def chunk() -> tuple[int, int]:
        end = time.process_time() + 0.001
        while time.process_time() < end:
            pass
        return decisions, games

    return Workload(chunk, "does nothing", {"answer": 42.0})


def absent() -> Workload:
    raise NotAvailableError("not in this version")


def broken() -> Workload:
    raise ZeroDivisionError("by a peer")


def killed() -> Workload:
    import os

    os._exit(3)


def quiet() -> None:
    """Does nothing: a case of kind `seconds`."""


@pytest.fixture
def case() -> Callable[..., dict[str, Any]]:
    def make(function: str, kind: str = "rate", **arguments: Any) -> dict[str, Any]:
        return {"target": HERE + function, "arguments": arguments, "kind": kind, "threads": 10_000}

    return make  # 10,000 threads: more cores than there are, so the tests' process is not pinned


def test_samples_are_decisions_over_cpu_time() -> None:
    samples = measure.sample_rates(busy(), TINY)
    assert len(samples) == 3
    for rate, wall_rate, games in samples:
        assert rate > 0
        assert wall_rate > 0
        assert games == pytest.approx(rate / 7)


def test_result_is_the_median_between_the_extremes(case: Callable[..., dict[str, Any]]) -> None:
    found = measure.measure_here(case("busy", decisions=5), TINY)
    assert found["low"] <= found["value"] <= found["high"]
    assert sorted(found["samples"])[1] == found["value"]
    assert found["pinned"] is False
    assert found["note"] == "does nothing"
    assert found["extra"]["answer"] == 42.0


@pytest.mark.parametrize(
    ("function", "status", "reason"),
    [
        ("absent", "not available", "not in this version"),
        ("broken", "failed", "ZeroDivisionError: by a peer"),
    ],
)
def test_a_case_without_a_figure_says_why(
    case: Callable[..., dict[str, Any]], function: str, status: str, reason: str
) -> None:
    assert measure.measure_here(case(function), TINY) == {"status": status, "reason": reason}


def test_a_missing_library_is_not_available(case: Callable[..., dict[str, Any]]) -> None:
    request = {**case("busy"), "target": "benchmarks.no_such_module:busy"}
    found = measure.measure_here(request, TINY)
    assert found["status"] == "not available"
    assert "no_such_module" in found["reason"]


def test_a_fresh_process_measures_and_reports() -> None:
    result = measure.run_case(Case("us/busy", "busy", HERE + "busy", goal=1.0), TINY)
    assert result.ok, result.reason
    assert result.reached is True
    assert result.low <= result.value <= result.high
    assert result.games == pytest.approx(result.value / 7)


def test_a_dead_process_is_a_failed_case() -> None:
    result = measure.run_case(Case("us/killed", "killed", HERE + "killed", goal=1.0), TINY)
    assert result.status == "failed"
    assert "code 3" in result.reason
    assert result.reached is False


def test_a_case_of_seconds_takes_a_process_per_repeat() -> None:
    case = Case("us/quiet", "quiet", HERE + "quiet", kind="seconds", goal=1e6, repeats=2)
    result = measure.run_case(case, TINY)
    assert result.ok, result.reason
    assert len(result.samples) == 2
    assert result.reached is True


def test_environment_variables_get_a_fresh_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def spawn(case: Case, span: Span, python: str, environment: dict[str, str]) -> Any:
        assert Path(environment["CACHE"]).is_dir()
        seen.append(environment["CACHE"])
        return {"value": 1.0}, 0.5

    monkeypatch.setattr(measure, "_spawn", spawn)
    case = Case("a/b", "b", HERE + "quiet", kind="seconds", environment={"CACHE": "{tmp}"})
    measure.run_case(case, TINY)
    assert len(set(seen)) == 3
    assert not any(Path(folder).exists() for folder in seen)


def test_goals() -> None:
    assert Result("a", "a", value=2, goal=1).reached is True
    assert Result("a", "a", value=1, goal=2).reached is False
    assert Result("a", "a", kind="seconds", value=1, goal=2).reached is True
    assert Result("a", "a", kind="seconds", value=3, goal=2).reached is False
    assert Result("a", "a", value=1).reached is None
    assert Result("a", "a", status="failed", goal=1).reached is False


def test_check_fails_when_a_goal_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(cases: Any, span: Span, after: Any) -> list[Result]:
        results = [Result(c.name, c.label, status="not available", goal=c.goal) for c in cases]
        after(results)
        return results

    monkeypatch.setattr(throughput, "run_cases", run)
    arguments = ["--only", "marias/core", "--out", str(tmp_path)]
    assert throughput.main(arguments) == 0
    assert throughput.main([*arguments, "--check"]) == 1
    assert "marias/core" in capsys.readouterr().err
    assert "not available" in (tmp_path / "throughput.md").read_text()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (21_934_000, "21.9 M"),
        (487_300, "487 k"),
        (999_990, "1 M"),
        (999_400, "999 k"),
        (1000, "1 k"),
        (9.5, "9.5"),
        (0.0, "0"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert report.number(value) == text


def test_results_round_trip_through_json_lines() -> None:
    results = [Result("a/b", "Mariáš", value=1.5, extra={"x": 2.0}, samples=[1.0, 2.0])]
    assert report.read_results(report.result_lines(results)) == results


def test_table_has_a_line_for_every_case_and_every_reason() -> None:
    table = report.results_table(
        [
            Result("a/b", "one | two", value=12_000, low=11_000, high=13_000, goal=10_000),
            Result("a/c", "three", status="failed", reason="it broke"),
        ]
    )
    lines = table.splitlines()
    assert len(lines) == 4
    assert "one \\| two" in lines[2]
    assert "12 k" in lines[2]
    assert "✓" in lines[2]
    assert "failed: it broke" in lines[3]


def test_files_are_replaced_or_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.md"
    report.write_atomically(path, "first")
    report.write_atomically(path, b"second")
    assert path.read_text() == "second"
    with pytest.raises(UnicodeEncodeError):
        report.write_atomically(path, "\ud800")
    assert path.read_text() == "second"
    assert [entry.name for entry in path.parent.iterdir()] == ["file.md"]


def test_plots_are_png_files(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    results = [Result("marias/a", "ours", value=2e6), Result("x/b", "theirs", value=3e5)]
    assert report.plot_bars(results, tmp_path / "bars.png", "bars")
    assert report.plot_lines({"a": [(1, 2), (4, 8)]}, tmp_path / "lines.png", "t", ("x", "y"))
    for name in ("bars.png", "lines.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert not report.plot_bars([], tmp_path / "none.png", "none")
    assert not (tmp_path / "none.png").exists()


def test_masks_are_sampled_legally_and_evenly() -> None:
    generator = np.random.default_rng(0)
    masks = (generator.random((5000, 48)) < 0.2).astype(np.int8)
    masks[:, 7] = 1
    actions = sample_masks(masks, generator)
    assert masks[np.arange(5000), actions].all()
    pair = np.zeros((4000, 48), np.int8)
    pair[:, [3, 40]] = 1
    drawn = sample_masks(pair, generator)
    assert 1800 < (drawn == 3).sum() < 2200


def test_case_names_are_unique_and_groups_have_titles() -> None:
    cases = peer_cases.all_cases("folder")
    for named in (cases, throughput.CASES, scaling.cases(scaling.BATCHES)):
        names = [one.name for one in named]
        assert len(set(names)) == len(names)
    assert {one.group for one in cases} == set(peer_cases.TITLES)
    known = {one.name for one in cases}
    for ratio in peer_cases.RATIOS:
        assert ratio.ours in known
        for name in ratio.theirs:
            assert name in known or (name.endswith("/*") and name[:-2] in peer_cases.TITLES)
    assert json.dumps([dict(one.arguments) for one in cases])


def test_every_installed_peer_is_pinned_exactly() -> None:
    for packages in peer_cases.INSTALLS.values():
        for package in packages:
            if package not in ("-e", "."):
                assert "==" in peers.pinned(package)
    for line in peers.PINS.read_text().splitlines():
        assert line.startswith("#") or "==" in line


def test_ratios_take_the_fastest_of_theirs() -> None:
    results = [
        Result("marias/core", "ours", value=100.0),
        Result("x/a", "slow", value=10.0),
        Result("x/b", "fast", value=20.0),
        Result("x/c", "broken", status="failed", value=50.0),
    ]
    ratios = (
        peer_cases.Ratio("all", "marias/core", ("x/*",), 4),
        peer_cases.Ratio("one", "marias/core", ("x/a",), 11),
        peer_cases.Ratio("none", "marias/core", ("y/*",), 5),
    )
    rows = peers.ratio_rows(results, ratios)
    assert rows[0][3:] == ["5 ×", "≥ 4 × ✓"]
    assert "fast" in rows[0][2]
    assert rows[1][3:] == ["10 ×", "≥ 11 × ✗"]
    assert rows[2][3] == "not measured"


def test_scaling_judges_its_goals() -> None:
    def result(name: str, wall: float) -> Result:
        # Two threads that are in nobody's way take no more CPU time for a decision than one.
        return Result(name, "", value=wall if name[0] == "1" else wall / 2, wall=wall)

    rows = scaling.goal_rows(
        [
            result("1 thread/4096", 100.0),
            result("1 thread/16384", 90.0),
            result("1 thread/65536", 80.0),
            result("1 thread/524288", 50.0),
            result("2 threads/4096", 100.0),
            result("2 threads/16384", 170.0),
            result("2 threads/65536", 160.0),
            result("1 thread, observations/65536", 10.0),
            result("2 threads, observations/65536", 15.0),
        ]
    )
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("1 thread : cost of a decision at 65,536 against 4,096", "1.25 ×", True),
        ("1 thread : cost of a decision at 524,288 against 4,096", "2.00 ×", False),
        ("2 threads : 1 thread, batch 16,384", "1.89 × (0.94 × per CPU-second)", True),
        ("2 threads : 1 thread, batch 65,536", "2.00 × (1.00 × per CPU-second)", True),
        (
            "2 threads, observations : 1 thread, observations, batch 65,536",
            "1.50 × (0.75 × per CPU-second)",
            False,
        ),
    ]


def test_workloads_of_every_face_can_be_built() -> None:
    # A face that has moved would only be reported as not available.
    for case in throughput.CASES:
        if case.kind == "rate" and case.group == "marias" and "sb3" not in case.name:
            small = {"batch": 2} if case.target.endswith(":core") else {}
            decisions, _ = measure.load(case.target)(**{**case.arguments, **small}).chunk()
            assert decisions > 0


def test_packed_observations_are_measured_on_the_same_games() -> None:
    plain = core(batch=4, observe=True, most_steps=60)
    packed = core(batch=4, observe=True, packed=True, most_steps=60)
    assert packed.chunk() == plain.chunk()
    assert packed.extra["observation_bytes"] < plain.extra["observation_bytes"] / 7


def test_threads_share_the_rows_of_a_batch() -> None:
    decisions, games = core(batch=7, threads=2, most_steps=60).chunk()
    assert decisions == 7 * 60
    assert games == core(batch=7, threads=1, most_steps=60).chunk()[1] > 0
    with pytest.raises(NotAvailableError, match="1 rows cannot be shared by 2 threads"):
        core(batch=1, threads=2)


def test_scaling_says_what_a_deal_takes() -> None:
    results = [
        Result("memory/100", "", extra={"peak_bytes": 1000.0, "record_bytes": 9.0}),
        Result("memory/200", "", extra={"peak_bytes": 3000.0, "record_bytes": 9.0}),
    ]
    text = scaling.memory_text(results)
    assert "9 bytes" in text
    assert "20 bytes" in text
