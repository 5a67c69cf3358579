"""Conditions as people say them: a column, an operator, a value; and cuts that they need."""

from bisect import bisect_left
from collections.abc import Hashable, Iterable
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from math import floor, inf, nextafter

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.expressions import Expression, Formula, rebuild
from rulenet.kinds import EPOCH, Bound

OPERATORS = ("==", "=", "!=", "<=", ">", "<", ">=", "in", "not in", "is missing")
MICROSECOND = timedelta(microseconds=1)


def condition(formula: Formula, column: str, operator: str, value: object = None) -> Condition:
    """A condition over the formula's attributes.

    Parameters
    ----------
    formula : Formula
        Whose attributes are meant.
    column : str
        The name of one of them.
    operator : {"==", "=", "!=", "<=", ">", "<", ">=", "in", "not in", "is missing"}
        How it compares.
    value : value, or several for "in" and "not in"
        A value of the column, or one of its cuts (see `with_cut`); dates may be given as text.

    Examples
    --------
    >>> from rulenet.formulas.expressions import FALSE
    >>> a, age = Attribute("a", (0, 1)), Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> formula = Formula(FALSE, {}, (a, age))
    >>> print(condition(formula, "a", "==", 1), condition(formula, "age", ">", 20), sep=" · ")
    a = 1 · age > 20
    """
    attribute = attribute_called(formula, column)
    match operator:
        case "is missing":
            return attribute.is_missing
        case "==" | "=":
            return attribute.equal(plain_value(attribute, value))
        case "!=":
            return ~attribute.equal(plain_value(attribute, value))
        case "in" | "not in":
            found = attribute.one_of([plain_value(attribute, v) for v in _several(column, value)])
            return found if operator == "in" else ~found
        case "<=" | ">":
            found = _at_most(attribute, plain_value(attribute, value))
            return found if operator == "<=" else ~found
        case "<" | ">=":
            found = _below(attribute, plain_value(attribute, value))
            return found if operator == "<" else ~found
    raise FormulaError(f"the operator is {operator!r}, but must be one of {', '.join(OPERATORS)}")


def with_cut(formula: Formula, column: str, bound: object) -> Formula:
    """The same formula with one more cut in a column of numbers, dates or durations, for conditions that need it.

    >>> age = Attribute("age", kind="numeric", cuts=(20,))
    >>> wider = with_cut(Formula(age.above(20), {}, (age,)), "age", 65)
    >>> print(wider, condition(wider, "age", "<=", 65), sep=" · ")
    positive if age > 20 · age <= 65
    """
    old = attribute_called(formula, column)
    if not old.measured:
        raise FormulaError(f"column {column!r} is {old.kind}, which has no cuts")
    cut = _number(old, plain_value(old, bound))
    cut = floor(cut / old.step) * old.step if old.whole else cut
    if cut in old.cuts:
        return formula
    at = bisect_left(old.cuts, cut)
    new = replace(old, cuts=(*old.cuts[:at], cut, *old.cuts[at:]))

    def moved(expression: Expression) -> Expression:
        if not isinstance(expression, Condition) or expression.attribute != old:
            return expression
        cells = expression.cells
        inside = (cells >> at & 1) * (0b11 << at)
        return Condition(new, cells & (1 << at) - 1 | inside | cells >> at + 1 << at + 2)

    concepts = {name: rebuild(e, moved) for name, e in formula.concepts.items()}
    attributes = tuple(new if a == old else a for a in formula.attributes)
    return replace(formula, output=rebuild(formula.output, moved), concepts=concepts, attributes=attributes)


def attribute_called(formula: Formula, column: str) -> Attribute:
    """The attribute of that name."""
    for attribute in formula.attributes:
        if attribute.name == column:
            return attribute
    raise FormulaError(f"no column is called {column!r}; the columns are {[a.name for a in formula.attributes]}")


def _several(column: str, value: object) -> Iterable[object]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise FormulaError(f"the values for column {column!r} are {value!r}, but must be a list of values")
    return value


def plain_value(attribute: Attribute, value: object) -> Hashable:
    """The value as cells hold it: dates and durations as whole microseconds."""
    if attribute.kind in ("date", "instant") and isinstance(value, str):
        value = _moment(attribute, value)
    if attribute.measured and isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime.combine(value, time())
        zone = moment.utcoffset() or timedelta()
        return (moment.replace(tzinfo=None) - zone - EPOCH) // MICROSECOND
    if attribute.measured and isinstance(value, timedelta):
        return value // MICROSECOND
    if not isinstance(value, Hashable):
        raise FormulaError(f"the value for column {attribute.name!r} is {value!r}, but must be a single value")
    return value


def _moment(attribute: Attribute, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise FormulaError(
            f"the value for column {attribute.name!r} is {text!r}, but must be a date like 2024-03-01"
        ) from None


def _number(attribute: Attribute, value: Hashable) -> Bound:
    if isinstance(value, str) or not isinstance(value, int | float) or value != value:
        raise FormulaError(f"the value for column {attribute.name!r} is {value!r}, but must be a number")
    return value


def _at_most(attribute: Attribute, value: Hashable) -> Condition:
    if attribute.measured and (bound := _number(attribute, value)) not in attribute.cuts:
        at = bisect_left(attribute.cuts, bound)
        near = " and ".join(map(attribute.shown, attribute.cuts[max(at - 1, 0) : at + 1])) or "none"
        raise FormulaError(
            f"column {attribute.name!r} has no cut at {attribute.shown(bound)}, the nearest cuts: {near}; "
            f"add one with with_cut(formula, {attribute.name!r}, {value!r})"
        )
    return attribute.at_most(value)


def _below(attribute: Attribute, value: Hashable) -> Condition:
    if not attribute.measured:
        return attribute.at_most(value) & ~attribute.equal(value)
    bound = _number(attribute, value)
    if attribute.whole:
        return _at_most(attribute, bound - attribute.step)
    return _at_most(attribute, nextafter(bound, -inf) if attribute.kind == "numeric" else bound - 1)
