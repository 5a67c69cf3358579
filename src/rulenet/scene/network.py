"""A formula or a decision as one network: a column for every layer, from conditions to the targets."""

import itertools
from collections import defaultdict
from dataclasses import replace

import numpy as np

from rulenet.scene.graph import Graph, Link, leaf_width
from rulenet.scene.labels import width_of
from rulenet.scene.model import Edge, Node, Point, Scene
from rulenet.scene.untangle import crossings, untangled

MARGIN, ROW, GAP = 0.3, 0.3, 0.9  # inches
TARGET_SIZE = 10.0  # points


class Layers:
    """The nodes of a graph in ordered layers; long links have a bend in every layer that they pass."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.depths = list(graph.depths)
        self.paths = [self._path(link) for link in graph.links]
        layers: dict[int, list[int]] = defaultdict(list)
        for node, depth in enumerate(self.depths):
            layers[depth].append(node)
        self.pairs = [pair for path in self.paths for pair in itertools.pairwise(path)]
        self.order = untangled([layers[d] for d in sorted(layers)], self.pairs)

    @property
    def n_crossings(self) -> int:
        """How many pairs of edges cross."""
        return crossings(self.order, self.pairs)

    def node(self, number: int) -> Node | None:
        """The node of that number, None for a bend."""
        return self.graph.nodes[number] if number < len(self.graph.nodes) else None

    def _path(self, link: Link) -> tuple[int, ...]:
        between = range(self.depths[link.start] + 1, self.depths[link.end])
        first = len(self.depths)
        self.depths += between
        return (link.start, *range(first, first + len(between)), link.end)


def network_scene(graph: Graph) -> Scene:
    """The scene of one network."""
    layers = Layers(graph)
    heights = _heights(layers)
    columns = _columns(layers)
    top = min(heights) - MARGIN - 0.15
    places = [Point(columns[d], heights[i] - top) for i, d in enumerate(layers.depths)]
    nodes = [replace(node, at=places[i]) for i, node in enumerate(graph.nodes)]
    edges = [_edge(link, path, nodes, places) for link, path in zip(graph.links, layers.paths, strict=True)]
    width = max(map(_right, nodes)) + MARGIN
    return Scene(width, max(p.y for p in places) + MARGIN + 0.25, tuple(nodes), tuple(edges))


def _right(node: Node) -> float:
    """Where a node ends; the name of a target stands beside it."""
    name = 0.1 + width_of(node.label, TARGET_SIZE) if node.role == "target" else 0.0
    return node.at.x + node.width / 2 + name


def _edge(link: Link, path: tuple[int, ...], nodes: list[Node], places: list[Point]) -> Edge:
    start, end = nodes[link.start], nodes[link.end]
    bends = [places[i] for i in path[1:-1]]
    first, last = Point(start.at.x + start.width / 2, start.at.y), Point(end.at.x - end.width / 2, end.at.y)
    return Edge(link.start, link.end, (first, *bends, last), link.gate, link.negated, link.times)


def _columns(layers: Layers) -> list[float]:
    """Where layers stand: as far apart as the units in them and the height of the whole ask for."""
    nodes = [[n for n in map(layers.node, layer) if n] for layer in layers.order]
    tallest = max(sum(map(_room, layer)) for layer in nodes)
    at = MARGIN + max(n.width / 2 if n.gate else leaf_width(n) for n in nodes[0]) + 0.12
    widest = [max((n.width for n in layer), default=0.0) for layer in nodes]
    columns = [at]
    for left, right in itertools.pairwise(widest):
        columns.append(columns[-1] + (left + right) / 2 + GAP + min(0.08 * tallest, 1.8))
    return columns


def _heights(layers: Layers) -> list[float]:
    """How far down every node stands; units are drawn towards the mean of what they read."""
    rooms = [_room(layers.node(i)) for i in range(len(layers.depths))]
    tallest = max(sum(rooms[n] for n in layer) for layer in layers.order)
    step = max(ROW, tallest / len(layers.order[0]))
    heights, inputs = [0.0] * len(rooms), defaultdict[int, list[int]](list)
    for a, b in layers.pairs:
        inputs[b].append(a)
    for d, layer in enumerate(layers.order):
        wanted = [
            i * step if d == 0 or not inputs[n] else float(np.mean([heights[m] for m in inputs[n]]))
            for i, n in enumerate(layer)
        ]
        for n, height in zip(layer, _spread(wanted, [rooms[n] for n in layer]), strict=True):
            heights[n] = height
    return heights


def _room(node: Node | None) -> float:
    """The height that a node needs: little for a bend, more for a unit with a name above it."""
    if node is None:
        return 0.45 * ROW
    return ROW + (0.1 + 0.14 * bool(node.label) + 0.14 * bool(node.note) if node.gate else 0.0)


def _spread(wanted: list[float], sizes: list[float]) -> list[float]:
    """Heights near ``wanted``, rising, at least the mean of two sizes apart (pool adjacent violators)."""
    gaps = [0.0, *itertools.accumulate((a + b) / 2 for a, b in itertools.pairwise(sizes))]
    blocks: list[tuple[float, int]] = []
    for value, gap in zip(wanted, gaps, strict=True):
        mean, count = value - gap, 1
        while blocks and blocks[-1][0] > mean:
            other, n = blocks.pop()
            mean, count = (mean * count + other * n) / (count + n), count + n
        blocks.append((mean, count))
    flat = [mean for mean, count in blocks for _ in range(count)]
    return [mean + gap for mean, gap in zip(flat, gaps, strict=True)]
