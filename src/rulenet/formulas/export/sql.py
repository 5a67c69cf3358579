"""SQL: a condition, a CASE expression, or a query that keeps the concepts as columns.

NULL is a missing value. A literal lists the values for which it holds, so an unseen value satisfies none, also where
the formula says "not equal"; what SQL leaves unknown counts as false.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Literal as OneOf

from rulenet.exceptions import FormulaError
from rulenet.formulas.export.value_sets import ValueSet, gathered
from rulenet.formulas.export.values import check_plain
from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Or
from rulenet.formulas.graph import simplify
from rulenet.literals import Literal

Style = OneOf["case", "where", "select"]
MAX_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Dialect:
    """How names are quoted, and what a database lacks."""

    opening: str = '"'
    closing: str = '"'
    backslash_escapes: bool = False
    has_booleans: bool = True
    unicode_prefix: str = ""


DIALECTS = {
    "ansi": Dialect(),
    "mysql": Dialect("`", "`", backslash_escapes=True),
    "bigquery": Dialect("`", "`", backslash_escapes=True),
    "mssql": Dialect("[", "]", has_booleans=False, unicode_prefix="N"),
}


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
    dialect : {"ansi", "mysql", "bigquery", "mssql"}
        ANSI suits SQLite, DuckDB, PostgreSQL, Oracle, Snowflake. Text is compared as the column's collation does: where
        that ignores case, so do the rules.
    table : str
        The table of ``"select"``.
    positive, negative : str, bool, int or float
        The values for rows where the formula holds, and where not.

    Examples
    --------
    >>> from rulenet.literals import Attribute
    >>> colour = Attribute("the colour", ("blue", "green", "red"))
    >>> print(to_sql(Formula(Literal(colour, "red", "!="), {}, (colour,))))
    CASE WHEN "the colour" IN ('blue', 'green') THEN 1 ELSE 0 END
    """
    if dialect not in DIALECTS:
        raise FormulaError(f"dialect is {dialect!r}, but must be one of {', '.join(DIALECTS)}")
    writer = _Writer(DIALECTS[dialect])
    formula = simplify(formula)
    if style == "select":
        return _select(formula, writer, table, positive, negative)
    condition = writer.inlined(formula)
    if style == "where":
        return condition
    if style != "case":
        raise FormulaError(f"style is {style!r}, but must be one of case, where, select")
    return writer.case(condition, positive, negative)


class _Writer:
    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    def name(self, name: str) -> str:
        """A quoted identifier."""
        if "\0" in name:
            raise FormulaError(f"the name {name!r} has a NUL character, which SQL cannot quote; rename it")
        d = self.dialect
        return d.opening + name.replace(d.closing, d.closing * 2) + d.closing

    def value(self, value: Hashable) -> str:
        """A literal value."""
        plain = check_plain(value, "SQL")
        if isinstance(plain, str):
            if "\0" in plain:
                raise FormulaError(f"the value {plain!r} has a NUL character, which SQL cannot quote; replace it")
            text = plain.replace("\\", "\\\\") if self.dialect.backslash_escapes else plain
            prefix = "" if text.isascii() else self.dialect.unicode_prefix
            return f"{prefix}'" + text.replace("'", "''") + "'"
        if isinstance(plain, bool):
            return str(plain).upper() if self.dialect.has_booleans else str(int(plain))
        return repr(plain)

    def case(self, condition: str, positive: Hashable, negative: Hashable) -> str:
        return f"CASE WHEN {condition} THEN {self.value(positive)} ELSE {self.value(negative)} END"

    def inlined(self, formula: Formula) -> str:
        """The condition with every concept written out, a rule a line."""
        known: dict[str, str] = {}
        for name, meaning in formula.concepts.items():
            known[name] = self.condition(meaning, lambda concept: f"({known[concept]})")
            if len(known[name]) > MAX_CHARACTERS:
                raise FormulaError("the condition is too long with all concepts written out; use style='select'")
        return self.condition(formula.output, lambda concept: f"({known[concept]})", line="\n  ")

    def condition(self, expression: Expression | ValueSet, concept: Callable[[str], str], line: str = " ") -> str:
        match expression:
            case And() | Or():
                parts = gathered(expression)
                word = " AND " if isinstance(expression, And) else f"{line}OR "
                written = (self.condition(p, concept) for p in parts)
                return word.join(
                    f"({text})" if isinstance(p, And | Or) else text for p, text in zip(parts, written, strict=True)
                )
            case Concept(name):
                return concept(name)
            case Constant(value):
                return "1 = 1" if value else "1 = 0"
            case ValueSet(attribute, values):
                return self.one_of(attribute.name, values)
            case Literal():
                return self.one_of(expression.attribute.name, expression.satisfying)
            case _:
                raise AssertionError(expression)

    def one_of(self, column: str, values: tuple[Hashable, ...]) -> str:
        written = [self.value(v) for v in values]
        if len(written) == 1:
            return f"{self.name(column)} = {written[0]}"
        return f"{self.name(column)} IN ({', '.join(written)})"


def _select(formula: Formula, writer: _Writer, table: str, positive: Hashable, negative: Hashable) -> str:
    """One step a concept, each adding a column of 1 and 0 to the one before."""
    columns = _column_names(formula)
    source, steps = writer.name(table), list[str]()
    for name, meaning in formula.concepts.items():
        condition = writer.condition(meaning, lambda concept: f"{writer.name(columns[concept])} = 1")
        step = writer.name(f"with {columns[name]}")
        value = writer.case(condition, 1, 0)
        steps.append(f"{step} AS (\n  SELECT *, {value} AS {writer.name(columns[name])}\n  FROM {source}\n)")
        source = step
    condition = writer.condition(formula.output, lambda concept: f"{writer.name(columns[concept])} = 1", line="\n  ")
    value = writer.case(condition, positive, negative)
    query = f"SELECT *, {value} AS {writer.name(columns[formula.target])}\nFROM {source}"
    return "WITH " + ",\n".join(steps) + "\n" + query if steps else query


def _column_names(formula: Formula) -> dict[str, str]:
    """A column name for every concept and the target; databases ignore case, so names differ in more."""
    taken = {a.name.casefold() for a in formula.attributes}
    names: dict[str, str] = {}
    for name, _ in formula.definitions:
        column = name
        while column.casefold() in taken:
            column += "_"
        taken.add(column.casefold())
        names[name] = column
    return names
