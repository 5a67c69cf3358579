"""A large formula or decision as panels, one for every class and every concept: trees without crossings."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rulenet.conditions import Condition
from rulenet.formulas.decision import Decision
from rulenet.formulas.expressions import And, AtLeast, Concept, Expression, Formula, Not, Or
from rulenet.scene.graph import NOTE_SIZE, Notes, Read, leaf_node, leaf_width, outputs_of, reads, unit_node
from rulenet.scene.labels import width_of
from rulenet.scene.model import Edge, Node, Panel, Point, Role, Scene, Sign

MARGIN, ROW, GAP, HEAD, BETWEEN = 0.3, 0.24, 0.55, 0.45, 0.22  # inches
MAX_ROWS = 36
ASPECT = 1.5
TITLE_SIZE = 10.0  # points


@dataclass(frozen=True, slots=True)
class Drawn:
    """A panel at the upper left corner, with its nodes and edges."""

    panel: Panel
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def panel_scene(formula: Formula | Decision, length: int, notes: Notes) -> Scene:
    """The panels of the target, or of every class, and of every concept, in columns."""
    drawn = [d for name, read in outputs_of(formula).items() for d in _panels(name, "target", read, length, notes)]
    concepts = [*formula.concepts.items()]
    for name, meaning in concepts if isinstance(formula, Decision) else reversed(concepts):
        drawn += _panels(name, "unit", reads(meaning), length, notes)
    columns = _columns(drawn)
    nodes, edges, panels = list[Node](), list[Edge](), list[Panel]()
    x = MARGIN
    for column in columns:
        y = MARGIN + 0.1
        for d in column:
            edges += [_moved_edge(e, x, y, len(nodes)) for e in d.edges]
            nodes += [replace(n, at=_moved(n.at, x, y)) for n in d.nodes]
            panels.append(replace(d.panel, corner=Point(x, y)))
            y += d.panel.height + BETWEEN
        x += max(d.panel.width for d in column) + BETWEEN
    height = max(p.corner.y + p.height for p in panels) + MARGIN + 0.25
    return Scene(x - BETWEEN + MARGIN, height, tuple(nodes), tuple(edges), tuple(panels))


def _panels(name: str, role: Role, read: Read, length: int, notes: Notes) -> Iterator[Drawn]:
    """The panel of a definition, or several where it has very many rows."""
    gate, words, parts = read
    chunks = list(_chunks(parts)) or [[]]
    root = unit_node(name, role, gate, words, length, notes.get(name, ""))
    for k, chunk in enumerate(chunks):
        title = f"{root.label} ({k + 1} of {len(chunks)})" if len(chunks) > 1 else root.label
        yield _Tree(length, notes).draw(title, root, chunk)


def _chunks(parts: Sequence[tuple[int, Expression]]) -> Iterator[list[tuple[int, Expression]]]:
    """Inputs in portions of about the same number of rows, none with many more than ``MAX_ROWS``."""
    rows = [_rows(part) for _, part in parts]
    n_chunks = max(-(-sum(rows) // MAX_ROWS), 1)
    limit, chunk, height = sum(rows) / n_chunks, list[tuple[int, Expression]](), 0
    for part, size in zip(parts, rows, strict=True):
        if chunk and height + size / 2 > limit:
            yield chunk
            chunk, height = [], 0
        chunk.append(part)
        height += size
    if chunk:
        yield chunk


def _rows(expression: Expression) -> int:
    if isinstance(expression, And | Or | AtLeast):
        return sum(_rows(part) for _, part in reads(expression)[2])
    return _rows(expression.part) if isinstance(expression, Not) else 1


class _Tree:
    """One panel: a row for every condition, units at the mean height of their inputs."""

    def __init__(self, length: int, notes: Notes) -> None:
        self.length, self.notes = length, notes
        self.nodes: list[Node] = []
        self.depths: list[int] = []
        self.links: list[tuple[int, int, Sign, bool, int]] = []
        self.n_rows = 0.0
        self.last_nested = False

    def draw(self, title: str, root: Node, parts: Sequence[tuple[int, Expression]]) -> Drawn:
        top = self._unit(root, parts)
        columns = self._columns()
        nodes = [replace(n, at=Point(columns[d], n.at.y)) for n, d in zip(self.nodes, self.depths, strict=True)]
        edges = [self._edge(nodes, columns, *link) for link in self.links]
        reach = max(root.width, width_of(root.note, NOTE_SIZE)) / 2
        width = max(nodes[top].at.x + reach, width_of(title, TITLE_SIZE)) + 0.15
        below = max(n.at.y for n in nodes) + 0.2 + 0.14 * bool(root.note)
        return Drawn(Panel(title, Point(0.0, 0.0), width, below), tuple(nodes), tuple(edges))

    def _unit(self, unit: Node, parts: Sequence[tuple[int, Expression]]) -> int:
        inputs = [(times, *self._part(part)) for times, part in parts]
        y = sum(self.nodes[i].at.y for _, i, _ in inputs) / len(inputs) if inputs else HEAD
        node = self._add(replace(unit, at=Point(0.0, y)), 1 + max((self.depths[i] for _, i, _ in inputs), default=0))
        self.links += [(i, node, unit.gate, negated, times) for times, i, negated in inputs]
        return node

    def _part(self, part: Expression) -> tuple[int, bool]:
        negated, inner = (True, part.part) if isinstance(part, Not) else (False, part)
        if isinstance(inner, And | Or | AtLeast | Not):
            self._space()
            gate, words, parts = reads(inner)
            node = self._unit(unit_node("", "unit", gate, words, self.length, self.notes.get(inner, "")), parts)
            self._space()
            return node, negated
        y = HEAD + ROW * self.n_rows
        self.n_rows += 1
        self.last_nested = False
        note = self.notes.get(inner.name if isinstance(inner, Concept) else inner, "")
        short = note if isinstance(inner, Condition) else note.partition(",")[0]
        return self._add(replace(leaf_node(inner, self.length, short), at=Point(0.0, y)), 0), negated

    def _space(self) -> None:
        """A third of a row between groups, once."""
        if self.n_rows and not self.last_nested:
            self.n_rows += 1 / 3
            self.last_nested = True

    def _add(self, node: Node, depth: int) -> int:
        self.nodes.append(node)
        self.depths.append(depth)
        return len(self.nodes) - 1

    def _columns(self) -> list[float]:
        widest = [0.0] * (max(self.depths) + 1)
        for node, depth in zip(self.nodes, self.depths, strict=True):
            widest[depth] = max(widest[depth], node.width)
        columns = [0.15 + max((leaf_width(n) for n in self.nodes if not n.gate), default=0.0) + 0.12]
        for left, right in itertools.pairwise(widest):
            columns.append(columns[-1] + (left + right) / 2 + GAP)
        return columns

    def _edge(
        self, nodes: list[Node], columns: list[float], start: int, end: int, gate: Sign, negated: bool, times: int
    ) -> Edge:
        """Straight along the row of the start, then up or down into the unit."""
        a, b = nodes[start], nodes[end]
        first, last = Point(a.at.x + a.width / 2, a.at.y), Point(b.at.x - b.width / 2, b.at.y)
        turn = Point(max(first.x, last.x - GAP * 0.8), a.at.y)
        return Edge(start, end, (first, turn, last) if turn.x > first.x else (first, last), gate, negated, times)


def _columns(drawn: list[Drawn]) -> list[list[Drawn]]:
    """The panels in order, in as many columns as make the whole a page in landscape."""
    tries = [_filled(drawn, n) for n in range(1, min(len(drawn), 12) + 1)]
    return min(tries, key=_waste)


def _filled(drawn: list[Drawn], n_columns: int) -> list[list[Drawn]]:
    """Columns of about the same height, at most ``n_columns``."""
    heights = [d.panel.height + BETWEEN for d in drawn]
    low, high = max(heights), sum(heights)
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if len(_stacked(drawn, middle)) <= n_columns else (middle, high)
    return _stacked(drawn, high)


def _stacked(drawn: list[Drawn], limit: float) -> list[list[Drawn]]:
    columns, height = [list[Drawn]()], 0.0
    for d in drawn:
        if columns[-1] and height + d.panel.height + BETWEEN > limit + 1e-9:
            columns.append([])
            height = 0.0
        columns[-1].append(d)
        height += d.panel.height + BETWEEN
    return columns


def _waste(columns: list[list[Drawn]]) -> float:
    """The area of the whole, more where it is far from a page in landscape."""
    width = sum(max(d.panel.width for d in column) + BETWEEN for column in columns)
    height = max(sum(d.panel.height + BETWEEN for d in column) for column in columns)
    return width * height * (1 + abs(math.log(width / height / ASPECT)) / 2)


def _moved(point: Point, x: float, y: float) -> Point:
    return Point(point.x + x, point.y + y)


def _moved_edge(edge: Edge, x: float, y: float, first: int) -> Edge:
    points = tuple(_moved(p, x, y) for p in edge.points)
    return replace(edge, start=edge.start + first, end=edge.end + first, points=points)
