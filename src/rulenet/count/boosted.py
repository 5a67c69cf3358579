"""Boosted trees over the literals, which may have a say in the vote: they mend step by step what walks do not find.

J. Friedman, "Stochastic Gradient Boosting", Computational Statistics and Data Analysis 38(4), 2002.
"""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.count.schedule import Boosting, Schedule
from rulenet.search.budget import Budget
from rulenet.search.folds import sample_rows
from rulenet.search.problem import Problem


@dataclass(frozen=True)
class Boosted:
    """Trees of scikit-learn; None where all rows are of one class, whose ``shares`` say all there is to say."""

    trees: Any
    shares: NDArray[np.float64]

    def probabilities(self, literals: bits.Words, n_rows: int) -> NDArray[np.float64]:
        """What the trees say, (n_rows, n_classes)."""
        found = np.tile(self.shares, (n_rows, 1))
        for rows, block in bits.blocks(literals, n_rows) if self.trees is not None else ():
            found[rows] = self.trees.predict_proba(bits.table(block, rows.stop - rows.start, np.float32))
        return found


def boost_trees(problem: Problem, law: Boosting, schedule: Schedule, seed: int, budget: Budget) -> Boosted:
    """Trees for the rows of a problem of two classes, or a sample of them; fewer where time is short."""
    from sklearn.ensemble import GradientBoostingClassifier  # takes its time to load

    n_rows = min(schedule.boosted_rows, schedule.boosted_cells // len(problem.literals))
    seen = problem.take(sample_rows(np.arange(problem.n_rows), max(1, n_rows), seed, problem.codes))
    totals = np.bincount(seen.codes, seen.weights, problem.n_classes)
    shares = (totals / problem.row_weight + 1) / (totals.sum() / problem.row_weight + problem.n_classes)
    if np.count_nonzero(totals) < problem.n_classes:
        return Boosted(None, shares)
    begin = perf_counter()

    def is_over(*_: object) -> bool:
        return bool(budget.stop[0]) or (budget.seconds is not None and perf_counter() - begin > budget.seconds)

    trees = GradientBoostingClassifier(
        n_estimators=law.n_trees,
        max_depth=law.depth,
        max_features=law.features,
        min_samples_leaf=law.least_rows,
        subsample=law.rows,
        random_state=seed % 2**32,
    )
    trees.fit(
        bits.table(seen.literals, seen.n_rows, np.float32),
        seen.codes,
        sample_weight=seen.weights / problem.row_weight,
        monitor=is_over,
    )
    return Boosted(trees, shares)
