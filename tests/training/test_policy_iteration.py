"""Actions tried out on the deal as it lies, and learning from them."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from marias_agents import make  # noqa: E402
from marias_agents.net.agent import NetAgent  # noqa: E402
from marias_agents.net.shape import BUCKETS, TABLE_OF  # noqa: E402
from marias_agents.net.weights import load_weights, save_weights  # noqa: E402
from marias_env import DealBatch  # noqa: E402
from marias_env.actions import PLAY  # noqa: E402
from marias_env.canonical import canonical  # noqa: E402
from marias_env.errors import AgentError  # noqa: E402
from marias_training import headroom, policy_iteration  # noqa: E402
from marias_training.config import PPOConfig  # noqa: E402
from marias_training.policy import make_policy  # noqa: E402
from marias_training.tryouts import BID_SCALE, Lessons, try_out  # noqa: E402

CAP = 16.0
DEALS = 12


def tried(explore: float = 0.0, net_seats: bool = False, rate: float = 1.0) -> Lessons:
    batch = DealBatch(DEALS, seed=5, autoreset=False)
    params = make_policy(PPOConfig(hidden=32, narrow=16)).to_params()
    players = np.full((DEALS, 3), 0 if net_seats else -1)
    rules = np.full((DEALS, 3), -1)
    points = make("rules").points[None]
    return try_out(batch, players, rules, params, points, np.uint64(7), rate, explore, CAP)


def test_what_an_action_brings_is_what_the_deal_pays_after_it() -> None:
    # Once more from Python: the rules player plays the deals, every action is taken on a copy.
    lessons = tried(rate=10.0)  # whatever their weights, all
    rules = make("rules")
    batch = DealBatch(DEALS, seed=5, autoreset=False)
    batch.reset(indices=np.arange(DEALS))  # a round begins with the next deals
    found: dict[bytes, np.ndarray[Any, Any]] = {}
    while (batch.turn >= 0).any():
        running = np.flatnonzero(batch.turn >= 0)
        views, masks = batch.views(running), batch.legal_mask()[running]
        choices = rules.act(views, masks)
        inputs = canonical(views.observe(), np.ascontiguousarray(masks))
        for i in np.flatnonzero(masks.sum(1) > 1):
            seat, row = int(views.seats[i]), int(running[i])
            paid = np.full(48, np.nan)
            for action in np.flatnonzero(masks[i]):
                rest = batch.copy()
                taken = np.full(DEALS, -1)
                taken[running] = choices
                taken[row] = action
                rest.step(taken)
                while rest.turn[row] >= 0:
                    playing = np.flatnonzero(rest.turn >= 0)
                    taken = np.full(DEALS, -1)
                    taken[playing] = rules.act(rest.views(playing), rest.legal_mask()[playing])
                    rest.step(taken)
                most = CAP * (2 if seat == rest.deals["declarer"][row] else 1)
                paid[action] = np.clip(rest.deals["payments"][row, seat], -most, most)
            found[inputs.features[i].tobytes()] = paid - np.nanmean(paid)
        actions = np.full(DEALS, -1)
        actions[running] = choices
        batch.step(actions)
    assert len(lessons.buckets) == len(found)
    bids = 0
    for i in range(len(lessons.buckets)):
        paid = found[lessons.features[i].tobytes()]
        legal = lessons.masks[i] == 1
        gains = lessons.gains[i]
        assert (gains[~legal] == 0).all()
        # The suits are in another order, so the values are compared as a set.
        expected = np.sort(paid[~np.isnan(paid)])
        scale = BID_SCALE
        if TABLE_OF[lessons.buckets[i]] > 0:
            spread = np.ptp(gains[legal])
            if spread == 0:
                assert np.ptp(expected) == 0
                continue
            scale = np.ptp(expected) / spread
            assert 1 <= round(scale) <= CAP
        else:
            bids += 1
        np.testing.assert_allclose(np.sort(gains[legal]) * scale, expected, atol=1e-4)
    assert bids > 20


def test_lessons_repeat_and_depend_on_who_plays() -> None:
    one, again = tried(0.2, rate=0.5), tried(0.2, rate=0.5)
    assert all((a == b).all() for a, b in zip(one, again))
    other = tried(0.2, net_seats=True, rate=0.5)
    assert one.features.tobytes() != other.features.tobytes()
    assert 0.3 < len(one.buckets) / len(tried(0.2, rate=10.0).buckets) < 0.7


SMALL = ("--deals", "64", "--batch", "256", "--save-every", "2", "--threads", "2")


def start(folder: Path) -> str:
    path = folder / "start.net"
    torch.manual_seed(1)
    save_weights(path, make_policy(PPOConfig(hidden=32, narrow=16)).to_params(), "traditional", {})
    return f"net:{path}"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["it", *map(str, arguments)])
    policy_iteration.main()


def test_a_resumed_run_is_the_run_that_never_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    common = ("--start", start(tmp_path), *SMALL, "--rounds", 4)
    whole, part = tmp_path / "whole", tmp_path / "part"
    run(monkeypatch, *common, "--out", whole)

    learn = policy_iteration.Run.learn

    def stopped(self: policy_iteration.Run, lessons: Lessons) -> Any:
        if self.round == 2:
            signal.raise_signal(signal.SIGINT)  # the round is ended first, and nothing lost
        return learn(self, lessons)

    monkeypatch.setattr(policy_iteration.Run, "learn", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, *common, "--out", part)
    monkeypatch.setattr(policy_iteration.Run, "learn", learn)
    saved = load_weights(part / "weights.net")
    assert saved.about["rounds"] == 3
    early = saved.params
    run(monkeypatch, *common, "--out", part, "--resume")
    one, two = (load_weights(folder / "weights.net") for folder in (whole, part))
    assert one.about["rounds"] == two.about["rounds"] == 4
    for a, b in zip(one.params, two.params):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(one.params.head, early.head)
    shutil.rmtree(part)


def test_it_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # From a net that knows nothing, what is chosen pays more than at first within a few rounds.
    monkeypatch.setattr(policy_iteration, "LOG_EVERY", 4)
    run(
        monkeypatch, "--start", start(tmp_path), "--out", tmp_path / "run", "--deals", 256,
        "--batch", 512, "--rounds", 8, "--memory", 0.5, "--rate", 3e-3,
    )  # fmt: skip
    first, last = (json.loads(line) for line in capsys.readouterr().out.splitlines()[-2:])
    kept = (tmp_path / "run" / policy_iteration.LOG).read_text().splitlines()
    assert [json.loads(line) for line in kept] == [first, last]
    assert (tmp_path / "run" / policy_iteration.CURVE).read_bytes().startswith(b"\x89PNG")
    assert last["lessons"] > first["lessons"] > 0
    assert last["gain_in_play"] > 0.03
    assert last["gain_before_play"] > 0.1


def test_a_net_plays_as_one_and_bids_as_another() -> None:
    config = PPOConfig(hidden=32, narrow=16)
    torch.manual_seed(2)
    play, bids = make_policy(config).to_params(), make_policy(config).to_params()
    both = NetAgent(policy_iteration.with_bidding_of(play, bids), "both")
    batch = DealBatch(60, seed=3)
    seen = set()
    for _ in range(60):
        views, masks = batch.views(), batch.legal_mask()
        playing = views.deals["phase"] == PLAY
        for params, rows in ((play, playing), (bids, ~playing)):
            if rows.any():
                expected = NetAgent(params, "one").act(views[rows], masks[rows])
                np.testing.assert_array_equal(both.act(views[rows], masks[rows]), expected)
        seen |= set(playing)
        batch.step(batch.sample_legal())
    assert seen == {True, False}


def test_players_of_other_kinds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AgentError, match="--players 'random'"):
        run(monkeypatch, "--start", start(tmp_path), "--out", tmp_path, "--players", "random")
    with pytest.raises(AgentError, match="--bidding 'rules'"):
        run(monkeypatch, "--start", start(tmp_path), "--bidding", "rules", "--out", tmp_path)
    with pytest.raises(AgentError, match="--start 'rules'"):
        run(monkeypatch, "--start", "rules", "--out", tmp_path)


def test_headroom_judges_by_other_worlds_than_it_chooses_by() -> None:
    # Over random play there is much to gain, and the rules player's own choice gains most of it;
    # over itself a player gains nothing.
    random, rules = make("random@1"), make("rules")
    found = headroom.headroom(random, rules, "traditional", 25, 0.5, 3)
    gains = np.concatenate(list(found.values()))
    assert len(gains) > 100
    assert gains[:, 0].mean() > 0.2
    assert gains[:, 1].mean() > 0.1
    same = headroom.headroom(rules, rules, "traditional", 6, 0.5, 3)
    assert all((part[:, 1] == 0).all() for part in same.values())
    assert set(same) <= set(BUCKETS)
