"""Hypothesis strategies for the tests of rulenet."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

TEXTS = ["", "a", "b", "red", "1", "é", "longer than eight"]
MISSING = [None, np.nan, pd.NA, pd.NaT]


COLUMNS = [
    ([*TEXTS, *MISSING], object),
    ([*TEXTS, True, False, 2, 2.0, 3.5, np.int64(2), np.str_("a"), (1, "a"), *MISSING], object),
    ([True, np.True_, False, None], object),
    ([*TEXTS, None], "str"),
    ([*TEXTS, None], "string[python]"),
    ([*TEXTS, None], "category"),
    ([3, 1, None], pd.CategoricalDtype([3, 2, 1])),
    (["low", "high", None], pd.CategoricalDtype(["low", "middle", "high"], ordered=True)),
    ([True, False], bool),
    ([True, False, None], "boolean"),
    ([-3, 0, 1, 2**40], "int64"),
    ([0, 1, 7], "uint8"),
    ([0, 1, None], "Int64"),
    ([0.0, -0.0, 1.0, 0.25, np.nan], "float64"),
    ([0.0, 1.0, 0.25, np.nan], "float32"),
    ([None, np.nan], object),
]


@st.composite
def tables(draw, max_rows=200, max_columns=5):
    """DataFrames of all kinds of columns, missing values included; to be learned with ``nominal="all"``."""
    n_rows = draw(st.integers(1, max_rows))
    chosen = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return pd.DataFrame(
        {
            f"c{j}": pd.Series([cells[k] for k in rng.integers(0, len(cells), n_rows)], dtype=dtype)
            for j, (cells, dtype) in enumerate([*chosen, (TEXTS, object)])
        }
    )
