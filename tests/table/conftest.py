"""Tests of the table need its extra; without it they are left out."""

from __future__ import annotations

from importlib.util import find_spec

from marias_table import NEEDED

collect_ignore_glob = [] if all(find_spec(name) for name in ("httpx2", *NEEDED)) else ["*"]
