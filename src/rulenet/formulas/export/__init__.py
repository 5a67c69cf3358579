"""Formulas written in other languages, one small file each."""

from collections.abc import Callable
from typing import Any

from rulenet.exceptions import FormulaError
from rulenet.formulas.export.dnf import to_rules
from rulenet.formulas.export.dot import to_dot
from rulenet.formulas.export.json import to_json
from rulenet.formulas.export.latex import to_latex
from rulenet.formulas.export.prolog import to_prolog
from rulenet.formulas.export.python import to_python
from rulenet.formulas.export.sql import to_sql
from rulenet.formulas.export.sympy import to_sympy
from rulenet.formulas.export.text import to_text
from rulenet.formulas.export.tree import to_tree
from rulenet.formulas.expressions import Formula

FORMATS: dict[str, Callable[..., Any]] = {
    "text": to_text,
    "prolog": to_prolog,
    "tree": to_tree,
    "dnf": to_rules,
    "latex": to_latex,
    "sympy": to_sympy,
    "sql": to_sql,
    "python": to_python,
    "dot": to_dot,
    "json": to_json,
}


def export(formula: Formula, format: str, **options: Any) -> str:
    """The formula as text in the language ``format``.

    Parameters
    ----------
    formula : Formula
        What to write.
    format : {"text", "prolog", "tree", "dnf", "latex", "sympy", "sql", "python", "dot", "json"}
        The language.
    **options
        What the language offers besides, for example ``style="where"`` for SQL or ``executable=True`` for Prolog.
    """
    if format not in FORMATS:
        raise FormulaError(f"format is {format!r}, but must be one of {', '.join(FORMATS)}")
    return str(FORMATS[format](formula, **options))
