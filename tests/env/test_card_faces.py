"""The drawn card faces: one for each card of both decks, fit for pages with a strict policy."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from marias_env.cards import CARDS
from marias_env.errors import CardError
from marias_env.showing.card_faces import DECKS, card_face, card_picture, face_sheet
from marias_env.showing.card_faces.shapes import SUIT_INKS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("deck", DECKS)
def test_a_sheet_has_every_card_the_back_and_every_suit_once(deck):
    sheet = ET.fromstring(face_sheet(deck))
    assert [symbol.get("id") for symbol in sheet] == [
        *CARDS,
        "back",
        "suit-s",
        "suit-c",
        "suit-d",
        "suit-h",
    ]
    assert {symbol.tag for symbol in sheet} == {f"{SVG}symbol"}


@pytest.mark.parametrize("deck", DECKS)
def test_no_two_faces_are_alike(deck):
    assert len({card_face(card, deck) for card in [*CARDS, None]}) == 33


@pytest.mark.parametrize("deck", DECKS)
def test_faces_show_rank_and_suit_in_two_corners(deck):
    signs = {
        "french": ("7", "8", "9", "10", "J", "Q", "K", "A"),
        "german": ("7", "8", "9", "10", "Sp", "Sv", "K", "E"),
    }[deck]
    for card in range(32):
        texts = ET.fromstring(card_picture(card, deck)).iter(f"{SVG}text")
        assert [text.text for text in texts] == [signs[card % 8]] * 2
    # Numbers carry as many suit signs as they say, besides the corners'.
    for card in (0, 9, 18, 27):
        number = 7 + card % 8
        assert card_face(card, deck).count("scale(0.23)") == number


@pytest.mark.parametrize("deck", DECKS)
def test_faces_need_no_inline_style_script_or_other_file(deck):
    assert not re.search(r"style=|<style|<script|href|url\(|on\w+=", face_sheet(deck))


def test_suits_are_printed_in_four_colours():
    assert len(set(SUIT_INKS)) == 4


def test_unknown_cards_and_decks_are_refused():
    with pytest.raises(CardError, match="1h"):
        card_face("1h")
    with pytest.raises(ValueError, match="tarot"):
        card_face("Qh", "tarot")
