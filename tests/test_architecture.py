"""Imports point one way, and importing the environment is cheap."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import PATIENCE

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
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)


def test_every_package_is_typed() -> None:
    for layer in ORDER[:-1]:
        assert (LAYERS[layer] / "py.typed").exists()


def imports_inside(package: Path) -> dict[str, set[str]]:
    """Which modules of a package import which, inside functions too, for types only left out."""
    modules: dict[str, Path] = {}
    for path in package.rglob("*.py"):
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        modules[name.removesuffix(".__init__")] = path
    return {name: wanted_by(path, name, set(modules)) for name, path in modules.items()}


def wanted_by(path: Path, name: str, modules: set[str]) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    typing_only: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            typing_only.update(ast.walk(node))
    found: set[str] = set()
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & modules) or {node.module}
    return (found & modules) - {name}


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """A circle of imports, or nothing."""
    done: set[str] = set()

    def follow(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name not in done:
            for other in sorted(graph[name]):
                if circle := follow(other, [*way, name]):
                    return circle
            done.add(name)
        return []

    for name in sorted(graph):
        if circle := follow(name, []):
            return circle
    return []


@pytest.mark.parametrize("layer", ORDER)
def test_no_import_goes_round_in_a_circle(layer: str) -> None:
    assert not circle_in(imports_inside(LAYERS[layer]))


def test_circles_are_found(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text("def f():\n    from package.two import g\n")
    (package / "two.py").write_text("from package import three\n")
    (package / "three.py").write_text("import package.one\n")
    found = circle_in(imports_inside(package))
    assert set(found) == {"package.one", "package.two", "package.three"}


def test_nobody_reaches_for_what_a_batch_keeps_to_itself() -> None:
    # `packed_rules`, `from_deals` and an environment's `batch` are there for it.
    private = re.compile(r"\b(?:batch|fresh|part)\._(?!repr_)[a-z]\w*|\w+\._learners\.batch")
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for folder in ("agents", "training", "tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        for text in private.findall(path.read_text("utf-8"))
    ]
    assert found == []
