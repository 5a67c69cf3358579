"""Seeded tables for the benchmarks; frozen, so that figures of different days compare."""

from typing import Literal

import numpy as np
import pandas as pd

Storage = Literal["object", "object, own strings", "str", "category"]


def make_nominal_frame(
    n_rows: int,
    n_columns: int = 40,
    *,
    storage: Storage = "object",
    max_values: int = 10,
    missing: float = 0.01,
    seed: int = 0,
) -> pd.DataFrame:
    """Text columns with 2 to ``max_values`` values each.

    ``object`` shares one string object among equal cells, as ``read_csv`` does; ``object, own strings`` has a new one
    in every cell, as ``astype(str)`` makes them.
    """
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {f"attribute_{j}": _column(rng, n_rows, j, storage, max_values, missing) for j in range(n_columns)}, copy=False
    )


def _column(
    rng: np.random.Generator, n_rows: int, j: int, storage: Storage, max_values: int, missing: float
) -> "pd.Series[str]":
    n_values = int(rng.integers(2, max_values + 1))
    codes = rng.integers(0, n_values, n_rows)
    codes[rng.random(n_rows) < missing] = -1
    values = [f"value_{v}_of_{j}" for v in range(n_values)]
    if storage == "category":
        return pd.Series(pd.Categorical.from_codes(codes, values))
    cells = np.array([*values, None], dtype=object)[codes]
    if storage == "object, own strings":
        cells = np.array([None if cell is None else (cell + " ")[:-1] for cell in cells], dtype=object)
    return pd.Series(cells, dtype="str" if storage == "str" else object)
