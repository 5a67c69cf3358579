"""A formula that counts, as a score card: points for what holds, and a threshold.

B. Ustun and C. Rudin, "Supersparse linear integer models for optimized medical scoring systems", Machine Learning 102,
2016.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision, Score
from rulenet.formulas.export.steps import steps_of
from rulenet.formulas.export.text import step_words
from rulenet.formulas.expressions import And, AtLeast, Expression, Formula, Or
from rulenet.formulas.truth import Codes, truth_of, truths
from rulenet.later import Later

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = Later("pandas")


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """Points for every part that holds; the target holds from a threshold on.

    Attributes
    ----------
    formula : Formula
        What the card says; of a class of a decision, the concepts and all that is counted for any class.
    points : dict from expression to int
        The parts, those with the most points first.
    threshold : int
        The points that the target needs.

    Examples
    --------
    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.truth import encode
    >>> age, smokes = Attribute("age", kind="numeric", cuts=(60,)), Attribute("smokes", ("no", "yes"))
    >>> formula = Formula(AtLeast(2, (age.above(60), age.above(60), smokes.equal("yes"))), {}, (age, smokes), "ill")
    >>> card = ScoreCard.of(formula)
    >>> print(card)
    ill from 2 points on
        2 points if age > 60
        1 point  if smokes = yes
    >>> rows = encode(formula.attributes, [{"age": 70, "smokes": "no"}, {"age": 50, "smokes": "yes"}])
    >>> card.table(rows, np.array([True, False])).values.tolist()
    [[0, 0, 0, nan, False], [1, 1, 0, 0.0, False], [2, 1, 1, 1.0, True], [3, 0, 0, nan, True]]
    """

    formula: Formula
    points: dict[Expression, int]
    threshold: int

    @classmethod
    def of(cls, formula: Formula | Decision, label: Hashable = None) -> ScoreCard:
        """The card of a formula whose target is a count, an AND or an OR, or of the class ``label`` of a decision."""
        if isinstance(formula, Decision):
            score, parts = formula.score(label), formula.as_formula()
            parts = Formula(parts.output, parts.concepts, parts.attributes, formula.name(label))
            return cls(parts, {part: n for n, part in score.parts}, score.need)
        if not isinstance(formula.output, And | Or | AtLeast):
            raise FormulaError(f"{formula.target!r} has no parts to count; it must be an AND, an OR or an AT LEAST")
        score = Score.of_formula(formula)
        return cls(formula, {part: n for n, part in score.parts}, score.need)

    def scores(self, rows: Codes) -> NDArray[np.int64]:
        """The points of every row."""
        known, total = truths(self.formula, rows), np.zeros(len(rows), dtype=np.int64)
        for part, n in self.points.items():
            total += n * truth_of(part, rows, known).true
        return total

    def table(self, rows: Codes, positive: NDArray[np.bool_]) -> pd.DataFrame:
        """For every score that there may be: how many rows reach it, how many of these are positive, their share."""
        scores, highest = self.scores(rows), sum(self.points.values())
        n_rows = np.bincount(scores, minlength=highest + 1)
        n_positive = np.bincount(scores[positive], minlength=highest + 1)
        share = n_positive / np.where(n_rows > 0, n_rows, np.nan)
        said = np.arange(highest + 1) >= self.threshold
        columns = {"score": np.arange(highest + 1), "rows": n_rows, "positive": n_positive, "share": share}
        return pd.DataFrame(columns | {"holds": said})

    def text(self, rows: Codes | None = None, positive: NDArray[np.bool_] | None = None) -> str:
        """The card for people, with the share of positives at each score if rows are given."""
        lines = [f"{self.formula.target} from {self.threshold} {_word(self.threshold)} on"]
        found = steps_of([(n, part) for part, n in self.points.items()])
        width = max((len(str(steps[0][0])) for steps in found), default=1)
        for steps in found:
            n, said = steps[0][0], step_words(steps).partition(" ")[2]
            lines.append(f"    {n:{width}} {_word(n):6} {said}")
        if rows is not None and positive is not None:
            lines += ["", *self.table(rows, positive).to_string(index=False).splitlines()]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def _word(n: int) -> str:
    return "point" if n == 1 else "points"
