"""How large a formula is."""

from dataclasses import dataclass

from rulenet.conditions import Condition
from rulenet.formulas.expressions import And, AtLeast, Concept, Expression, Formula, Or, parts_of, walk
from rulenet.formulas.to_network import to_network


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes of a formula, each concept counted once.

    Attributes
    ----------
    rules : int
        Clauses of the formula written as rules with conjunctive bodies, each OR inside an AND being a head of its own.
    conditions : int
        Occurrences of conditions and concepts.
    aggregations : int
        Binary ANDs and ORs, as counted in section 4.1 of the paper: three conditions need two; so do three that are
        counted.
    edges : int
        Weights set in a network of the formula that reads its conditions as they are.
    concepts : int
        Named intermediate concepts.
    depth : int
        Gates on the longest way from a condition to the target.
    """

    rules: int
    conditions: int
    aggregations: int
    edges: int
    concepts: int
    depth: int


def measure(formula: Formula) -> Size:
    """The sizes of a formula.

    >>> from rulenet.conditions import Attribute
    >>> a, b, c = (Attribute(n, (0, 1)).equal(1) for n in "abc")
    >>> measure(Formula(Or((a, And((b, c)))), {}, (a.attribute, b.attribute, c.attribute)))
    Size(rules=2, conditions=3, aggregations=2, edges=5, concepts=0, depth=2)
    """
    nodes = [x for _, e in formula.definitions for x in walk(e)]
    conditions = [y for x in formula.conditions for y in (x, ~x)]
    network = to_network(formula, conditions) if conditions else None
    return Size(
        rules=sum(_rules(expression) for _, expression in formula.definitions),
        conditions=sum(isinstance(x, Condition | Concept) for x in nodes),
        aggregations=n_aggregations(formula),
        edges=network.n_edges if network else 0,
        concepts=len(formula.concepts),
        depth=_depths(formula)[formula.target],
    )


def n_aggregations(formula: Formula) -> int:
    """Binary ANDs and ORs, each concept counted once."""
    nodes = (x for _, e in formula.definitions for x in walk(e))
    return sum(len(x.parts) - 1 for x in nodes if isinstance(x, And | Or | AtLeast))


def _rules(expression: Expression) -> int:
    """Clauses for one head, and for the heads that its nested ORs need."""
    bodies = expression.parts if isinstance(expression, Or) else (expression,)
    inside = (x for body in bodies for x in walk(body) if isinstance(x, Or))
    return len(bodies) + sum(len(x.parts) for x in inside)


def _depths(formula: Formula) -> dict[str, int]:
    known: dict[str, int] = {}

    def depth(expression: Expression) -> int:
        if isinstance(expression, Concept):
            return known[expression.name]
        below = max((depth(p) for p in parts_of(expression)), default=0)
        return below + isinstance(expression, And | Or | AtLeast)

    for name, expression in formula.definitions:
        known[name] = depth(expression)
    return known
