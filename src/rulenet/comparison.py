"""Where two classifiers differ: as rows, and as a formula."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.exceptions import ParameterError
from rulenet.fitted import Fitted
from rulenet.formulas.contrast import contrast
from rulenet.formulas.equivalence import Row, difference
from rulenet.formulas.expressions import FALSE, Formula
from rulenet.formulas.statistics import condition_counts

#: A formula with more conditions is not printed unasked.
MAX_CONDITIONS = 60


@dataclass(frozen=True)
class Comparison:
    """Where two classifiers differ.

    Attributes
    ----------
    first, second : array
        What each predicts for every row of the table.
    rows : DataFrame
        The rows of the table on which they differ, with the columns ``first`` and ``second`` in front.
    formula : Formula
        What holds exactly where they differ, in any row whose values are known or missing.
    """

    first: NDArray[Any]
    second: NDArray[Any]
    rows: pd.DataFrame
    formula: Formula

    @property
    def agreement(self) -> float:
        """The share of rows on which they agree."""
        return 1 - len(self.rows) / max(len(self.first), 1)

    @property
    def table(self) -> pd.DataFrame:
        """How often the first says one class (down) and the second another (across)."""
        return pd.crosstab(pd.Series(self.first, name="first"), pd.Series(self.second, name="second"))

    def example(self) -> Row | None:
        """A row, of the table or not, on which they differ; None if there is none, which is then proven."""
        return difference(self.formula, Formula(FALSE, {}, self.formula.attributes))

    def __str__(self) -> str:
        said = f"they agree on {self.agreement:.1%} of {len(self.first)} rows"
        n_conditions = sum(condition_counts(self.formula).values())
        if n_conditions > MAX_CONDITIONS:
            return f"{said}; to say where they differ takes {n_conditions} conditions, see .formula"
        return f"{said}\n{self.formula}"


def compare(first: Any, second: Any, X: Any) -> Comparison:
    """Where two fitted classifiers differ on a table, and anywhere.

    Parameters
    ----------
    first, second : RuleNetworkClassifier
        Fitted to columns of the same names and kinds; cuts, values and classes may differ.
    X : table
        The rows to compare on.
    """
    for model in (first, second):
        if not isinstance(getattr(model, "fitted_", None), Fitted):
            raise ParameterError(f"{type(model).__name__} is no fitted rule network; fit both before comparing them")
    said = [np.asarray(model.predict(X)) for model in (first, second)]
    differ = said[0] != said[1]
    table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    rows = table[differ]
    answers = pd.DataFrame({"first": said[0][differ], "second": said[1][differ]}, index=rows.index)
    formula = contrast(first.fitted_.decision, second.fitted_.decision)
    return Comparison(said[0], said[1], pd.concat([answers, rows], axis=1), formula)
