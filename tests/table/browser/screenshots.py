"""Takes the pictures of the page for docs/play.md: `python -m tests.table.browser.screenshots`.

Deals are played as the adviser says until every picture is taken; the cards differ each time.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from marias_env.records import write_records
from tests.agents.agent_cases import played
from tests.table.browser.player import (
    DESKTOP,
    FLAGS,
    PHONE,
    SIDEWAYS,
    Player,
    Server,
    chromium,
    running,
)

IMAGES = Path(__file__).resolve().parents[3] / "docs" / "images"
DEALS = 12
PHONE_PHASES = ("TRUMP", "CONTRACT", "DISCARD", "REPLY", "DOUBLE", "PLAY", "OVER")


def shoot(player: Player, name: str, folder: Path, what: str = "table-") -> None:
    player.page.wait_for_timeout(600)
    path = folder / f"{what}{name}.png"
    player.page.screenshot(path=path)
    # A palette is enough for cards on a green cloth, and a third of the size.
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(220, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def advised(player: Player) -> None:
    before = player.at
    player.page.click("[data-tool=hint]")
    player.page.click("[data-tool=do-hint]")
    player.page.wait_for_function(
        "(before) => document.querySelector('.table').dataset.at !== before", arg=before
    )


def deals(player: Player, wanted: dict[str, str], name: str, folder: Path) -> None:
    """Plays until each wanted phase has been seen, and takes its picture."""
    missing = dict(wanted)
    for _ in range(DEALS * 25):
        phase = player.wait()
        ripe = phase in missing
        if phase == "PLAY" and ripe:
            ripe = player.page.locator(".played").count() == 2 and len(player.hand()) < 9
        if ripe:
            if phase == "TRUMP":
                player.page.locator(".own.legal").first.click()
            shoot(player, f"{missing.pop(phase)}-{name}", folder)
        if not missing:
            return
        if phase == "OVER":
            player.page.click("[data-tool=next]")
            player.page.wait_for_selector(".payments", state="detached")
        else:
            advised(player)


def main(folder: Path) -> None:
    def sit(browser: Any, url: str, viewport: dict[str, int], language: str) -> Player:
        return Player(browser, url, viewport, language=language, deck="", scale=1.5)

    with running(":memory:") as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        phone = sit(browser, server.url, PHONE, "cs").open()
        phone.page.wait_for_selector("[data-tool=play]")
        shoot(phone, "start-phone", folder)
        phone.page.click("[data-tool=play]")
        wanted = {phase: phase.lower() for phase in PHONE_PHASES}
        deals(phone, wanted, "phone", folder)
        side = sit(browser, server.url, SIDEWAYS, "en").play_at_once()
        deals(side, {"PLAY": "play"}, "sideways", folder)
        desk = sit(browser, server.url, DESKTOP, "en").play_at_once()
        deals(desk, {"PLAY": "play", "OVER": "over"}, "desktop", folder)
        desk.page.click("[data-tool=analysis]")
        desk.page.wait_for_selector("dialog .costs")
        shoot(desk, "analysis-desktop", folder)
        online = sit(browser, server.url, PHONE, "en").set_up("online")
        deals(online, {"NAME_TRUMP": "name_trump", "ANNOUNCE": "announce"}, "phone", folder)
        viewer(browser, folder)
        browser.close()


def viewer(browser: Any, folder: Path) -> None:
    """Takes the pictures of `marias view`, of a deal that is the same every time."""
    with TemporaryDirectory() as held:
        path = Path(held) / "deals.jsonl"
        write_records(path, [played("traditional", 5)])
        server = Server("view", str(path), "--no-open", "--agents", "rules,pimc:3")
        try:
            server.start("api/file")
            for name, viewport, language in (("desktop", DESKTOP, "en"), ("phone", PHONE, "cs")):
                player = Player(browser, server.url, viewport, 1.5, language=language, deck="")
                player.page.goto("/#1.16")
                player.page.wait_for_selector("[data-agent='pimc:3'] small", state="attached")
                shoot(player, f"view-{name}", folder, "")
        finally:
            server.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
