"""`marias demo`: from nothing to a trained agent that is measured against baselines."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console

from marias_agents.registry import make
from marias_env.batch import DealBatch
from marias_env.records import write_records
from marias_training.arena import Evaluation, evaluate
from marias_training.arena.outputs import write_outputs
from marias_training.arena.tables import print_tables
from marias_training.checkpoints import CHECKPOINT
from marias_training.config import PPOConfig, use_bfloat16
from marias_training.display import Display
from marias_training.play import play
from marias_training.plots import draw_learning_curve
from marias_training.ppo import Trainer
from marias_training.runs import CURVE, LOG, Schedule, clear_run, train

RECORD: Final = "deal.jsonl"
EVALUATION_SEED: Final = 0
"""The default of `marias evaluate`, which thus repeats the demo's table."""
CONTROL_DEALS: Final = 200


def demo(
    steps: int,
    minutes: float,
    deals: int,
    seed: int,
    out: Path,
    console: Console,
    **options: object,
) -> Evaluation:
    """Trains, evaluates, and writes everything into a folder.

    Args:
        steps: decisions to train for. The same on every machine, but
        minutes: after so many, the evaluations in between included, training ends all the same.
        deals: duplicate deals of the final evaluation.
        seed: of the training.
        out: folder; an earlier demo's files in it are replaced.
        console: where to show it.
        **options: fields of `PPOConfig` that differ from the defaults.
    """
    began = time.monotonic()
    given = {"steps": steps, "minutes": 0.0, "limit_minutes": minutes, "seed": seed, **options}
    config = PPOConfig(**given)  # type: ignore[arg-type]
    out.mkdir(parents=True, exist_ok=True)
    clear_run(out)
    console.rule(
        f"1. training for {steps / 1e6:g} M decisions by self-play, {minutes:g} minutes at most, "
        f"into {out}"
    )
    schedule = Schedule(evaluation_deals=min(1000, deals))
    display = Display(console)
    with display:
        trainer = train(config, out, schedule=schedule, on_status=display.show)
    for line in what_was_reached(trainer):
        console.print(line, highlight=False, soft_wrap=True)
    checkpoint = out / CHECKPOINT
    console.rule(f"2. evaluation on {deals} duplicate deals, every pair in six seatings")
    agents = [str(checkpoint), "rules", "random"]
    shown = time.monotonic()

    def progress(done: object) -> None:
        nonlocal shown
        if time.monotonic() - shown > 5:
            shown = time.monotonic()
            console.print(f"{getattr(done, 'deals', 0)} of {deals} deals", highlight=False)

    evaluation = evaluate(
        agents,
        deals=deals,
        seed=EVALUATION_SEED,
        control_deals=min(deals, CONTROL_DEALS),
        tables=False,
        on_progress=progress,
    )
    print_tables(evaluation, console, breakdown=False)
    draw_learning_curve(out / LOG, out / CURVE, evaluation)
    written = write_outputs(evaluation, out)
    write_demo_deal(checkpoint, out / RECORD)
    console.rule(f"done in {(time.monotonic() - began) / 60:.1f} minutes")
    for what, path in (
        ("learning curve and strength", out / CURVE),
        ("checkpoint, which is an agent", checkpoint),
        ("tables", ", ".join(str(path) for path in written)),
        ("log", out / LOG),
    ):
        console.print(f"{what}: {path}", highlight=False, soft_wrap=True)
    for command in (
        f"marias replay {out / RECORD}",
        f"marias evaluate {' '.join(agents)} --deals {deals}",
        f"marias train --resume --out {out} --steps {2 * steps} --limit-minutes 0",
    ):
        console.print(f"Next: {command}", highlight=False, soft_wrap=True)
    return evaluation


def what_was_reached(trainer: Trainer) -> tuple[str, str]:
    """Returns how far a demo's training came, and what that depends on, as two lines."""
    config = trainer.config
    done, wanted = trainer.decisions / 1e6, config.steps / 1e6
    minutes = trainer.seconds / 60
    reached = f"{done:.2f} M decisions in {minutes:.1f} minutes"
    if done < wanted:
        reached = f"{done:.2f} M of {wanted:g} M decisions in {minutes:.1f} minutes, the limit"
    if use_bfloat16(config.precision):
        return reached, (
            "Networks ran in bfloat16, for which this CPU has instructions; one without them, or "
            "with slower cores, does fewer decisions in the time and ends with a weaker net."
        )
    return reached, (
        "Networks ran in float32. On a CPU with bfloat16 instructions, which this one lacks or was "
        "told not to use, training is about twice as fast. What a net is worth after how many "
        "decisions is what the learning curve shows: more time brings this one there too."
    )


def write_demo_deal(checkpoint: Path, path: Path) -> None:
    """Plays a deal with the net as forehand against two `rules` players, and records it."""
    batch = DealBatch(1, seed=EVALUATION_SEED)
    dealer = int(batch.dealer[0])
    seating = np.full(3, 1)
    seating[(dealer + 1) % 3] = 0
    players = [make(str(checkpoint)), make("rules")]
    played = play(batch.deals["deck"][:, :32], dealer, seating, players)
    write_records(path, [played.record(0)])
