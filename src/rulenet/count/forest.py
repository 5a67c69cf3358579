"""A random forest over the literals, which may have a say in the vote: walks seldom find its long conjunctions."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.count.schedule import Schedule, Trees
from rulenet.search.budget import Budget
from rulenet.search.folds import sample_rows
from rulenet.search.problem import Problem

# Trees that grow before the time is looked at.
N_TOGETHER = 10


@dataclass(frozen=True)
class Forest:
    """Trees of scikit-learn."""

    trees: Any
    n_classes: int

    def probabilities(self, literals: bits.Words, n_rows: int) -> NDArray[np.float64]:
        """What the trees say, (n_rows, n_classes), as if one more tree could not tell."""
        shares = np.zeros((n_rows, self.n_classes))
        for rows, block in bits.blocks(literals, n_rows):
            seen = bits.table(block, rows.stop - rows.start, np.float32)
            shares[rows, self.trees.classes_] = self.trees.predict_proba(seen)
        n_trees = len(self.trees.estimators_)
        return np.asarray((n_trees * shares + 1 / self.n_classes) / (n_trees + 1))


def grow_forest(
    problem: Problem, law: Trees, schedule: Schedule, seed: int, budget: Budget, n_threads: int = 1
) -> Forest:
    """A forest for the rows of a problem, or a sample of them; with fewer trees where time is short.

    It is the same on any number of threads.
    """
    from sklearn.ensemble import RandomForestClassifier  # takes its time to load

    n_rows = min(schedule.forest_rows, schedule.forest_cells // len(problem.literals))
    seen = problem.take(sample_rows(np.arange(problem.n_rows), max(1, n_rows), seed, problem.codes))
    rows, weights, begin = bits.table(seen.literals, seen.n_rows, np.float32), seen.weights, perf_counter()
    own = weights if (weights != weights[0]).any() else None
    trees = RandomForestClassifier(warm_start=True, random_state=seed % 2**32, n_jobs=n_threads)
    for n_trees in range(N_TOGETHER, law.n_trees + 1, N_TOGETHER):
        trees.set_params(n_estimators=n_trees).fit(rows, seen.codes, sample_weight=own)
        is_late = budget.seconds is not None and perf_counter() - begin > budget.seconds
        if budget.stop[0] or is_late:
            break
    return Forest(trees.set_params(n_jobs=1), problem.n_classes)  # threads would add what trees say in any order
