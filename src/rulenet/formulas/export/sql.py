"""SQL: a condition, a CASE expression, or a query that keeps the concepts as columns.

NULL is a missing value. A condition lists the values or the range for which it holds, so an unseen value satisfies
none, also where the formula says "not equal"; what SQL leaves unknown counts as false.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from typing import Literal as OneOfThese

import numpy as np

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.infix import Infix, Written
from rulenet.formulas.export.reading import Alternative, Missing, OneOf, points
from rulenet.formulas.export.sql_dialects import Dialect, check_columns, dialect_called
from rulenet.formulas.export.values import check_plain, check_text, number_text
from rulenet.formulas.expressions import Expression, Formula, Or
from rulenet.formulas.graph import simplify
from rulenet.kinds import Bound, Range

Style = OneOfThese["case", "where", "select"]
STYLES: tuple[Style, ...] = ("case", "where", "select")
MAX_CHARACTERS = 1_000_000
LARGEST = 2**63
MAX_NAME = 50  # bytes; PostgreSQL cuts names off after 63
MAX_DIGITS = 15  # longer decimals are written as floats: databases read others as decimals, and round them once more


def to_sql(
    formula: Formula,
    *,
    style: Style = "case",
    dialect: str = "ansi",
    table: str = "data",
    positive: Hashable = 1,
    negative: Hashable = 0,
) -> str:
    """The formula as SQL.

    Parameters
    ----------
    formula : Formula
        What to write.
    style : {"case", "where", "select"}
        ``"where"`` is the bare condition, ``"case"`` an expression with ``positive`` or ``negative`` as its value, and
        ``"select"`` a query on ``table`` that adds a column for every concept and one for the target.
    dialect : {"ansi", "postgresql", "sqlite", "mysql", "bigquery", "mssql"}
        ANSI suits DuckDB, PostgreSQL, Oracle and Snowflake; ``"postgresql"`` also tells columns apart whose names
        differ in case only. In the dialect ``"sqlite"`` dates are ISO text (in UTC where they have a time zone).
        Durations are intervals, or numbers of seconds where a database has none (``"sqlite"``, ``"mysql"``,
        ``"mssql"``). Text is compared as the column's collation does: where that ignores case, so do the rules.
        Columns of numbers are to hold NULL, not NaN, which some databases take for the largest number.
    table : str
        The table of ``"select"``.
    positive, negative : str, bool, int or float
        The values for rows where the formula holds, and where not.

    Examples
    --------
    >>> colour = Attribute("the colour", ("blue", "green", "red"))
    >>> print(to_sql(Formula(~colour.equal("red"), {}, (colour,))))
    CASE WHEN "the colour" IN ('blue', 'green') THEN 1 ELSE 0 END
    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> print(to_sql(Formula(age.between(20, 37.5), {}, (age,)), style="where"))
    "age" > 20 AND "age" <= 37.5
    """
    writer = Writer(dialect_called(dialect))
    formula = simplify(formula)
    check_columns(formula, writer.dialect)
    if style not in STYLES:
        raise FormulaError(f"style is {style!r}, but must be one of {', '.join(STYLES)}")
    if style == "select":
        return _select(formula, writer, table, positive, negative)
    condition = writer.inlined(formula)
    return condition if style == "where" else writer.case(condition, positive, negative)


class Writer(Infix):
    """SQL in one dialect; ``refer`` says how a concept is referred to."""

    and_word, or_word = " AND ", " OR "

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.refer: Callable[[str], str] = self.name

    def name(self, name: str) -> str:
        """A quoted identifier."""
        if not name:
            raise FormulaError("a column is called '', which SQL cannot quote; rename it")
        if "\0" in name:
            raise FormulaError(f"the name {name!r} has a NUL character, which SQL cannot quote; rename it")
        d, name = self.dialect, check_text(name, "SQL")
        return d.opening + name.replace(d.closing, d.closing * 2) + d.closing

    def value(self, value: Hashable) -> str:
        """A literal value."""
        plain = check_plain(value, "SQL")
        if isinstance(plain, str):
            if "\0" in plain:
                raise FormulaError(f"the value {plain!r} has a NUL character, which SQL cannot quote; replace it")
            text = check_text(plain, "SQL")
            text = text.replace("\\", "\\\\") if self.dialect.backslash_escapes else text
            prefix = "" if text.isascii() else self.dialect.unicode_prefix
            return f"{prefix}'" + text.replace("'", "''") + "'"
        if isinstance(plain, bool):
            return str(plain).upper() if self.dialect.has_booleans else str(int(plain))
        if isinstance(plain, int) and abs(plain) >= LARGEST and float(plain) != plain:
            raise FormulaError(
                f"the value {plain} is beyond the whole numbers of databases; convert the column to text"
            )
        return repr(plain) if isinstance(plain, int) else self.number(plain)

    def number(self, number: Bound) -> str:
        """A number such that the database compares with exactly this one, also where a column has 32-bit floats."""
        text = number_text(number)
        with np.errstate(over="ignore"):
            narrow = self.dialect.narrows and float(np.float32(number)) != number
        return f"{text}e0" if "e" not in text and (narrow or sum(map(str.isdigit, text)) > MAX_DIGITS) else text

    def case(self, condition: str, positive: Hashable, negative: Hashable) -> str:
        """One of two values."""
        return f"CASE WHEN {condition} THEN {self.value(positive)} ELSE {self.value(negative)} END"

    def inlined(self, formula: Formula) -> str:
        """The condition with every concept written out, a rule a line."""
        known: dict[str, str] = {}
        self.refer = lambda concept: f"({known[concept]})"
        for name, meaning in formula.concepts.items():
            known[name] = self.text(meaning)
            if len(known[name]) > MAX_CHARACTERS:
                raise FormulaError("the condition is too long with all concepts written out; use style='select'")
        return self.lines(formula.output)

    def lines(self, expression: Expression) -> str:
        """An expression with the parts of an OR on lines of their own."""
        if not isinstance(expression, Or):
            return self.text(expression)
        return self.joined("or", map(self.write, expression.parts), "\n  OR ").text

    def concept(self, name: str) -> str:
        """A reference to a concept."""
        return self.refer(name)

    def constant(self, value: bool) -> str:
        """What always holds, or never."""
        return "1 = 1" if value else "1 = 0"

    def at_least(self, need: int, parts: tuple[Expression, ...]) -> Written:
        """A sum compared with what it needs."""
        return Written(f"{' + '.join(self.summands(points(parts)))} >= {need}", "count")

    def summands(self, parts: Iterable[tuple[int, Expression]]) -> list[str]:
        """For every part its points where it holds, else 0."""
        return [self.case(self.text(part), times, 0) for times, part in parts]

    def comparisons(self, attribute: Attribute, alternative: Alternative) -> list[str]:
        """The comparisons that together say ``alternative``."""
        name = self.name(attribute.name)
        match alternative:
            case OneOf(values):
                written = [self.value(v) for v in values]
                return [f"{name} = {written[0]}" if len(written) == 1 else f"{name} IN ({', '.join(written)})"]
            case Missing():
                return [f"{name} IS NULL"]
            case Range(None, None):
                return [f"{name} IS NOT NULL"]
            case Range(low, high):
                name = self.dialect.column(name, attribute)
                above = [] if low is None else [f"{name} > {self.bound(attribute, low)}"]
                return above + ([] if high is None else [f"{name} <= {self.bound(attribute, high)}"])

    def bound(self, attribute: Attribute, bound: Bound) -> str:
        """A cut, such that the database compares with exactly this number or moment."""
        if not math.isfinite(bound):
            raise FormulaError(f"column {attribute.name!r} is cut at {bound}, which SQL cannot say; give other cuts")
        match attribute.kind:
            case "date" | "instant":
                return self.dialect.moment(bound, attribute)
            case "duration":
                return self.dialect.span(bound)
            case _:
                return self.number(bound)


def _select(formula: Formula, writer: Writer, table: str, positive: Hashable, negative: Hashable) -> str:
    """One step a concept, each adding a column of 1 and 0 to the one before."""
    columns = column_names(formula.attributes, [name for name, _ in formula.definitions])
    writer.refer = lambda concept: f"{writer.name(columns[concept])} = 1"
    source, steps = writer.name(table), list[str]()
    for name, meaning in formula.concepts.items():
        step = writer.name(f"with {columns[name]}")
        value = writer.case(writer.text(meaning), 1, 0)
        steps.append(f"{step} AS (\n  SELECT *, {value} AS {writer.name(columns[name])}\n  FROM {source}\n)")
        source = step
    value = writer.case(writer.lines(formula.output), positive, negative)
    query = f"SELECT *, {value} AS {writer.name(columns[formula.target])}\nFROM {source}"
    return "WITH " + ",\n".join(steps) + "\n" + query if steps else query


def column_names(attributes: Iterable[Attribute], wanted: Iterable[str]) -> dict[str, str]:
    """Column names besides those of ``attributes``: databases ignore case and long ends, so names differ in more.

    >>> column_names([Attribute("Size")], ["size", "x" * 80])["size"]
    'size_'
    """
    taken = {a.name.casefold() for a in attributes}
    names: dict[str, str] = {}
    for name in wanted:
        start = column = _short(name)
        number = 1
        while column.casefold() in taken:
            number += 1
            column = f"{start}_{number if number > 2 else ''}"
        taken.add(column.casefold())
        names[name] = column
    return names


def _short(name: str) -> str:
    """The start of a name, with room for a number after it."""
    return check_text(name, "SQL").encode()[:MAX_NAME].decode(errors="ignore")
