"""Complete tables: every combination of the attributes' values exactly once."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import product
from string import ascii_lowercase

import pandas as pd


def complete_table(attributes: Mapping[str, Sequence[Hashable]]) -> pd.DataFrame:
    """Every combination of ``attributes`` once, in counting order, the last attribute fastest.

    >>> complete_table({"a": [False, True], "b": [False, True]}).astype(int).to_numpy().tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return pd.DataFrame(list(product(*attributes.values())), columns=list(attributes))


def truth_table(n_attributes: int) -> pd.DataFrame:
    """All rows of ``n_attributes`` Boolean attributes, False before True; named a, b, c, ... up to 26 of them."""
    names = list(ascii_lowercase) if n_attributes <= len(ascii_lowercase) else [f"x{i}" for i in range(n_attributes)]
    return complete_table({name: (False, True) for name in names[:n_attributes]})


def as_nominal(table: pd.DataFrame) -> pd.DataFrame:
    """``table`` with every column categorical; the categories, in sorted order, are those of the whole table.

    A fold that lacks a value still knows of it, so encodings do not depend on the split.

    >>> as_nominal(pd.DataFrame({"size": ["s", "m"]})).iloc[:1]["size"].cat.categories.tolist()
    ['m', 's']
    """
    return pd.DataFrame({name: pd.Categorical(column) for name, column in table.items()}, index=table.index)
