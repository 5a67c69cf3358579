"""Text on pictures: any characters, never taken for maths."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke


def write(axes: Axes, x: float, y: float, text: str, *, halo: bool = False, **style: Any) -> None:
    """Text as it is, "$" included; with a white rim where lines may pass behind it."""
    artist = axes.text(x, y, text, parse_math=False, zorder=style.pop("zorder", 5), **style)
    if halo:
        artist.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
