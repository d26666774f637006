"""A gauntlet as a picture: every table's difference with its interval, one under the other."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from marias_env.files import write_bytes_atomic
from marias_training.gauntlet.summary import Gauntlet, Measure

COLOURS = {"capped": "tab:orange", "raw": "tab:blue"}


def plot(result: Gauntlet, path: str | Path) -> None:
    """Draws a forest plot to a PNG or SVG file (by its suffix).

    Raises:
        ImportError: matplotlib is not installed (`pip install 'marias-env[train]'`).
    """
    # Not pyplot: it would choose a window system, and this must also work where there is none.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = Path(path)
    panels = [("agent - stranger", f"{result.agent} − the stranger in its seat")]
    if result.agent != result.reference:
        panels.append(("agent - reference", f"{result.agent} − {result.reference} in its seat"))
    rows: dict[str, dict[str, Measure]] = {**result.tables, "mean over kinds": result.mean}
    if result.mixtures:
        rows["mean over mixtures"] = result.mixtures
    labels = list(rows)
    figure = Figure(figsize=(5.5 * len(panels) + 2.5, 1.6 + 0.42 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    at = np.arange(len(labels))[::-1]
    for axes, (difference, title) in zip(
        figure.subplots(1, len(panels), squeeze=False, sharey=True)[0], panels
    ):
        for metric, shift in (("capped", 0.13), ("raw", -0.13)):
            for y, label in zip(at, labels):
                measure = rows[label].get(difference)
                if measure is None:
                    continue
                interval = getattr(measure, metric)
                mean = label.startswith("mean")
                axes.errorbar(
                    interval.mean,
                    y + shift,
                    xerr=interval.half_width,
                    fmt="D" if mean else "o",
                    markersize=7 if mean else 4,
                    capsize=3,
                    color=COLOURS[metric],
                )
        axes.axvline(0, color="0.6", linewidth=1)
        axes.axhline(len(rows) - len(result.tables) - 0.5, color="0.85", linewidth=1)
        axes.set_yticks(at, labels)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("units per deal and seat, 95 % intervals")
    marks = [axes.plot([], [], "o", color=COLOURS[m], label=m)[0] for m in COLOURS]
    axes.legend(handles=marks, loc="best", fontsize=8)
    figure.suptitle(
        f"{result.agent} alone among two strangers: {result.deals} duplicate deals, "
        f"rules {result.header['rules']}",
        fontsize=11,
    )
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix.lstrip(".") or "png", dpi=120)
    write_bytes_atomic(path, buffer.getvalue())
