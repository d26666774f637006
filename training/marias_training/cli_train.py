"""The commands `marias train` and `marias demo`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from marias_env.errors import MariasError
from marias_env.options import field_helps
from marias_env.terminal import exit_code, require
from marias_training.config import PPOConfig
from marias_training.display import Display

DEMO_STEPS: Final = 20_000_000
"""What two fast cores with bfloat16 instructions do in about five minutes."""


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
