"""Tests of the table need its extra; without it they are left out."""

from __future__ import annotations

from importlib.util import find_spec

NEEDED = (
    "httpx2",
    "orjson",
    "pebble",
    "prompt_toolkit",
    "pydantic",
    "starlette",
    "uvicorn",
    "websockets",
)
collect_ignore_glob = [] if all(find_spec(name) for name in NEEDED) else ["*"]
