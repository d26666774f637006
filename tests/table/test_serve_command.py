"""The command `marias serve`: what it refuses, in one line."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from marias_env.cli import app
from marias_env.cli_warmup import _steps
from marias_table.limits import Limits
from marias_table.serve import bind, url_of


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["serve", "--db", ":memory:", "--no-open", *arguments])
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return result.output


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def without(name: str) -> Any:
        return None if name == "uvicorn" else find(name)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    assert "needs uvicorn: pip install 'marias-env[table]'" in refused()


def test_a_port_in_use_and_a_bad_agent_and_language_are_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert str(port) in refused("--port", str(port), "--agent", "rules")
    assert "nobody" in refused("--agent", "nobody")
    assert "en, cs" in refused("--language", "de")
    assert "no such file" in refused("--db", "/nowhere/x.sqlite", "--export", "deals.jsonl")


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes, and nobody shall write into them " * 30)
    before = path.read_bytes()
    assert "notes.txt" in refused("--db", str(path), "--agent", "rules", "--port", "0")
    assert path.read_bytes() == before


def test_the_address_that_the_browser_opens() -> None:
    with bind("0.0.0.0", 0) as bound:
        assert url_of(bound) == f"http://127.0.0.1:{bound.getsockname()[1]}/"
    if socket.has_ipv6:
        with bind("::1", 0) as bound:
            assert url_of(bound).startswith("http://[::1]:")
    with pytest.raises(OSError, match=r"203\.0\.113\.1"):
        bind("203.0.113.1", 0)


@pytest.mark.parametrize("field", ["tables", "sockets", "burst", "grace"])
def test_limits_are_checked(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        Limits(**{field: -1})


def test_a_table_is_warmed_up_with_the_rest() -> None:
    (step,) = [use for what, use in _steps() if what == "table"]
    step()
