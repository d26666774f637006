"""Trains MaskablePPO of sb3-contrib on the package's VecEnv: `python -m marias_training.sb3`.

model.zip   the model; plays as `sb3:FILE`, loads with `MaskablePPO.load`, and is gone on with
log.jsonl   a line for each rollout

The file also holds the deals under way and the random streams, so a run that is interrupted and
goes on with `--resume` makes the same updates as one that is not.
"""

from __future__ import annotations

import dataclasses
import io
import json
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

import numpy as np
import torch
import typer
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn

import marias_env
from marias_agents import make
from marias_env.errors import MariasError, OptionError, StateError
from marias_env.files import dump_json, parse_json, write_bytes_atomic, write_text_atomic
from marias_env.integrations.sb3 import MariasVecEnv
from marias_env.observation import OBSERVATION_VERSION
from marias_env.options import Bound, Choice, Real, Text, Whole, check_fields
from marias_env.rewards import SQUASHES, squash
from marias_env.rules import get_rules
from marias_env.terminal import exit_code
from marias_training.bucket_net import check_weights
from marias_training.cli_train import with_config_options
from marias_training.display import LINE_SECONDS
from marias_training.runs import Stop, stop_on_interrupt
from marias_training.sb3_agent import FORMAT, NOTES

MODEL: Final = "model.zip"
LOG: Final = "log.jsonl"
STATE: Final = "marias_state.npz"
SEATS: Final = ("0", "1", "2", "rotate", "random")
BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {
        "rules": Text(),
        "opponents": Text(),
        "seat": Choice(*SEATS),
        "seed": Whole(0, 2**32 - 1),
        "steps": Whole(1),
        "num_envs": Whole(1),
        "n_steps": Whole(2),
        "batch_size": Whole(2),
        "n_epochs": Whole(1),
        "learning_rate": Real(0, above=True),
        "gamma": Real(0, 1),
        "gae_lambda": Real(0, 1),
        "clip_range": Real(0, above=True),
        "ent_coef": Real(0),
        "hidden": Whole(1),
        "layers": Whole(1),
        "reward": Choice(*SQUASHES),
        "reward_cap": Real(0, above=True),
        "device": Text(),
        "checkpoint_seconds": Real(0),
    }
)


@dataclasses.dataclass(frozen=True)
class Sb3Config:
    """Everything that defines a run.

    Attributes:
        rules: preset to learn, with options after a comma.
        opponents: agent in the other two seats.
        seat: the learner's: 0, 1, 2, `rotate` or `random`.
        seed: seeds network, deals and sampling.
        steps: decisions of the learner in all.
        num_envs: deals side by side.
        n_steps: decisions of each of them for one update.
        batch_size: decisions per gradient step.
        n_epochs: passes over an update's decisions.
        learning_rate: constant.
        gamma: discount; a deal is short and paid at its end.
        gae_lambda: 1: only the deal's result counts; lower: trust the critic more.
        clip_range: PPO's limit on the change of an action's probability ratio.
        ent_coef: entropy bonus.
        hidden: width of the layers.
        layers: hidden layers of policy and critic each.
        reward: how units become rewards: `log`, `sqrt` or `cap` (`marias_env.rewards`).
        reward_cap: for `cap`.
        device: where the network is.
        checkpoint_seconds: time between checkpoints; one more is written at the end.
    """

    rules: str = "traditional"
    opponents: str = "rules"
    seat: str = "rotate"
    seed: int = 1
    steps: int = 1_000_000
    num_envs: int = 256
    n_steps: int = 64
    batch_size: int = 4096
    n_epochs: int = 3
    learning_rate: float = 1e-3
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    ent_coef: float = 0.01
    hidden: int = 256
    layers: int = 2
    reward: str = "log"
    reward_cap: float = 16.0
    device: str = "cpu"
    checkpoint_seconds: float = 30.0

    def __post_init__(self) -> None:
        check_fields(self, BOUNDS)
        get_rules(self.rules)

    def env(self) -> MariasVecEnv:
        """Returns the training environment.

        Raises:
            AgentError: no such opponents.
        """
        cap = self.reward_cap

        def transform(units: Any) -> Any:
            return squash(units, self.reward, cap)

        return MariasVecEnv(
            self.num_envs,
            opponents=self.opponents,
            rules=self.rules,
            seat=int(self.seat) if self.seat.isdigit() else self.seat,
            reward_transform=transform,
            seed=self.seed,
        )


def train(
    config: Sb3Config | None = None,
    out: str | Path = "runs/sb3",
    resume: bool = False,
    on_rollout: Callable[[dict[str, float]], None] | None = None,
    **changes: Any,
) -> MaskablePPO:
    """Trains until the steps of the configuration are done, or Ctrl-C.

    The first Ctrl-C (or SIGTERM) ends the run at the last update with a checkpoint, a second one at
    once. A killed process loses what came after the last checkpoint.

    Args:
        config: options of a new run.
        out: its folder.
        resume: go on with the run in `out`; `config` must then be None.
        on_rollout: told the numbers of each line of the log.
        **changes: options of a new run instead of `config`; with `resume` those that may change:
            `steps` and `checkpoint_seconds`.

    Returns:
        The model.

    Raises:
        FileExistsError: there is a run in `out` already, and `resume` is false.
        FileNotFoundError: nothing to resume.
        KeyboardInterrupt: after the checkpoint of an interrupted run.
        OptionError: an option out of bounds, or one that cannot be changed on the way.
        StateError: the file is damaged or of another version, or the weights are not finite.
    """
    folder = Path(out)
    path = folder / MODEL
    torch.set_num_threads(1)  # networks this small lose by more
    if resume:
        if config is not None:
            raise OptionError("config: a resumed run has its own; give single options to change")
        if not path.is_file():
            raise FileNotFoundError(f"nothing to resume: there is no {path}")
        config, model = _loaded(path, changes)
    else:
        if path.exists():
            raise FileExistsError(f"{path} exists: resume it, or choose another folder")
        config = dataclasses.replace(config or Sb3Config(), **changes)
        model = _new(config)
        folder.mkdir(parents=True, exist_ok=True)
    log = _Log(folder / LOG, model.num_timesteps)
    with stop_on_interrupt() as stop:
        keeper = _Keeper(config, path, stop, log, on_rollout)
        left = config.steps - model.num_timesteps
        if left > 0:
            model.learn(left, callback=keeper, reset_num_timesteps=not resume)
        if not stop.is_set():
            save(model, config, path)
    stop.raise_if_set()
    return model


def _new(config: Sb3Config) -> MaskablePPO:
    return MaskablePPO(
        "MlpPolicy",
        config.env(),
        learning_rate=config.learning_rate,
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.ent_coef,
        policy_kwargs={"net_arch": [config.hidden] * config.layers, "activation_fn": nn.ReLU},
        seed=config.seed,
        device=config.device,
    )


# ---------------------------------------------------------------------- files


def save(model: MaskablePPO, config: Sb3Config, path: str | Path) -> None:
    """Writes model, deals and random streams, whole or not at all.

    Raises:
        OSError: the file cannot be written.
        StateError: weights that are not finite; the old file stays.
    """
    check_weights(f"{path}: policy", model.policy.state_dict(), StateError)
    buffer = io.BytesIO()
    model.save(buffer)
    notes = {
        "format": FORMAT,
        "version": marias_env.__version__,
        "observation_version": OBSERVATION_VERSION,
        "config": dataclasses.asdict(config),
    }
    env = model.get_env()
    assert isinstance(env, MariasVecEnv)
    state = io.BytesIO()
    # The stream that SB3 shuffles with.
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    assert name == "MT19937"
    np.savez(
        state,
        env=np.frombuffer(env.to_bytes(), dtype=np.uint8),
        torch=torch.get_rng_state().numpy(),
        numpy_keys=np.asarray(keys),
        numpy_rest=np.array(rest, dtype=np.float64),
    )
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(NOTES, dump_json(notes))
        archive.writestr(STATE, state.getvalue())
    write_bytes_atomic(path, buffer.getvalue())


def _loaded(path: Path, changes: dict[str, Any]) -> tuple[Sb3Config, MaskablePPO]:
    fixed = sorted(set(changes) - {"steps", "checkpoint_seconds"})
    if fixed:
        raise OptionError(f"{', '.join(fixed)}: cannot be changed when a run goes on")
    data = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.testzip() is not None:
                raise ValueError("wrong checksum")
            notes = parse_json(archive.read(NOTES))
            with np.load(io.BytesIO(archive.read(STATE)), allow_pickle=False) as saved:
                state = {name: saved[name] for name in saved.files}
        if (notes["format"], notes["observation_version"]) != (FORMAT, OBSERVATION_VERSION):
            raise ValueError(
                f"{notes['format']!r} with observations {notes['observation_version']!r}; "
                f"expected {FORMAT!r} with {OBSERVATION_VERSION!r}"
            )
        config = Sb3Config(**notes["config"])
        env = config.env()
        # `force_reset` would deal anew; the deals under way are taken over instead.
        model = MaskablePPO.load(io.BytesIO(data), env=env, device=config.device, force_reset=False)
        env.from_bytes(state["env"].tobytes())
        torch.set_rng_state(torch.from_numpy(state["torch"]))
        at, has_gauss, gauss = state["numpy_rest"].tolist()
        stream = ("MT19937", state["numpy_keys"], int(at), int(has_gauss), gauss)
        np.random.set_state(stream)  # noqa: NPY002
    except Exception as error:  # whatever unpickling and rebuilding a damaged model raises
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        what = f"{path}: no run of marias_training.sb3, or a damaged one"
        raise StateError(f"{what}: {reason}") from error
    check_weights(f"{path}: policy", model.policy.state_dict(), StateError)
    return dataclasses.replace(config, **changes), model


class _Log:
    """JSON lines, cut back to where the run goes on."""

    def __init__(self, path: Path, steps: int) -> None:
        self.path = path
        kept = []
        if steps and path.is_file():
            for text in path.read_text("utf-8").splitlines():
                try:
                    if json.loads(text)["steps"] <= steps:
                        kept.append(text + "\n")
                except (ValueError, KeyError):  # a line that was torn
                    continue
        write_text_atomic(path, "".join(kept))

    def write(self, line: dict[str, float]) -> None:
        """Adds a line."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(dump_json(line) + "\n")


class _Keeper(BaseCallback):
    """Checkpoints, log and stopping, between an update and the next rollout."""

    def __init__(
        self,
        config: Sb3Config,
        path: Path,
        stop: Stop,
        log: _Log,
        on_rollout: Callable[[dict[str, float]], None] | None,
    ) -> None:
        super().__init__()
        self.config = config
        self.path = path
        self.stop = stop
        self.log = log
        self.on_rollout = on_rollout
        self.saved = self.last = time.monotonic()
        self.last_steps = 0
        self.stopping = False

    def _on_training_start(self) -> None:
        self.last_steps = self.model.num_timesteps

    def _on_rollout_start(self) -> None:
        # Here, and only here, all that the next update depends on is in the file's parts.
        now = time.monotonic()
        due = now - self.saved >= self.config.checkpoint_seconds
        self.stopping = self.stop.is_set()
        if due or self.stopping:
            assert isinstance(self.model, MaskablePPO)
            save(self.model, self.config, self.path)
            self.saved = now

    def _on_step(self) -> bool:
        return not self.stopping

    def _on_rollout_end(self) -> None:
        now = time.monotonic()
        steps = self.model.num_timesteps
        episodes = list(self.model.ep_info_buffer or ())
        line = {
            "steps": steps,
            "of": self.config.steps,
            "steps_per_second": (steps - self.last_steps) / max(now - self.last, 1e-9),
            "units": float(np.mean([one["r"] for one in episodes])) if episodes else float("nan"),
        }
        losses = ("entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl")
        told = self.model.logger.name_to_value  # of the update before
        line |= {name: float(told[f"train/{name}"]) for name in losses if f"train/{name}" in told}
        self.last, self.last_steps = now, steps
        self.log.write(line)
        if self.on_rollout is not None:
            self.on_rollout(line)


# ---------------------------------------------------------------------- command line


def train_command(
    out: Annotated[Path, typer.Option(help="Folder of the run.")] = Path("runs/sb3"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    evaluation_deals: Annotated[
        int, typer.Option(min=0, help="Duplicate deals against `rules` at the end (0: none).")
    ] = 500,
    **options: Any,
) -> None:
    """Train sb3-contrib's MaskablePPO. Ctrl-C stops it with a checkpoint."""
    console = Console()
    shown = 0.0

    def show(line: dict[str, float]) -> None:
        nonlocal shown
        if console.is_terminal or time.monotonic() - shown >= LINE_SECONDS:
            shown = time.monotonic()
            console.print(
                f"{line['steps']:,.0f} of {line['of']:,.0f} decisions, "
                f"{line['steps_per_second']:,.0f}/s, {line['units']:+.2f} units a deal "
                f"(the last {100} deals)",
                highlight=False,
                soft_wrap=True,
                end="\r" if console.is_terminal else "\n",
            )

    try:
        config = None if resume else Sb3Config(**options)
        if config is not None:
            make(config.opponents)  # a wrong name is told at once
        console.print("training (the first run ever compiles for about a minute)")
        train(config, out, resume, show, **(options if resume else {}))
    except KeyboardInterrupt as stopped:
        console.print(
            f"\nStopped. The same command with --resume goes on: {out / MODEL}"
            if (out / MODEL).is_file()
            else "\nStopped before there was anything to save.",
            soft_wrap=True,
        )
        raise typer.Exit(exit_code(stopped)) from None
    except (MariasError, OSError) as error:
        raise typer.BadParameter(str(error)) from None
    spec = f"sb3:{out / MODEL}"
    console.print(f"\nmodel: {out / MODEL}", soft_wrap=True)
    if evaluation_deals:
        from marias_training.arena import compare

        rules = Sb3Config(**_notes(out / MODEL)["config"]).rules
        pair = compare(spec, "rules", deals=evaluation_deals, rules=rules)
        console.print(
            f"{pair.raw.mean:+.2f} ± {pair.raw.half_width:.2f} units a deal against `rules` "
            f"({evaluation_deals} duplicate deals)",
            highlight=False,
            soft_wrap=True,
        )
    console.print(f"Next: marias evaluate {spec} rules random", soft_wrap=True)


def _notes(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        notes: dict[str, Any] = parse_json(archive.read(NOTES))
    return notes


def main() -> None:
    """Runs the command."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(with_config_options(train_command, Sb3Config))
    app()


if __name__ == "__main__":
    main()
