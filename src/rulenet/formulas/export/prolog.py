"""Prolog: the paper's notation for reading, and clauses that SWI-Prolog runs."""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from rulenet.formulas.export.values import check_plain
from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Not, Or
from rulenet.formulas.graph import simplify
from rulenet.literals import Literal

QUOTE, DOUBLE_QUOTE = "'", '"'
OPERATORS = {"not", "is", "mod", "rem", "div", "rdiv", "xor", "dynamic", "discontiguous", "initialization", "table"}
Leaf = Callable[[Literal | Concept], str]

PREAMBLE = """\
:- encoding(utf8).
:- style_check(-singleton).
% value(Row, Column, Value) says what is known of a row; a missing value has no such fact.
:- dynamic value/3.
one_of(Row, Column, Values) :- value(Row, Column, Value), memberchk(Value, Values).
"""


def to_prolog(formula: Formula, *, executable: bool = False) -> str:
    """The formula as clauses, in the notation of the paper's figure 1.

    ``executable=True`` gives a program that defines ``holds(Name, Row)`` for the target and every concept; rows are
    facts ``value(Row, Column, Value)``, such as ``facts`` writes.

    >>> from rulenet.literals import Attribute
    >>> x1, x2 = Attribute("x1", (False, True)), Attribute("x2", (False, True))
    >>> print(to_prolog(Formula(And((Literal(x1, True), Literal(x2, False))), {}, (x1, x2))))
    positive :- x1, not x2.
    """
    if executable:
        formula = simplify(formula)  # without "not", which in Prolog would be true of missing values
        return PREAMBLE + "\n".join(_clauses(formula, _call))
    return "\n".join(_clauses(formula, _notation))


def facts(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as facts, numbered from 0; None and NaN are missing.

    >>> print(facts([{"colour": "red", "size": None}]))
    value(0, colour, "red").
    """
    found = [
        f"value({i}, {atom(column)}, {term(value)})."
        for i, row in enumerate(rows)
        for column, value in row.items()
        if value is not None and value == value
    ]
    return "\n".join(found)


def atom(name: str) -> str:
    """A name as an atom, quoted where it needs to be.

    >>> print(atom("colour"), atom("It's"))
    colour 'It\\'s'
    """
    plain = re.fullmatch(r"[a-z][A-Za-z0-9_]*", name, re.ASCII) and name not in OPERATORS
    return name if plain else f"'{_escape(name, QUOTE)}'"


def term(value: Hashable) -> str:
    """A value as a Prolog term: strings for text, ``true`` and ``false`` for Booleans."""
    plain = check_plain(value, "Prolog")
    if isinstance(plain, str):
        return f'"{_escape(plain, DOUBLE_QUOTE)}"'
    return str(plain).lower() if isinstance(plain, bool) else repr(plain)


def _escape(text: str, quotes: str) -> str:
    def escaped(c: str) -> str:
        if c in ("\\", quotes):
            return f"\\{c}"
        return c if c.isprintable() else f"\\x{ord(c):x}\\"

    return "".join(map(escaped, text))


def _clauses(formula: Formula, leaf: Leaf) -> Iterable[str]:
    for name, meaning in formula.definitions:
        for body in meaning.parts if isinstance(meaning, Or) else (meaning,):
            yield f"{leaf(Concept(name))} :- {_body(body, leaf)}."


def _body(expression: Expression, leaf: Leaf) -> str:
    match expression:
        case And(parts):
            return ", ".join(f"({_body(p, leaf)})" if isinstance(p, Or) else _body(p, leaf) for p in parts)
        case Or(parts):
            return " ; ".join(_body(p, leaf) for p in parts)
        case Not(part):
            return f"not ({_body(part, leaf)})" if isinstance(part, And | Or) else f"not {_body(part, leaf)}"
        case Constant(value):
            return "true" if value else "fail"
        case Literal() | Concept():
            return leaf(expression)


def _notation(expression: Literal | Concept) -> str:
    if isinstance(expression, Concept):
        return atom(expression.name)
    column = atom(expression.attribute.name)
    if expression.attribute.values == (False, True) and all(isinstance(v, bool) for v in expression.attribute.values):
        return column if (expression.operator == "==") == expression.value else f"not {column}"
    value = expression.value
    written = atom(value) if isinstance(value, str) else str(value)
    return f"{column} {'=' if expression.operator == '==' else chr(92) + '='} {written}"


def _call(expression: Literal | Concept) -> str:
    if isinstance(expression, Concept):
        return f"holds({atom(expression.name)}, Row)"
    column, values = atom(expression.attribute.name), [term(v) for v in expression.satisfying]
    return f"value(Row, {column}, {values[0]})" if len(values) == 1 else f"one_of(Row, {column}, [{', '.join(values)}])"
