"""Hypothesis strategies for the tests of rulenet."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from rulenet import Network, bits
from rulenet.relations import Relations
from rulenet.search.problem import Problem
from rulenet.search.weights import slice_weights

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

DATES = pd.to_datetime(["1969-12-31", "2024-02-29", "2024-03-01", None])
MEASURED = [
    ([-np.inf, -1.5, 0.1, 0.25, 7e9, np.inf, np.nan], "float64"),
    (["-3", "37", "37.5", " 4e2 ", "inf", None], object),
    ([Decimal("0.1"), Decimal("0.3"), 2, 2.5, Decimal("NaN"), None], object),
    ([-4, 1, 2, 3, 5, 8, 13, 21, 34, 55, None], "Int64"),
    ([0.5, 1.5, None], "Float32"),
    (DATES, "datetime64[s]"),
    (DATES.tz_localize("Europe/Vienna"), "datetime64[ns, Europe/Vienna]"),
    ([date(2024, 1, 1), datetime(2024, 1, 1, 12), pd.Timestamp("2025-01-01"), None], object),
    (["2024-01-01", "2024-05-01 08:30", "2024-05-01T08:30:01.25", None], object),
    (["2024-01-01T00:00Z", "2024-01-01T00:00:00+02:00"], "str"),
    (pd.to_timedelta([0, 90, -7, None], unit="s"), "timedelta64[us]"),
    ([timedelta(1), timedelta(microseconds=1), None], object),
    (["true", "False", "TRUE", None], object),
]


@st.composite
def tables(draw, max_rows=200, max_columns=5, columns=COLUMNS):
    """DataFrames of all kinds of columns, missing values included."""
    n_rows = draw(st.integers(1, max_rows))
    chosen = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return pd.DataFrame(
        {
            f"c{j}": pd.Series([cells[k] for k in rng.integers(0, len(cells), n_rows)], dtype=dtype)
            for j, (cells, dtype) in enumerate([*chosen, (["", "a", "red"], object)])
        }
    )


@st.composite
def networks(draw, n_literals=None, max_hidden=4, needs=False, n_outputs=1):
    """Networks of any depth and density, both first gates.

    With ``needs`` some units count, some beyond the number of their inputs; ``n_outputs`` may be a strategy.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hidden = draw(st.lists(st.integers(1, 6), max_size=max_hidden))
    last = n_outputs if isinstance(n_outputs, int) else draw(n_outputs)
    sizes = [n_literals or draw(st.integers(1, 12)), *hidden, last]
    density = draw(st.sampled_from([0.1, 0.3, 0.6, 1.0]))
    weights = [rng.random((n, m)) < density for m, n in pairwise(sizes)]
    most = draw(st.sampled_from([1, 2, 3, 8, 2**62])) if needs else 1
    counts = [rng.integers(1, np.minimum(w.sum(axis=1) + 3, most), endpoint=True) for w in weights]
    if most > 8:
        counts[-1][0] = most
    return Network(weights, draw(st.sampled_from(["and", "or"])), counts)


@st.composite
def rows_for(draw):
    """A function that gives Boolean rows for a number of literals."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(1, 200))
    return lambda n_literals: rng.random((n_rows, n_literals)) < 0.6


@dataclass(frozen=True)
class Case:
    """A network on a problem, and the problem unpacked as the reference takes it: exclusive, rows, target, weights."""

    network: Network
    problem: Problem
    plain: tuple

    @classmethod
    def of(cls, network, relations, rows, target, weights):
        packed = bits.pack(np.ascontiguousarray(rows.T))
        problem = Problem(
            packed, bits.pack(np.ascontiguousarray(target.T)), slice_weights(weights), relations, len(rows)
        )
        return cls(network, problem, (relations.exclusive, rows, target, weights))


@st.composite
def problems(draw, max_rows=300, needs=False, n_outputs=1):
    """Cases with nominal attributes, missing values, "!=" literals and weights; 1 to ``max_rows`` rows.

    The target is (n_rows) for the one output by default, and (n_rows, n_outputs) where ``n_outputs`` is a strategy.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    n_rows = draw(st.integers(1, max_rows))
    columns, exclusive, owner = [], [], []
    for a, n in enumerate(n_values):
        value = rng.integers(-1, n, n_rows)  # -1 is missing
        columns += [value == v for v in range(n)]
        exclusive += [a] * n
        if draw(st.booleans()):
            columns += [(value != v) & (value >= 0) for v in range(n)]
            exclusive += [-1] * n
        owner += [a] * (len(exclusive) - len(owner))
    network = draw(networks(n_literals=len(exclusive), needs=needs, n_outputs=n_outputs))
    most = draw(st.sampled_from([1, 1, 2, 9]))
    weights = rng.integers(0 if most > 1 else 1, most + 1, n_rows)
    weights[0] = max(weights[0], 1)
    rows, target = np.column_stack(columns), rng.random((n_rows, network.n_outputs)) < 0.5
    one = target[:, 0] if n_outputs == 1 else target
    return Case.of(network, Relations.of(owner, exclusive), rows, one, weights)
