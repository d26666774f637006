"""Reads a run's `log.jsonl`: a line for each update and each evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_log(path: str | Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns the updates and the evaluations of a log; a torn last line is left out."""
    updates: list[dict[str, Any]] = []
    evaluations: list[dict[str, Any]] = []
    for text in Path(path).read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        (evaluations if "evaluation" in line else updates).append(line)
    return updates, evaluations
