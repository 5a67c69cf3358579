"""SymPy: a Boolean expression for further algebra (``pip install rulenet[algebra]``).

SymPy's logic has two values, so the expression speaks of rows in which nothing is missing. A column of two values is
one symbol; of a larger column every value is one, and that these exclude each other is left to the reader.
"""

from typing import Any

from rulenet.exceptions import FormulaError
from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Or
from rulenet.formulas.graph import simplify
from rulenet.literals import Literal


def to_sympy(formula: Formula) -> Any:
    """The formula as a SymPy expression, all concepts written out.

    >>> from rulenet.literals import Attribute
    >>> a, b = Attribute("a", (False, True)), Attribute("b", ("x", "y", "z"))
    >>> to_sympy(Formula(And((Literal(a, False), Literal(b, "x"))), {}, (a, b)))
    b = x & ~a
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
            case Concept(name):
                return known[name]
            case Constant(value):
                return sympy.true if value else sympy.false
            case Literal():
                name, positive = symbol_of(expression)
                return sympy.Symbol(name) if positive else sympy.Not(sympy.Symbol(name))
            case _:
                raise AssertionError(expression)

    for name, meaning in simplify(formula).definitions:
        known[name] = build(meaning)
    return known[formula.target]


def symbol_of(literal: Literal) -> tuple[str, bool]:
    """The name of the symbol that a literal becomes, and whether it stands as it is or negated."""
    attribute, positive = literal.attribute, literal.operator == "=="
    if [*map(repr, attribute.values)] == ["False", "True"]:
        return attribute.name, positive == literal.value
    if len(attribute.values) == 2:
        return f"{attribute.name} = {attribute.values[1]}", positive == (literal.value == attribute.values[1])
    return f"{attribute.name} = {literal.value}", positive
