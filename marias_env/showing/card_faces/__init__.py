"""Card faces as SVG, drawn by this project: French and German-suited (Czech) decks, and a back."""

from __future__ import annotations

from typing import Final

from marias_env.cards import CARDS, SUITS, card_id
from marias_env.showing.card_faces import french, german
from marias_env.showing.card_faces.shapes import HEIGHT, WIDTH, back, framed

__all__ = ["DECKS", "HEIGHT", "WIDTH", "card_face", "card_picture", "face_sheet"]

_FACES: Final = {"french": french.french_face, "german": german.german_face}
_SIGNS: Final = {"french": french.SIGNS, "german": german.SIGNS}
DECKS: Final = tuple(_FACES)
"""Names of the decks that there are faces of."""


def card_face(card: str | int | None, deck: str = "french") -> str:
    """Returns a card's face as SVG elements in a box of `WIDTH` x `HEIGHT`, without a document.

    Args:
        card: text or id; None for the back.
        deck: `french` or `german`.

    Raises:
        CardError: no such card.
        ValueError: no such deck.
    """
    if deck not in _FACES:
        raise ValueError(f"deck: {deck!r}; expected one of {', '.join(DECKS)}")
    return back() if card is None else framed(_FACES[deck](card_id(card)))


def card_picture(card: str | int | None, deck: str = "french") -> str:
    """Returns a card's face as an SVG document of its own (arguments as of `card_face`)."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}">{card_face(card, deck)}</svg>\n'
    )


def face_sheet(deck: str = "french") -> str:
    """Returns one SVG document with a `<symbol>` for each card and suit.

    Their ids are the cards' texts, `back`, and `suit-s` to `suit-h`.

    Raises:
        ValueError: no such deck.
    """
    names: list[str | None] = [*CARDS, None]
    symbols = [
        f'<symbol id="{name or "back"}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"{card_face(name, deck)}</symbol>\n"
        for name in names
    ]
    symbols += [
        f'<symbol id="suit-{letter}" viewBox="-50 -50 100 100">{sign}</symbol>\n'
        for letter, sign in zip(SUITS, _SIGNS[deck])
    ]
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{"".join(symbols)}</svg>\n'
