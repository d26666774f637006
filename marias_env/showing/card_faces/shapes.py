"""What both decks are drawn with: the box of a card, suit signs, corners, pips and the back.

Colours and strokes are attributes, never `style`, so that a page whose content security policy
forbids inline styles shows the faces as they are.
"""

from __future__ import annotations

from typing import Final

WIDTH: Final = 100
HEIGHT: Final = 150
PAPER: Final = "#fffdf6"
GOLD: Final = "#e0a526"
SKIN: Final = "#f6d7b8"
DARK: Final = "#2b2118"
SUIT_INKS: Final = ("#1f3a8a", "#166534", "#b45309", "#b91c1c")
"""Ink by suit id, so that all four are told apart at a glance (and by sign without colours)."""

HEART: Final = (
    "M0,42C-9,28-44,8-44-16C-44-33-31-42-20-42C-10-42-3-36 0-27"
    "C3-36 10-42 20-42C31-42 44-33 44-16C44 8 9,28 0,42Z"
)

_ROWS_4: Final = (27.0, 59.0, 91.0, 123.0)
_SIDES_3: Final = [(x, y) for x in (38.0, 66.0) for y in (27.0, 75.0, 123.0)]
_SIDES_4: Final = [(x, y) for x in (38.0, 66.0) for y in _ROWS_4]
PIPS: Final = {
    0: [*_SIDES_3, (52.0, 51.0)],
    1: [*_SIDES_3, (52.0, 51.0), (52.0, 99.0)],
    2: [*_SIDES_4, (52.0, 75.0)],
    3: [*_SIDES_4, (52.0, 43.0), (52.0, 107.0)],
}
"""Places of the suit signs on a 7, 8, 9 and 10, by rank id."""


def placed(body: str, x: float, y: float, scale: float = 1.0, turned: bool = False) -> str:
    """Returns elements moved to a place, scaled, and upside down if wanted."""
    turn = " rotate(180)" if turned else ""
    return f'<g transform="translate({x:g},{y:g}){turn} scale({scale:g})">{body}</g>'


def path(d: str, fill: str, stroke: str = "", width: float = 0) -> str:
    """Returns a path."""
    line = f' stroke="{stroke}" stroke-width="{width:g}" stroke-linejoin="round"' if stroke else ""
    return f'<path d="{d}" fill="{fill}"{line}/>'


def line(d: str, stroke: str, width: float) -> str:
    """Returns a stroke without a filling."""
    return (
        f'<path d="{d}" fill="none" stroke="{stroke}" stroke-width="{width:g}" '
        'stroke-linecap="round"/>'
    )


def circle(x: float, y: float, r: float, fill: str, stroke: str = "", width: float = 0) -> str:
    """Returns a circle."""
    edge = f' stroke="{stroke}" stroke-width="{width:g}"' if stroke else ""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}"{edge}/>'


def corners(sign: str, ink: str, suit: str) -> str:
    """Returns rank and suit sign in the upper left corner and, turned, in the lower right one.

    Args:
        sign: the rank's sign, one or two characters.
        ink: its colour.
        suit: the suit sign's elements, in a box of 100 x 100 around the origin.
    """
    # Two characters are squeezed to the width of a wide one, to leave the pips their place.
    squeeze = ' textLength="23" lengthAdjust="spacingAndGlyphs"' if len(sign) > 1 else ""
    corner = (
        f'<text x="15.5" y="29" font-family="Arial,Helvetica,\'Liberation Sans\',sans-serif" '
        f'font-size="30" font-weight="700" text-anchor="middle" fill="{ink}"{squeeze}>{sign}</text>'
        + placed(suit, 15.5, 43, 0.22)
    )
    return corner + f'<g transform="rotate(180 50 75)">{corner}</g>'


def pips(rank: int, suit: str) -> str:
    """Returns the suit signs of a 7, 8, 9 or 10, the lower half turned."""
    return "".join(placed(suit, x, y, 0.23, y > 75) for x, y in PIPS[rank])


def face(x: float, y: float, r: float, beard: str = "") -> str:
    """Returns a face seen from the front, with a beard of a colour or none."""
    s = r / 10
    parts = [f'<ellipse cx="0" cy="0" rx="8.4" ry="10" fill="{SKIN}"/>']
    if beard:
        parts.append(
            path("M-8.4,0C-8,12-4,17 0,18C4,17 8,12 8.4,0C6,6 3,4.6 0,4.6C-3,4.6-6,6-8.4,0Z", beard)
        )
    parts += [
        circle(-3.4, -1.6, 1.05, DARK),
        circle(3.4, -1.6, 1.05, DARK),
        line("M-5.4-4.4Q-3.4-5.6-1.6-4.5M1.6-4.5Q3.4-5.6 5.4-4.4", DARK, 0.8),
        line("M0-1L-0.9 2.2L0.6 2.4", "#b98a5f", 0.8),
        line("M-2.2 5.8Q0 7.2 2.2 5.8", "#a23b2a", 1.1),
    ]
    return placed("".join(parts), x, y, s)


def framed(body: str) -> str:
    """Returns a face on its card: paper, rounded corners and a thin edge."""
    return (
        f'<rect x="0.75" y="0.75" width="{WIDTH - 1.5}" height="{HEIGHT - 1.5}" rx="8" '
        f'fill="{PAPER}" stroke="#8b8778" stroke-width="1.5"/>{body}'
    )


def back() -> str:
    """Returns the back of a card."""
    leaf = path("M0,0C6-4 6-11 0-15C-6-11-6-4 0,0Z", "#d9b45a")
    rose = "".join(f'<g transform="rotate({60 * k})">{leaf}</g>' for k in range(6))
    rosettes = "".join(
        placed(rose + circle(0, 0, 3, "#7a1f2b"), x, y, 0.62)
        for row, y in enumerate((27, 51, 75, 99, 123))
        for x in ((28, 50, 72) if row % 2 else (39, 61))
    )
    return (
        f'<rect x="0.75" y="0.75" width="{WIDTH - 1.5}" height="{HEIGHT - 1.5}" rx="8" '
        'fill="#fdf6e3" stroke="#8b8778" stroke-width="1.5"/>'
        '<rect x="6" y="6" width="88" height="138" rx="5" fill="#7a1f2b"/>'
        '<rect x="11" y="11" width="78" height="128" rx="3" fill="none" stroke="#d9b45a" '
        f'stroke-width="1.5"/>{rosettes}'
    )
