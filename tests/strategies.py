"""Hypothesis strategies for the tests of rulenet."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from rulenet import Network, bits
from rulenet.training.problem import Problem, slice_weights

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


@st.composite
def networks(draw, n_literals=None, max_hidden=4):
    """Networks of any depth and density, both first gates."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hidden = draw(st.lists(st.integers(1, 6), max_size=max_hidden))
    sizes = [n_literals or draw(st.integers(1, 12)), *hidden, 1]
    density = draw(st.sampled_from([0.1, 0.3, 0.6, 1.0]))
    weights = [rng.random((n, m)) < density for m, n in pairwise(sizes)]
    return Network(weights, draw(st.sampled_from(["and", "or"])))


@st.composite
def rows_for(draw):
    """A function that gives Boolean rows for a number of literals."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(1, 200))
    return lambda n_literals: rng.random((n_rows, n_literals)) < 0.6


@dataclass(frozen=True)
class Case:
    """A network on a problem, and the problem unpacked as the reference takes it: groups, rows, target, weights."""

    network: Network
    problem: Problem
    plain: tuple

    @classmethod
    def of(cls, network, groups, rows, target, weights):
        packed = bits.pack(np.ascontiguousarray(rows.T))
        problem = Problem(packed, bits.pack(target), slice_weights(weights), groups, len(rows))
        return cls(network, problem, (groups, rows, target, weights))


@st.composite
def problems(draw, max_rows=300):
    """Cases with nominal attributes, missing values, "!=" literals and weights; 1 to ``max_rows`` rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    n_rows = draw(st.integers(1, max_rows))
    columns, groups = [], []
    for a, n in enumerate(n_values):
        value = rng.integers(-1, n, n_rows)  # -1 is missing
        columns += [value == v for v in range(n)]
        groups += [a] * n
        if draw(st.booleans()):
            columns += [(value != v) & (value >= 0) for v in range(n)]
            groups += [-1] * n
    network = draw(networks(n_literals=len(groups)))
    most = draw(st.sampled_from([1, 1, 2, 9]))
    weights = rng.integers(0 if most > 1 else 1, most + 1, n_rows)
    weights[0] = max(weights[0], 1)
    rows, target = np.column_stack(columns), rng.random(n_rows) < 0.5
    return Case.of(network, np.array(groups), rows, target, weights)
