"""A formula as a network: units say "all of", "any of" or "at least 2 of", and edges have their colours."""

import itertools

import matplotlib.patches as patches
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path

from rulenet.formulas.decision import Decision
from rulenet.formulas.expressions import Formula
from rulenet.pictures.figure import Picture
from rulenet.pictures.labels import write
from rulenet.pictures.notes import notes_of
from rulenet.pictures.palette import Palette, palette_called
from rulenet.scene import Edge, Node, Panel, Scene, scene_of
from rulenet.scene.graph import LABEL_SIZE, NOTE_ROOM, NOTE_SIZE, UNIT_SIZE, Notes
from rulenet.scene.labels import shortened
from rulenet.scene.network import TARGET_SIZE
from rulenet.scene.scene import Style

DASHES = (0, (4, 2))
HEIGHT, DOT = 0.21, 0.045  # inches
REACH = 0.45  # of the way between two points: how far a curve stays level
LEGEND = {"and": "all of", "or": "any of", "count": "at least so many of"}


def draw_network(
    formula: Formula | Decision,
    *,
    colours: str = "paper",
    title: str | None = None,
    label_length: int = 34,
    style: Style = "auto",
    statistics: pd.DataFrame | None = None,
    notes: Notes | None = None,
) -> Figure:
    """The formula as a network, from its conditions on the left to the target, or all classes, on the right.

    Parameters
    ----------
    formula : Formula or Decision
        What to draw; dead parts of its network are not in it any more.
    colours : {"paper", "safe"}
        Red and green as in the paper, or orange and blue for colour-blind readers.
    title : str, optional
        A line above.
    label_length : int
        Names and values in longer labels are cut in the middle.
    style : {"auto", "network", "panels"}
        One network, or a panel for every class and every concept; by default panels where there are more than some 60
        conditions, or more than six classes.
    statistics : DataFrame, optional
        What ``rule_statistics`` gives: how many rows concepts and target cover, and how many of these are positive.
    notes : mapping, optional
        What is written beside conditions and units instead, such as ``rulenet.pictures.notes_on`` gives: how many rows
        each covers, and how pure these are.
    """
    palette = palette_called(colours)
    beside = notes if notes is not None else {} if statistics is None else notes_of(statistics)
    scene = scene_of(formula, style=style, length=label_length, notes=beside)
    head = 0.3 if title else 0.0
    figure = Picture(figsize=(scene.width, scene.height + head))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, -head)
    axes.axis("off")
    _draw(axes, scene, palette)
    if title:
        write(axes, scene.width / 2, 0.05 - head / 2, shortened(title, 120), ha="center", va="center", fontsize=11)
    return figure


def _draw(axes: Axes, scene: Scene, palette: Palette) -> None:
    for panel in scene.panels:
        _draw_panel(axes, panel, palette)
    for edge in scene.edges:
        axes.add_patch(_curve(edge, palette))
        if edge.times > 1:
            x, y = _place_of_times(edge)
            write(axes, x, y, f"×{edge.times}", ha="center", va="center", fontsize=7, color=palette.ink, halo=True)
    for node in scene.nodes:
        _draw_unit(axes, node, palette, framed=bool(scene.panels)) if node.gate else _draw_leaf(axes, node, palette)
    _draw_legend(axes, scene, palette)


def _draw_panel(axes: Axes, panel: Panel, palette: Palette) -> None:
    x, y = panel.corner
    frame = patches.FancyBboxPatch(
        (x, y),
        panel.width,
        panel.height,
        boxstyle="round,pad=0,rounding_size=0.08",
        facecolor=palette.paper,
        edgecolor=palette.rule,
        linewidth=0.8,
        zorder=0,
    )
    axes.add_patch(frame)
    write(axes, x + 0.12, y + 0.17, panel.title, ha="left", va="center", fontsize=10, weight="bold", color=palette.ink)


def _curve(edge: Edge, palette: Palette) -> patches.PathPatch:
    points = np.array(edge.points)
    vertices, codes = [points[0]], [Path.MOVETO]
    for a, b in itertools.pairwise(points):
        reach = np.array([(b[0] - a[0]) * REACH, 0.0])
        vertices += [a + reach, b - reach, b]
        codes += [Path.CURVE4] * 3
    return patches.PathPatch(
        Path(np.array(vertices), codes),
        edgecolor=palette.gate(edge.gate),
        facecolor="none",
        linewidth=1.0 + 0.5 * min(edge.times, 4),
        alpha=0.75,
        linestyle=DASHES if edge.negated else "solid",
        capstyle="round",
        zorder=1,
    )


def _place_of_times(edge: Edge) -> tuple[float, float]:
    """Where edges from one node have parted, and those into one unit have not yet met."""
    (x, y), (right, down) = edge.points[:2]
    if len(edge.points) > 2:
        return max(right, x + 0.14), down
    return x + 0.33 * (right - x), y + 0.22 * (down - y)


def _draw_leaf(axes: Axes, node: Node, palette: Palette) -> None:
    (x, y), reference = node.at, node.role == "concept"
    face = palette.paper if reference else palette.ink
    axes.add_patch(patches.Circle((x, y), DOT, facecolor=face, edgecolor=palette.ink, linewidth=1.0, zorder=3))
    weight = "bold" if reference else "normal"
    right = x - 0.1 - NOTE_ROOM * bool(node.note)
    write(axes, right, y, node.label, ha="right", va="center", fontsize=LABEL_SIZE, weight=weight, color=palette.ink)
    if node.note:
        write(axes, x - 0.1, y, node.note, ha="right", va="center", fontsize=NOTE_SIZE, color=palette.faint)


def _draw_unit(axes: Axes, node: Node, palette: Palette, *, framed: bool) -> None:
    (x, y), colour = node.at, palette.gate(node.gate)
    box = patches.FancyBboxPatch(
        (x - node.width / 2, y - HEIGHT / 2),
        node.width,
        HEIGHT,
        boxstyle=f"round,pad=0,rounding_size={HEIGHT / 2}",
        facecolor="white",
        edgecolor=colour,
        linewidth=1.3,
        zorder=3,
    )
    axes.add_patch(box)
    write(axes, x, y, node.words, ha="center", va="center_baseline", fontsize=UNIT_SIZE, color=colour, zorder=4)
    if node.note:
        write(
            axes,
            x,
            y + HEIGHT / 2 + 0.02,
            node.note,
            ha="center",
            va="top",
            fontsize=NOTE_SIZE,
            color=palette.faint,
            halo=True,
        )
    if framed or not node.label:
        return
    if node.role == "target":
        right = x + node.width / 2 + 0.1
        write(
            axes, right, y, node.label, ha="left", va="center", fontsize=TARGET_SIZE, weight="bold", color=palette.ink
        )
    else:
        up = y - HEIGHT / 2 - 0.02
        write(
            axes, x, up, node.label, ha="center", va="bottom", fontsize=8, weight="bold", color=palette.ink, halo=True
        )


def _draw_legend(axes: Axes, scene: Scene, palette: Palette) -> None:
    used = {node.gate for node in scene.nodes}
    lines = {text: Line2D([], [], color=palette.gate(g), linewidth=1.6) for g, text in LEGEND.items() if g in used}
    if any(edge.negated for edge in scene.edges):
        lines["not"] = Line2D([], [], color=palette.faint, linewidth=1.6, linestyle=DASHES)
    if any(node.note and node.role == "condition" for node in scene.nodes):
        said = "beside conditions: rows, and the share of the class that most of them are of"
        write(axes, 0.15, scene.height - 0.08, said, ha="left", va="bottom", fontsize=7, color=palette.faint)
    axes.legend(
        lines.values(), lines, loc="lower right", ncols=4, frameon=False, fontsize=7, handlelength=1.6, borderpad=0.1
    )
