"""SQL: one expression whose value is the class, or a query that keeps concepts and margins as columns.

The expression is a subquery without a table, which reads the columns of the row around it: every margin is written and
computed once, and the largest is found by comparing names.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Literal as OneOf

from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision, Score, simplify_decision
from rulenet.formulas.export.sql import Writer, column_names
from rulenet.formulas.export.sql_dialects import check_columns, dialect_called
from rulenet.formulas.expressions import Concept, Expression, walk

Style = OneOf["case", "select"]
STYLES: tuple[Style, ...] = ("case", "select")


def to_sql(
    decision: Decision, *, style: Style = "case", dialect: str = "ansi", table: str = "data", abstain: bool = False
) -> str:
    """The decision as SQL.

    Parameters
    ----------
    decision : Decision
        What to write.
    style : {"case", "select"}
        ``"case"`` is an expression with the class as its value, to stand in any query on the table; ``"select"`` a
        query on ``table`` that adds a column for every concept, for every margin and for the class.
    dialect : {"ansi", "postgresql", "sqlite", "mysql", "bigquery", "mssql"}
        As for formulas.
    table : str
        The table of ``"select"``.
    abstain : bool
        Whether the class is NULL where several classes reach their need, or none does.

    Examples
    --------
    >>> from rulenet.conditions import Attribute
    >>> age = Attribute("age", kind="numeric", cuts=(12, 18))
    >>> adult, child = Score("adult", 1, ((1, age.above(18)),)), Score("child", 1, ((2, age.at_most(12)),))
    >>> print(to_sql(Decision((adult, child, Score("other", 0)), {}, (age,))))
    (SELECT CASE
        WHEN "margin of adult" >= "margin of child" AND "margin of adult" >= "margin of other" THEN 'adult'
        WHEN "margin of child" >= "margin of other" THEN 'child'
        ELSE 'other' END
      FROM (SELECT
        -1 + CASE WHEN "age" > 18 THEN 1 ELSE 0 END AS "margin of adult",
        -1 + CASE WHEN "age" <= 12 THEN 2 ELSE 0 END AS "margin of child",
        0 AS "margin of other"
      ) AS margins)
    """
    if style not in STYLES:
        raise FormulaError(f"style is {style!r}, but must be one of {', '.join(STYLES)}")
    writer = _Writer(simplify_decision(decision), Writer(dialect_called(dialect)), abstain)
    return writer.expression() if style == "case" else writer.query(table)


class _Writer:
    """A decision in one dialect."""

    def __init__(self, decision: Decision, sql: Writer, abstain: bool) -> None:
        self.decision, self.sql, self.abstain = decision, sql, abstain
        check_columns(decision.as_formula(), sql.dialect)
        margins = _distinct([f"margin of {label}" for label in decision.labels], {*decision.concepts, decision.target})
        columns = column_names(decision.attributes, [*decision.concepts, decision.target, *margins])
        self.steps = {name: sql.name(f"with {columns[name]}") for name in decision.concepts}
        self.columns = {name: sql.name(column) for name, column in columns.items()}
        self.margins = [self.columns[name] for name in margins]
        sql.refer = lambda concept: f"{self.columns[concept]} = 1"

    def expression(self) -> str:
        source = ""
        for names in _levels(self.decision.concepts):
            values = [f"{self._concept(name)} AS {self.columns[name]}" for name in names]
            source = f"\n  FROM (SELECT{' *,' if source else ''}\n    {_lines(values)}{source}\n  ) AS concepts"
        return f"(SELECT {self._winner()}\n  FROM (SELECT\n    {_lines(self._sums())}{source}\n  ) AS margins)"

    def query(self, table: str) -> str:
        """One step a concept, one for all margins, and the class last."""
        source, steps = self.sql.name(table), list[str]()
        for name in self.decision.concepts:
            step = self.steps[name]
            steps.append(f"{step} AS (\n  SELECT *, {self._concept(name)} AS {self.columns[name]}\n  FROM {source}\n)")
            source = step
        step = self.sql.name("with margins")
        steps.append(f"{step} AS (\n  SELECT *,\n    {_lines(self._sums())}\n  FROM {source}\n)")
        winner = f"{self._winner()} AS {self.columns[self.decision.target]}"
        return "WITH " + ",\n".join(steps) + f"\nSELECT *, {winner}\nFROM {step}"

    def _concept(self, name: str) -> str:
        return self.sql.case(self.sql.text(self.decision.concepts[name]), 1, 0)

    def _sums(self) -> list[str]:
        return [f"{self._sum(s)} AS {name}" for s, name in zip(self.decision.outputs, self.margins, strict=True)]

    def _sum(self, score: Score) -> str:
        return " + ".join([str(-score.need), *self.sql.summands(score.parts)])

    def _winner(self) -> str:
        """The label of the row, or NULL."""
        if not self.abstain:
            return self._largest()
        fired = " + ".join(f"CASE WHEN {margin} >= 0 THEN 1 ELSE 0 END" for margin in self.margins)
        return f"CASE WHEN {fired} = 1 THEN {self._largest()} END"

    def _largest(self) -> str:
        """The first label whose margin is the largest."""
        *others, last = map(self.sql.value, self.decision.labels)
        if not others:
            return last
        greatest = self.sql.dialect.greatest
        whens = [f"WHEN {self._is_largest(k)} THEN {label}" for k, label in enumerate(others)]
        head = f"CASE {greatest}({', '.join(self.margins)})" if greatest else "CASE"
        return "\n    ".join([head, *whens, f"ELSE {last} END"])

    def _is_largest(self, k: int) -> str:
        """What a WHEN says: as large as the greatest, or as all later ones, and then none before it was larger."""
        if self.sql.dialect.greatest:
            return self.margins[k]
        return " AND ".join(f"{self.margins[k]} >= {later}" for later in self.margins[k + 1 :])


def _distinct(names: Sequence[str], taken: Set[str]) -> list[str]:
    """Names that differ, also from those taken, where the text of two labels does not."""
    seen: list[str] = []
    for name in names:
        while name in seen or name in taken:
            name += " "
        seen.append(name)
    return seen


def _lines(values: Sequence[str]) -> str:
    return ",\n    ".join(values)


def _levels(concepts: Mapping[str, Expression]) -> list[list[str]]:
    """The concepts by how many others stand between them and conditions."""
    level: dict[str, int] = {}
    for name, meaning in concepts.items():
        inside = (level[x.name] for x in walk(meaning) if isinstance(x, Concept))
        level[name] = 1 + max(inside, default=-1)
    return [[name for name in concepts if level[name] == k] for k in range(max(level.values(), default=-1) + 1)]
