"""Several people at one table; pages that were reloaded, slept, or lost their server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from marias_env.showing.phrases import phrases
from tests.table.browser.player import DESKTOP, PHONE, Player, running

pytestmark = pytest.mark.browser
Seat = Callable[..., Player]


def link(player: Player, label: str) -> str:
    return str(player.page.get_by_label(label).input_value())


def seen(player: Player) -> tuple[str, str, list[str]]:
    return player.at, player.phase, player.hand()


def turn_of(player: Player) -> bool:
    return player.page.locator(".prompt.mine").count() > 0


def test_two_people_an_agent_and_a_spectator(seat: Seat) -> None:
    words = phrases("en")
    host = seat(DESKTOP, name="Eva").set_up("traditional", ("me", "open", "rules"))
    invite, watch = link(host, words["invite_link"]), link(host, words["watch_link"])
    guest = seat(PHONE, name="Jan", language="cs").open(invite)
    guest.page.click("[data-tool=join]")
    guest.page.wait_for_selector(".own-cards")
    onlooker = seat(DESKTOP, name="").open(watch)
    onlooker.page.wait_for_selector(".table")
    # No link lets anybody into a chair that is taken, and no address holds a token for long.
    assert guest.page.url.endswith("/")
    for page in (host.page, onlooker.page):
        page.wait_for_selector("text=Jan")
    both = (host, guest)
    for _ in range(200):
        for player in both:
            player.page.wait_for_function(
                """() => document.querySelector('.prompt.mine, [data-tool=next]')
                    || document.querySelector('.turn .name')"""
            )
        if all(player.phase == "OVER" for player in both):
            break
        for player in both:
            if turn_of(player) and player.phase != "OVER":
                assert not set(host.hand()) & set(guest.hand())
                player.move()
        assert onlooker.hand() == []
        host.page.wait_for_timeout(30)
    for player in (*both, onlooker):
        player.page.wait_for_selector(".payments")
        assert player.payments() == host.payments()
    # The next deal waits for both.
    host.page.click("[data-tool=next]")
    host.page.wait_for_selector("text=" + words["waiting_for"].format("Jan"))
    guest.page.click("[data-tool=next]")
    host.page.wait_for_selector(".payments", state="detached")
    assert host.at.startswith("2-")


PHASES = {
    "traditional": {
        "TRUMP", "CONTRACT", "DISCARD", "REPLY", "ANNOUNCE", "DOUBLE", "PLAY", "OVER",
    },
    "online": {
        "CONTRACT", "DISCARD", "REPLY", "NAME_TRUMP", "ANNOUNCE", "DOUBLE", "PLAY", "OVER",
    },
}  # fmt: skip


def in_every_phase(player: Player, rules: str, disturb: Callable[[], None]) -> None:
    """Disturbs the page once in each phase: seat, cards and place must be what they were.

    Goes on until all phases were met: whoever bids suit games and accepts meets them soon.
    """
    met: set[str] = set()
    for _ in range(1500):
        phase = player.wait()
        if phase not in met:
            met.add(phase)
            before = seen(player)
            disturb()
            player.wait()
            assert seen(player) == before
        if phase != "OVER":
            player.move(prefer=("suit", "good"))
        elif met >= PHASES[rules]:
            return
        else:
            player.page.click("[data-tool=next]")
            player.page.wait_for_selector(".payments", state="detached")
    raise AssertionError(f"never met: {PHASES[rules] - met}")


@pytest.mark.parametrize("rules", sorted(PHASES))
def test_a_reload_in_every_phase_keeps_the_seat_and_the_cards(seat: Seat, rules: str) -> None:
    player = seat().set_up(rules)
    in_every_phase(player, rules, player.page.reload)


@pytest.mark.parametrize("rules", sorted(PHASES))
def test_a_broken_socket_comes_back_in_every_phase_without_a_reload(seat: Seat, rules: str) -> None:
    player = seat(PHONE)
    sockets: list[Any] = []

    def through(socket: Any) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    def break_it() -> None:
        count = len(sockets)
        player.page.evaluate("window.sawBanner = false")
        sockets[-1].close(code=1001)
        player.through_a_banner()
        assert len(sockets) > count

    player.page.route_web_socket("**/ws", through)
    player.set_up(rules)
    player.page.evaluate("window.sameDocument = true")
    in_every_phase(player, rules, break_it)
    assert player.page.evaluate("window.sameDocument")


def test_a_server_killed_in_the_middle_of_a_deal_goes_on(browser: Any, tmp_path: Path) -> None:
    with running(str(tmp_path / "tables.sqlite")) as server:
        player = Player(browser, server.url, DESKTOP).play_at_once()
        player.page.evaluate("window.sameDocument = true")
        for _ in range(4):
            player.wait()
            player.move()
        player.wait()
        before = seen(player)
        server.kill()
        player.page.wait_for_selector(".banner")
        server.start()
        player.page.wait_for_selector(".banner", state="detached")
        assert seen(player) == before
        player.play_deal()
        assert sum(player.payments()) == 0
        assert player.page.evaluate("window.sameDocument")
        assert player.foreign == []
        player.close()


def test_who_gets_up_comes_back_to_the_same_chair(seat: Seat) -> None:
    player = seat().play_at_once()
    player.wait()
    before = seen(player)
    player.page.click("[data-tool=menu]")
    player.page.click("[data-tool=leave]")
    player.page.wait_for_selector("[data-tool=come-back]")
    player.page.reload()
    player.page.click("[data-tool=come-back]")
    player.wait()
    assert seen(player) == before


def test_a_link_that_opens_nothing_says_so(seat: Seat) -> None:
    player = seat().open("/#watch=abcdefgh12345678")
    player.page.get_by_role("alert").wait_for()
    assert player.page.get_by_role("alert").inner_text() == phrases("en")["gone"]
