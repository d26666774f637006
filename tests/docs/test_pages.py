"""Documentation is code: its Python runs, its commands exist, its tables equal the code."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from marias_env.showing.docs_tables import TABLES, with_tables
from tests.processes import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Pages whose extras are tested in an environment of their own (make test-integrations).
OWN_ENVIRONMENT = {"rllib.md", "torchrl.md", "tianshou.md", "openspiel.md"}


def blocks(page: Path, *languages: str) -> list[str]:
    return [
        code for language, code in BLOCK.findall(page.read_text("utf-8")) if language in languages
    ]


def ids(page: Path) -> str:
    return page.name


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_tables_equal_the_code(page: Path) -> None:
    text = page.read_text("utf-8")
    assert with_tables(text) == text, "run `make docs-tables`"


def test_every_table_is_on_a_page() -> None:
    used = {
        name for page in PAGES for name in re.findall(r"<!-- table: (\w+) -->", page.read_text())
    }
    assert used == set(TABLES)


PYTHON_PAGES = [p for p in PAGES if blocks(p, "python")]
MAIN_PAGES = [p for p in PYTHON_PAGES if p != README and p.name not in OWN_ENVIRONMENT]
OTHER_PAGES = [p for p in PYTHON_PAGES if p.name in OWN_ENVIRONMENT]


def run_blocks(page: Path, folder: Path) -> None:
    run_code(page.name, "\n".join(blocks(page, "python")), folder)


def run_code(name: str, code: str, folder: Path) -> None:
    # The `if __name__` guard lets a page start processes; examples write to an empty folder.
    script = folder / "page.py"
    script.write_text(code, "utf-8")
    result = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "MPLBACKEND": "Agg"},
        check=False,
    )
    assert result.returncode == 0, f"{name}:\n{result.stdout}\n{result.stderr}"


@pytest.mark.parametrize("page", MAIN_PAGES, ids=ids)
def test_python_blocks_run(page: Path, tmp_path: Path) -> None:
    run_blocks(page, tmp_path)


@pytest.mark.parametrize("number", range(len(blocks(README, "python"))))
def test_each_block_of_the_readme_runs_alone(number: int, tmp_path: Path) -> None:
    # There people copy one block, not the page.
    run_code(f"README.md, block {number + 1}", blocks(README, "python")[number], tmp_path)


@pytest.mark.integration
@pytest.mark.parametrize("page", OTHER_PAGES, ids=ids)
def test_python_blocks_run_in_their_own_environment(page: Path, tmp_path: Path) -> None:
    run_blocks(page, tmp_path)


def test_every_block_names_its_language() -> None:
    known = {"python", "bash", "text", "json", "toml", "console"}
    for page in PAGES:
        found = {language for language, _ in BLOCK.findall(page.read_text("utf-8"))}
        assert found <= known, f"{page.name}: {found - known}"


def commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for code in blocks(page, "bash", "console"):
            for line in code.replace("\\\n", " ").splitlines():
                line = line.removeprefix("$ ").split(" #")[0].strip()
                if line and not line.startswith("#"):
                    found.append((page.name, line))
    return sorted(set(found))


@pytest.mark.parametrize(("page", "line"), commands())
def test_commands_exist(page: str, line: str) -> None:
    # Long commands are not run here; that their names, options and files exist is checked.
    words = [word for word in shlex.split(line) if "=" not in word or word.startswith("--")]
    program = Path(words[0]).name
    if program == "make":
        makefile = (ROOT / "Makefile").read_text()
        targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
        wanted = [word for word in words[1:] if not word.startswith("-")]
        assert set(wanted) <= targets, f"{page}: {line}"
    elif program in {"python", "python3"}:
        target = words[1]
        if target == "-m":
            assert re.fullmatch(r"[\w.]+", words[2]), f"{page}: {line}"
        else:
            assert (ROOT / target).exists(), f"{page}: {line}"
    elif program == "marias":
        subcommand = words[1] if len(words) > 1 and not words[1].startswith("-") else None
        help_text = _help(subcommand)
        for option in re.findall(r"(?<=\s)--[a-z-]+", " " + line):
            assert option in help_text, f"{page}: {line}: no {option}"
    else:
        assert program in {
            *("git", "cd", "pip", "source", "taskset", "pytest", "tensorboard", "sqlite3")
        }, f"{page}: {line}: a command this test does not know"


def _help(subcommand: str | None, _seen: dict[str | None, str] = {}) -> str:  # noqa: B006
    if subcommand not in _seen:
        words = [subcommand] if subcommand else []
        result = subprocess.run(
            [sys.executable, "-m", "marias_env.cli", *words, "--help"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**os.environ, "COLUMNS": "200", "TERM": "dumb"},
            check=False,
        )
        assert result.returncode == 0, f"marias {subcommand}: {result.stdout}{result.stderr}"
        _seen[subcommand] = result.stdout
    return _seen[subcommand]


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_on_the_site() -> None:
    # A page that no table of contents names is a warning, and warnings end `make docs`.
    listed = (ROOT / "docs" / "index.md").read_text("utf-8").splitlines()
    pages = {page.stem for page in PAGES[1:]} - {"index"}
    assert not pages - set(listed), "add them to docs/index.md"
