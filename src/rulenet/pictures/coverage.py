"""How many rows every rule covers, rightly and wrongly."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from rulenet.pictures.figure import Picture
from rulenet.pictures.palette import palette_called
from rulenet.scene.labels import shortened


def draw_coverage(statistics: pd.DataFrame, *, colours: str = "paper", title: str | None = None) -> Figure:
    """Bars of positive and negative rows for every rule and concept, from the table that ``rule_statistics`` makes.

    >>> table = pd.DataFrame({"kind": ["rule"], "name": ["rule 1"], "meaning": ["a"], "coverage": [3], "support": [2]})
    >>> [text.get_text() for text in draw_coverage(table).axes[0].get_yticklabels()]
    ['rule 1: a']
    """
    palette = palette_called(colours)
    rules = statistics[statistics["kind"] != "target"].iloc[::-1]
    labels = [shortened(f"{r.name_}: {r.meaning}", 60) for r in rules.rename(columns={"name": "name_"}).itertuples()]
    figure = Picture(figsize=(8.0, 1.1 + 0.28 * len(rules)), layout="constrained")
    axes = figure.add_subplot()
    support, wrong = rules["support"].to_numpy(), (rules["coverage"] - rules["support"]).to_numpy()
    places = np.arange(len(rules))
    axes.barh(places, support, color=palette.or_, height=0.7, label="positive rows")
    axes.barh(places, wrong, left=support, color=palette.and_, height=0.7, label="negative rows")
    axes.set_yticks(places, labels, fontsize=8, parse_math=False)
    axes.set_xlabel("rows covered")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.margins(y=0.02)
    axes.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    if title:
        axes.set_title(title, fontsize=11, parse_math=False)
    return figure
