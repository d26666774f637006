"""Tests of frameworks that are not in the main environment: `make test-integrations` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

OWN_ENVIRONMENT = ("test_openspiel", "test_rllib", "test_tianshou", "test_torchrl")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    # They import their framework at the top: where they are asked for and it is missing, they fail.
    chosen = config.getoption("markexpr") or ""
    asked_for = "integration" in chosen and "not integration" not in chosen
    if collection_path.name.startswith(OWN_ENVIRONMENT) and not asked_for:
        return True
    return None
