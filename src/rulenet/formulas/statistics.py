"""How every rule and concept does on a data set."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import Formula, Or
from rulenet.formulas.truth import Codes, truth_of, truths


def rule_statistics(formula: Formula, rows: Codes, positive: NDArray[np.bool_]) -> pd.DataFrame:
    """One line for every rule of the target, for every concept and for the target itself.

    Columns are ``kind``, ``name``, ``meaning``, ``coverage`` (rows in which it holds), ``support`` (positive ones among
    them) and ``precision`` (their share, NaN where nothing is covered).

    >>> from rulenet.formulas.truth import encode
    >>> from rulenet.literals import Attribute, Literal
    >>> a = Attribute("a", (0, 1))
    >>> rows = encode([a], [{"a": 1}, {"a": 1}, {"a": 0}])
    >>> table = rule_statistics(Formula(Literal(a, 1), {}, (a,)), rows, np.array([True, False, False]))
    >>> table[["name", "coverage", "support", "precision"]].values.tolist()
    [['rule 1', 2, 1, 0.5], ['positive', 2, 1, 0.5]]
    """
    known = truths(formula, rows)
    rules = formula.output.parts if isinstance(formula.output, Or) else (formula.output,)
    lines = [("rule", f"rule {k}", words(r), truth_of(r, rows, known).true) for k, r in enumerate(rules, start=1)]
    for name, meaning in formula.definitions:
        kind = "target" if name == formula.target else "concept"
        lines.append((kind, name, words(meaning), known[name].true))
    table = pd.DataFrame(
        [(kind, name, text, int(held.sum()), int((held & positive).sum())) for kind, name, text, held in lines],
        columns=["kind", "name", "meaning", "coverage", "support"],
    )
    table["precision"] = table["support"] / table["coverage"].replace(0, np.nan)
    return table
