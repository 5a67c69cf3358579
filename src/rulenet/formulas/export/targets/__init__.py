"""Decisions about several columns written in other languages, one small file each."""

from typing import Any

from rulenet.exceptions import FormulaError
from rulenet.formulas.decisions import Decisions
from rulenet.formulas.export import FORMATS
from rulenet.formulas.export.decisions import DECISION_FORMATS
from rulenet.formulas.export.decisions.dot import to_dot
from rulenet.formulas.export.decisions.tree import to_tree
from rulenet.formulas.export.format import Format, written
from rulenet.formulas.export.targets.javascript import to_javascript
from rulenet.formulas.export.targets.json import to_json
from rulenet.formulas.export.targets.python import to_python
from rulenet.formulas.export.targets.sql import to_sql
from rulenet.formulas.export.targets.text import to_text

TARGET_FORMATS: dict[str, Format] = {
    "text": Format(to_text, "words for people"),
    "tree": Format(to_tree, "an indented tree for every output"),
    "sql": Format(to_sql, "an expression a column, or a query", runs=True),
    "python": Format(to_python, "functions that need nothing else", runs=True),
    "javascript": Format(to_javascript, "functions that need nothing else, for browsers and Node", runs=True),
    "dot": Format(to_dot, "a drawing by Graphviz"),
    "json": Format(to_json, "data, there and back"),
}


def export_decisions(decisions: Decisions, format: str, **options: Any) -> str:
    """The decisions as text in the language ``format``; what runs says of every row what ``decide`` says.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> from rulenet.formulas.decisions import Goal, Output
    >>> age = Attribute("age", kind="numeric", cuts=(12, 18))
    >>> adult = Score(Output("adult", True), 1, ((1, age.above(18)),))
    >>> said = Decisions((adult,), {}, (age,), "y", (Goal("adult", (True, False), "adult"),))
    >>> scope = {}
    >>> exec(export_decisions(said, "python"), scope)
    >>> scope["predict"]({"age": 30})
    {'adult': True}
    """
    if format in {*FORMATS, *DECISION_FORMATS} - {*TARGET_FORMATS}:
        raise FormulaError(f"{format} speaks of one column; export decisions.part(column) instead")
    return str(written(TARGET_FORMATS, decisions, format, options))
