"""SymPy: a Boolean expression for further algebra (``pip install rulenet[algebra]``).

SymPy's logic has two values, so the expression speaks of rows in which nothing is missing. A column of two values is
one symbol; of a larger column every value is one, and that these exclude each other is left to the reader. Numbers are
real symbols; dates count microseconds since 1970, durations microseconds.
"""

from collections.abc import Hashable
from itertools import combinations
from math import comb
from typing import Any

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.reading import is_proposition
from rulenet.formulas.export.values import number_text
from rulenet.formulas.expressions import And, AtLeast, Concept, Constant, Expression, Formula, Or
from rulenet.formulas.graph import simplify

MAX_CHOICES = 64  # counts are written out up to here, and as sums beyond


def to_sympy(formula: Formula) -> Any:
    """The formula as a SymPy expression, all concepts written out.

    >>> a, b = Attribute("a", (False, True)), Attribute("b", ("x", "y", "z"))
    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> to_sympy(Formula(And((a.equal(False), b.equal("x"), age.at_most(37.5))), {}, (a, b, age)))
    b = x & ~a & (age <= 37.5)
    """
    try:
        import sympy
    except ImportError as error:
        raise FormulaError("SymPy is not installed; install it with: pip install 'rulenet[algebra]'") from error
    known: dict[str, Any] = {}

    def build(expression: Expression) -> Any:
        match expression:
            case And(parts):
                return sympy.And(*map(build, parts), evaluate=False)
            case Or(parts):
                return sympy.Or(*map(build, parts), evaluate=False)
            case AtLeast(need, parts):
                return _count(need, [build(p) for p in parts])
            case Concept(name):
                return known[name]
            case Constant(value):
                return sympy.true if value else sympy.false
            case Condition():
                return _condition(expression)
            case _:
                raise AssertionError(expression)

    for name, meaning in simplify(formula).definitions:
        known[name] = build(meaning)
    return known[formula.target]


def symbol_of(attribute: Attribute, value: Hashable) -> tuple[str, bool]:
    """The name of the symbol for a value of an attribute, and whether it stands as it is or negated."""
    if is_proposition(attribute):
        return attribute.name, bool(value)
    if len(attribute.values) == 2:
        return f"{attribute.name} = {attribute.values[1]}", value == attribute.values[1]
    return f"{attribute.name} = {value}", True


def _condition(condition: Condition) -> Any:
    import sympy

    attribute = condition.attribute
    if condition.known_cells in (0, attribute.known):
        return sympy.true if condition.known_cells else sympy.false
    if attribute.measured:
        return sympy.Or(*(_range(sympy.Symbol(attribute.name, real=True), *run) for run in condition.ranges))
    inside, outside = condition.members, condition.others
    if len(inside) <= len(outside):
        return sympy.Or(*(_equal(attribute, value) for value in inside))
    return sympy.And(*(sympy.Not(_equal(attribute, value)) for value in outside))


def _equal(attribute: Attribute, value: Hashable) -> Any:
    import sympy

    name, positive = symbol_of(attribute, value)
    return sympy.Symbol(name) if positive else sympy.Not(sympy.Symbol(name))


def _range(symbol: Any, low: float | None, high: float | None) -> Any:
    import sympy

    above = [] if low is None else [symbol > sympy.Number(number_text(low))]
    return sympy.And(*above, *([] if high is None else [symbol <= sympy.Number(number_text(high))]))


def _count(need: int, parts: list[Any]) -> Any:
    import sympy

    if comb(len(parts), need) <= MAX_CHOICES:
        return sympy.Or(*(sympy.And(*chosen) for chosen in combinations(parts, need)))
    return sympy.Add(*(sympy.Piecewise((1, part), (0, True)) for part in parts)) >= need
