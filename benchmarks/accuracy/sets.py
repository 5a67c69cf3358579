"""Data sets, and how they are divided.

The paper's protocol: two stratified folds (seed 0), accuracy is the mean of the test folds; UCI sets cut to their last
4000 rows, connect-4 without draws. The monk sets have their own train and test parts; parity uses 512 of 1024 rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import PredefinedSplit

from rulenet.datasets import ARTIFICIAL_SEEDS, load_uci, make_artificial, make_parity
from rulenet.experiments.study import Learner, Loader, Study, Table

UCI = ("car-evaluation", "connect-4", "kr-vs-kp", "mushroom", "tic-tac-toe", "vote")
MORE = ("splice", "nursery")
SEVERAL_CLASSES = ("car-evaluation", "nursery", "connect-4", "splice")
# Those of them that have more rows than the paper takes; the others are whole anyway.
CUT = ("connect-4", "mushroom")
N_LAST = 4000
N_MONK, N_MONK_TRAINING = 432, {"monk-1": 124, "monk-2": 169, "monk-3": 122}
N_LARGE_TEST = 20_000


@dataclass(frozen=True)
class Sets:
    """Data sets by name; ``splitters`` and ``folds`` for those that are not divided into two folds."""

    datasets: Mapping[str, Loader]
    splitters: Mapping[str, Any] = field(default_factory=dict)
    folds: Mapping[str, Sequence[int]] = field(default_factory=dict)
    n_splits: int = 2

    def study(self, learners: Mapping[str, Learner], n_seeds: int, measures: Mapping[str, Any]) -> Study:
        return Study(
            self.datasets,
            learners,
            seeds=range(n_seeds),
            n_splits=self.n_splits,
            splitters=self.splitters,
            folds=self.folds,
            measures=measures,
        )

    def only(self, *names: str) -> "Sets":
        return Sets({name: self.datasets[name] for name in names}, self.splitters, self.folds, self.n_splits)


def group_of(dataset: str) -> str:
    """What stands on one line of the report: artificial sets together, those that a number ends, all others alone."""
    return "artificial" if dataset.startswith("artificial ") else dataset.split(" #")[0]


def main_sets(quick: bool) -> Sets:
    parities = [f"parity {n} of 10" for n in (5, 6, 7, 8)]
    datasets: dict[str, Loader] = {
        **artificial_sets(quick).datasets,
        **{name: partial(_binary, name, N_LAST) for name in UCI},
        **{name: partial(_binary, name, None) for name in N_MONK_TRAINING},
        **{name: partial(_parity, int(name.split()[1])) for name in parities},
        **{name: partial(_binary, name, None) for name in MORE},
    }
    monks = {name: PredefinedSplit([-1] * n + [0] * N_MONK) for name, n in N_MONK_TRAINING.items()}
    return Sets(datasets, monks, dict.fromkeys(parities, (0,)))


def artificial_sets(quick: bool) -> Sets:
    seeds = ARTIFICIAL_SEEDS[:4] if quick else ARTIFICIAL_SEEDS
    return Sets({f"artificial {seed}": partial(make_artificial, seed) for seed in seeds})


def whole_sets(quick: bool) -> Sets:
    return Sets({name: partial(_binary, name, None) for name in (CUT[-1:] if quick else CUT)})


def class_sets(quick: bool) -> Sets:
    """UCI sets of several classes with all of them, the large ones cut, and all rows of some real tables."""
    datasets = {name: partial(_classes, name) for name in SEVERAL_CLASSES}
    return Sets(datasets, folds=dict.fromkeys(datasets, (0,)) if quick else {})


def vote_sets(quick: bool) -> Sets:
    datasets: dict[str, Loader] = {
        "connect-4": partial(_binary, "connect-4", N_LAST),
        "splice": partial(_binary, "splice", None),
    }
    return Sets({**datasets, **artificial_sets(quick).datasets}, folds=dict.fromkeys(datasets, (0,)) if quick else {})


def large_sets(quick: bool) -> Sets:
    """Tables of one concept and 1,000 to a million rows to learn from."""
    sizes = (1_000, 10_000) if quick else (1_000, 10_000, 100_000, 1_000_000)
    test = [0] * N_LARGE_TEST
    splitters = {f"{n:,} rows": PredefinedSplit(np.concatenate([test, np.full(n, -1)])) for n in sizes}
    return Sets({f"{n:,} rows": partial(_large, n) for n in sizes}, splitters)


def _binary(name: str, n_last: int | None) -> Table:
    X, y = load_uci(name)
    if name == "connect-4":
        X, y = X[y != "draw"], y[y != "draw"]
    if n_last is not None:
        X, y = X.iloc[-n_last:], y.iloc[-n_last:]
    positive = "unacc" if name == "car-evaluation" else y.value_counts().idxmax()
    return X.reset_index(drop=True), (y == positive).reset_index(drop=True)


def _classes(name: str) -> Table:
    X, y = load_uci(name)
    return X.iloc[-N_LAST:].reset_index(drop=True), y.iloc[-N_LAST:].reset_index(drop=True)


def _parity(n_relevant: int) -> Table:
    X, y = make_parity(10, n_relevant)
    return X, y == y.max()


def _large(n_rows: int) -> Table:
    return make_large(n_rows + N_LARGE_TEST)


def make_large(n_rows: int, n_columns: int = 30, *, noise: float = 0.02, seed: int = 0) -> Table:
    """Nominal columns of 2 to 6 values; the class is an OR of three ANDs of three ORs of two conditions.

    A share ``noise`` of all labels is wrong, those of test rows as well. As a DNF the concept has 24 rules.
    """
    rng = np.random.default_rng(seed)
    n_values = rng.integers(2, 7, n_columns)
    conditions = [rng.choice(n_columns, 2, replace=False) for _ in range(9)]
    wanted = [rng.integers(0, n_values[columns]) for columns in conditions]
    rng = np.random.default_rng((seed, n_rows))
    codes = rng.integers(0, n_values[:, np.newaxis], (n_columns, n_rows), dtype=np.int8)
    clauses = [(codes[c] == w[:, np.newaxis]).any(axis=0) for c, w in zip(conditions, wanted, strict=True)]
    y = np.any([np.all(clauses[i : i + 3], axis=0) for i in range(0, 9, 3)], axis=0)
    columns = {f"a{j}": pd.Categorical.from_codes(c, list("uvwxyz")[: n_values[j]]) for j, c in enumerate(codes)}
    return pd.DataFrame(columns, copy=False), pd.Series(y ^ (rng.random(n_rows) < noise), name="class")
