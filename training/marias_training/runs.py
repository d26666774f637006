"""A training run in a folder: loop, log, evaluations, checkpoints, resuming.

checkpoint.pt        the run, and an agent: `marias evaluate runs/x/checkpoint.pt rules`
log.jsonl            a line for each update, and one for each evaluation
learning_curve.png   drawn after each evaluation
tensorboard/         the same numbers as scalars
"""

from __future__ import annotations

import dataclasses
import json
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any, Final

from marias_env.errors import StateError
from marias_env.files import write_text_atomic
from marias_env.options import Bound, Real, Whole, check_fields
from marias_env.terminal import Terminated
from marias_training.arena import compare
from marias_training.checkpoints import CHECKPOINT, load_trainer, save_checkpoint
from marias_training.config import PPOConfig
from marias_training.plots import draw_learning_curve
from marias_training.ppo import Trainer
from marias_training.run_log import read_log

LOG: Final = "log.jsonl"
CURVE: Final = "learning_curve.png"
TENSORBOARD: Final = "tensorboard"
OPPONENTS: Final = ("rules", "random")
EVALUATION_SEED: Final = 20_000
"""The evaluations' deals are the same in every run; training seeds are small numbers."""
SCHEDULE_BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {
        "evaluations": Whole(1),
        "evaluation_deals": Whole(0),
        "checkpoint_seconds": Real(0),
        "max_updates": Whole(0),
    }
)


@dataclasses.dataclass(frozen=True)
class Schedule:
    """What happens beside the learning.

    Attributes:
        evaluations: evaluations in the run, besides the one before it.
        evaluation_deals: duplicate deals of each, against each opponent (0: none).
        checkpoint_seconds: time between checkpoints; one more is written at the end.
        max_updates: stop after so many updates of this call, whatever the schedule (0: no limit).
    """

    evaluations: int = 12
    evaluation_deals: int = 1000
    checkpoint_seconds: float = 30.0
    max_updates: int = 0

    def __post_init__(self) -> None:
        check_fields(self, SCHEDULE_BOUNDS)


@dataclasses.dataclass
class Status:
    """What a progress display is told.

    Attributes:
        trainer: the run.
        stats: numbers of the last update.
        evaluation: the last evaluation's line in the log, or None.
        doing: `training`, `evaluating` or `finished`.
    """

    trainer: Trainer
    stats: dict[str, float]
    evaluation: dict[str, Any] | None
    doing: str = "training"


def train(
    config: PPOConfig | None = None,
    out: str | Path = "runs/ppo",
    resume: bool = False,
    schedule: Schedule = Schedule(),
    on_status: Callable[[Status], None] | None = None,
    **changes: Any,
) -> Trainer:
    """Trains until the schedule of `config` is done, or Ctrl-C.

    The first Ctrl-C ends the run after the update that is under way, with a checkpoint; a second
    one at once. A killed process loses what came after the last checkpoint.

    Args:
        config: options of a new run.
        out: its folder.
        resume: go on with the run in `out`, exactly as if it had not stopped; `config` must then be
            None.
        schedule: evaluations and checkpoints.
        on_status: called after every update and evaluation.
        **changes: options to change when resuming, such as more `minutes`.

    Raises:
        FileExistsError: there is a run in `out` already, and `resume` is false.
        FileNotFoundError: nothing to resume.
        AgentError: there is no such opponent.
        StateError: the checkpoint is damaged or of another version.
    """
    folder = Path(out)
    checkpoint = folder / CHECKPOINT
    if resume:
        if config is not None:
            raise ValueError("config: a resumed run has its own; give single options to change")
        if not checkpoint.is_file():
            raise FileNotFoundError(f"nothing to resume: there is no {checkpoint}")
        trainer = load_trainer(checkpoint, **changes)
    else:
        if checkpoint.exists():
            raise FileExistsError(
                f"{checkpoint} exists: resume it, or choose another folder for a new run"
            )
        trainer = Trainer(config or PPOConfig(**changes))
        folder.mkdir(parents=True, exist_ok=True)
    log = _Log(folder, trainer.updates)
    try:
        with stop_on_interrupt() as stop:
            _loop(trainer, folder, schedule, log, on_status or (lambda _: None), stop)
    finally:
        log.close()
    stop.raise_if_set()
    return trainer


def _loop(
    trainer: Trainer,
    folder: Path,
    schedule: Schedule,
    log: _Log,
    on_status: Callable[[Status], None],
    stop: threading.Event,
) -> None:
    status = Status(trainer, {}, log.evaluation)
    saved = time.monotonic()
    first = trainer.updates
    # A run that stopped right after an evaluation does not repeat it.
    done = -1 if log.evaluation is None else int(log.evaluation["number"])
    while True:
        due = math.floor(trainer.progress * schedule.evaluations + 1e-9)
        if schedule.evaluation_deals and due > done and not stop.is_set():
            done = due
            status.doing = "evaluating"
            on_status(status)
            status.evaluation = _evaluate(trainer, schedule, log, due)
            draw_learning_curve(folder / LOG, folder / CURVE)
            status.doing = "training"
            on_status(status)
        limited = schedule.max_updates and trainer.updates - first >= schedule.max_updates
        ended = trainer.progress >= 1 and trainer.updates > 0
        if ended or stop.is_set() or limited:
            break
        status.stats = trainer.train_update()
        log.write({"update": trainer.updates, **_counts(trainer), **status.stats})
        on_status(status)
        if time.monotonic() - saved >= schedule.checkpoint_seconds:
            save_checkpoint(trainer, folder / CHECKPOINT)
            saved = time.monotonic()
    save_checkpoint(trainer, folder / CHECKPOINT)
    status.doing = "finished"
    on_status(status)


def _counts(trainer: Trainer) -> dict[str, float]:
    return {
        "decisions": trainer.decisions,
        "seconds": round(trainer.seconds, 3),
        "progress": trainer.progress,
    }


def _evaluate(trainer: Trainer, schedule: Schedule, log: _Log, number: int) -> dict[str, Any]:
    began = time.perf_counter()
    agent = trainer.agent()
    line: dict[str, Any] = {"evaluation": True, "update": trainer.updates, "number": number}
    for opponent in OPPONENTS:
        pair = compare(
            agent,
            opponent,
            deals=schedule.evaluation_deals,
            rules=trainer.config.rules,
            seed=EVALUATION_SEED,
        )
        line[opponent] = {"raw": pair.raw.to_dict(), "capped": pair.capped.to_dict()}
    # A schedule by minutes includes the evaluations, but not the first: it may have to compile.
    if trainer.updates:
        trainer.seconds += time.perf_counter() - began
    line |= _counts(trainer)
    log.write(line)
    return line


class _Log:
    """JSON lines and TensorBoard scalars of a run, cut back to the update it resumes from."""

    def __init__(self, folder: Path, update: int) -> None:
        path = folder / LOG
        self.evaluation: dict[str, Any] | None = None
        kept: list[dict[str, Any]] = []
        if update and path.is_file():
            updates, evaluations = read_log(path)
            kept = [line for line in updates + evaluations if line["update"] <= update]
            kept.sort(key=lambda line: (line["update"], "evaluation" in line))
            self.evaluation = next((k for k in reversed(kept) if "evaluation" in k), None)
        write_text_atomic(path, "".join(json.dumps(line) + "\n" for line in kept))
        self._file = path.open("a", encoding="utf-8")
        self._board: Any = None
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            return
        self._board = SummaryWriter(
            str(folder / TENSORBOARD), purge_step=update + 1 if update else None
        )

    def write(self, line: dict[str, Any]) -> None:
        """Writes a line at once, so that a kill loses none."""
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        if self._board is None:
            return
        for name, value in line.items():
            if isinstance(value, dict):
                self._board.add_scalar(f"evaluation/{name}", value["raw"]["mean"], line["update"])
                self._board.add_scalar(
                    f"evaluation_capped/{name}", value["capped"]["mean"], line["update"]
                )
            elif "evaluation" not in line and name != "update":
                tag = name if "/" in name else f"train/{name}"
                self._board.add_scalar(tag, value, line["update"])

    def close(self) -> None:
        """Closes the files."""
        self._file.close()
        if self._board is not None:
            self._board.close()


class Stop(threading.Event):
    """Set by a signal, and knows which."""

    number: int = signal.SIGINT

    def raise_if_set(self) -> None:
        """Raises the KeyboardInterrupt that the signal stands for."""
        if self.is_set():
            raise Terminated if self.number == signal.SIGTERM else KeyboardInterrupt


@contextmanager
def stop_on_interrupt() -> Iterator[Stop]:
    """Gives an event that Ctrl-C or SIGTERM sets; a second one interrupts at once."""
    # Ctrl-C in the middle of an update would leave weights that no checkpoint may hold.
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.number = number
        stop.set()

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, handle)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def clear_run(out: str | Path) -> None:
    """Removes a run's files from its folder, and nothing else.

    Raises:
        StateError: the folder's checkpoint is not one, so the folder is not a run's.
    """
    folder = Path(out)
    if (folder / CHECKPOINT).exists() and not (folder / LOG).exists():
        raise StateError(f"{folder}: a checkpoint without a log; this is not a run's folder")
    for name in (CHECKPOINT, LOG, CURVE):
        (folder / name).unlink(missing_ok=True)
    for path in (folder / TENSORBOARD).glob("events.out.tfevents.*"):
        path.unlink()
