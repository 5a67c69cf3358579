"""The UCI data sets of the paper's Table 3, two classes each."""

import os

import pandas as pd

from rulenet.datasets import load_uci
from rulenet.datasets.factorial import as_nominal
from rulenet.experiments.study import Table

UCI_NAMES = ("car-evaluation", "connect-4", "kr-vs-kp", "mushroom", "tic-tac-toe", "vote")
N_ROWS = 4000


def load_last_rows(name: str, data_home: str | os.PathLike[str] | None = None) -> Table:
    """The last 4000 rows, true where the class is the most frequent one of those rows; connect-4 without draws.

    These are the rows of the published runs; values that only earlier rows have are unknown. In mushroom the most
    frequent class is ``p`` there, though ``e`` is on all rows.
    """
    X, y = load_uci(name, data_home)
    if name == "connect-4":
        X, y = X[y != "draw"], y[y != "draw"]
    return as_nominal(X.tail(N_ROWS).astype(object)), is_most_frequent(y.tail(N_ROWS))


def load_all_rows(name: str, data_home: str | os.PathLike[str] | None = None) -> Table:
    """All rows, true where the class is the most frequent one; connect-4 as win against the rest."""
    X, y = load_uci(name, data_home)
    return X, is_most_frequent(y)


def is_most_frequent(y: pd.Series) -> pd.Series:
    """Where ``y`` is its most frequent label."""
    return y.eq(y.value_counts().index[0])
