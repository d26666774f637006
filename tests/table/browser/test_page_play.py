"""Whole deals at the page: every preset, both languages, all sizes; by keys, taps, drags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from marias_env.showing.phrases import phrases
from tests.table.browser.player import (
    DESKTOP,
    PHONE,
    READY,
    SIDEWAYS,
    TABLET,
    TABLET_SIDEWAYS,
    Player,
)

pytestmark = pytest.mark.browser
Seat = Callable[..., Player]

# What of the table is cut off, and cards too small to be read.
FITS = """() => {
    const wrong = [];
    const {innerWidth: width, innerHeight: height} = window;
    if (document.documentElement.scrollWidth > width) wrong.push('page is wider than the screen');
    for (const node of document.querySelectorAll('.own, .plate, .tool, .prompt')) {
        const box = node.getBoundingClientRect();
        if (!box.width) continue;
        if (box.left < -1 || box.right > width + 1 || box.top < -9 || box.bottom > height + 1) {
            wrong.push(`${node.className} ${JSON.stringify(box)}`);
        }
        if (node.matches('.own') && box.width < 40) wrong.push(`card of ${box.width} px`);
    }
    return wrong;
}"""


@pytest.mark.parametrize(
    ("rules", "language", "viewport"),
    [
        ("traditional", "cs", PHONE),
        ("traditional", "en", DESKTOP),
        ("online", "cs", DESKTOP),
        ("online", "en", SIDEWAYS),
        ("additive", "cs", SIDEWAYS),
        ("additive", "en", PHONE),
        ("traditional", "cs", TABLET),
        ("online", "en", TABLET_SIDEWAYS),
    ],
)
def test_whole_deals_by_clicks(
    seat: Seat, rules: str, language: str, viewport: dict[str, int]
) -> None:
    player = seat(viewport, language=language).set_up(rules)
    words = phrases(language)
    assert player.page.get_attribute("html", "lang") == language
    for deal in (1, 2):
        phases = []
        while player.wait() != "OVER":
            if player.phase not in phases:
                phases.append(player.phase)
                assert player.page.evaluate(FITS) == []
            player.move()
        assert phases
        assert sum(player.payments()) == 0
        assert player.at.startswith(f"{deal}-")
        lines = player.page.locator(".lines li").all_inner_texts()
        assert words["each"] in lines[-1] or words["stake"] in lines[-1]
        player.page.get_by_role("button", name=words["next_deal"]).click()
        player.page.wait_for_function(
            "(deal) => !document.querySelector('.table').dataset.at.startsWith(deal + '-')",
            arg=deal,
        )


def test_one_tap_plays(seat: Seat) -> None:
    player = seat(PHONE).play_at_once()
    assert player.wait() != "OVER"
    assert len(player.hand()) in (7, 10)


def illegal_card(player: Player) -> Any:
    """Plays on until a card of the hand is forbidden."""
    for _ in range(100):
        phase = player.wait()
        if phase == "OVER":
            player.page.click("[data-tool=next]")
        elif phase == "PLAY" and player.page.locator(".own.illegal").count():
            return player.page.locator(".own.illegal").first
        else:
            player.move()
    raise AssertionError("no forbidden card in a hundred moves")


def test_a_forbidden_card_says_which_rule_forbids_it(seat: Seat) -> None:
    player = seat().play_at_once()
    card = illegal_card(player)
    before, name = player.at, str(card.get_attribute("aria-label"))
    assert card.get_attribute("aria-disabled") == "true"
    card.click(force=True)  # Playwright itself would wait until it is allowed
    warning = player.page.locator(".prompt[role=alert]").inner_text()
    assert warning.startswith(name.split(",")[0] + ": ")
    reasons = [text for key, text in phrases("en").items() if key.startswith("why_")]
    stems = [text.split("{")[0].strip() for text in reasons]
    assert any(stem and stem in warning for stem in stems), warning
    player.page.wait_for_timeout(300)
    assert player.at == before


def test_a_deal_by_keyboard_alone(seat: Seat) -> None:
    player = seat().open()
    page, keys = player.page, player.page.keyboard
    focused = "() => document.activeElement?.dataset"

    def tab_to(name: str, wanted: str) -> None:
        for _ in range(40):
            if page.evaluate(focused).get(name) == wanted:
                return
            keys.press("Tab")
        raise AssertionError(f"Tab doesn't reach {name} {wanted}")

    page.wait_for_selector("[data-tool=play]")
    tab_to("tool", "play")
    keys.press("Enter")
    page.wait_for_selector(".table")
    while player.wait() != "OVER":
        phase, before = player.phase, player.at
        if phase in ("TRUMP", "DISCARD", "PLAY"):
            legal = page.eval_on_selector_all(
                ".own.legal", "nodes => nodes.map(n => n.dataset.card)"
            )
            for card in legal[-2:] if phase == "DISCARD" else legal[-1:]:
                keys.press("F2")
                for _ in range(14):
                    if page.evaluate(focused).get("card") == card:
                        break
                    keys.press("ArrowRight")
                assert page.evaluate(focused).get("card") == card
                keys.press("Enter")
            if phase != "PLAY":
                tab_to("action", "confirm")
                keys.press("Enter")
        else:
            first = page.locator(".choices .choice:not([aria-disabled])").first
            tab_to("action", str(first.get_attribute("data-action")))
            keys.press("Enter")
        page.wait_for_function(
            "(before) => document.querySelector('.table').dataset.at !== before", arg=before
        )
    assert sum(player.payments()) == 0
    said = page.locator("#said").inner_text()
    assert "Eva" in said


def to_play(player: Player) -> None:
    while player.wait() != "PLAY":
        if player.phase == "OVER":
            player.page.click("[data-tool=next]")
        else:
            player.move()


def test_a_card_is_dragged_to_the_table_and_springs_back_from_half_way(seat: Seat) -> None:
    player = seat().play_at_once()
    to_play(player)
    card = player.page.locator(".own.legal").first
    name, box, before = card.get_attribute("data-card"), card.bounding_box(), player.at
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = player.page.mouse
    for rise in (30, 200):
        mouse.move(x, y)
        mouse.down()
        mouse.move(x, y - rise / 2)
        mouse.move(x, y - rise)
        mouse.up()
        if rise == 30:
            player.page.wait_for_timeout(300)
            assert player.at == before
    player.page.wait_for_selector(f"[data-card='{name}']", state="detached")


def test_two_taps_play_a_card_where_that_is_chosen(seat: Seat) -> None:
    player = seat(PHONE, twoTaps=True).play_at_once()
    to_play(player)
    before = player.at
    card = player.page.locator(".own.legal").first
    card.tap()
    player.page.wait_for_selector(".own.chosen")
    assert player.at == before
    card.tap()
    player.page.wait_for_function(
        "(before) => document.querySelector('.table').dataset.at !== before", arg=before
    )


def test_hint_last_trick_rules_and_analysis(seat: Seat) -> None:
    player = seat().play_at_once()
    page, words = player.page, phrases("en")
    hinted = 0
    while player.wait() != "OVER":
        if hinted < 3:
            page.click("[data-tool=hint]")
            page.wait_for_selector("section.hint")
            assert page.locator("section.hint p").first.inner_text().strip()
            before = player.at
            page.click("[data-tool=do-hint]")
            page.wait_for_function(
                "(before) => document.querySelector('.table').dataset.at !== before", arg=before
            )
            hinted += 1
        else:
            player.move()
    assert hinted == 3
    for tool, title in (("last", words["last_trick"]), ("rules", words["rules_title"])):
        page.click(f"[data-tool={tool}]")
        page.get_by_role("dialog", name=title).wait_for()
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    page.click("[data-tool=analysis]")
    page.wait_for_selector("dialog .costs")
    assert words["what_could_be_bid"] in page.locator("dialog").inner_text()


def test_language_and_deck_change_in_the_middle_of_a_deal(seat: Seat) -> None:
    player = seat().play_at_once()
    player.wait()
    hand = player.hand()
    player.page.click("[data-tool=menu]")
    player.page.get_by_label("Čeština").check()
    player.page.get_by_role("dialog", name=phrases("cs")["menu"]).wait_for()
    player.page.get_by_label(phrases("cs")["deck_german"]).check()
    player.page.wait_for_selector("html[data-deck=german]")
    player.page.keyboard.press("Escape")
    assert player.hand() == hand
    label = player.page.locator(".own").first.get_attribute("aria-label")
    assert label is not None
    assert label.split(",")[0] == phrases("cs")[f"card_{hand[0]}"]
    assert player.page.locator(READY).count()


def test_every_option_of_the_form_reaches_the_table(seat: Seat) -> None:
    player = seat().open()
    page = player.page
    page.click("[data-tool=setup]")
    page.click(".options summary")
    page.fill("[data-option=max_doublings] input", "2")
    page.keyboard.press("Tab")
    page.select_option("[data-option=hundred_steps] select", "linear")
    page.uncheck("[data-option=blind_trump] input")
    page.fill("[data-option=max_payment] input", "64")
    page.keyboard.press("Tab")
    page.fill("[data-option=tariff] input >> nth=1", "6")
    page.keyboard.press("Tab")
    page.check("input[name=length][value=deals]")
    page.click("[data-tool=create]")
    page.wait_for_selector(".table")
    page.click("[data-tool=rules]")
    changed = page.locator("dialog section").last
    changed.wait_for()
    assert sorted(changed.locator("li").all_inner_texts()) == sorted(
        [
            "Most doublings: 2",
            "Steps of a hundred: equal steps",
            "Blind trumps: no",
            "Highest payment: 64",
            "Tariff: suit game 1, betl 6, durch 10, open betl 10, open durch 20",
        ]
    )
    page.keyboard.press("Escape")
    assert "of 6" in page.locator(".deal-number").inner_text()


def test_where_a_revoke_is_paid_for_a_forbidden_card_can_be_played_on_purpose(seat: Seat) -> None:
    player = seat().open()
    page = player.page
    page.click("[data-tool=setup]")
    page.click(".options summary")
    page.select_option("[data-option=illegal_action] select", "revoke")
    page.click("[data-tool=create]")
    page.wait_for_selector(".table")
    illegal_card(player).click(force=True)
    page.click("[data-action=revoke]")
    page.wait_for_selector(".payments")
    paid = int(page.locator(".payments .you strong").inner_text().replace("−", "-"))
    assert paid <= -20
