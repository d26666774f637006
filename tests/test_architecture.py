"""Imports point one way, and importing the environment is cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = {
    "marias_env": ROOT / "marias_env",
    "marias_agents": ROOT / "agents" / "marias_agents",
    "marias_table": ROOT / "agents" / "marias_table",
    "marias_training": ROOT / "training" / "marias_training",
    "benchmarks": ROOT / "benchmarks",
}
ORDER = list(LAYERS)
# The table to play at and the training stand side by side.
STRANGERS = {"marias_training": {"marias_table"}}


def imported_packages(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("layer", ORDER)
def test_imports_point_one_way(layer: str) -> None:
    later = set(ORDER[ORDER.index(layer) + 1 :]) | STRANGERS.get(layer, set())
    files = sorted(LAYERS[layer].rglob("*.py"))
    assert files, layer
    for path in files:
        found = imported_packages(path) & later
        assert not found, f"{path.relative_to(ROOT)} imports {found}"


def test_core_does_not_know_the_faces() -> None:
    faces = {"gymnasium", "pettingzoo", "torch", "typer", "rich"}
    for path in (ROOT / "marias_env" / "core").glob("*.py"):
        assert not imported_packages(path) & faces, path.name


def test_import_is_light() -> None:
    code = (
        "import sys, marias_env\n"
        "heavy = {'torch', 'pettingzoo', 'numba', 'matplotlib', 'rich', 'typer'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "import gymnasium\n"
        "assert 'Marias-v0' in gymnasium.registry\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_every_package_is_typed() -> None:
    for layer in ORDER[:-1]:
        assert (LAYERS[layer] / "py.typed").exists()


def test_files_hold_one_idea() -> None:
    for layer in ORDER:
        for path in LAYERS[layer].rglob("*.py"):
            lines = len(path.read_text("utf-8").splitlines())
            assert lines <= 500, f"{path.relative_to(ROOT)} has {lines} lines"
