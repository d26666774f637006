"""Faces with German suits as in Bohemia: leaves, acorns, bells, hearts; king, svršek, spodek."""

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

_LEAF: Final = (
    line("M0 20C-1 32 2 40 9 46", "#3f2d12", 7)
    + path(
        "M0-46C22-36 44-10 37 14C33 29 13 30 0 25C-13 30-33 29-37 14C-44-10-22-36 0-46Z",
        "#2f9e44",
        "#14532d",
        4,
    )
    + line("M0 22L0-30M0 6L-18-6M0 6L18-6M0-10L-12-20M0-10L12-20", "#c6f0cc", 3.4)
)
_ACORN: Final = (
    line("M0-30C0-38 3-42 8-46", "#4a3215", 7)
    + path("M-27-8C-30 18-13 36 0 46C13 36 30 18 27-8Z", "#d8963c", "#5b3a12", 4)
    + line("M-13 2C-13 16-8 24-3 31", "#f6d59a", 5)
    + path("M-34-6C-34-36 34-36 34-6C22 1-22 1-34-6Z", "#5f7f2b", "#33450f", 4)
    + line("M-22-20L-10-3M-6-27L10-3M12-26L24-9M22-20L10-3M6-27L-10-3M-12-26L-24-9", "#33450f", 2.4)
)
_BELL: Final = (
    line("M-9-36C-9-47 9-47 9-36", "#7a4d05", 6)
    + circle(0, 4, 38, "#f2b62b", "#7a4d05", 4)
    + path("M-38 1C-20 9 20 9 38 1L37 13C20 20-20 20-37 13Z", "#c62828", "#7a4d05", 2.5)
    + circle(0, 24, 5.5, "#4a2c00")
    + line("M0 26L0 40", "#4a2c00", 5)
    + line("M-23-12C-19-22-12-27-4-28", "#ffe9ad", 6)
)
_HEART: Final = path(HEART, "#d32f2f", "#7f1010", 4) + line(
    "M-28-12C-29-22-24-28-17-29", "#ffb4a8", 6
)
SIGNS: Final = (_LEAF, _ACORN, _BELL, _HEART)
_INKS: Final = (SUIT_INKS[1], "#5b3a12", SUIT_INKS[2], SUIT_INKS[3])
# Coat, trimming and hose of each suit's men.
_COATS: Final = (
    ("#2f7d3b", "#e9d8a6", "#7a4a1e"),
    ("#8a5a24", "#dfe8c0", "#4f6b24"),
    ("#c98613", "#fff0c4", "#a4282a"),
    ("#b3262a", "#fde2c8", "#27508a"),
)
_HAIR: Final = ("#5a3a1c", "#3b2a18", "#b8792b", "#7b3f1d")
_UNTER, _OBER, _KING, _ACE = 4, 5, 6, 7


def german_face(card: int) -> str:
    """Returns what is printed on a card's paper."""
    suit, rank = divmod(card, 8)
    sign = SIGNS[suit]
    printed = corners(RANK_SIGNS["cs"][rank], _INKS[suit], sign)
    if rank == _ACE:
        return printed + _ace(suit)
    if rank < _UNTER:
        return printed + pips(rank, sign)
    return printed + (_king(suit) if rank == _KING else _man(suit, rank == _OBER))


def _ace(suit: int) -> str:
    # Two great signs on one stem, and a ribbon between them.
    sign = SIGNS[suit]
    return (
        line("M50 58C44 68 56 82 50 92", "#5b3a12", 3)
        + placed(sign, 50, 43, 0.5)
        + placed(sign, 50, 107, 0.5, turned=True)
        + path(
            "M31 70C40 66 60 66 69 70L73 75L69 80C60 84 40 84 31 80L27 75Z", "#fbf0cf", "#7a5a1e", 1
        )
        + line("M36 75L64 75", _INKS[suit], 1.6)
    )


def _man(suit: int, ober: bool) -> str:
    """Returns a standing man: the sign is high beside a svršek, low beside a spodek."""
    coat, trim, hose = _COATS[suit]
    hair = _HAIR[suit]
    parts = [
        line("M26 137L78 137", "#9a8a5c", 2),
        # Legs and shoes.
        path("M46 92L45 132L50.5 132L54 98L57.5 132L63 132L62 92Z", hose),
        path("M40 136C40 131 45 130 50.5 131L50.5 136Z", DARK),
        path("M57.5 136L57.5 131C63 130 69 132 69 136Z", DARK),
    ]
    # The arm that is seen behind, then the coat with belt and skirt.
    if ober:
        parts += [line("M63 62C70 68 72 76 71 84", coat, 7.5), circle(71, 87, 3, "#f6d7b8")]
        parts += [line("M71 74L71 128", "#94a3b8", 2.6), line("M66 83L76 83", GOLD, 2.4)]
        parts += [line("M45 62C39 62 36 58 34 53", coat, 7.5), circle(33.5, 50, 3, "#f6d7b8")]
    else:
        parts += [line("M63 62C69 66 71 72 67 80", coat, 7.5), circle(65, 82, 3, "#f6d7b8")]
        parts += [line("M45 62C39 68 37 76 37 86", coat, 7.5), circle(36.5, 89, 3, "#f6d7b8")]
    parts += [
        path(
            "M43 58C48 54.5 60 54.5 65 58L64 78L69 97C59 101 49 101 39 97L44 78Z", coat, DARK, 0.7
        ),
        line("M54 57L54 98", trim, 3),
        "".join(circle(54, y, 1.2, GOLD) for y in (62, 68, 74, 86, 92)),
        line("M44 79C50 81.5 58 81.5 64 79", GOLD, 3),
        path("M47 57Q54 63 61 57L60 53L48 53Z", trim, DARK, 0.5),
        path("M44.5 42C43 50 45 54 47 55L61 55C63 54 65 50 63.5 42Z", hair),
        face(54, 44, 9, hair if ober else ""),
        path("M45.5 41C46 35 62 35 62.5 41C58 37.6 50 37.6 45.5 41Z", hair),
    ]
    if ober:
        parts += [
            path("M40 37C46 32 62 32 68 37C66 39.5 42 39.5 40 37Z", coat, DARK, 0.7),
            path("M46 35C45 24 63 24 62 35C57 33 51 33 46 35Z", coat, DARK, 0.7),
            path("M60 30C66 18 77 17 79 23C73 21 68 26 64 33Z", PAPER, DARK, 0.6),
        ]
        parts.append(placed(SIGNS[suit], 33, 35, 0.27))
    else:
        parts += [
            path("M44 38C44 26 60 24 66 32C66 35 64 37 62 38C57 35 50 35 44 38Z", coat, DARK, 0.7),
            line("M44.5 38C50 35 58 35 63 38", trim, 2.4),
            path("M48 30C44 20 36 20 34 25C39 24 43 28 45 34Z", PAPER, DARK, 0.6),
        ]
        parts.append(placed(SIGNS[suit], 31, 105, 0.3))
    return "".join(parts)


def _king(suit: int) -> str:
    """Returns a king on his throne, the sign above his sceptre's hand."""
    coat, _, hose = _COATS[suit]
    hair = _HAIR[suit]
    spots = ((47, 96), (54, 104), (61, 96), (50, 118), (58, 118), (54, 128))
    return "".join(
        [
            path("M33 136L33 52C33 34 75 34 75 52L75 136Z", "#ecdcae", "#8a6a24", 1.2),
            line("M38 136L38 56M70 136L70 56", "#b38f3c", 1.2),
            line("M26 137L80 137", "#9a8a5c", 2),
            # Mantle, gown with ermine, shoes.
            path(
                "M42 60C36 84 34 116 36 135L72 135C74 116 72 84 66 60C60 55 48 55 42 60Z",
                coat,
                DARK,
                0.8,
            ),
            path("M48 62C44 90 43 116 44 135L64 135C65 116 64 90 60 62Z", PAPER, DARK, 0.5),
            "".join(
                line(f"M{x} {y}l-1.4 2.6M{x} {y}l1.4 2.6M{x} {y}l0 3.4", DARK, 0.8)
                for x, y in spots
            ),
            path("M48 62L54 90L60 62Z", hose),
            path("M42 60C48 67 60 67 66 60L63 55L45 55Z", PAPER, DARK, 0.6),
            line("M66 64C72 72 72 80 68 86", coat, 8),
            line("M42 64C36 70 33 74 32 78", coat, 8),
            circle(66.5, 88, 3.2, "#f6d7b8"),
            line("M61 100L72 66", GOLD, 2.4),
            circle(72.6, 64, 3, GOLD, DARK, 0.6),
            circle(31, 81, 3.2, "#f6d7b8"),
            circle(30, 90, 7, GOLD, DARK, 0.8),
            line("M23.2 90L36.8 90M30 83L30 78M27.4 79.8L32.6 79.8", DARK, 1.1),
            path("M44.5 42C43 52 45 56 47 58L61 58C63 56 65 52 63.5 42Z", hair),
            face(54, 45, 9.4, hair),
            path(
                "M43.5 39L42 25L48 31L54 22L60 31L66 25L64.5 39C58 36.4 50 36.4 43.5 39Z",
                GOLD,
                DARK,
                0.8,
            ),
            circle(54, 33, 1.8, _INKS[suit]),
            circle(48, 35, 1.2, PAPER),
            circle(60, 35, 1.2, PAPER),
            placed(SIGNS[suit], 54, 112, 0.22),
        ]
    )
