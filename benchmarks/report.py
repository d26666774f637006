"""Reports of the benchmarks: JSON lines, a markdown table and a plot, all written atomically."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.measure import Result


def write_atomically(path: Path, content: str | bytes) -> None:
    """Writes a file under a temporary name and renames it: nobody ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def json_lines(records: Iterable[Mapping[str, Any]]) -> str:
    """Returns one JSON object a line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def result_lines(results: Iterable[Result]) -> str:
    """Returns results as JSON lines."""
    return json_lines(asdict(result) for result in results)


def read_results(text: str) -> list[Result]:
    """Reads what `result_lines` returned."""
    return [Result(**json.loads(line)) for line in text.splitlines() if line.strip()]


def number(value: float) -> str:
    """Returns a figure with three digits that matter: 21.9 M, 487 k, 0.83."""
    for limit, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= limit * 0.9995:
            return (
                f"{value / limit:.3g}{unit}"
                if value < limit * 999.5
                else f"{value / limit:.0f}{unit}"
            )
    return f"{value:.3g}"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a markdown table; the first column to the left, the others to the right."""
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join(lines) + "\n"


def results_table(results: Iterable[Result]) -> str:
    """Returns the table of a run: figure, spread, games and goal, or why there is no figure."""
    rows: list[list[str]] = []
    for result in results:
        unit = " s" if result.kind == "seconds" else ""
        goal = ""
        if result.goal is not None:
            sign = "≥" if result.kind == "rate" else "≤"
            goal = f"{sign} {number(result.goal)}{unit} {'✓' if result.reached else '✗'}"
        if result.ok:
            spread = f"{number(result.low)}–{number(result.high)}"
            figure = f"{number(result.value)}{unit}"
            games = number(result.games) if result.games else ""
            rows.append([result.label, figure, spread, games, goal, result.note])
        else:
            rows.append([result.label, "–", "", "", goal, f"{result.status}: {result.reason}"])
    return markdown_table(
        ["case", "decisions per CPU-s", "lowest–highest", "games per CPU-s", "goal", "remark"], rows
    )


def machine_line(machine: Mapping[str, str], packages: Iterable[str] = ()) -> str:
    """Returns one line that says where and with what a run was made."""
    found = []
    for name in packages:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    parts = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}",
        f"Python {machine['python']}",
        *found,
        machine["date"],
    ]
    return "; ".join(parts) + "."


def _figure() -> Any:
    try:
        import matplotlib as mpl
    except ImportError:
        return None
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _save(plt: Any, figure: Any, path: Path) -> None:
    import io

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=80, bbox_inches="tight")
    plt.close(figure)
    write_atomically(path, buffer.getvalue())


def plot_bars(
    results: Sequence[Result],
    path: Path,
    title: str,
    ours: Sequence[str] = ("marias", "sb3"),
) -> bool:
    """Draws rates as horizontal bars on a logarithmic axis, fastest first.

    Args:
        results: cases; those without a figure or of another kind are left out.
        path: PNG to write.
        title: over the plot.
        ours: groups that are drawn in another colour.

    Returns:
        Whether it was drawn: not if matplotlib is missing or there is nothing to draw.
    """
    shown = sorted((r for r in results if r.ok and r.kind == "rate"), key=lambda r: r.value)
    plt = _figure()
    if plt is None or not shown:
        return False
    figure, axes = plt.subplots(figsize=(9, 1.1 + 0.28 * len(shown)))
    colours = ["#c0392b" if r.name.partition("/")[0] in ours else "#7f8c9b" for r in shown]
    values = [r.value for r in shown]
    axes.barh([r.label for r in shown], values, color=colours)
    axes.set_xscale("log")
    axes.set_xlim(min(values) / 3, max(values) * 4)
    for place, value in enumerate(values):
        axes.text(value * 1.08, place, number(value), va="center", fontsize=8)
    axes.tick_params(axis="y", labelsize=8)
    axes.margins(y=0.01)
    axes.set_xlabel("decisions per CPU-second, one core (logarithmic)")
    axes.set_title(title, fontsize=11)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    _save(plt, figure, path)
    return True


def plot_lines(
    series: Mapping[str, Sequence[tuple[float, float]]],
    path: Path,
    title: str,
    axis_names: tuple[str, str],
) -> bool:
    """Draws series of (x, y) with both axes logarithmic; returns as `plot_bars` does."""
    plt = _figure()
    if plt is None or not any(series.values()):
        return False
    figure, axes = plt.subplots(figsize=(8, 4.5))
    for label, points in series.items():
        if points:
            axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel(axis_names[0])
    axes.set_ylabel(axis_names[1])
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=8)
    axes.set_title(title, fontsize=11)
    _save(plt, figure, path)
    return True
