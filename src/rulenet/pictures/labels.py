"""Text on pictures: any characters, never taken for maths."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke


def shortened(text: str, length: int) -> str:
    """The text on one line, cut in the middle if it is long.

    >>> shortened("the colour of the very large house", 20)
    'the colou…arge house'
    """
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    left = (length - 1) // 2
    return text[:left] + "…" + text[-(length - 1 - left) :]


def write(axes: Axes, x: float, y: float, text: str, *, halo: bool = False, **style: Any) -> None:
    """Text as it is, "$" included; with a white rim where lines may pass behind it."""
    artist = axes.text(x, y, text, parse_math=False, zorder=style.pop("zorder", 5), **style)
    if halo:
        artist.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
