"""Compiled code on disk: never stale, never in the way (each process is a new one)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from marias_env.core.jit import JIT_DISABLED

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")

CALLEE = """
from marias_env.core.jit import jit
from {prefix}facts.worth import WORTH

@jit
def value(x):
    return x * {factor} + WORTH
"""
CALLER = """
from marias_env.core.jit import jit
from {prefix}callee.inner import value

@jit
def twice(x):
    return 2 * value(x)

@jit
def alone(x):
    return x + {alone}
"""
RUN = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from {prefix}caller.outer import alone, twice
    {before}
    found = [twice(x) for x in {arguments}] + [alone(1)]
hits = [sum(f.stats.cache_hits.values()) for f in (twice, alone)]
print(json.dumps([found, hits, [str(w.message) for w in caught]]))
"""


STAMPS = """
import importlib, json, pkgutil, sys
import marias_agents, marias_env.core
from marias_env.core.code_cache import program_stamp

found = {}
for package in (marias_env.core, marias_agents):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if hasattr(value, "py_func"):
                found[f"{module.name}.{name}"] = program_stamp(value)
json.dump(found, sys.stdout)
"""


class Packages:
    """Three packages in a folder: facts (a constant), callee (reads it) and caller."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.prefix = "marias_test_"
        self.environment = {"NUMBA_CACHE_DIR": str(self.cache)}
        self.write()

    def write(self, worth: int = 5, factor: int = 10, alone: int = 1) -> None:
        for package, module, text in [
            ("facts", "worth", f"WORTH = {worth}\n"),
            ("callee", "inner", CALLEE.format(prefix=self.prefix, factor=factor)),
            ("caller", "outer", CALLER.format(prefix=self.prefix, alone=alone)),
        ]:
            place = self.folder / (self.prefix + package)
            place.mkdir(exist_ok=True)
            (place / "__init__.py").touch()
            (place / f"{module}.py").write_text(text, encoding="utf-8")

    def run(self, arguments: str = "[1]", before: str = "pass") -> tuple[Any, Any, Any]:
        """Results, cache hits of the two functions, and warnings, of a new process."""
        paths = [str(self.folder), *filter(None, sys.path)]
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))},
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
            **self.environment,
        }
        text = RUN.format(prefix=self.prefix, arguments=arguments, before=before)
        done = subprocess.run(
            [sys.executable, "-c", text], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        found, hits, warned = json.loads(done.stdout)
        return found, hits, warned


@pytest.fixture
def packages(tmp_path: Path) -> Packages:
    return Packages(tmp_path)


def test_edits_of_callees_and_constants_elsewhere_are_seen(packages: Packages) -> None:
    assert packages.run() == ([30, 2], [0, 0], [])
    assert packages.run() == ([30, 2], [1, 1], [])
    packages.write(factor=20)
    assert packages.run() == ([50, 2], [0, 1], [])
    packages.write(factor=20, worth=6)
    assert packages.run() == ([52, 2], [0, 1], [])


def test_an_edit_of_the_caller_leaves_the_callee_alone(packages: Packages) -> None:
    packages.run()
    packages.write(alone=2)
    assert packages.run() == ([30, 3], [1, 0], [])


def damage(files: list[Path], size: int) -> None:
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:size])


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("size", [0, 40])
def test_truncated_cache_files_are_written_anew(packages: Packages, kind: str, size: int) -> None:
    packages.run()
    damage(list(packages.cache.rglob(f"*.{kind}")), size)
    found, hits, warned = packages.run()
    assert (found, hits) == ([30, 2], [0, 0])
    assert len(warned) == 1
    assert "NUMBA_CACHE_DIR" in warned[0]
    assert "damaged" in warned[0]
    assert packages.run() == ([30, 2], [1, 1], [])


def test_an_entry_of_another_signature_is_not_taken(packages: Packages) -> None:
    both = "[1, 1.5]"
    assert packages.run(both)[0] == [30, 40.0, 2]
    one, two = sorted(packages.cache.rglob("*twice*.nbc"))
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    assert packages.run(both) == ([30, 40.0, 2], [0, 1], [])


def test_without_any_place_to_write_it_runs_uncached_with_one_warning(packages: Packages) -> None:
    # As root no permission stops a write, so files stand where folders would have to be made.
    for package in ("callee", "caller"):
        (packages.folder / f"{packages.prefix}{package}" / "__pycache__").touch()
    packages.environment = {"HOME": os.devnull}
    found, hits, warned = packages.run()
    assert (found, hits) == ([30, 2], [0, 0])
    assert len(warned) == 1
    assert "NUMBA_CACHE_DIR" in warned[0]


def test_a_folder_that_cannot_be_written_later_stops_nothing(packages: Packages) -> None:
    before = (
        f"import shutil, pathlib; shutil.rmtree({str(packages.cache)!r}); "
        f"pathlib.Path({str(packages.cache)!r}).touch()"
    )
    found, _, warned = packages.run(before=before)
    assert found == [30, 2]
    assert len(warned) == 1
    assert "cannot be written" in warned[0]


def test_every_compiled_function_has_the_same_key_in_every_process() -> None:
    found = []
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONHASHSEED": seed,
        }
        done = subprocess.run(
            [sys.executable, "-c", STAMPS], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert len(found[0]) > 200
    assert found[0] == found[1]
