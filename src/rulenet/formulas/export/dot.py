"""Graphviz DOT: the formula as a drawing from conditions to the target."""

from rulenet.formulas.export.reading import gate_words, points
from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import And, AtLeast, Concept, Expression, Formula, Not, Or, parts_of

Points = tuple[tuple[int, Expression], ...]

COLOURS = {And: "#c0392b", Or: "#27ae60", AtLeast: "#2471a3", Not: "#7f8c8d"}


def to_dot(formula: Formula) -> str:
    """A directed graph; edges into an AND are red, into an OR green, into a count blue and numbered with points.

    >>> from rulenet.conditions import Attribute
    >>> a, b = (Attribute(n, (0, 1)).equal(1) for n in "ab")
    >>> print(to_dot(Formula(And((a, b)), {}, (a.attribute, b.attribute))))
    digraph rules {
      rankdir=LR; node [fontname="Helvetica"];
      n1 [label="a = 1", shape=box];
      n2 [label="b = 1", shape=box];
      n0 [label="positive", shape=ellipse];
      n1 -> n0 [color="#c0392b"];
      n2 -> n0 [color="#c0392b"];
    }
    """
    drawing = Drawing()
    for name, meaning in formula.definitions:
        drawing.gate(Concept(name), name, meaning)
    return drawing.graph()


class Drawing:
    """A graph that grows."""

    def __init__(self) -> None:
        self.nodes: dict[object, str] = {}
        self.text: list[str] = []

    def graph(self) -> str:
        """The text of the graph so far."""
        lines = (f"  {line}" for line in self.text)
        return "\n".join(["digraph rules {", '  rankdir=LR; node [fontname="Helvetica"];', *lines, "}"])

    def gate(self, key: object, label: str, expression: Expression) -> str:
        """A unit with all below it; ``key`` finds it again."""
        counted = isinstance(expression, AtLeast)
        label = f"{label}\n{gate_words(expression)}".strip() if isinstance(expression, AtLeast) else label
        colour = COLOURS.get(type(expression), COLOURS[Or])
        return self.unit(key, label, points(parts_of(expression) or (expression,)), colour, counted=counted)

    def unit(self, key: object, label: str, parts: Points, colour: str, *, counted: bool) -> str:
        """A unit over ``parts``, whose points are shown where it counts."""
        self.nodes[key] = node = f"n{len(self.nodes)}"
        inputs = [(self._node(part), times) for times, part in parts]
        self.text.append(f"{node} [label={quoted(label)}, shape=ellipse];")
        for start, times in inputs:
            mark = f', label="{times}"' if counted and times > 1 else ""
            self.text.append(f'{start} -> {node} [color="{colour}"{mark}];')
        return node

    def _node(self, expression: Expression) -> str:
        if expression in self.nodes:
            return self.nodes[expression]
        match expression:
            case And() | Or() | Not():
                return self.gate(object(), type(expression).__name__.lower(), expression)
            case AtLeast():
                return self.gate(object(), "", expression)
            case _:
                self.nodes[expression] = node = f"n{len(self.nodes)}"
                self.text.append(f"{node} [label={quoted(words(expression))}, shape=box];")
                return node


def quoted(text: str) -> str:
    r"""A DOT string; characters that cannot be seen are written as their code, and Graphviz reads "&amp;" as "&".

    >>> print(quoted('say "x" & y'))
    "say \"x\" &amp; y"
    """

    def escaped(c: str) -> str:
        if c in '\\"':
            return f"\\{c}"
        if c == "&":
            return "&amp;"
        return "\\n" if c == "\n" else c if c.isprintable() else f"\\\\u{ord(c):04x}"

    return '"' + "".join(map(escaped, text)) + '"'
