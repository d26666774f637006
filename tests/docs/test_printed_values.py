"""What pages show as output is what their code prints."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["aec.md"])
def test_output_blocks_are_what_the_code_prints(page: str) -> None:
    names: dict[str, Any] = {}
    printed = ""
    compared = 0
    for language, text in BLOCK.findall((DOCS / page).read_text("utf-8")):
        if language == "text":
            assert printed == text
            compared += 1
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(text, page, "exec"), names)
        printed = output.getvalue()
    assert compared >= 4
