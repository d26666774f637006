"""`marias view`: stepping through recorded deals by keys and clicks, on all sizes; shared files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from marias_agents import make
from marias_agents.action_values import action_values
from marias_env.actions import ACTIONS, PLAY
from marias_env.records import each_position, write_records
from marias_env.showing.animate import animate
from marias_env.showing.phrases import phrases
from marias_table.share import share_html
from tests.agents.agent_cases import played
from tests.table.browser.player import (
    DESKTOP,
    PHONE,
    SIDEWAYS,
    TABLET,
    Player,
    Server,
    faults,
)

pytestmark = pytest.mark.browser

FITS = """() => {
    const wrong = [];
    const {innerWidth: width, innerHeight: height} = window;
    if (document.documentElement.scrollWidth > width) wrong.push('page is wider than the screen');
    const whole = '.hand .card, .plate, .reel button, .reel input';
    for (const node of document.querySelectorAll(whole)) {
        const box = node.getBoundingClientRect();
        if (box.width && (box.left < -1 || box.right > width + 1 || box.bottom > height + 1)) {
            wrong.push(`${node.className} ${JSON.stringify(box)}`);
        }
    }
    // Cards of a trick lie before their players.
    const middle = (node) => {
        const box = node.getBoundingClientRect();
        return box.x + box.width / 2;
    };
    const felt = middle(document.querySelector('.felt'));
    for (const [place, side] of [['left', -1], ['bottom', 0], ['right', 1]]) {
        for (const node of document.querySelectorAll(`.played.from-${place}`)) {
            const off = middle(node) - felt;
            if (Math.sign(Math.abs(off) < 4 ? 0 : off) !== side) wrong.push(`${place}: ${off}`);
        }
    }
    return wrong;
}"""


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    found = [played(preset, 5) for preset in ("traditional", "online", "additive")]
    found[1]["players"] = ["Eva", "Jan", "Petr <b>"]
    return found


@pytest.fixture(scope="module")
def viewer(
    browser: Any, records: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("view") / "deals.jsonl"
    write_records(path, records)
    server = Server("view", str(path), "--no-open", "--agents", "rules,random")
    try:
        server.start("api/file")
        yield server
    finally:
        server.kill()


@pytest.fixture
def look(browser: Any, viewer: Server) -> Iterator[Callable[..., Player]]:
    """Opens the viewer; at the end nothing may have gone wrong, or left the server."""
    players: list[Player] = []

    def make_one(
        viewport: dict[str, int] = DESKTOP, place: str = "", url: str = "", **settings: Any
    ) -> Player:
        player = Player(browser, url or viewer.url, viewport, **settings)
        players.append(player)
        player.page.goto((url or "/") + place)
        player.page.wait_for_selector(".viewer")
        return player

    yield make_one
    trouble = [line for player in players for line in (*player.trouble, *player.foreign)]
    for player in players:
        player.close()
    assert trouble == []


def at(player: Player) -> int:
    return int(player.page.get_attribute(".viewer", "data-at") or -1)


def settled(player: Player, position: int) -> None:
    """Waits until a position is there, with what agents would do."""
    player.page.wait_for_selector(f".viewer[data-at='{position}']")
    if player.phase != "OVER":
        player.page.wait_for_selector(".chips li.taken", state="attached")
        player.page.wait_for_function(
            """() => [...document.querySelectorAll('.advice dd')].every((node) =>
                node.querySelector('small'))"""
        )


def number(text: str) -> int:
    return int(text.replace("−", "-").replace("+", ""))


@pytest.mark.parametrize(
    ("index", "viewport", "language"),
    [(0, DESKTOP, "cs"), (1, PHONE, "en"), (2, SIDEWAYS, "cs"), (1, TABLET, "en")],
)
def test_a_deal_is_stepped_through_by_keys(
    look: Callable[..., Player],
    records: list[dict[str, Any]],
    index: int,
    viewport: dict[str, int],
    language: str,
) -> None:
    player = look(viewport, f"#{index + 1}", language=language)
    page, record, agent = player.page, records[index], make("rules")
    for position, batch in enumerate(each_position(record)):
        settled(player, position)
        page.wait_for_function(f"() => ({FITS})().length === 0")
        if player.phase == "OVER":
            break
        held = page.locator(".viewer [data-card]").count()
        assert held == sum(int(hand).bit_count() for hand in batch.deals["hands"][0])
        worth = action_values(batch)
        shown = page.eval_on_selector_all(
            ".chips li",
            "nodes => nodes.map(n => [n.dataset.action, n.querySelector('b').textContent])",
        )
        assert {action: number(value) for action, value in shown} == worth
        assert (
            page.get_attribute(".chips li.taken", "data-action") == record["actions"][position][1]
        )
        views = batch.views()
        chosen = ACTIONS[int(agent.act(views, views.legal_mask())[0])]
        same = chosen == record["actions"][position][1]
        assert page.locator("[data-agent=rules].same").count() == int(same)
        page.keyboard.press("ArrowRight")
    assert at(player) == len(record["actions"])
    assert player.payments() == record["payments"]
    page.keyboard.press("Home")
    page.wait_for_selector(".viewer[data-at='0']")


def test_buttons_slider_tricks_and_deals(
    look: Callable[..., Player], records: list[dict[str, Any]]
) -> None:
    player = look()
    page = player.page
    end = len(records[0]["actions"])
    page.click("[data-tool=on]")
    page.wait_for_selector(".viewer[data-at='1']")
    page.click("[data-tool=last]")
    page.wait_for_selector(f".viewer[data-at='{end}']")
    page.click("[data-tool=back]")
    page.wait_for_selector(f".viewer[data-at='{end - 1}']")
    page.locator(".slider").fill("5")
    page.wait_for_selector(".viewer[data-at='5']")
    page.locator(".slider").press("ArrowRight")
    page.wait_for_selector(".viewer[data-at='6']")
    page.click("[data-tool=first]")
    page.wait_for_selector(".viewer[data-at='0']")
    starts = [n for n, batch in enumerate(each_position(records[0])) if batch.phase[0] == PLAY]
    page.keyboard.press("PageDown")
    page.wait_for_selector(f".viewer[data-at='{starts[3]}']")
    page.keyboard.press("PageUp")
    page.wait_for_selector(f".viewer[data-at='{starts[0]}']")
    page.click("[data-tool=next-deal]")
    page.wait_for_selector("text=Eva")
    assert page.url.endswith("#2.0")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => location.hash === '#3.0'")
    assert page.locator("[data-tool=next-deal]").get_attribute("aria-disabled") == "true"
    page.locator(".deals input").fill("2")
    page.locator(".deals input").press("Enter")
    page.wait_for_function("() => location.hash === '#2.0'")


def test_a_place_has_an_address_and_names_are_text(look: Callable[..., Player]) -> None:
    player = look(DESKTOP, "#2.7")
    settled(player, 7)
    assert player.page.locator("text=Petr <b>").first.is_visible()
    player.page.reload()
    settled(player, 7)


def test_hands_can_be_hidden(look: Callable[..., Player], records: list[dict[str, Any]]) -> None:
    play = next(n for n, batch in enumerate(each_position(records[0])) if batch.phase[0] == PLAY)
    player = look(DESKTOP, f"#1.{play}")
    page, words = player.page, phrases("en")
    settled(player, play)
    turn = records[0]["actions"][play][0]
    other = (turn + 1) % 3
    page.select_option("[data-tool=eyes]", str(other + 1))
    page.wait_for_selector(f"[aria-label='{words['card_back']}']")
    assert page.locator(".viewer [data-card]").count() == 10
    assert page.locator(".chips li, .advice dd, .worth").count() == 0
    page.select_option("[data-tool=eyes]", str(turn + 1))
    settled(player, play)
    assert page.locator(".viewer [data-card]").count() == 10
    page.uncheck("[data-tool=values]")
    page.wait_for_selector(".chips", state="detached")
    assert page.locator(".advice dd, .worth").count() == 0


def test_language_deck_and_the_record_itself(
    look: Callable[..., Player], records: list[dict[str, Any]]
) -> None:
    player = look(PHONE, "#1.4")
    page = player.page
    settled(player, 4)
    page.click("[data-tool=menu]")
    page.get_by_label("Čeština").check()
    page.get_by_role("dialog", name=phrases("cs")["menu"]).wait_for()
    page.get_by_label(phrases("cs")["deck_german"]).check()
    page.wait_for_selector("html[data-deck=german][lang=cs]")
    with page.expect_download() as download:
        page.click("[data-tool=save]")
    assert json.loads(Path(download.value.path()).read_text()) == records[0]
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    settled(player, 4)


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desk"])
def test_axe_finds_nothing_serious(
    look: Callable[..., Player], records: list[dict[str, Any]], viewport: dict[str, int]
) -> None:
    player = look(viewport)
    found: list[str] = []
    for position in (0, 3, len(records[0]["actions"]) - 7, len(records[0]["actions"])):
        player.page.locator(".slider").fill(str(position))
        settled(player, position)
        found += faults(player)
    player.page.click("[data-tool=menu]")
    player.page.wait_for_selector("dialog[open]")
    found += faults(player)
    assert found == []


def test_a_shared_file_opens_from_disk(
    look: Callable[..., Player], records: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "deal.html"
    path.write_text(share_html(records[1], ["rules"], "cs"), encoding="utf-8")
    player = look(DESKTOP, url=path.as_uri(), language="cs")
    page, record = player.page, records[1]
    page.evaluate("() => document.addEventListener('securitypolicyviolation', () => { throw 1 })")
    for position, batch in enumerate(each_position(record)):
        settled(player, position)
        if player.phase != "OVER":
            shown = page.eval_on_selector_all(
                ".chips li b", "nodes => nodes.map(n => n.textContent)"
            )
            worth = action_values(batch)
            assert sorted(number(text) for text in shown) == sorted(worth.values())
            page.keyboard.press("ArrowRight")
    assert player.payments() == record["payments"]
    assert page.get_attribute("html", "lang") == "cs"
    page.click("[data-tool=menu]")
    page.get_by_label("English").check()
    page.wait_for_selector("html[lang=en]")
    page.keyboard.press("Escape")
    page.select_option("[data-tool=eyes]", "1")
    page.click("[data-tool=first]")
    page.wait_for_selector(f"[aria-label='{phrases('en')['card_back']}']")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_an_animation_moves_unless_asked_not_to(
    browser: Any, records: list[dict[str, Any]], tmp_path: Path, motion: Any
) -> None:
    path = tmp_path / "deal.svg"
    path.write_text(animate(records[0]), encoding="utf-8")
    context = browser.new_context(reduced_motion=motion)
    page = context.new_page()
    page.goto(path.as_uri())
    # Where each card is at a hundredth of a second: at rest most of the time, or on its way.
    places = page.evaluate(
        """() => {
            const found = new Set();
            const all = document.getAnimations();
            for (const one of all) one.pause();
            for (let time = 0; time < 12000; time += 60) {
                for (const one of all) one.currentTime = time;
                for (const node of document.querySelectorAll('.m')) {
                    found.add(node.getAttribute('class') + getComputedStyle(node).transform);
                }
            }
            return found.size;
        }"""
    )
    still = page.evaluate(
        """() => {
            let count = 0;
            for (const one of document.getAnimations()) {
                if (one.effect.target.matches('.m')) {
                    count += new Set(one.effect.getKeyframes().map((k) => k.transform)).size;
                }
            }
            return count;
        }"""
    )
    context.close()
    if motion == "reduce":
        assert places <= still
    else:
        assert places > still / 2 + 100
