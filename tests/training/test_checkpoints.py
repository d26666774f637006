from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")


from marias_agents import make  # noqa: E402
from marias_agents.net.agent import NetAgent  # noqa: E402
from marias_env import DealBatch  # noqa: E402
from marias_env.errors import AgentError, StateError  # noqa: E402
from marias_training import export  # noqa: E402
from marias_training.checkpoint_file import FORMAT, read_checkpoint  # noqa: E402
from marias_training.checkpoints import (  # noqa: E402
    load_agent,
    load_trainer,
    save_checkpoint,
)
from marias_training.config import PPOConfig  # noqa: E402
from marias_training.ppo import Trainer  # noqa: E402

TINY = PPOConfig(
    steps=20_000,
    minutes=0,
    deals=64,
    minibatch=256,
    hidden=32,
    narrow=16,
    seed=3,
    opponent_fraction=0.5,
    past_every=1,
)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "checkpoint.pt"
    save_checkpoint(Trainer(TINY), path)
    return path


def state_bytes(trainer: Trainer) -> bytes:
    state = trainer.state_dict()
    state["counts"] = state["counts"][:2]  # the time taken is not the same
    # Not pickled: which equal parts are one object is in a pickle, and of no matter.
    plain = torch.utils._pytree.tree_map(lambda x: x.tolist() if hasattr(x, "tolist") else x, state)
    return repr(plain).encode()


@pytest.mark.parametrize("part", ["policy", "critic"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_not_saved_loaded_or_played(
    checkpoint: Path, part: str, value: float
) -> None:
    trainer = load_trainer(checkpoint)
    before = checkpoint.read_bytes()
    next(iter(getattr(trainer, part).parameters())).data[0, 0] = value
    with pytest.raises(StateError, match=f"{part}.*not finite"):
        save_checkpoint(trainer, checkpoint)
    assert checkpoint.read_bytes() == before
    saved = torch.load(checkpoint, weights_only=True)
    torch.save({**saved, **trainer.state_dict()}, checkpoint)
    with pytest.raises(StateError, match="not finite"):
        load_trainer(checkpoint)
    with pytest.raises(AgentError, match="not finite"):
        make(str(checkpoint))


def test_a_net_that_is_not_finite_does_not_play() -> None:
    params = Trainer(TINY).policy.to_params()
    params.head_bias[2, 3] = np.nan
    with pytest.raises(AgentError, match="'head_bias' are not finite"):
        NetAgent(params, "net")


@pytest.mark.parametrize(
    "changes",
    [{"precision": "float32"}, {"precision": "bfloat16"}, {"overlap": True}],
    ids=lambda changes: "".join(str(value) for value in changes.values()),
)
def test_a_resumed_run_is_identical_to_one_that_never_stopped(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    config = dataclasses.replace(TINY, **changes)
    whole = Trainer(config)
    for _ in range(6):
        whole.train_update()
    part = Trainer(config)
    for _ in range(3):
        part.train_update()
    save_checkpoint(part, tmp_path / "c.pt")
    resumed = load_trainer(tmp_path / "c.pt")
    assert resumed.config == config
    for _ in range(3):
        resumed.train_update()
    assert (resumed.updates, resumed.decisions) == (whole.updates, whole.decisions)
    assert state_bytes(resumed) == state_bytes(whole)


def test_a_checkpoint_plays_by_path(checkpoint: Path) -> None:
    agent = make(str(checkpoint))
    assert agent.name == str(checkpoint)
    batch = DealBatch(100, seed=1)
    for _ in range(80):
        masks = batch.legal_mask()
        views = batch.views()
        actions = agent.act(views, masks)
        assert actions.dtype == np.int64
        assert (masks[np.arange(100), actions] == 1).all()
        # A function of the view: alone or among others.
        assert actions[7] == agent.act(views[7], masks[7:8])[0]
        batch.step(actions)


def test_a_seed_makes_it_draw_from_the_policy(checkpoint: Path) -> None:
    batch = DealBatch(400, seed=1)
    views, masks = batch.views(), batch.legal_mask()
    greedy = make(str(checkpoint)).act(views, masks)
    drawn = {seed: make(f"{checkpoint}@{seed}").act(views, masks) for seed in (1, 2)}
    assert np.array_equal(drawn[1], load_agent(checkpoint, seed=1).act(views, masks))
    assert not np.array_equal(drawn[1], drawn[2])
    assert not np.array_equal(drawn[1], greedy)
    for actions in drawn.values():
        assert (masks[np.arange(400), actions] == 1).all()
    # An untrained policy is nearly uniform over forehand's eight choices.
    best = (drawn[1] == greedy).mean()
    assert 0.05 < best < 0.25


class Harmful:
    def __reduce__(self) -> Any:
        return os.mkdir, (self.path,)

    def __init__(self, path: str) -> None:
        self.path = path


def test_foreign_and_damaged_files_are_refused(checkpoint: Path, tmp_path: Path) -> None:
    good = checkpoint.read_bytes()
    middle = len(good) // 2
    listed = good.rindex(b"PK\x01\x02")
    bad = {
        "empty": b"",
        "text": b"not a checkpoint\n",
        "half": good[:middle],
        "flipped": good[:middle] + bytes(b ^ 255 for b in good[middle : middle + 9000])
        + good[middle + 9000 :],
        "record": b'{"format": "marias-deal/1"}\n',
        # The archive's directory says of a stored part that it is deflated, bzip2, LZMA.
        **{
            f"packed{method}": good[: listed + 10] + bytes([method]) + good[listed + 11 :]
            for method in (8, 12, 14)
        },
    }  # fmt: skip
    for name, data in bad.items():
        path = tmp_path / f"{name}.pt"
        path.write_bytes(data)
        with pytest.raises(StateError, match=name):
            load_trainer(path)
        with pytest.raises(AgentError, match=name):
            make(str(path))
    missing = tmp_path / "missing.pt"
    with pytest.raises(AgentError, match="missing"):
        load_agent(missing)


def test_a_checkpoint_cannot_run_code(tmp_path: Path) -> None:
    path = tmp_path / "harm.pt"
    torch.save({"format": FORMAT, "x": Harmful(str(tmp_path / "done"))}, path)
    with pytest.raises(AgentError):
        make(str(path))
    assert not (tmp_path / "done").exists()


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("format", "marias-checkpoint/0", "format"),
        ("observation_version", 0, "observation_version 0"),
        ("features_version", 99, "features_version 99"),
        ("config", {"no_such_option": 1}, "configuration"),
        ("config", {"deals": 0}, "configuration"),
        ("config", None, "configuration"),
    ],
)
def test_other_versions_are_refused(checkpoint: Path, key: str, value: Any, says: str) -> None:
    saved = torch.load(checkpoint, weights_only=True)
    saved[key] = value
    torch.save(saved, checkpoint)
    with pytest.raises(StateError, match=says):
        read_checkpoint(checkpoint)
    with pytest.raises(AgentError, match=says):
        load_agent(checkpoint)


@pytest.mark.parametrize("key", ["policy", "critic", "optimizer", "batches", "counts", "ahead"])
def test_missing_and_misfit_parts_are_refused(checkpoint: Path, key: str) -> None:
    saved = torch.load(checkpoint, weights_only=True)
    if key != "ahead":  # none in a run that does not play ahead
        torch.save({**saved, key: None}, checkpoint)
        with pytest.raises(StateError):
            load_trainer(checkpoint)
    torch.save({k: v for k, v in saved.items() if k != key}, checkpoint)
    with pytest.raises(StateError):
        load_trainer(checkpoint)
    if isinstance(saved[key], list) and saved[key]:
        torch.save({**saved, key: saved[key][:-1]}, checkpoint)
        with pytest.raises(StateError):
            load_trainer(checkpoint)


@pytest.mark.parametrize("changes", [{"hidden": 16}, {"deals": 128}, {"threads": 1}])
def test_some_options_cannot_be_changed_on_the_way(
    checkpoint: Path, changes: dict[str, int]
) -> None:
    with pytest.raises(StateError, match="fit"):
        load_trainer(checkpoint, **changes)


def test_loading_leaves_torchs_own_stream_alone(checkpoint: Path) -> None:
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    load_agent(checkpoint)
    load_trainer(checkpoint)
    assert torch.rand(1) == expected


def test_a_failed_write_leaves_the_old_checkpoint(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = checkpoint.read_bytes()

    def fail(self: Path, target: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="space"):
        save_checkpoint(Trainer(TINY), checkpoint)
    monkeypatch.undo()
    assert checkpoint.read_bytes() == before
    assert [path.name for path in checkpoint.parent.iterdir()] == ["checkpoint.pt"]


def test_an_exported_policy_plays_the_same_but_for_rounding(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "policy.net"
    monkeypatch.setattr(sys, "argv", ["export", str(checkpoint), str(out)])
    export.main()
    views = DealBatch(50, seed=1).views()
    one, two = load_agent(checkpoint).logits(views), make(f"net:{out}").logits(views)
    np.testing.assert_allclose(one, two, atol=2e-3)
    assert np.abs(one).max() > 0
