"""Pictures as arrays: a table drawn as SVG, turned into pixels (the extra `video`).

The same font is used on every machine, so equal tables are equal frames, system fonts or not.
"""

from __future__ import annotations

import functools
import importlib.util
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from marias_env.errors import RenderModeError

if TYPE_CHECKING:
    from marias_env.batch import DealBatch

NEEDED = ("resvg_py", "PIL", "matplotlib")
"""A rasteriser in a wheel of its own, a reader of its PNG, and the font that comes with plots."""

Frame = npt.NDArray[np.uint8]


def check_frames() -> None:
    """Makes sure that frames can be drawn.

    Raises:
        RenderModeError: the extra `video` is not installed.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise RenderModeError(
            f"render_mode 'rgb_array' needs {', '.join(missing)}: pip install 'marias-env[video]'"
        )


@functools.cache
def _fonts() -> tuple[str, ...]:
    import matplotlib as mpl

    folder = Path(mpl.get_data_path()) / "fonts" / "ttf"
    return tuple(str(folder / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))


def rasterise(svg: str, width: int | None = None) -> Frame:
    """Returns an SVG document as pixels.

    Args:
        svg: the document.
        width: of the frame; None: as the document says. The height follows.

    Returns:
        (height, width, 3) uint8, RGB.

    Raises:
        RenderModeError: the extra `video` is not installed.
    """
    check_frames()
    import resvg_py
    from PIL import Image

    png = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        background="#ffffff",
        skip_system_fonts=True,
        font_files=list(_fonts()),
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
    )
    pixels: Frame = np.array(Image.open(io.BytesIO(bytes(png))).convert("RGB"))
    return pixels


def render_frame(
    batch: DealBatch,
    row: int = 0,
    perspective: int | None = None,
    language: str = "en",
    width: int | None = None,
) -> Frame:
    """Returns the card table as pixels: what `rgb_array` shows; arguments as of `render_svg`.

    Returns:
        (620, 900, 3) uint8, or of the width asked for.
    """
    from marias_env.showing.svg import render_svg

    return rasterise(render_svg(batch, row, perspective, language), width)
