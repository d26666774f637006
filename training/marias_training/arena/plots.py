"""An evaluation as a picture: strengths with intervals, and the matrix as a heat map."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from marias_env.files import write_bytes_atomic
from marias_training.arena.summary import Evaluation

NAME_LETTERS = 28
"""Longer names are cut at their beginning."""


def plot(evaluation: Evaluation, path: str | Path) -> None:
    """Draws an evaluation to a PNG or SVG file (by its suffix).

    Raises:
        ImportError: matplotlib is not installed (`pip install 'marias-env[train]'`).
    """
    # Not pyplot: it would choose a window system, and this must also work where there is none.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = Path(path)
    several = len(evaluation.agents) > 2
    pairs = list(evaluation.pairs.values())
    height = 1.8 + 0.45 * max(len(pairs), 2 * len(evaluation.agents) if several else 2)
    figure = Figure(figsize=(14 if several else 9, max(3.0, height)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, 2 if several else 1, squeeze=False)[0]
    _intervals(axes[0], evaluation)
    if several:
        _heat_map(axes[1], evaluation)
    rules = evaluation.header["rules"]
    figure.suptitle(f"{evaluation.deals} duplicate deals × 6 line-ups, rules {rules}")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix.lstrip(".") or "png", dpi=120)
    write_bytes_atomic(path, buffer.getvalue())


def _intervals(axes: Any, evaluation: Evaluation) -> None:
    pairs = list(evaluation.pairs.values())
    at = np.arange(len(pairs))[::-1]
    for metric, shift, colour in (("raw", 0.12, "tab:blue"), ("capped", -0.12, "tab:orange")):
        found = [getattr(pair, metric) for pair in pairs]
        axes.errorbar(
            [interval.mean for interval in found],
            at + shift,
            xerr=[interval.half_width for interval in found],
            fmt="o",
            capsize=3,
            color=colour,
            label=metric if metric == "raw" else "capped at 16 per opponent",
        )
    axes.axvline(0, color="0.6", linewidth=1)
    axes.set_yticks(at, [f"{_short(pair.a)} − {_short(pair.b)}" for pair in pairs])
    axes.set_xlabel("units per deal and seat, 95 % intervals")
    axes.set_ylim(-0.7, len(pairs) - 0.3)
    # Over the axes, where no interval can run into it.
    axes.legend(ncols=2, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))


def _heat_map(axes: Any, evaluation: Evaluation) -> None:
    names = evaluation.agents
    cells = evaluation.matrix("capped")
    size = float(np.nanmax(np.abs(cells))) or 1.0
    texts = []
    axes.imshow(cells, cmap="RdBu", vmin=-size, vmax=size)
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if i != j:
                cell = evaluation.pair(a, b).capped
                dark = abs(cell.mean) > 0.6 * size
                text = f"{cell.mean:+.2f}\n±{cell.half_width:.2f}"
                colour = "w" if dark else "k"
                texts.append(axes.text(j, i, text, ha="center", va="center", color=colour))
    labels = [_short(name) for name in names]
    axes.set_xticks(range(len(names)), labels, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), labels)
    axes.set_title("row minus column, capped units")
    # How wide a cell is shows only when everything has its place.
    axes.figure.draw_without_rendering()
    cell = 72 * axes.get_window_extent().width / axes.figure.dpi / len(names)
    letters = max(len(line) for text in texts for line in text.get_text().split("\n"))
    for text in texts:  # a letter is about 0.6 as wide as high
        text.set_fontsize(min(10.0, cell / (0.72 * letters)))


def _short(name: str) -> str:
    # A path as long as the picture is wide would leave no room for the axes; its end tells more.
    return name if len(name) <= NAME_LETTERS else f"…{name[1 - NAME_LETTERS :]}"
