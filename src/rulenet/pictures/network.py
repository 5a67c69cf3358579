"""A network as in the paper's figures 2 and 3: circles for gates, red edges into AND, green ones into OR."""

import itertools

import matplotlib.patches as patches
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path
from numpy.typing import NDArray

from rulenet.formulas.expressions import Formula
from rulenet.pictures.labels import shortened, write
from rulenet.pictures.layout import Edge, Layout, Node, lay_out
from rulenet.pictures.palette import Palette, palette_called

SYMBOLS = {"and": "∧", "or": "∨"}
DASHES = (0, (4, 2))
ROW, COLUMN, RADIUS = 0.42, 1.9, 0.15  # inches


def draw_network(
    formula: Formula, *, colours: str = "paper", title: str | None = None, label_length: int = 34
) -> Figure:
    """The formula as a network, from its literals on the left to the target on the right.

    Parameters
    ----------
    formula : Formula
        What to draw; dead parts of its network are not in it any more.
    colours : {"paper", "safe"}
        Red and green as in the paper, or orange and blue for colour-blind readers.
    title : str, optional
        A line above.
    label_length : int
        Longer labels are cut in the middle.
    """
    palette, layout = palette_called(colours), lay_out(formula)
    places = _places(layout)
    names = [shortened(n.label or "", label_length) for n in layout.nodes]
    left = 0.075 * max(len(names[n]) for n in layout.layers[0]) + 0.3
    right = 0.085 * len(names[layout.layers[-1][0]]) + 0.4
    width, height = places[:, 0].max() + left + right, np.ptp(places[:, 1]) + 1.3
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(-left, width - left)
    axes.set_ylim(places[:, 1].min() - 0.75, places[:, 1].max() + 0.55)
    axes.axis("off")
    for edge in layout.edges:
        axes.add_patch(_curve(edge, places, palette))
    _draw_nodes(axes, layout, names, places, palette)
    _draw_legend(axes, palette, negated=any(edge.negated for edge in layout.edges))
    if title:
        figure.suptitle(shortened(title, 120), fontsize=11, parse_math=False)
    return figure


def _places(layout: Layout) -> NDArray[np.float64]:
    """The position of every node in inches; gates are drawn towards the mean height of what they read."""
    tallest = max(sum(_room(layout.nodes[n]) for n in layer) for layer in layout.layers)
    gap, step = COLUMN + 0.06 * tallest, max(ROW, tallest / len(layout.layers[0]))
    places = np.zeros((len(layout.nodes), 2))
    inputs: dict[int, list[int]] = {}
    for edge in layout.edges:
        for a, b in zip(edge.path, edge.path[1:], strict=False):
            inputs.setdefault(b, []).append(a)
    for d, layer in enumerate(layout.layers):
        wanted = np.array([-i * step if d == 0 else places[inputs[n], 1].mean() for i, n in enumerate(layer)])
        places[list(layer), 0] = d * gap
        places[list(layer), 1] = _spread(wanted, [_room(layout.nodes[n]) for n in layer])
    return places


def _room(node: Node) -> float:
    """The height that a node needs: little for a bend, more for a gate with a name above it."""
    if node.label is None:
        return 0.45 * ROW
    return 1.45 * ROW if node.gate and node.label else ROW


def _spread(wanted: NDArray[np.float64], sizes: list[float]) -> NDArray[np.float64]:
    """Heights near ``wanted``, falling, at least the mean of two sizes apart (pool adjacent violators)."""
    gaps = np.concatenate([[0.0], np.cumsum([(a + b) / 2 for a, b in itertools.pairwise(sizes)])])
    blocks: list[list[float]] = []
    for value in wanted + gaps:
        blocks.append([value])
        while len(blocks) > 1 and np.mean(blocks[-2]) < np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    return np.asarray(np.concatenate([np.full(len(b), np.mean(b)) for b in blocks]) - gaps)


def _curve(edge: Edge, places: NDArray[np.float64], palette: Palette) -> patches.PathPatch:
    points = places[list(edge.path)]
    vertices, codes = [points[0]], [Path.MOVETO]
    for a, b in itertools.pairwise(points):
        reach = np.array([(b[0] - a[0]) * 0.45, 0.0])
        vertices += [a + reach, b - reach, b]
        codes += [Path.CURVE4] * 3
    return patches.PathPatch(
        Path(np.array(vertices), codes),
        edgecolor=palette.gate(edge.gate),
        facecolor="none",
        linewidth=1.3,
        alpha=0.8,
        linestyle=DASHES if edge.negated else "solid",
        capstyle="round",
    )


def _draw_nodes(axes: Axes, layout: Layout, names: list[str], places: NDArray[np.float64], palette: Palette) -> None:
    target = layout.layers[-1][0]
    for i, (node, (x, y)) in enumerate(zip(layout.nodes, places, strict=True)):
        if node.label is None:
            continue
        if not node.gate:
            axes.add_patch(patches.Circle((x, y), RADIUS / 3, color=palette.ink, zorder=3))
            write(axes, x - 0.12, y, names[i], ha="right", va="center", fontsize=9, color=palette.ink)
            continue
        colour = palette.gate(node.gate)
        axes.add_patch(patches.Circle((x, y), RADIUS, facecolor="white", edgecolor=colour, linewidth=1.6, zorder=3))
        write(axes, x, y - 0.01, SYMBOLS[node.gate], ha="center", va="center", fontsize=10, color=colour, zorder=4)
        if i == target:
            write(axes, x + 0.22, y, names[i], ha="left", va="center", fontsize=10, weight="bold", color=palette.ink)
        elif names[i]:
            write(
                axes, x, y + RADIUS + 0.02, names[i], ha="center", va="bottom", fontsize=8, color=palette.ink, halo=True
            )


def _draw_legend(axes: Axes, palette: Palette, negated: bool) -> None:
    lines = [Line2D([], [], color=palette.gate(g), linewidth=1.6) for g in ("and", "or")]
    if negated:
        lines.append(Line2D([], [], color=palette.faint, linewidth=1.6, linestyle=DASHES))
    names = ["and", "or", "not"][: len(lines)]
    axes.legend(lines, names, loc="lower right", ncols=3, frameon=False, fontsize=8, handlelength=1.8)
