"""What axe-core finds on the page: nothing serious, in any phase, on any size."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.table.browser.player import DESKTOP, PHONE, SIDEWAYS, TABLET, Player, faults

pytestmark = pytest.mark.browser
pytest.importorskip("axe_playwright_python")


@pytest.mark.parametrize(
    "viewport", [PHONE, SIDEWAYS, TABLET, DESKTOP], ids=["phone", "sideways", "tablet", "desk"]
)
def test_nothing_serious_anywhere(seat: Callable[..., Player], viewport: dict[str, int]) -> None:
    language = "cs" if viewport is PHONE else "en"
    player = seat(viewport, language=language, deck="").open()
    player.page.wait_for_selector("[data-tool=setup]")
    found = faults(player)
    player.page.click("[data-tool=setup]")
    player.page.click(".options summary")
    found += faults(player)
    player.page.click("[data-tool=create]")
    player.page.wait_for_selector(".table")
    looked: set[str] = set()
    while (phase := player.wait()) != "OVER":
        if phase not in looked:
            looked.add(phase)
            found += faults(player)
        player.move()
    found += faults(player)
    for tool in ("menu", "rules", "last", "analysis", "dealt"):
        player.page.click(f"[data-tool={tool}]")
        player.page.wait_for_selector("dialog[open]")
        if tool == "analysis":
            player.page.wait_for_selector("dialog .costs")
        found += faults(player)
        player.page.click("[data-tool=close]")
        player.page.wait_for_selector("dialog", state="detached")
    assert found == []


def test_the_checker_finds_a_fault_that_is_there(seat: Callable[..., Player]) -> None:
    player = seat().open()
    player.page.wait_for_selector("[data-tool=play]")
    player.page.evaluate("document.querySelector('#app').append(document.createElement('button'))")
    assert any("button-name" in fault for fault in faults(player))


def test_reduced_motion_stops_every_movement(seat: Callable[..., Player]) -> None:
    player = seat()
    player.page.emulate_media(reduced_motion="reduce")
    player.play_at_once()
    player.wait()
    moving = """nodes => nodes.filter((node) => {
        const style = getComputedStyle(node);
        return style.animationName !== 'none' || !/^(none|all)?( ?0s.*)?$/.test(style.transition);
    }).length"""
    assert player.page.eval_on_selector_all(".own, .played, .choice", moving) == 0
