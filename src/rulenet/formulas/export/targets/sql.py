"""SQL: an expression for every column to predict, or a query that adds them all."""

from rulenet.exceptions import FormulaError
from rulenet.formulas.decisions import Decisions, Goal
from rulenet.formulas.export.decisions.sql import STYLES, Style
from rulenet.formulas.export.decisions.sql import to_sql as decision_sql
from rulenet.formulas.export.sql import Writer, column_names
from rulenet.formulas.export.sql import to_sql as formula_sql
from rulenet.formulas.export.sql_dialects import dialect_called
from rulenet.formulas.expressions import Formula


def to_sql(
    decisions: Decisions, *, style: Style = "case", dialect: str = "ansi", table: str = "data", abstain: bool = False
) -> str:
    """The decisions as SQL.

    Parameters
    ----------
    decisions : Decisions
        What to write.
    style : {"case", "select"}
        ``"case"`` is a list of expressions with the names of the columns, to stand after SELECT in any query on the
        table; ``"select"`` a query on ``table`` that adds these columns.
    dialect : {"ansi", "postgresql", "sqlite", "mysql", "bigquery", "mssql"}
        As for formulas.
    table : str
        The table of ``"select"``.
    abstain : bool
        Whether a class is NULL where several classes of its column reach their need, or none does.

    Examples
    --------
    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> from rulenet.formulas.decisions import Output
    >>> age = Attribute("age", kind="numeric", cuts=(12, 18))
    >>> adult = Score(Output("adult", "yes"), 1, ((1, age.above(18)),))
    >>> print(to_sql(Decisions((adult,), {}, (age,), "y", (Goal("adult", ("yes", "no"), "adult = yes"),))))
    CASE WHEN "age" > 18 THEN 'yes' ELSE 'no' END AS "adult"
    """
    if style not in STYLES:
        raise FormulaError(f"style is {style!r}, but must be one of {', '.join(STYLES)}")
    sql = Writer(dialect_called(dialect))
    names = column_names(decisions.attributes, decisions.columns)
    written = [
        f"{_expression(decisions, goal, dialect, abstain)} AS {sql.name(names[goal.column])}"
        for goal in decisions.goals
    ]
    if style == "case":
        return ",\n".join(written)
    return "\n".join(["SELECT *,", ",\n".join(written), f"FROM {sql.name(table)}"])


def _expression(decisions: Decisions, goal: Goal, dialect: str, abstain: bool) -> str:
    part = decisions.part(goal.column)
    if isinstance(part, Formula):
        positive, negative = goal.labels
        return formula_sql(part, dialect=dialect, positive=positive, negative=negative)
    return decision_sql(part, dialect=dialect, abstain=abstain)
