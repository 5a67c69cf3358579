"""Prolog: the paper's notation for reading, and clauses that SWI-Prolog runs."""

import math
import re
from collections.abc import Hashable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from rulenet.conditions import Attribute, Condition
from rulenet.formulas.export.infix import Infix, Written
from rulenet.formulas.export.reading import Alternative, Missing, OneOf, Reading, is_proposition, readings
from rulenet.formulas.export.values import check_plain, check_text, iso, number_text, seconds
from rulenet.formulas.expressions import Concept, Expression, Formula, Or
from rulenet.formulas.graph import simplify
from rulenet.kinds import Range

QUOTE, DOUBLE_QUOTE = "'", '"'
OPERATORS = {"not", "is", "mod", "rem", "div", "rdiv", "xor", "dynamic", "discontiguous", "initialization", "table"}
SIGNS = {"=": "=", "!=": "\\=", "<=": "=<", ">": ">"}

PREAMBLE = """\
:- encoding(utf8).
:- style_check(-singleton).
% value(Row, Column, Value) says what is known of a row; a missing value has no such fact.
% Dates are text like "2024-03-01T12:30:00.000000", in UTC where they have a time zone; durations are seconds.
:- dynamic value/3.
% Text in a column of numbers is read as a number; what is none is an error.
one_of(Row, Column, Values) :- value(Row, Column, Value), member(Known, Values), same(Value, Known), !.
number_in(Row, Column, Values) :-
    value(Row, Column, Value), number_of(Value, Number), member(Known, Values), same(Number, Known), !.
same(Value, Known) :- number(Known), !, number(Value), Value =:= Known.
same(Value, Value).
at_most(Row, Column, High) :- value(Row, Column, Value), compared(Value, High, Order), Order \\= (>), !.
above(Row, Column, Low) :- value(Row, Column, Value), compared(Value, Low, >), !.
within(Row, Column, Low, High) :- above(Row, Column, Low), at_most(Row, Column, High).
known(Row, Column) :- value(Row, Column, _), !.
missing(Row, Column) :- \\+ value(Row, Column, _).
at_least(Need, Goals) :- include(call, Goals, Held), length(Held, Count), Count >= Need.
compared(Value, Bound, Order) :- string(Bound), !, must_be(string, Value), compare(Order, Value, Bound).
compared(Value, Bound, Order) :- number_of(Value, Number), as_float(Number, Float), order(Float, Bound, Order).
order(Float, Bound, >) :- Float > Bound, !.
order(_, _, <).
number_of(Value, Value) :- number(Value), !.
number_of(Value, Number) :-
    string(Value), split_string(Value, "", " \\t\\r\\n", [Text]), number_string(Number, Text), !.
number_of(Value, _) :- type_error(number, Value).
as_float(Number, Float) :- integer(Number), abs(Number) < 2 ** 1023, !, Float is float(Number).
as_float(Number, Number).
"""


def to_prolog(formula: Formula, *, executable: bool = False) -> str:
    r"""The formula as clauses, in the notation of the paper's figure 1.

    ``executable=True`` gives a program that defines ``holds(Name, Row)`` for the target and every concept; rows are
    facts ``value(Row, Column, Value)``, such as ``facts`` writes, and ``Row`` is to be known when it is asked.

    >>> x1, x2 = Attribute("x1", (False, True)), Attribute("x2", (False, True))
    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> from rulenet.formulas.expressions import And
    >>> print(to_prolog(Formula(And((x1.equal(True), x2.equal(False), age.at_most(37.5))), {}, (x1, x2, age))))
    positive :- x1, not x2, age =< 37.5.
    """
    if executable:
        formula = simplify(formula)  # without "not", which in Prolog would be true of missing values
        return PREAMBLE + "\n".join(clauses(formula.definitions, PROGRAM))
    return "\n".join(clauses(formula.definitions, NOTATION))


def facts(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as facts, numbered from 0; None, NaN, NaT and NA are missing.

    >>> print(facts([{"colour": "red", "size": None, "signed": date(2024, 3, 1)}]))
    value(0, colour, "red").
    value(0, signed, "2024-03-01T00:00:00.000000").
    """
    found = [
        f"value({i}, {atom(column)}, {term(value)})."
        for i, row in enumerate(rows)
        for column, value in row.items()
        if not is_missing(value)
    ]
    return "\n".join(found)


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def atom(name: str) -> str:
    """A name as an atom, quoted where it needs to be.

    >>> print(atom("colour"), atom("It's"))
    colour 'It\\'s'
    """
    plain = re.fullmatch(r"[a-z][A-Za-z0-9_]*", name, re.ASCII) and name not in OPERATORS
    return name if plain else f"'{_escape(name, QUOTE)}'"


def term(value: Hashable) -> str:
    """A value as a Prolog term: strings for text and dates, ``true`` and ``false`` for Booleans, seconds for durations.

    >>> print(term("red"), term(True), term(float("-inf")), term(timedelta(minutes=1)))
    "red" true -1.0Inf 60.0
    """
    value = _without_wrapping(value)
    if isinstance(value, datetime):
        moment = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        return f'"{moment.isoformat(timespec="microseconds")}"'
    if isinstance(value, date):
        return f'"{value.isoformat()}T00:00:00.000000"'
    if isinstance(value, timedelta):
        return repr(timedelta(value.days, value.seconds, value.microseconds).total_seconds())
    if isinstance(value, float) and math.isinf(value):
        return "1.0Inf" if value > 0 else "-1.0Inf"
    plain = check_plain(value, "Prolog")
    if isinstance(plain, str):
        return f'"{_escape(plain, DOUBLE_QUOTE)}"'
    return str(plain).lower() if isinstance(plain, bool) else repr(plain)


def _without_wrapping(value: Any) -> Any:
    """A NumPy scalar as a plain value; moments and durations to the microsecond, as columns count them."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind in ("M", "m"):
        value = value.astype("datetime64[us]" if kind == "M" else "timedelta64[us]")
    return value.item() if hasattr(value, "item") else value


def _escape(text: str, quotes: str) -> str:
    def escaped(c: str) -> str:
        if c in ("\\", quotes):
            return f"\\{c}"
        return c if c.isprintable() else f"\\x{ord(c):x}\\"

    return "".join(map(escaped, check_text(text, "Prolog")))


def clauses(definitions: Iterable[tuple[str, Expression]], language: Infix) -> Iterable[str]:
    """A clause for every way in which a name holds."""
    for name, meaning in definitions:
        for body in meaning.parts if isinstance(meaning, Or) else (meaning,):
            yield f"{language.text(Concept(name))} :- {language.text(body)}."


class _Clauses(Infix):
    and_word, or_word = ", ", " ; "

    def inside(self, part: Written, join: str) -> str:
        """A part among others; a conjunction binds more closely than a disjunction."""
        loose = part.join == "or" if join == "and" else part.join and join == "count"
        return f"({part.text})" if loose else part.text

    def constant(self, value: bool) -> str:
        return "true" if value else "fail"

    def at_least(self, need: int, parts: tuple[Expression, ...]) -> Written:
        return Written(f"at_least({need}, [{', '.join(self.inside(self.write(p), 'count') for p in parts)}])")

    def negated(self, part: Written) -> Written:
        return Written(f"not ({part.text})" if part.join else f"not {part.text}")


class _Notation(_Clauses):
    """As people read it."""

    def concept(self, name: str) -> str:
        return atom(name)

    def condition(self, condition: Condition) -> Written:
        return self.joined("or", (_comparison(condition.attribute, x) for x in readings(condition)))


class _Program(_Clauses):
    """As SWI-Prolog runs it."""

    def concept(self, name: str) -> str:
        return f"holds({atom(name)}, Row)"

    def comparisons(self, attribute: Attribute, alternative: Alternative) -> list[str]:
        column = atom(attribute.name)
        match alternative:
            case OneOf((value,)) if not isinstance(value, int | float):
                return [f"value(Row, {column}, {term(value)})"]
            case OneOf(values):
                numbers = all(type(value) in (int, float) for value in attribute.values)
                held = "number_in" if numbers else "one_of"
                return [f"{held}(Row, {column}, [{', '.join(map(term, values))}])"]
            case Range(None, None):
                return [f"known(Row, {column})"]
            case Range(None, high) if high is not None:
                return [f"at_most(Row, {column}, {_bound(attribute, high)})"]
            case Range(low, None) if low is not None:
                return [f"above(Row, {column}, {_bound(attribute, low)})"]
            case Range(low, high) if low is not None and high is not None:
                return [f"within(Row, {column}, {_bound(attribute, low)}, {_bound(attribute, high)})"]
            case Missing():
                return [f"missing(Row, {column})"]
            case _:
                raise AssertionError(alternative)


def _bound(attribute: Attribute, bound: float) -> str:
    match attribute.kind:
        case "date" | "instant":
            return f'"{iso(bound)}"'
        case "duration":
            return number_text(seconds(bound))
        case _:
            return number_text(bound) if math.isfinite(bound) else term(float(bound))


def _comparison(attribute: Attribute, reading: Reading) -> Written:
    column, sign, values = atom(attribute.name), reading.sign, [_shown(attribute, v) for v in reading.values]
    if is_proposition(attribute) and sign == "=":
        return Written(column if reading.values[0] else f"not {column}")
    match sign:
        case "missing" | "known":
            return Written(f"{sign}({column})")
        case "never":
            return Written("fail")
        case "within":
            return Written(f"{column} > {values[0]}, {column} =< {values[1]}", "and")
        case "in" | "not in":
            found = f"member({column}, [{', '.join(values)}])"
            return Written(found if sign == "in" else f"not {found}")
        case _:
            return Written(f"{column} {SIGNS[sign]} {values[0]}")


def _shown(attribute: Attribute, value: Hashable) -> str:
    if attribute.measured:
        shown = attribute.shown(value)  # type: ignore[arg-type]
        return shown if attribute.kind == "numeric" else atom(shown)
    return atom(value) if isinstance(value, str) else str(value)


NOTATION, PROGRAM = _Notation(), _Program()
