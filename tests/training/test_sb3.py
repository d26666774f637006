"""MaskablePPO trained by `python -m marias_training.sb3`: resumed exactly, and an agent by name."""

from __future__ import annotations

import dataclasses
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402
from stable_baselines3 import A2C, DQN, PPO, SAC  # noqa: E402

from marias_agents import make  # noqa: E402
from marias_agents.registry import file_of  # noqa: E402
from marias_env import DealBatch  # noqa: E402
from marias_env.errors import AgentError, OptionError, StateError  # noqa: E402
from marias_env.integrations.sb3 import MariasVecEnv  # noqa: E402
from marias_training import config, runs, sb3  # noqa: E402
from marias_training.arena import evaluate  # noqa: E402
from marias_training.sb3 import MODEL, Sb3Config, save, train  # noqa: E402
from marias_training.sb3_agent import NOTES  # noqa: E402
from tests.processes import PATIENCE, running, wait_for  # noqa: E402

TINY = Sb3Config(
    num_envs=4,
    n_steps=16,
    batch_size=32,
    n_epochs=2,
    hidden=16,
    steps=256,
    opponents="random",
    seed=3,
)


def weights(model: Any) -> np.ndarray[Any, Any]:
    return torch.cat([p.detach().flatten() for p in model.policy.parameters()]).numpy()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sb3")
    train(TINY, folder)
    return folder


def test_a_resumed_run_is_identical_to_one_that_never_stopped(run: Path, tmp_path: Path) -> None:
    whole = train(dataclasses.replace(TINY, steps=448), tmp_path / "whole")
    shutil.copytree(run, tmp_path / "parts")
    torch.manual_seed(99)  # whatever has drawn in between
    np.random.seed(99)  # noqa: NPY002
    resumed = train(out=tmp_path / "parts", resume=True, steps=448)
    assert resumed.num_timesteps == whole.num_timesteps == 448
    np.testing.assert_array_equal(weights(resumed), weights(whole))
    lines = (tmp_path / "parts" / "log.jsonl").read_text().splitlines()
    assert len(lines) == len((tmp_path / "whole" / "log.jsonl").read_text().splitlines()) == 7


def test_the_environment_goes_on_from_its_bytes() -> None:
    env, other = (MariasVecEnv(3, seed=seed, opponents="good", seat="rotate") for seed in (1, 2))
    with pytest.raises(StateError, match="before reset"):
        env.to_bytes()
    env.reset()
    for _ in range(20):
        env.step(env.action_masks().argmax(axis=1))
    other.from_bytes(env.to_bytes())
    for _ in range(40):
        actions = env.action_masks().argmax(axis=1)
        assert (actions == other.action_masks().argmax(axis=1)).all()
        one, two = env.step(actions), other.step(actions)
        for a, b in zip(one[:3], two[:3]):
            assert (a == b).all()
        assert [i.get("payments") for i in one[3]] == [i.get("payments") for i in two[3]]
        assert [i.get("episode", {}).get("r") for i in one[3]] == [
            i.get("episode", {}).get("r") for i in two[3]
        ]
    before = other.to_bytes()
    foreign = MariasVecEnv(2, seed=1)
    foreign.reset()
    for data in (b"", before[:50], foreign.to_bytes()):
        with pytest.raises(StateError):
            other.from_bytes(data)
    assert other.to_bytes() == before


def test_it_plays_by_name_and_is_judged(run: Path, tmp_path: Path) -> None:
    spec = f"sb3:{run / MODEL}"
    views = DealBatch(200, seed=1).views()
    masks = views.legal_mask()
    chosen = make(spec).act(views, masks)
    model = MaskablePPO.load(run / MODEL, device="cpu")
    expected, _ = model.predict(views.observe(), deterministic=True, action_masks=masks)
    assert (chosen == expected).all()
    drawn = make(spec, seed=7).act(views, masks)
    assert (drawn == make(f"{spec}@7").act(views, masks)).all()
    assert (drawn != chosen).any()
    assert masks[np.arange(200), drawn].all()
    assert make(spec.removesuffix(".zip")).act(views, masks).tolist() == chosen.tolist()
    out = tmp_path / "results.jsonl"
    evaluation = evaluate([spec, "random"], deals=4, out=out)
    assert evaluation.header["files"].keys() == {spec}
    assert file_of(f"{spec}@3") == run / MODEL
    assert file_of("pimc:10") is None


@pytest.mark.parametrize("algorithm", [PPO, A2C, DQN, MaskablePPO])
@pytest.mark.parametrize("observation", ["vector", "dict"])
def test_models_of_other_algorithms_play(algorithm: Any, observation: str, tmp_path: Path) -> None:
    env = gymnasium.make("marias_env:Marias-v0", observation=observation)
    more = {"buffer_size": 10} if algorithm is DQN else {}
    policy = "MlpPolicy" if observation == "vector" else "MultiInputPolicy"
    model = algorithm(policy, env, device="cpu", policy_kwargs={"net_arch": [8]}, **more)
    model.save(tmp_path / "model")
    views = DealBatch(5, seed=1).views()
    masks = views.legal_mask()
    chosen = make(f"sb3:{tmp_path / 'model'}").act(views, masks)
    assert masks[np.arange(5), chosen].all()


def test_files_that_do_not_play_are_refused(run: Path, tmp_path: Path) -> None:
    SAC("MlpPolicy", "Pendulum-v1", device="cpu", buffer_size=10).save(tmp_path / "sac")
    PPO("MlpPolicy", "CartPole-v1", device="cpu").save(tmp_path / "cart")
    (tmp_path / "text.zip").write_text("no zip")
    cut = (run / MODEL).read_bytes()
    (tmp_path / "cut.zip").write_bytes(cut[: len(cut) // 2])
    shutil.copy(run / MODEL, tmp_path / "old.zip")
    with zipfile.ZipFile(tmp_path / "old.zip") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "old.zip", "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, b'{"observation_version": 0}' if name == NOTES else data)
    for name in ("sac", "cart", "text.zip", "cut.zip", "old.zip", "missing"):
        with pytest.raises(AgentError, match=f"sb3:.*{name}.*cannot be loaded"):
            make(f"sb3:{tmp_path / name}")
    with pytest.raises(AgentError, match="expected a file"):
        make("sb3")


def test_weights_that_are_not_finite_are_not_saved_loaded_or_played(
    run: Path, tmp_path: Path
) -> None:
    shutil.copytree(run, tmp_path / "run")
    path = tmp_path / "run" / MODEL
    env = TINY.env()
    model = MaskablePPO.load(path, env=env)
    env.reset()
    before = path.read_bytes()
    next(iter(model.policy.parameters())).data[0] = float("nan")
    with pytest.raises(StateError, match="not finite"):
        save(model, TINY, path)
    assert path.read_bytes() == before
    model.save(tmp_path / "nan")
    with pytest.raises(AgentError, match="not finite"):
        make(f"sb3:{tmp_path / 'nan'}")


def test_runs_are_not_overwritten_and_options_are_checked(run: Path, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match="exists"):
        train(TINY, run)
    with pytest.raises(FileNotFoundError, match="nothing to resume"):
        train(out=tmp_path, resume=True)
    with pytest.raises(OptionError, match="seed: cannot be changed"):
        train(out=run, resume=True, seed=4)
    for changes in ({"steps": 0}, {"learning_rate": float("nan")}, {"seat": "3"}, {"rules": "x"}):
        with pytest.raises(ValueError, match=next(iter(changes))):
            dataclasses.replace(TINY, **changes)
    (tmp_path / MODEL).write_bytes((run / MODEL).read_bytes()[:-100])
    with pytest.raises(StateError, match="damaged"):
        train(out=tmp_path, resume=True)


@pytest.mark.parametrize(
    ("kind", "bounds"),
    [
        (Sb3Config, sb3.BOUNDS),
        (config.PPOConfig, config.BOUNDS),
        (runs.Schedule, runs.SCHEDULE_BOUNDS),
    ],
)
def test_every_field_of_a_training_configuration_has_a_bound(kind: Any, bounds: Any) -> None:
    assert set(bounds) == {field.name for field in dataclasses.fields(kind)}


def test_the_command_is_interrupted_and_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "marias_training.sb3", "--out", str(tmp_path)]
    options = ["--opponents", "random", "--num-envs", "4", "--n-steps", "16", "--hidden", "8"]
    more = ["--batch-size", "32", "--steps", "1000000", "--checkpoint-seconds", "0"]
    with running(*command, *options, *more) as process:
        wait_for((tmp_path / MODEL).exists, process)
        process.send_signal(signal.SIGTERM)
        said, errors = process.communicate(timeout=PATIENCE)
    said += errors
    assert process.returncode == 128 + signal.SIGTERM, said
    assert "--resume" in said
    again = subprocess.run(
        [*command, "--resume", "--steps", "64", "--evaluation-deals", "2"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert again.returncode == 0, again.stdout + again.stderr
    assert "units a deal against" in again.stdout
    assert f"marias evaluate sb3:{tmp_path / MODEL} rules random" in again.stdout
    wrong = subprocess.run(
        [*command, "--resume", "--hidden", "9"], capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 2
    assert "hidden" in wrong.stderr
