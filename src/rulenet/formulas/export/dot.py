"""Graphviz DOT: the formula as a drawing from literals to the target."""

from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import And, Concept, Expression, Formula, Not, Or, parts_of

COLOURS = {"and": "#c0392b", "or": "#27ae60", "not": "#7f8c8d"}


def to_dot(formula: Formula) -> str:
    """A directed graph; edges into an AND are red, into an OR green.

    >>> from rulenet.literals import Attribute, Literal
    >>> a, b = (Literal(Attribute(n, (0, 1)), 1) for n in "ab")
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
    return "\n".join(["digraph rules {", '  rankdir=LR; node [fontname="Helvetica"];', *_Drawing().lines(formula), "}"])


class _Drawing:
    def __init__(self) -> None:
        self.nodes: dict[object, str] = {}
        self.text: list[str] = []

    def lines(self, formula: Formula) -> list[str]:
        for name, meaning in formula.definitions:
            self._gate(Concept(name), name, meaning)
        return [f"  {line}" for line in self.text]

    def _gate(self, key: object, label: str, expression: Expression) -> str:
        self.nodes[key] = node = f"n{len(self.nodes)}"
        gate = {And: "and", Or: "or", Not: "not"}.get(type(expression), "or")
        inputs = [self._node(p) for p in parts_of(expression) or (expression,)]
        self.text.append(f"{node} [label={quoted(label)}, shape=ellipse];")
        self.text += [f'{i} -> {node} [color="{COLOURS[gate]}"];' for i in inputs]
        return node

    def _node(self, expression: Expression) -> str:
        if expression in self.nodes:
            return self.nodes[expression]
        match expression:
            case And() | Or() | Not():
                return self._gate(object(), type(expression).__name__.lower(), expression)
            case _:
                self.nodes[expression] = node = f"n{len(self.nodes)}"
                self.text.append(f"{node} [label={quoted(words(expression))}, shape=box];")
                return node


def quoted(text: str) -> str:
    r"""A DOT string.

    >>> print(quoted('say "x"'))
    "say \"x\""
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\0", "") + '"'
