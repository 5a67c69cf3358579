"""Formulas written in other languages, one small file each."""

from typing import Any

from rulenet.formulas.export.dnf import to_rules
from rulenet.formulas.export.dot import to_dot
from rulenet.formulas.export.excel import to_excel
from rulenet.formulas.export.format import Format, written
from rulenet.formulas.export.javascript import to_javascript
from rulenet.formulas.export.json import to_json
from rulenet.formulas.export.latex import to_latex
from rulenet.formulas.export.onnx import to_onnx
from rulenet.formulas.export.prolog import to_prolog
from rulenet.formulas.export.python import to_python
from rulenet.formulas.export.sql import to_sql
from rulenet.formulas.export.sympy import to_sympy
from rulenet.formulas.export.text import to_text
from rulenet.formulas.export.tree import to_tree
from rulenet.formulas.expressions import Formula

FORMATS: dict[str, Format] = {
    "text": Format(to_text, "words for people"),
    "prolog": Format(to_prolog, "the paper's notation, or a program for SWI-Prolog", runs=True),
    "tree": Format(to_tree, "an indented tree"),
    "dnf": Format(to_rules, "flat rules, one a line", concepts=False),
    "latex": Format(to_latex, "aligned formulas for papers"),
    "sympy": Format(to_sympy, "an expression for algebra", missing=False, concepts=False),
    "sql": Format(to_sql, "a CASE expression, a condition, or a query with a column for every concept", runs=True),
    "python": Format(to_python, "a function that needs nothing else", runs=True),
    "javascript": Format(to_javascript, "a function that needs nothing else, for browsers and Node", runs=True),
    "onnx": Format(to_onnx, "a model for any ONNX runtime, as bytes", runs=True, binary=True),
    "excel": Format(to_excel, "a formula for a spreadsheet, or several for helper cells", runs=True),
    "dot": Format(to_dot, "a drawing by Graphviz"),
    "json": Format(to_json, "data, there and back"),
}


def export(formula: Formula, format: str, **options: Any) -> Any:
    """The formula in the language ``format``, as text (ONNX: as bytes).

    Parameters
    ----------
    formula : Formula
        What to write.
    format : str
        The language, one of `FORMATS`: "text", "prolog", "tree", "dnf", "latex", "sympy", "sql", "python",
        "javascript", "onnx", "excel", "dot" or "json".
    **options
        What the language offers besides, for example ``style="where"`` for SQL or ``executable=True`` for Prolog;
        ``FORMATS[format].options`` names them all.
    """
    return written(FORMATS, formula, format, options)
