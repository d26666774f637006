"""Text in columns, with or without ANSI colours: its width on the screen, padding, wrapping."""

from __future__ import annotations

import re
from typing import Final

_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
_LABEL: Final = 16
_SPLIT: Final = re.compile(r"(?<= · )|(?<=  )")
_SPLIT_SMALL: Final = re.compile(r"(?<= )")


def visible(text: str) -> int:
    """Returns the width of a text on the screen, without its escape codes."""
    return len(_ANSI.sub("", text))


def pad(text: str, width: int) -> str:
    """Returns a text filled up with spaces."""
    return text + " " * (width - visible(text))


def ends(left: str, right: str, width: int) -> list[str]:
    """Returns two texts at the ends of one line, or of two where they do not fit into one."""
    if visible(left) + visible(right) + 2 > width and right:
        return [*wrapped(left, width), " " * (width - visible(right)) + right]
    return [pad(left, width - visible(right)) + right]


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Returns a text in lines, broken between its parts, between words where these are too long.

    Args:
        text: parts end with ` · ` or two spaces.
        width: what fits on a line.
        indent: what lines after the first begin with.
    """
    lines = [""]
    room = width
    for part in _SPLIT.split(text):
        before = 0 if lines[-1].strip() else len(lines[-1])  # spaces that the text begins with
        whole = before + visible(part.rstrip()) <= room
        pieces = [part] if whole else _SPLIT_SMALL.split(part)
        for piece in pieces:
            if visible(lines[-1] + piece.rstrip()) > room and lines[-1].strip():
                lines.append("")
                room = width - len(indent)
            lines[-1] += piece
    return [(indent if number else "") + line.rstrip() for number, line in enumerate(lines)]


def labelled(label: str, text: str, width: int) -> list[str]:
    """Returns a text in lines, with its label in a column on the left."""
    lines = wrapped(text, width - _LABEL)
    labels = [label] + [""] * (len(lines) - 1)
    return [pad(name, _LABEL) + line for name, line in zip(labels, lines)]
