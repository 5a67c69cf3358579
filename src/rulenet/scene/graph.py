"""What there is to draw of a formula or a decision: nodes that may be shared, and edges."""

from collections.abc import Mapping
from dataclasses import dataclass

from rulenet.formulas.decision import Decision
from rulenet.formulas.export.reading import gate_words, points, score_words
from rulenet.formulas.expressions import And, AtLeast, Concept, Expression, Formula, Not, Or
from rulenet.scene.labels import label_of, shortened, width_of
from rulenet.scene.model import Node, Point, Role, Sign

#: What is written beside parts of a picture: by the names of what has one, else by what it says.
Notes = Mapping[str | Expression, str]

#: The gate of a unit, the words on it, and its inputs with how often they count.
Read = tuple[Sign, str, tuple[tuple[int, Expression], ...]]

UNIT_SIZE, LABEL_SIZE, NOTE_SIZE = 8.0, 9.0, 6.5  # points of the words in a unit, of labels, of notes
NOTE_ROOM = 0.78  # inches for the note between a label and its dot
NOWHERE = Point(0.0, 0.0)
GATES: dict[type, Sign] = {And: "and", Or: "or", AtLeast: "count", Not: "not"}


@dataclass(frozen=True, slots=True)
class Link:
    """An edge before it has a place."""

    start: int
    end: int
    gate: Sign
    negated: bool
    times: int


class Graph:
    """Nodes by number, each deeper than those it reads; conditions and concepts are shared."""

    def __init__(self, length: int, notes: Notes) -> None:
        self.nodes: list[Node] = []
        self.depths: list[int] = []
        self.links: list[Link] = []
        self.known: dict[Expression, int] = {}
        self.length, self.notes = length, notes

    @classmethod
    def of(cls, formula: Formula | Decision, length: int, notes: Notes) -> "Graph":
        """The nodes and links of all definitions; the target, or the classes in one layer, are the last nodes."""
        graph = cls(length, notes)
        for name, meaning in formula.concepts.items():
            graph.known[Concept(name)] = graph.unit(reads(meaning), name, graph.notes.get(name, ""))
        outputs = outputs_of(formula)
        numbers = [graph.unit(read, name, graph.notes.get(name, ""), "target") for name, read in outputs.items()]
        for number in numbers:
            graph.depths[number] = max(graph.depths[n] for n in numbers)
        return graph

    def unit(self, read: Read, name: str, note: str, role: Role = "unit") -> int:
        """A unit with all below it."""
        gate, words, parts = read
        inputs = [(times, *self._signed(part)) for times, part in parts]
        depth = 1 + max((self.depths[i] for _, i, _ in inputs), default=-1)
        node = self.add(unit_node(name, role, gate, words, self.length, note), depth)
        self.links += [Link(i, node, gate, negated, times) for times, i, negated in inputs]
        return node

    def leaf(self, expression: Expression) -> int:
        """A condition, a constant, or a reference to a concept."""
        return self.add(leaf_node(expression, self.length, self.notes.get(expression, "")), 0)

    def add(self, node: Node, depth: int) -> int:
        """One more node."""
        self.nodes.append(node)
        self.depths.append(depth)
        return len(self.nodes) - 1

    def _signed(self, part: Expression) -> tuple[int, bool]:
        return (self._of(part.part), True) if isinstance(part, Not) else (self._of(part), False)

    def _of(self, expression: Expression) -> int:
        if isinstance(expression, And | Or | AtLeast | Not):
            return self.unit(reads(expression), "", self.notes.get(expression, ""))
        if expression not in self.known:
            self.known[expression] = self.leaf(expression)
        return self.known[expression]


def outputs_of(formula: Formula | Decision) -> dict[str, Read]:
    """The target of a formula, or the classes of a decision, by name, and what they read."""
    if isinstance(formula, Formula):
        return {formula.target: reads(formula.output)}
    return {formula.name(score.label): ("count", score_words(score), score.parts) for score in formula.outputs}


def reads(expression: Expression) -> Read:
    """The gate of a unit, the words on it, and its inputs with how often they count."""
    match expression:
        case And() | Or() | AtLeast():
            parts = points(expression.parts)
            counted = parts if isinstance(expression, AtLeast) else tuple((1, part) for _, part in parts)
            return GATES[type(expression)], gate_words(expression), counted
        case Not():
            return "not", "not", ((1, expression),)
        case _:
            return "or", "if", ((1, expression),)


def unit_node(name: str, role: Role, gate: Sign, words: str, length: int, note: str) -> Node:
    """A unit that has no place yet."""
    width = width_of(words, UNIT_SIZE) + 0.2
    return Node(NOWHERE, role, shortened(name, length), name, gate, words, width, note)


def leaf_node(expression: Expression, length: int, note: str = "") -> Node:
    """A condition or a reference that has no place yet."""
    role: Role = "concept" if isinstance(expression, Concept) else "condition"
    return Node(NOWHERE, role, label_of(expression, length), label_of(expression, 10_000), note=note)


def leaf_width(node: Node) -> float:
    """How wide the text beside a condition or a reference is, its note included."""
    return width_of(node.label, LABEL_SIZE) + NOTE_ROOM * bool(node.note)
