"""What comes before and beside PPO: imitation, labels and what is learned from them, DMC."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from marias_agents import make
from marias_agents.net.shape import TABLE_OF
from marias_agents.net.weights import load_weights, save_weights
from marias_agents.search.engine import Engine
from marias_agents.search.options import PimcOptions
from marias_agents.worlds import count_worlds
from marias_env import DealBatch
from marias_env.actions import PLAY
from marias_env.canonical import canonical, to_actions
from marias_training import dmc, imitation, improve, labels
from marias_training.config import PPOConfig
from marias_training.policy import make_policy


def run(main: Callable[[], None], monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["it", *map(str, arguments)])
    main()


SMALL = ("--hidden", 32, "--narrow", 16)


def test_imitation_learns_what_the_teacher_does_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.net"
    common = ("--deals", 128, *SMALL, "--out", out)
    run(imitation.main, monkeypatch, "--rounds", 2, *common)
    run(imitation.main, monkeypatch, "--rounds", 6, "--resume", *common)
    lines = capsys.readouterr().out.splitlines()
    shares = [float(line.split("decisions, ")[1].split("%")[0]) for line in lines]
    assert [line.split(":")[0] for line in lines] == [f"round {n}" for n in range(1, 7)]
    assert shares[-1] > shares[0] + 5
    # Only what comes before play is learned, where only that is asked for.
    later = tmp_path / "b.net"
    run(imitation.main, monkeypatch, "--rounds", 1, "--rules", "online", "--start", out,
        "--before-play", "--deals", 64, *SMALL, "--out", later)  # fmt: skip
    one, two = load_weights(out).params, load_weights(later).params
    assert not np.array_equal(one.first[0], two.first[0])
    assert np.array_equal(one.first[1:], two.first[1:])
    assert np.array_equal(one.head[TABLE_OF > 0], two.head[TABLE_OF > 0])


def test_lessons_are_the_teachers_choices() -> None:
    teacher = make("rules")
    lessons = imitation.collect(teacher, "traditional", 40, [1, 2])
    assert (lessons.masks.sum(1) > 1).all()
    assert (lessons.masks[np.arange(len(lessons.actions)), lessons.actions] == 1).all()


def test_what_an_action_brings_is_what_the_deal_pays_where_only_one_world_is_left() -> None:
    batch = DealBatch(600, seed=4, autoreset=False)
    rules = make("rules")
    compared = 0
    while (batch.turn >= 0).any():
        running = np.flatnonzero(batch.turn >= 0)
        views, masks = batch.views(running), batch.legal_mask()[running]
        choices = rules.act(views, masks)
        late = (views.deals["phase"] == PLAY) & (views.deals["tricks"] >= 7) & (masks.sum(1) > 1)
        for i in np.flatnonzero(late):
            if compared == 10 or count_worlds(views[i])[0] != 1:
                continue
            engine = Engine(PimcOptions(models="rules"), 1)
            worth = labels.try_actions(engine, views.deals[i : i + 1], views.packed_rules, 5)
            legal = masks[i] == 1
            assert (np.isfinite(worth) == legal).all()
            seat, row = int(views.seats[i]), int(running[i])
            most = labels.CAP * (2 if seat == batch.deals["declarer"][row] else 1)
            for action in np.flatnonzero(legal):
                rest = batch.copy()
                taken = np.full(600, -1, dtype=np.int64)
                taken[running] = choices
                taken[row] = action
                rest.step(taken)
                while rest.turn[row] >= 0:
                    playing = np.flatnonzero(rest.turn >= 0)
                    taken[:] = -1
                    taken[playing] = rules.act(rest.views(playing), rest.legal_mask()[playing])
                    rest.step(taken)
                paid = np.clip(rest.deals["payments"][row, seat], -most, most)
                assert worth[action] == paid
            compared += 1
        actions = np.full(600, -1, dtype=np.int64)
        actions[running] = choices
        batch.step(actions)
    assert compared == 10


def test_a_shard_is_a_function_of_its_number() -> None:
    arguments: Any = ("traditional", ["rules", "random"], 0.5, 4, 1, 6)
    one, again, other = (labels.make_shard(n, *arguments) for n in (3, 3, 4))
    assert one.tobytes() == again.tobytes()
    assert one.tobytes() != other.tobytes()
    legal = one["mask"] == 1
    assert (legal.sum(1) > 1).all()
    assert (one["worth"][~legal] == 0).all()
    worth = np.where(legal, one["worth"].astype(np.float64), 0)
    assert np.abs(worth.sum(1)).max() < 0.2  # over the mean of the legal ones, in float16


def test_shards_that_are_there_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("--out", tmp_path, "--processes", 1, "--deals", 2, "--worlds", 2)
    run(labels.main, monkeypatch, "--shards", 1, *arguments)
    first = tmp_path / "00000.npy"
    when = first.stat().st_mtime_ns
    run(labels.main, monkeypatch, "--shards", 2, *arguments)
    assert first.stat().st_mtime_ns == when
    assert np.load(tmp_path / "00001.npy", mmap_mode="r").dtype == labels.LABEL


def test_improving_learns_what_is_worth_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Labels that say: the first of the legal actions is worth most.
    folder = tmp_path / "labels"
    folder.mkdir()
    lessons = imitation.collect(make("rules"), "traditional", 120, [5, 6])
    rows = np.zeros(len(lessons.actions), dtype=labels.LABEL)
    rows["features"], rows["mask"] = lessons.features, lessons.masks
    rows["bucket"] = lessons.buckets
    first = lessons.masks.argmax(1)
    rows["worth"] = np.where(lessons.masks == 1, -0.5, 0)
    rows["worth"][np.arange(len(rows)), first] = 0.5
    for number in range(4):
        np.save(folder / f"{number:05d}.npy", rows[number::4])
    start, out = tmp_path / "start.net", tmp_path / "better.net"
    params = make_policy(PPOConfig(hidden=32, narrow=16)).to_params()
    save_weights(start, params, "traditional")
    run(improve.main, monkeypatch, "--start", start, "--labels", folder, "--held-out", 0.25,
        "--passes", 40, "--rate", 1e-2, *SMALL, "--out", out)  # fmt: skip
    views = DealBatch(200, seed=9).views()
    inputs = canonical(views.observe(), views.legal_mask())
    chosen = make(f"net:{out}").act(views, views.legal_mask())
    agreed = inputs.masks.argmax(1)
    assert (to_actions(agreed, inputs.order) == chosen).mean() > 0.8
    assert "held out" in capsys.readouterr().out


def test_deep_monte_carlo_plays_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "dmc.net"
    common = ("--minutes", 0.0, "--deals", 64, *SMALL, "--out", out)
    run(dmc.main, monkeypatch, *common)
    run(dmc.main, monkeypatch, "--resume", *common)
    assert load_weights(out).about["updates"] == 2
    assert "update 2," in capsys.readouterr().out
    views = DealBatch(30, seed=1).views()
    chosen = make(f"net:{out}").act(views, views.legal_mask())
    assert (views.legal_mask()[np.arange(30), chosen] == 1).all()
