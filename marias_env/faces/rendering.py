"""The render modes of the environments that show one table (`marias_v0`, `Marias-v0`)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

import gymnasium

if TYPE_CHECKING:
    from marias_env.batch import DealBatch

RENDER_MODES: Final = ("human", "ansi", "rgb_array")
"""`human`: text to standard output after every step. `ansi`: `render()` returns the text.
`rgb_array`: it returns a (620, 900, 3) uint8 picture (the extra `video`)."""
RENDER_FPS: Final = 2


def check_table_mode(mode: str | None) -> None:
    """Refuses a render mode that tables do not have, or that cannot be had here.

    Raises:
        RenderModeError: an unknown mode, or `rgb_array` without the extra `video`.
    """
    from marias_env.faces.spaces import check_render_mode
    from marias_env.showing.frames import check_frames

    check_render_mode(mode, RENDER_MODES)
    if mode == "rgb_array":
        check_frames()


def render_table(mode: str | None, batch: DealBatch, seat: int | None, language: str) -> Any:
    """Shows row 0 of a batch in a render mode.

    Args:
        mode: of `RENDER_MODES`, or None (a warning).
        batch: the deal.
        seat: whose knowledge is shown; None: all cards.
        language: `en` or `cs`.

    Returns:
        Text, a frame, or None where the table was written to standard output.
    """
    if mode is None:
        expected = ", ".join(map(repr, RENDER_MODES))
        gymnasium.logger.warn(f"render() without a render_mode; expected one of {expected}")
        return None
    if mode == "rgb_array":
        from marias_env.showing.frames import render_frame

        return render_frame(batch, 0, seat, language)
    from marias_env.showing.render import render_text

    human = mode == "human"
    color = human and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    text = render_text(batch, 0, seat, language, color)
    if not human:
        return text
    sys.stdout.write(text + "\n\n")
    return None
