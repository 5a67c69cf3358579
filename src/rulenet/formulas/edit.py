"""Changes that an expert makes to a formula; each gives a new one."""

from collections.abc import Hashable
from dataclasses import replace

from rulenet.exceptions import FormulaError
from rulenet.formulas.expressions import FALSE, And, Concept, Expression, Formula, Not, Or, rebuild, walk
from rulenet.formulas.graph import simplify
from rulenet.literals import Literal, Operator


def condition(formula: Formula, column: str, operator: str, value: Hashable) -> Literal:
    """A literal over the formula's attributes.

    >>> from rulenet.literals import Attribute
    >>> a = Attribute("a", (0, 1))
    >>> print(condition(Formula(FALSE, {}, (a,)), "a", "!=", 1))
    a != 1
    """
    operators: dict[str, Operator] = {"==": "==", "=": "==", "!=": "!="}
    found = [a for a in formula.attributes if a.name == column]
    if not found:
        raise FormulaError(f"no column is called {column!r}; the columns are {[a.name for a in formula.attributes]}")
    if operator not in operators:
        raise FormulaError(f"the operator is {operator!r}, but must be one of ==, !=")
    known = [v for v in found[0].values if type(v) is type(value) and v == value]
    if not known:
        raise FormulaError(f"column {column!r} has no value {value!r}; its values are {list(found[0].values)}")
    return Literal(found[0], known[0], operators[operator])


def rules(formula: Formula) -> tuple[Expression, ...]:
    """The rules of the target: what its OR joins."""
    if formula.output == FALSE:
        return ()
    return formula.output.parts if isinstance(formula.output, Or) else (formula.output,)


def add_rule(formula: Formula, *conditions: Expression) -> Formula:
    """The formula that also holds where all ``conditions`` do."""
    if not conditions:
        raise FormulaError("a rule needs at least one condition; to make the target always true, say TRUE")
    rule = conditions[0] if len(conditions) == 1 else And(conditions)
    return _with_rules(formula, (*rules(formula), rule))


def remove_rule(formula: Formula, number: int) -> Formula:
    """The formula without rule ``number``, counted from 1 as in the statistics."""
    kept = list(rules(formula))
    if not 1 <= number <= len(kept):
        raise FormulaError(f"there is no rule {number}; the formula has rules 1 to {len(kept)}")
    del kept[number - 1]
    return _with_rules(formula, tuple(kept))


def substitute(formula: Formula, old: Expression, new: Expression) -> Formula:
    """The formula with ``new`` wherever ``old`` stood: a condition, a concept, any part."""
    if not any(x == old for _, e in formula.definitions for x in walk(e)):
        raise FormulaError(f"{old} does not occur in the formula, so it cannot be replaced")
    concepts = {name: _substituted(e, old, new) for name, e in formula.concepts.items()}
    return simplify(replace(formula, output=_substituted(formula.output, old, new), concepts=concepts))


def define(formula: Formula, name: str, meaning: Expression) -> Formula:
    """The formula with concept ``name`` given another meaning, or a new concept after all others."""
    return replace(formula, concepts={**formula.concepts, name: meaning})


def forbid(formula: Formula, part: Literal | Concept) -> Formula:
    """The formula without rules that need ``part``."""
    return substitute(formula, part, FALSE)


def forbid_not_equal(formula: Formula) -> Formula:
    """The formula with every ``!=`` written as an OR of the other values; its truth is the same."""
    formula = simplify(formula)  # NOT of an equal is a "not equal" too

    def spelled_out(expression: Expression) -> Expression:
        if not isinstance(expression, Literal) or expression.operator == "==":
            return expression
        values = tuple(Literal(expression.attribute, v) for v in expression.satisfying)
        return values[0] if len(values) == 1 else Or(values) if values else FALSE

    concepts = {name: rebuild(e, spelled_out) for name, e in formula.concepts.items()}
    return replace(formula, output=rebuild(formula.output, spelled_out), concepts=concepts)


def _with_rules(formula: Formula, parts: tuple[Expression, ...]) -> Formula:
    output = parts[0] if len(parts) == 1 else Or(parts) if parts else FALSE
    return simplify(replace(formula, output=output))


def _substituted(expression: Expression, old: Expression, new: Expression) -> Expression:
    if expression == old:
        return new
    match expression:
        case And(parts):
            return And(tuple(_substituted(p, old, new) for p in parts))
        case Or(parts):
            return Or(tuple(_substituted(p, old, new) for p in parts))
        case Not(part):
            return Not(_substituted(part, old, new))
        case _:
            return expression
