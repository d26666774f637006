"""One browser and one server for all tests of the page; without Chromium they are skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.table.browser.player import DESKTOP, FLAGS, Player, Server, chromium, running

HOW = "no Chromium on the path: install one (Debian: apt-get install chromium) to run these"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    path = chromium()
    if path is None:
        pytest.skip(HOW)
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=list(FLAGS), headless=True)
        yield found
        found.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Server]:
    with running(str(tmp_path_factory.mktemp("table") / "tables.sqlite")) as started:
        yield started


@pytest.fixture
def seat(browser: Any, server: Server) -> Iterator[Callable[..., Player]]:
    """Makes players; at the end nothing may have gone wrong on their pages or left the server."""
    players: list[Player] = []

    def make(viewport: dict[str, int] = DESKTOP, **settings: Any) -> Player:
        players.append(Player(browser, server.url, viewport, **settings))
        return players[-1]

    yield make
    trouble = [line for player in players for line in player.trouble]
    foreign = [line for player in players for line in player.foreign]
    for player in players:
        player.close()
    assert trouble == []
    assert foreign == []
