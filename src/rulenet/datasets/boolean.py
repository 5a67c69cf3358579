"""Boolean functions that are hard for greedy learners: parity and the multiplexer."""

import pandas as pd

from rulenet.datasets.factorial import truth_table
from rulenet.exceptions import ParameterError


def make_parity(n_attributes: int = 10, n_relevant: int | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """All rows of ``n_attributes`` Booleans; the class is true where an odd number of the relevant ones is.

    Parameters
    ----------
    n_attributes : int
        How many attributes the table has, 1 to 20.
    n_relevant : int, optional
        How many of them, from the first, count; all by default.

    Returns
    -------
    X, y : DataFrame of Boolean columns, Boolean Series named "class"

    Examples
    --------
    >>> X, y = make_parity(2)
    >>> X.assign(odd=y).astype(int).to_numpy().tolist()
    [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    n_relevant = n_attributes if n_relevant is None else n_relevant
    if not 1 <= n_attributes <= 20:
        raise ParameterError(f"n_attributes is {n_attributes}, but 1 to 20 are generated")
    if not 1 <= n_relevant <= n_attributes:
        raise ParameterError(f"n_relevant is {n_relevant}, but must be 1 to n_attributes = {n_attributes}")
    X = truth_table(n_attributes)
    return X, (X.iloc[:, :n_relevant].sum(axis=1) % 2 == 1).rename("class")


def make_multiplexer(n_address: int = 3) -> tuple[pd.DataFrame, pd.Series]:
    """All rows of ``n_address`` address bits and 2**n_address data bits; the class is the bit addressed.

    Parameters
    ----------
    n_address : int
        1 to 4: 3, 6, 11 or 20 attributes; 8, 64, 2048 or 1048576 rows.

    Returns
    -------
    X, y : DataFrame of Boolean columns a0, a1, ..., d0, d1, ..., Boolean Series named "class"

    Examples
    --------
    >>> X, y = make_multiplexer(1)
    >>> X[y].astype(int).to_numpy().tolist()
    [[0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    """
    if not 1 <= n_address <= 4:
        raise ParameterError(f"n_address is {n_address}, but 1 to 4 are generated")
    n_data = 2**n_address
    X = truth_table(n_address + n_data)
    X.columns = pd.Index([f"a{i}" for i in range(n_address)] + [f"d{i}" for i in range(n_data)])
    table = X.to_numpy()
    address = table[:, :n_address] @ (1 << (n_address - 1 - pd.RangeIndex(n_address).to_numpy()))
    return X, pd.Series(table[range(len(X)), n_address + address], name="class")
