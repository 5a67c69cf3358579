"""Generated tables with concepts of five kinds, in three of which conditions are counted.

Labels are wrong in rows to learn from only, so that accuracy on test rows tells how much of the concept was found.
Every table has a concept of its own: tables are independent of each other.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import PredefinedSplit

from benchmarks.accuracy.sets import Sets
from rulenet.experiments.study import Table

N_COLUMNS, N_TRAINING, N_TEST = 12, 400, 1_000
#: Percent of wrong labels.
NOISE = (0, 5, 15)
# Shares of positive rows between which a concept is taken.
LEAST, MOST = 0.3, 0.7
MOST_POINTS = 5

Truth = NDArray[np.bool_]
#: The labels of rows by a new concept on their columns.
Concept = Callable[[np.random.Generator, NDArray[np.int64]], Truth]


def concept_sets(n_tables: int, quick: bool) -> Sets:
    """So many tables of every kind and share of wrong labels; a run that is stopped has some of each."""
    kinds, n_training = (("DNF", "M-of-N"), 100) if quick else (tuple(CONCEPTS), N_TRAINING)
    datasets = {
        f"{kind}, {percent}% wrong #{i}": partial(make_concept, kind, percent, i * len(NOISE) + j, n_training)
        for i in range(1 if quick else n_tables)
        for kind in kinds
        for j, percent in enumerate(NOISE)
        if not quick or percent == NOISE[1]
    }
    return Sets(datasets, dict.fromkeys(datasets, PredefinedSplit([-1] * n_training + [0] * N_TEST)))


def make_concept(kind: str, percent: int, seed: int, n_training: int = N_TRAINING) -> Table:
    """Nominal columns of 2 to 4 values; of the first ``n_training`` labels, ``percent`` in a hundred are wrong."""
    rng = np.random.default_rng((list(CONCEPTS).index(kind), seed))
    codes, y = _balanced(rng, CONCEPTS[kind], n_training + N_TEST)
    wrong = rng.choice(n_training, round(n_training * percent / 100), replace=False)
    y[wrong] = ~y[wrong]
    columns = {f"a{j}": pd.Categorical.from_codes(column, list("uvwx")) for j, column in enumerate(codes.T)}
    return pd.DataFrame(columns), pd.Series(y, name="class")


def _balanced(rng: np.random.Generator, concept: Concept, n_rows: int) -> tuple[NDArray[np.int64], Truth]:
    """Rows and labels of the first concept drawn that is neither rare nor common."""
    while True:
        codes = rng.integers(0, rng.integers(2, 5, N_COLUMNS), (n_rows, N_COLUMNS))
        y = concept(rng, codes)
        if LEAST <= y.mean() <= MOST:
            return codes, y


def _conditions(rng: np.random.Generator, codes: NDArray[np.int64], n: int) -> Truth:
    """Where conditions on ``n`` columns hold, a column each: that it has a value, or that it has not."""
    columns = rng.choice(codes.shape[1], n, replace=False)
    wanted = rng.integers(0, codes[:, columns].max(axis=0) + 1)
    return np.asarray((codes[:, columns] == wanted) ^ rng.integers(0, 2, n).astype(np.bool_))


def dnf(rng: np.random.Generator, codes: NDArray[np.int64]) -> Truth:
    """An OR of four ANDs of three conditions."""
    return np.any([_conditions(rng, codes, 3).all(axis=1) for _ in range(4)], axis=0)


def deep(rng: np.random.Generator, codes: NDArray[np.int64]) -> Truth:
    """An OR of two ANDs of three ORs of two conditions: 12 of them, 48 in its DNF and 36 in its CNF."""
    ors = _conditions(rng, codes, 12).reshape(-1, 2, 3, 2).any(axis=3)
    return np.asarray(ors.all(axis=2).any(axis=1))


def m_of_n(rng: np.random.Generator, codes: NDArray[np.int64]) -> Truth:
    """At least so many of seven conditions that about half of the rows are positive."""
    return _upper_half(_conditions(rng, codes, 7).sum(axis=1))


def weighted_sum(rng: np.random.Generator, codes: NDArray[np.int64]) -> Truth:
    """Eight conditions, each worth 1 to 5 points; as many points as about half of the rows have."""
    return _upper_half(_conditions(rng, codes, 8) @ rng.integers(1, MOST_POINTS + 1, 8))


def deep_m_of_n(rng: np.random.Generator, codes: NDArray[np.int64]) -> Truth:
    """An OR of two ANDs of two that hold where at least two of three conditions do: counting below depth."""
    counts = _conditions(rng, codes, 12).reshape(-1, 2, 2, 3).sum(axis=3)
    return np.asarray((counts >= 2).all(axis=2).any(axis=1))


def _upper_half(points: NDArray[np.int64]) -> Truth:
    """Rows with as many points as a need that divides them best."""
    needs = np.unique(points)
    shares = (points[:, np.newaxis] >= needs).mean(axis=0)
    return np.asarray(points >= needs[np.abs(shares - 0.5).argmin()])


CONCEPTS: Mapping[str, Concept] = {
    "DNF": dnf,
    "deep": deep,
    "M-of-N": m_of_n,
    "weighted sum": weighted_sum,
    "deep M-of-N": deep_m_of_n,
}
