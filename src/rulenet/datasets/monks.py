"""The three MONK's problems, noise-free.

S. B. Thrun et al.: The MONK's Problems: A Performance Comparison of Different Learning Algorithms.
CMU-CS-91-197, 1991.
"""

from collections.abc import Callable

import pandas as pd

from rulenet.datasets.factorial import as_nominal, complete_table
from rulenet.exceptions import ParameterError

NUMBERS = ("one", "two", "three", "four")
N_VALUES = {"a1": 3, "a2": 3, "a3": 2, "a4": 3, "a5": 4, "a6": 2}

CONCEPTS: dict[int, Callable[[pd.DataFrame], pd.Series]] = {
    1: lambda rows: (rows.a1 == rows.a2) | (rows.a5 == "one"),
    2: lambda rows: (rows == "one").sum(axis=1) == 2,
    3: lambda rows: (rows.a5 == "three") & (rows.a4 == "one") | (rows.a5 != "four") & (rows.a2 != "three"),
}


def make_monk(problem: int) -> tuple[pd.DataFrame, pd.Series]:
    """All 432 robots of MONK's problem 1, 2 or 3 and their true class, without the noise of the third.

    Returns
    -------
    X, y : DataFrame of the nominal columns a1 .. a6, Series named "class" ("0" or "1")

    Examples
    --------
    >>> X, y = make_monk(2)
    >>> X[y == "1"].iloc[0].tolist()
    ['one', 'one', 'two', 'two', 'two', 'two']
    """
    if problem not in CONCEPTS:
        raise ParameterError(f"problem is {problem!r}, but there are MONK's problems 1, 2 and 3")
    rows = complete_table({name: NUMBERS[:n] for name, n in N_VALUES.items()})
    return as_nominal(rows), CONCEPTS[problem](rows).map({False: "0", True: "1"}).rename("class")
