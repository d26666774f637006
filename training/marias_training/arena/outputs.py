"""Writes an evaluation's files into a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from marias_env.files import dump_json, write_text_atomic
from marias_training.arena.plots import plot
from marias_training.arena.summary import Evaluation
from marias_training.arena.tables import breakdown_csv, markdown, pairs_csv


def write_outputs(evaluation: Evaluation, folder: str | Path) -> list[Path]:
    """Writes `evaluation.json`, `pairs.csv`, `breakdown.csv`, `evaluation.md`, `evaluation.png`.

    Each file replaces an older one only when it is complete. The plot is left out where matplotlib
    is not installed.

    Returns:
        The files written.
    """
    texts = {
        "evaluation.json": dump_json(evaluation.to_dict(), indent=1) + "\n",
        "pairs.csv": pairs_csv(evaluation),
        "breakdown.csv": breakdown_csv(evaluation),
        "evaluation.md": markdown(evaluation),
    }
    return write_report(folder, texts, "evaluation.png", lambda picture: plot(evaluation, picture))


def write_report(
    folder: str | Path, texts: Mapping[str, str], picture: str, draw: Callable[[Path], None]
) -> list[Path]:
    """Writes texts by file name, and a picture where matplotlib is installed.

    Returns:
        The files written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text_atomic(folder / name, text)
    written = [folder / name for name in texts]
    try:
        draw(folder / picture)
    except ImportError:
        return written
    return [*written, folder / picture]
