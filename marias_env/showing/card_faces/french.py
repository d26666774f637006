"""Faces with French suits: pips, and double-headed courts."""

from __future__ import annotations

from typing import Final

from marias_env.showing.card_faces.shapes import (
    DARK,
    GOLD,
    HEART,
    PAPER,
    SUIT_INKS,
    circle,
    corners,
    face,
    line,
    path,
    pips,
    placed,
)
from marias_env.showing.phrases import RANK_SIGNS

_SPADE: Final = (
    "M0-44C8-28 42-8 42 14C42 28 31 34 21 34C13 34 7 30 4 24C5 34 9 40 15 44L-15 44"
    "C-9 40-5 34-4 24C-7 30-13 34-21 34C-31 34-42 28-42 14C-42-8-8-28 0-44Z"
)
_CLUB: Final = (
    "M0-44C12-44 21-35 21-24C21-17 18-12 13-7C17-9 21-10 25-10C36-10 44-1 44 9C44 20 36 28 25 28"
    "C15 28 8 23 4 15C5 30 9 39 15 44L-15 44C-9 39-5 30-4 15C-8 23-15 28-25 28C-36 28-44 20-44 9"
    "C-44-1-36-10-25-10C-21-10-17-9-13-7C-18-12-21-17-21-24C-21-35-12-44 0-44Z"
)
_DIAMOND: Final = "M0-46C8-28 22-10 37 0C22 10 8 28 0 46C-8 28-22 10-37 0C-22-10-8-28 0-46Z"
SIGNS: Final = tuple(path(d, ink) for d, ink in zip((_SPADE, _CLUB, _DIAMOND, HEART), SUIT_INKS))
_HAIR: Final = ("#6b4423", "#8a5a2b", "#c98f3d", "#a8501f")
_CLOTH: Final = ("#c9d6f5", "#cfe8d3", "#f8dcae", "#f6c9c4")
_JACK, _QUEEN, _KING, _ACE = 4, 5, 6, 7


def french_face(card: int) -> str:
    """Returns what is printed on a card's paper."""
    suit, rank = divmod(card, 8)
    sign = SIGNS[suit]
    printed = corners(RANK_SIGNS["en"][rank], SUIT_INKS[suit], sign)
    if rank == _ACE:
        return printed + placed(sign, 50, 75, 0.62)
    if rank < _JACK:
        return printed + pips(rank, sign)
    half = _half(suit, rank)
    return (
        printed
        + '<rect x="28" y="12" width="44" height="126" rx="3" fill="#fbf3dc"/>'
        + half
        + f'<g transform="rotate(180 50 75)">{half}</g>'
        + _sash(suit)
        + f'<rect x="28" y="12" width="44" height="126" rx="3" fill="none" '
        f'stroke="{SUIT_INKS[suit]}" stroke-width="1.5"/>'
    )


def _half(suit: int, rank: int) -> str:
    ink, cloth, hair = SUIT_INKS[suit], _CLOTH[suit], _HAIR[suit]
    parts = []
    if rank == _QUEEN:
        parts.append(
            path("M38 34C35 48 36 58 40 62L60 62C64 58 65 48 62 34C60 26 40 26 38 34Z", hair)
        )
    else:
        parts.append(
            path("M39 36C37 46 38 52 41 54L59 54C62 52 63 46 61 36C60 28 40 28 39 36Z", hair)
        )
    # Shoulders and breast, with a collar and a row of buttons.
    parts += [
        path("M28.8 75L28.8 66C32 58 41 54 50 54C59 54 68 58 71.2 66L71.2 75Z", ink),
        path("M42 55L50 75L58 55C54 53.6 46 53.6 42 55Z", cloth, GOLD, 1),
        circle(50, 61, 1.3, GOLD),
        circle(50, 67, 1.3, GOLD),
        line("M33 74C34 67 37 62 41 58M67 74C66 67 63 62 59 58", GOLD, 1.4),
    ]
    if rank == _KING:
        ermine = path("M37 57C42 52 58 52 63 57L60 61C55 57 45 57 40 61Z", PAPER, DARK, 0.5)
        spots = "".join(
            line(f"M{x} {y}l0 1.8", DARK, 0.9) for x, y in ((42, 56.5), (50, 54.6), (58, 56.5))
        )
        parts += [ermine, spots, face(50, 41, 10, hair)]
        parts.append(
            path(
                "M39 33L37.5 19L44 26L50 16L56 26L62.5 19L61 33C54 30.5 46 30.5 39 33Z",
                GOLD,
                DARK,
                0.8,
            )
        )
        parts += [
            circle(50, 27, 1.8, ink),
            circle(43.5, 29, 1.3, PAPER),
            circle(56.5, 29, 1.3, PAPER),
        ]
        parts += [line("M67.5 75L67.5 38", GOLD, 2.4), circle(67.5, 36, 3.4, GOLD, DARK, 0.6)]
    elif rank == _QUEEN:
        parts += [
            line("M42 57Q50 62 58 57", PAPER, 2.6),
            face(50, 41, 10),
            path("M40 36C42 28 58 28 60 36C55 31.5 45 31.5 40 36Z", hair),
            path(
                "M41 30L40 21L45.5 25.5L50 18.5L54.5 25.5L60 21L59 30C54 27.8 46 27.8 41 30Z",
                GOLD,
                DARK,
                0.8,
            ),
            circle(50, 25.6, 1.6, ink),
            line("M66.5 75C66.5 66 65.5 60 66.5 54", "#3f6b2f", 1.6),
            "".join(
                circle(66.5 + dx, 50 + dy, 2.6, ink, PAPER, 0.5)
                for dx, dy in ((-2.6, 0), (2.6, 0), (0, -2.6), (0, 2.6))
            ),
            circle(66.5, 50, 1.9, GOLD),
        ]
    else:
        parts += [
            path("M40 57Q50 63 60 57L58 54L42 54Z", PAPER, DARK, 0.4),
            face(50, 42, 10),
            path("M39.5 40C40 33 44 31.5 50 31.5C56 31.5 60 33 60.5 40C58 36 42 36 39.5 40Z", hair),
            path(
                "M37 33C37 23 45 20 52 20C60 20 64 26 63 33C55 29.5 45 29.5 37 33Z", ink, DARK, 0.6
            ),
            line("M38 32.6C46 29.4 54 29.4 62.6 32.6", GOLD, 2),
            path("M58 23C63 15 70 15 71 19C68 18 64 22 61 27Z", PAPER, DARK, 0.6),
            line("M33 75L33 34", "#7b5a32", 2.2),
            path("M33 22L30 36L36 36Z", "#cbd5e1", DARK, 0.6),
        ]
    parts.append(
        placed(SIGNS[suit], 36 if rank != _JACK else 66, 22 if rank != _JACK else 44, 0.11)
    )
    return "".join(parts)


def _sash(suit: int) -> str:
    # Covers the seam between the two halves.
    return (
        '<rect x="28" y="71" width="44" height="8" fill="#fbf3dc"/>'
        f'<rect x="28" y="71" width="44" height="8" fill="{GOLD}" stroke="{DARK}" '
        'stroke-width="0.5"/>'
        + "".join(placed(SIGNS[suit], x, 75, 0.055) for x in (33, 41.5, 50, 58.5, 67))
    )
