"""Where the nodes of a formula go: layers from literals to target, with few crossings.

K. Sugiyama, S. Tagawa and M. Toda, "Methods for visual understanding of hierarchical system structures", IEEE Trans.
SMC 11(2), 1981: long edges get a bend in every layer, and each layer is sorted by the barycentre of its neighbours.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Not, Or, parts_of
from rulenet.literals import Literal

SWEEPS = 24


@dataclass(frozen=True, slots=True)
class Node:
    """A literal (gate ""), a gate, or a bend of a long edge (label None)."""

    label: str | None
    gate: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A way through the layers, from a node over bends to a gate."""

    path: tuple[int, ...]
    gate: str
    negated: bool = False


@dataclass(frozen=True)
class Layout:
    """Nodes by number, their layers in order, and edges."""

    nodes: tuple[Node, ...]
    layers: tuple[tuple[int, ...], ...]
    edges: tuple[Edge, ...]

    @property
    def n_crossings(self) -> int:
        """How many pairs of edges cross."""
        return _crossings([list(layer) for layer in self.layers], _links(self.edges))


def lay_out(formula: Formula) -> Layout:
    """Layers for the nodes of ``formula``; the literals come first and the target last.

    >>> from rulenet.literals import Attribute
    >>> a, b = (Literal(Attribute(n, (0, 1)), 1) for n in "ab")
    >>> lay_out(Formula(Or((a, And((a, b)))), {}, (a.attribute, b.attribute))).layers
    ((0, 1), (4, 2), (3,))
    """
    graph = _Collector()
    for name, meaning in formula.definitions:
        graph.define(name, meaning)
    edges = graph.bend()
    layers: dict[int, list[int]] = defaultdict(list)
    for node, depth in enumerate(graph.depths):
        layers[depth].append(node)
    ordered = _untangled([layers[d] for d in sorted(layers)], _links(edges))
    return Layout(tuple(graph.nodes), tuple(map(tuple, ordered)), tuple(edges))


class _Collector:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.depths: list[int] = []
        self.raw: list[tuple[int, int, str, bool]] = []
        self.known: dict[Expression, int] = {}

    def define(self, name: str, meaning: Expression) -> None:
        self.known[Concept(name)] = self._gate(name, meaning)

    def bend(self) -> list[Edge]:
        """The edges, with a bend in every layer that they pass."""
        edges = []
        for start, end, gate, negated in self.raw:
            between = range(self.depths[start] + 1, self.depths[end])
            bends = [self._node(Node(None), depth) for depth in between]
            edges.append(Edge((start, *bends, end), gate, negated))
        return edges

    def _node(self, node: Node, depth: int) -> int:
        self.nodes.append(node)
        self.depths.append(depth)
        return len(self.nodes) - 1

    def _gate(self, label: str, expression: Expression) -> int:
        gate = "and" if isinstance(expression, And) else "or"
        parts = parts_of(expression) if isinstance(expression, And | Or) else (expression,)
        inputs = [(self._of(p.part), True) if isinstance(p, Not) else (self._of(p), False) for p in parts]
        node = self._node(Node(label, gate), 1 + max(self.depths[i] for i, _ in inputs))
        self.raw += [(i, node, gate, negated) for i, negated in inputs]
        return node

    def _of(self, expression: Expression) -> int:
        if expression not in self.known:
            match expression:
                case And() | Or() | Not():
                    return self._gate("", expression)
                case Literal() | Constant() | Concept():
                    self.known[expression] = self._node(Node(words(expression)), 0)
        return self.known[expression]


def _links(edges: Iterable[Edge]) -> list[tuple[int, int]]:
    return [pair for edge in edges for pair in pairwise(edge.path)]


def _untangled(layers: list[list[int]], links: list[tuple[int, int]]) -> list[list[int]]:
    """The layers in an order with few crossings: sweeps up and down, the best kept."""
    below, above = defaultdict(list), defaultdict(list)
    for a, b in links:
        below[b].append(a)
        above[a].append(b)
    best, fewest = [list(x) for x in layers], _crossings(layers, links)
    for sweep in range(SWEEPS):
        upward = sweep % 2 == 0
        order = range(1, len(layers)) if upward else range(len(layers) - 2, -1, -1)
        for d in order:
            neighbour = layers[d - 1] if upward else layers[d + 1]
            place = {n: i / max(len(neighbour) - 1, 1) for i, n in enumerate(neighbour)}
            own = {n: i / max(len(layers[d]) - 1, 1) for i, n in enumerate(layers[d])}
            near = below if upward else above
            layers[d] = sorted(layers[d], key=lambda n: (_mean([place[m] for m in near[n]], own[n]), own[n]))
        if (found := _crossings(layers, links)) < fewest:
            best, fewest = [list(x) for x in layers], found
    return best


def _mean(places: list[float], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise


def _crossings(layers: list[list[int]], links: list[tuple[int, int]]) -> int:
    place = {n: i for layer in layers for i, n in enumerate(layer)}
    level = {n: d for d, layer in enumerate(layers) for n in layer}
    by_layer: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for a, b in links:
        by_layer[level[a]].append((place[a], place[b]))
    return sum(_inversions(pairs) for pairs in by_layer.values())


def _inversions(pairs: list[tuple[int, int]]) -> int:
    array = np.array(sorted(pairs))
    starts, ends = array[:, 0], array[:, 1]
    return int(sum(((ends[:i] > ends[i]) & (starts[:i] < starts[i])).sum() for i in range(1, len(array))))
