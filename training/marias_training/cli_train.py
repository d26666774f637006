"""The commands `marias train` and `marias demo`."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.text import Text

from marias_env.errors import MariasError
from marias_env.options import field_helps
from marias_env.terminal import exit_code, require
from marias_training.config import PPOConfig

if TYPE_CHECKING:
    # Torch takes seconds to load, for which `marias --help` shall not wait.
    from marias_training.runs import Status

DEMO_STEPS: Final = 20_000_000
"""What two fast cores with bfloat16 instructions do in about five minutes."""
LINE_SECONDS: Final = 10.0
"""Where no terminal shows the bar: a line as often as this."""


def register(app: typer.Typer) -> None:
    """Adds the commands to the console application."""
    app.command(name="train")(with_config_options(train_command))
    app.command(name="demo")(demo_command)


def with_config_options(
    command: Callable[..., None], config: type[Any] = PPOConfig
) -> Callable[..., None]:
    """Makes every field of a configuration an option; only those given reach `command`."""
    helps = field_helps(config)
    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    added = []
    for field in fields(config):
        kind = type(field.default)
        name = f"--{field.name.replace('_', '-')}"
        # Resuming must know what was given: an option that was not keeps the run's value.
        option = typer.Option(
            f"{name}/--no-{name[2:]}" if kind is bool else name,
            help=f"{helps[field.name]} Default: {field.default}.".replace("`", ""),
            show_default=False,
        )
        added.append(
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[kind | None, option],
            )
        )

    def with_options(**given: Any) -> None:
        names = {field.name for field in fields(config)}
        command(**{k: v for k, v in given.items() if k not in names or v is not None})

    with_options.__doc__ = command.__doc__
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + added
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_options


def train_command(
    out: Annotated[Path, typer.Option(help="Folder of the run.")] = Path("runs/ppo"),
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on with the run in --out; other options given change it."
        ),
    ] = False,
    evaluations: Annotated[
        int, typer.Option(min=1, help="Evaluations against rules and random during the run.")
    ] = 12,
    evaluation_deals: Annotated[
        int, typer.Option(min=0, help="Duplicate deals of each (0: no evaluations).")
    ] = 1000,
    checkpoint_seconds: Annotated[
        float, typer.Option(min=0, help="Time between checkpoints.")
    ] = 30.0,
    **options: Any,
) -> None:
    """Train a network by self-play (PPO). Ctrl-C stops it with a checkpoint."""
    require("torch", "matplotlib", extra="train")
    # The schedule follows one of them: what was asked for last.
    if "steps" in options:
        options.setdefault("minutes", 0.0)
    elif "minutes" in options:
        options["steps"] = 0
    console = Console()
    try:
        # Before torch is loaded.
        config = None if resume else PPOConfig(**options)
    except (ValueError, MariasError) as error:
        raise typer.BadParameter(str(error)) from None
    from marias_training.checkpoints import CHECKPOINT
    from marias_training.runs import CURVE, Schedule, train

    display = Display(console)
    try:
        with display:
            train(
                config,
                out,
                resume,
                Schedule(evaluations, evaluation_deals, checkpoint_seconds),
                display.show,
                **(options if resume else {}),
            )
    except KeyboardInterrupt as stopped:
        saved = (out / CHECKPOINT).is_file()
        _print(
            console,
            f"Stopped. The same command with --resume goes on: {out / CHECKPOINT}"
            if saved
            else "Stopped before there was anything to save.",
        )
        raise typer.Exit(exit_code(stopped)) from None
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    _print(console, f"checkpoint: {out / CHECKPOINT}")
    if (out / CURVE).is_file():  # none without evaluations
        _print(console, f"learning curve: {out / CURVE}")
    _print(console, f"Next: marias evaluate {out / CHECKPOINT} rules random")


def _print(console: Console, text: str) -> None:
    # A path stays whole, and is no markup where it has brackets.
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def demo_command(
    steps: Annotated[int, typer.Option(min=1, help="Decisions to train for.")] = DEMO_STEPS,
    minutes: Annotated[
        float, typer.Option(min=0.01, help="Minutes after which training ends at the latest.")
    ] = 5.5,
    deals: Annotated[int, typer.Option(min=2, help="Duplicate deals of the evaluation.")] = 3000,
    seed: Annotated[int, typer.Option(help="Seed of the training.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder; an earlier demo in it is replaced.")] = Path(
        "runs/demo"
    ),
) -> None:
    """Train for some minutes, then measure the result: the whole way, within ten minutes."""
    require("torch", "matplotlib", extra="train")
    console = Console()
    from marias_training.demo import demo

    try:
        demo(steps, minutes, deals, seed, out, console)
    except KeyboardInterrupt as stopped:
        console.print("Interrupted.")
        raise typer.Exit(exit_code(stopped)) from None
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


class Display:
    """Shows a training run: a bar and the latest numbers, or lines where there is no terminal."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            TextColumn("{task.fields[time]}"),
            console=console,
        )
        self._task = self._progress.add_task("starting", total=1.0, time="")
        self._live = Live(self._progress, console=console, transient=False, refresh_per_second=4)
        self._printed = time.monotonic()
        self._shown: dict[str, Any] | None = None

    def __enter__(self) -> Display:
        if self.console.is_terminal:
            self._live.start()
        else:
            self.console.print("training (the first run ever compiles for about a minute)")
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, status: Status) -> None:
        """Takes in news of the run."""
        numbers, strength = describe(status)
        trainer = status.trainer
        clock = f"{int(trainer.seconds // 60)}:{int(trainer.seconds % 60):02d}"
        if self.console.is_terminal:
            self._progress.update(
                self._task, description=status.doing, completed=trainer.progress, time=clock
            )
            self._live.update(Group(self._progress, Text(numbers), Text(strength)))
            return
        fresh = status.evaluation is not self._shown
        if fresh or status.doing == "finished" or self._due():
            self._shown = status.evaluation
            self._printed = time.monotonic()
            line = f"{clock} {trainer.progress:4.0%} {numbers}" + (
                f" | {strength}" if fresh else ""
            )
            self.console.print(line, highlight=False, soft_wrap=True)

    def _due(self) -> bool:
        return time.monotonic() - self._printed >= LINE_SECONDS


def describe(status: Status) -> tuple[str, str]:
    """Returns the latest numbers and the last evaluation, each as a line."""
    stats, trainer = status.stats, status.trainer
    numbers = f"update {trainer.updates}, {trainer.decisions / 1e6:.2f} M decisions"
    if stats:
        numbers += (
            f", {stats['steps_per_second']:,.0f}/s, reward {stats['declarer_reward']:+.2f} "
            f"(declarer), entropy {stats['entropy']:.2f}, policy loss {stats['policy_loss']:+.3f}, "
            f"value loss {stats['value_loss']:.3f}"
        )
    if status.evaluation is None:
        return numbers, ""
    parts = []
    for opponent in ("rules", "random"):
        raw = status.evaluation[opponent]["raw"]
        parts.append(f"{raw['mean']:+.2f} ± {raw['half_width']:.2f} against {opponent}")
    millions = status.evaluation["decisions"] / 1e6
    return numbers, f"at {millions:.2f} M: {', '.join(parts)} (units per deal)"
