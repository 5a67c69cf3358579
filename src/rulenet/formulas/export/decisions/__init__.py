"""Decisions among several classes written in other languages, one small file each."""

from typing import Any

from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision
from rulenet.formulas.export.decisions.dot import to_dot
from rulenet.formulas.export.decisions.excel import to_excel
from rulenet.formulas.export.decisions.javascript import to_javascript
from rulenet.formulas.export.decisions.json import to_json
from rulenet.formulas.export.decisions.latex import to_latex
from rulenet.formulas.export.decisions.onnx import to_onnx
from rulenet.formulas.export.decisions.prolog import to_prolog
from rulenet.formulas.export.decisions.python import to_python
from rulenet.formulas.export.decisions.sql import to_sql
from rulenet.formulas.export.decisions.text import to_text
from rulenet.formulas.export.decisions.tree import to_tree
from rulenet.formulas.export.format import Format, written

DECISION_FORMATS: dict[str, Format] = {
    "text": Format(to_text, "words for people"),
    "prolog": Format(to_prolog, "scores as facts, or a program for SWI-Prolog", runs=True),
    "tree": Format(to_tree, "an indented tree for every class"),
    "latex": Format(to_latex, "aligned sums for papers"),
    "sql": Format(to_sql, "an expression whose value is the class, or a query with all margins", runs=True),
    "python": Format(to_python, "functions that need nothing else", runs=True),
    "javascript": Format(to_javascript, "functions that need nothing else, for browsers and Node", runs=True),
    "onnx": Format(to_onnx, "a model for any ONNX runtime, as bytes", runs=True, binary=True),
    "excel": Format(to_excel, "a formula for a spreadsheet, or several for helper cells", runs=True),
    "dot": Format(to_dot, "a drawing by Graphviz"),
    "json": Format(to_json, "data, there and back"),
}
FLAT = ("dnf", "sympy")


def export_decision(decision: Decision, format: str, **options: Any) -> Any:
    """The decision in the language ``format``, as text (ONNX: as bytes).

    Parameters
    ----------
    decision : Decision
        What to write.
    format : {"text", "prolog", "tree", "latex", "sql", "python", "javascript", "onnx", "excel", "dot", "json"}
        The language. What runs gives every row the class that ``decide`` gives it.
    **options
        What the language offers besides, for example ``style="select"`` for SQL; ``DECISION_FORMATS[format].options``
        names them all.

    Examples
    --------
    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> age = Attribute("age", kind="numeric", cuts=(12, 18))
    >>> adult, child = Score("adult", 1, ((1, age.above(18)),)), Score("child", 1, ((1, age.at_most(12)),))
    >>> scope = {}
    >>> exec(export_decision(Decision((adult, child), {}, (age,)), "python"), scope)
    >>> scope["predict"]({"age": 9}), scope["predict"]({"age": 15})
    ('child', 'adult')
    """
    if format in FLAT:
        raise FormulaError(f"{format} cannot say which of several classes wins; export decision.formula(label) instead")
    return written(DECISION_FORMATS, decision, format, options)
