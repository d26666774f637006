"""docs/play.md shows a real session; `python -m tests.table.test_terminal_docs` writes it."""

from __future__ import annotations

import re
import shlex
import tempfile
from pathlib import Path

from marias_env.files import write_text_atomic
from tests.table.terminal import play

PAGE = Path(__file__).resolve().parents[2] / "docs" / "play.md"
SESSION = re.compile(r"<!-- session: (.*?) \| (.*?) -->\n```text\n(.*?)```\n", re.DOTALL)


def session(arguments: str, typed: str) -> str:
    """What the last decisions of a session looked like."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deals.jsonl"
        lines = "".join(f"{line.strip()}\n" for line in typed.split(","))
        told = play(lines, str(file), *shlex.split(arguments), "--limit", "1000")
    assert told.exit_code == 0, told.output
    tables = told.stdout.split("\n\n╭")
    last = "\n\n".join("╭" + table for table in tables[2:])
    return last.rpartition("\n\n")[0] + "\n"  # without the name of the file


def test_the_session_of_the_page_is_a_real_one() -> None:
    found = SESSION.search(PAGE.read_text("utf-8"))
    assert found is not None
    arguments, typed, shown = found.groups()
    assert session(arguments, typed) == shown


if __name__ == "__main__":
    text = PAGE.read_text("utf-8")
    written = SESSION.sub(
        lambda found: found[0].replace(
            f"```text\n{found[3]}```", f"```text\n{session(found[1], found[2])}```"
        ),
        text,
    )
    write_text_atomic(PAGE, written)
