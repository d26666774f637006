"""What a person sees of a training run: a bar and the latest numbers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.text import Text

if TYPE_CHECKING:
    # Torch takes seconds to load, for which `marias --help` shall not wait.
    from marias_training.runs import Status

LINE_SECONDS: Final = 10.0
"""Where no terminal shows the bar: a line as often as this."""


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
