"""Learning curves as pictures."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marias_env.actions import CONTRACTS
from marias_env.files import write_bytes_atomic
from marias_training.run_log import read_log

if TYPE_CHECKING:
    from marias_training.arena import Evaluation


def draw_learning_curve(
    log: str | Path, picture: str | Path, strength: Evaluation | None = None
) -> None:
    """Draws a run's log.

    Args:
        log: a run's `log.jsonl`.
        picture: PNG to write.
        strength: a final evaluation to show beside the curves, its first agent being the net.
    """
    from matplotlib.figure import Figure

    updates, evaluations = read_log(log)
    columns = 2 if strength is None else 3
    figure = Figure(figsize=(5 * columns, 8), layout="constrained")
    axes = figure.subplots(2, columns)
    for axis, opponent, color in zip(axes[0], ("rules", "random"), ("tab:blue", "tab:green")):
        _draw_strength(axis, evaluations, opponent, color)
    _draw_lines(axes[1, 0], updates, ("entropy", "clipped", "explained"), "learning")
    axes[1, 0].set_ylim(0, 1)
    _draw_lines(axes[1, 1], updates, tuple(f"contract/{c}" for c in CONTRACTS), "contracts")
    axes[1, 1].set_yscale("symlog", linthresh=0.01)
    if strength is not None:
        _draw_bars(axes[0, 2], strength, "raw", "units per deal, final")
        _draw_bars(axes[1, 2], strength, "capped", "capped at 16 per opponent, final")
    for axis in axes[:, :2].flat:
        axis.set_xlabel("decisions (millions)")
        axis.grid(alpha=0.3)
    _write(figure, picture)


def draw_gains(log: str | Path, picture: str | Path) -> None:
    """Draws what a run of policy iteration gained, on lessons not yet seen.

    Args:
        log: its `log.jsonl`.
        picture: PNG to write.
    """
    from matplotlib.figure import Figure

    lines, _ = read_log(log)
    figure = Figure(figsize=(7, 4), layout="constrained")
    axis = figure.subplots()
    x = [line["lessons"] / 1e6 for line in lines]
    for name, label in (
        ("gain_in_play", "in play (stakes a card)"),
        ("gain_before_play", "before play (units / 4 a bid)"),
    ):
        axis.plot(x, [line[name] for line in lines], label=label)
    axis.axhline(0, color="black", linewidth=0.8)
    axis.set_xlabel("lessons (millions)")
    axis.set_ylabel("gain over the start, lessons not yet seen")
    axis.grid(alpha=0.3)
    legend_below(axis)
    _write(figure, picture)


def _write(figure: Any, picture: str | Path) -> None:
    # Without pyplot, which would keep every figure and may want a display.
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    buffer = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(buffer, format="png")
    write_bytes_atomic(picture, buffer.getvalue())


def legend_below(axis: Any) -> None:
    """Puts a legend under an axis and its label, where no curve can run into it."""
    axis.legend(
        fontsize="small", ncols=3, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14)
    )


def _draw_strength(axis: Any, evaluations: list[dict[str, Any]], opponent: str, color: str) -> None:
    x = [line["decisions"] / 1e6 for line in evaluations]
    for metric, style in (("capped", "-"), ("raw", ":")):
        values = [line[opponent][metric] for line in evaluations]
        label = "capped at 16 per opponent" if metric == "capped" else "raw units"
        axis.plot(x, [v["mean"] for v in values], style, color=color, marker=".", label=label)
        if metric == "capped":
            low, high = [v["low"] for v in values], [v["high"] for v in values]
            axis.fill_between(x, low, high, color=color, alpha=0.2, label="95 % interval")
    axis.axhline(0, color="black", linewidth=0.8)
    # The untrained net loses dozens of units; on a linear scale nothing else would be seen.
    axis.set_yscale("symlog", linthresh=2)
    axis.set_title(f"against {opponent}, units per deal")
    legend_below(axis)


def _draw_lines(
    axis: Any, updates: list[dict[str, Any]], names: tuple[str, ...], title: str
) -> None:
    x = [line["decisions"] / 1e6 for line in updates]
    for name in names:
        axis.plot(x, [line[name] for line in updates], label=name.split("/")[-1])
    axis.set_title(title)
    legend_below(axis)


def _draw_bars(axis: Any, strength: Evaluation, metric: str, title: str) -> None:
    net, *others = strength.agents
    found = [getattr(strength.pair(net, other), metric) for other in others]
    axis.bar(
        [f"against {other}" for other in others],
        [interval.mean for interval in found],
        yerr=[interval.half_width for interval in found],
        capsize=6,
        color=["tab:blue" if other == "rules" else "tab:green" for other in others],
    )
    axis.axhline(0, color="black", linewidth=0.8)
    axis.set_title(title)
