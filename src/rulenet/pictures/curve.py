"""The accuracy while a network was learned."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from rulenet.pictures.figure import Picture
from rulenet.pictures.palette import palette_called


def draw_history(history: ArrayLike, *, colours: str = "paper", title: str | None = None) -> Figure:
    """Training accuracy after every stage of the search, and the best so far.

    >>> draw_history([0.5, 0.75, 0.7]).axes[0].get_ylabel()
    'training accuracy'
    """
    palette, values = palette_called(colours), np.asarray(history, dtype=np.float64)
    figure = Picture(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot()
    steps = np.arange(len(values))
    axes.plot(steps, values, color=palette.faint, linewidth=1.0, marker="." if len(values) < 60 else "", label="stage")
    axes.step(steps, np.maximum.accumulate(values), where="post", color=palette.or_, linewidth=1.8, label="best so far")
    axes.set_xlabel("stage of the search")
    axes.set_ylabel("training accuracy")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e8ea", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    if title:
        axes.set_title(title, fontsize=11, parse_math=False)
    return figure
