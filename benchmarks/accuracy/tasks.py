"""What is learned: rows to learn from and rows to judge by.

The paper's protocol: two stratified folds (seed 0), accuracy is the mean of the test folds; UCI sets cut to their last
4000 rows, connect-4 without draws. The monk sets have their own train and test parts; parity uses 512 of 1024 rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from rulenet.datasets import ARTIFICIAL_SEEDS, load_uci, make_artificial, make_parity

UCI = ("car-evaluation", "connect-4", "kr-vs-kp", "mushroom", "tic-tac-toe", "vote")
MORE = ("splice", "nursery")
# Those of them that have more rows than the paper takes; the others are whole anyway.
CUT = ("connect-4", "mushroom")
N_LAST = 4000
N_MONK_TRAINING = {"monk-1": 124, "monk-2": 169, "monk-3": 122}
N_FOLDS = 2


@dataclass(frozen=True)
class Data:
    """A table with its labels, and which rows are for what."""

    X: pd.DataFrame
    y: NDArray[np.bool_]
    train: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """One fold of a set, read when it is needed; sets of one ``group`` are averaged."""

    group: str
    name: str
    fold: int
    load: Callable[[], Data]
    with_peers: bool = True


def main_tasks(quick: bool) -> Iterator[Task]:
    yield from artificial_tasks(quick)
    for name in UCI:
        yield from _two_folds(name, partial(_binary, name, N_LAST))
    for name in N_MONK_TRAINING:
        yield Task(name, name, 0, partial(_monk, name))
    for n_relevant in (5, 6, 7, 8):
        yield from list(_two_folds(f"parity {n_relevant} of 10", partial(_parity, n_relevant)))[:1]
    for name in MORE:
        yield from _two_folds(name, partial(_binary, name, None))


def artificial_tasks(quick: bool) -> Iterator[Task]:
    for seed in ARTIFICIAL_SEEDS[:4] if quick else ARTIFICIAL_SEEDS:
        yield from _two_folds(f"artificial {seed}", partial(make_artificial, seed), "artificial")


def whole_tasks(quick: bool) -> Iterator[Task]:
    for name in CUT[-1:] if quick else CUT:
        yield from _two_folds(name, partial(_binary, name, None))


def vote_tasks(quick: bool) -> Iterator[Task]:
    for name, n_last in (("connect-4", N_LAST), ("splice", None)):
        yield from list(_two_folds(name, partial(_binary, name, n_last)))[: 1 if quick else N_FOLDS]


def large_tasks(quick: bool) -> Iterator[Task]:
    """Tables of one concept and 1,000 to a million rows; the peers learn from one of them."""
    compared = 10_000 if quick else 100_000
    for n_rows in (1_000, 10_000) if quick else (1_000, 10_000, 100_000, 1_000_000):
        name = f"{n_rows:,} rows"
        yield Task(name, name, 0, partial(_large, n_rows), with_peers=n_rows == compared)


def _two_folds(name: str, read: Callable[[], tuple[Any, Any]], group: str | None = None) -> Iterator[Task]:
    for fold in range(N_FOLDS):
        yield Task(group or name, name, fold, partial(_fold, read, fold))


def _fold(read: Callable[[], tuple[Any, Any]], fold: int) -> Data:
    X, y = read()
    y = np.asarray(y)
    folds = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y))
    return Data(X, y, *folds[fold])


def _binary(name: str, n_last: int | None) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    X, y = load_uci(name)
    if name == "connect-4":
        X, y = X[y != "draw"], y[y != "draw"]
    if n_last is not None:
        X, y = X.iloc[-n_last:], y.iloc[-n_last:]
    X = X.reset_index(drop=True)
    return X, (y == "unacc").to_numpy() if name == "car-evaluation" else _most_frequent(y)


def _most_frequent(y: pd.Series) -> NDArray[np.bool_]:
    return (y == y.value_counts().idxmax()).to_numpy()


def _monk(name: str) -> Data:
    X, y = load_uci(name)
    n_training = N_MONK_TRAINING[name]
    return Data(X, _most_frequent(y), np.arange(n_training), np.arange(n_training, len(y)))


def _parity(n_relevant: int) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    X, y = make_parity(10, n_relevant)
    return X, np.asarray(y) == y.max()


def _large(n_rows: int, n_test: int = 20_000) -> Data:
    X, y = make_large(n_rows + n_test)
    return Data(X, y, np.arange(n_test, n_test + n_rows), np.arange(n_test))


def make_large(
    n_rows: int, n_columns: int = 30, *, noise: float = 0.02, seed: int = 0
) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
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
    return pd.DataFrame(columns, copy=False), y ^ (rng.random(n_rows) < noise)
