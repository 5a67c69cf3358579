"""Sums of points for single conditions, which may have a say in the vote: walks leave out what tells only a little.

They are ridge estimates, one class against the rest: S. le Cessie and J. van Houwelingen, "Ridge Estimators in Logistic
Regression", Applied Statistics 41(1), 1992. Conditions of a column of numbers hold one after the other, so that many
small points draw a smooth curve.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.count.schedule import Ridge, Schedule
from rulenet.search.budget import Budget
from rulenet.search.folds import sample_rows
from rulenet.search.problem import Problem

# Points are multiples of this: sums of them are exact, whatever the order in which they are added.
STEP = 2.0**-20
# Where sums begin is as free as if a condition that always holds counted so many times.
FREE = 10.0
# How near to the best points is near enough, and the Newton steps that this may take: a dozen do.
NEAR, MOST_STEPS = 0.01, 1_000


@dataclass(frozen=True)
class Additive:
    """The ``points`` of every literal for each output, (n_outputs, n_literals), and where the sums begin."""

    points: NDArray[np.float64]
    begin: NDArray[np.float64]

    def probabilities(self, literals: bits.Words, n_rows: int) -> NDArray[np.float64]:
        """What the sums say, (n_rows, n_classes); of several classes as if each were asked alone."""
        sums = np.empty((n_rows, len(self.begin)))
        for rows, block in bits.blocks(literals, n_rows):
            sums[rows] = bits.table(block, rows.stop - rows.start, np.float64) @ self.points.T + self.begin
        found = 1 / (1 + np.exp(-sums))
        if len(self.begin) == 1:
            return np.column_stack([1 - found, found])
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def fit_additive(problem: Problem, law: Ridge, schedule: Schedule, seed: int, budget: Budget) -> Additive:
    """The sums that are most likely for the rows of a problem, or a sample of them, where points near zero are."""
    classes = [1] if problem.n_classes == 2 else range(problem.n_classes)
    n_cells = schedule.ridge_cells
    if budget.seconds is not None:
        n_cells = min(n_cells, int(schedule.cells_a_second * budget.seconds) // len(classes))
    n_rows = max(1, min(schedule.ridge_rows, n_cells // len(problem.literals)))
    seen = problem.take(sample_rows(np.arange(problem.n_rows), n_rows, seed, problem.codes))
    rows, weights = bits.table(seen.literals, seen.n_rows, np.float64), seen.weights / problem.row_weight
    fitted = np.array([_fit_one(rows, seen.codes == k, weights, law, budget) for k in classes])
    exact = np.rint(fitted / STEP) * STEP
    return Additive(exact[:, :-1], exact[:, -1])


def _fit_one(
    rows: NDArray[np.float64], holds: NDArray[np.bool_], weights: NDArray[np.float64], law: Ridge, budget: Budget
) -> NDArray[np.float64]:
    """The points of every literal, and where the sum begins; no points where an interrupt came."""
    from sklearn.linear_model import LogisticRegression  # takes its time to load

    for_it, against = float(weights[holds].sum()), float(weights[~holds].sum())
    if not for_it or not against or budget.stop[0]:
        return np.append(np.zeros(rows.shape[1]), np.log((for_it + 1) / (against + 1)))
    # On one thread and without chance: the same points wherever they are found.
    ridge = LogisticRegression(
        C=law.variance, solver="liblinear", intercept_scaling=FREE, tol=NEAR, max_iter=MOST_STEPS
    )
    ridge.fit(rows, holds, sample_weight=weights)
    return np.append(ridge.coef_[0], ridge.intercept_)
