"""Distilling: one network for a vote, without and with boosted networks among the voters."""

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import Literal
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from rulenet import Anneal, RuleNetworkClassifier
from rulenet.anneal.schedule import SCHEDULE
from rulenet.datasets import load_uci
from rulenet.exceptions import DataUnavailableError

N_ROWS, N_COLUMNS, N_VALUES = 2_000, 15, 3
N_TABLES = 3
NOISE = 0.05
# Parts of connect-4, of twice as many rows: none of them among its last 4,000.
FIRST_ROWS = (2_000, 26_000, 52_000)
# Whether to distil, and from how many rows on with boosted networks; which tables are distilled does not depend on it.
WAYS: dict[str, tuple[bool | Literal["auto"], int]] = {
    "not distilled": (False, SCHEDULE.boosted_rows),
    "the walks' vote, distilled": ("auto", 2 * N_ROWS),
    "with boosted networks, the default": ("auto", SCHEDULE.boosted_rows),
}
Table = tuple[str, pd.DataFrame, NDArray[np.bool_], pd.DataFrame, NDArray[np.bool_]]


def report() -> str:
    RuleNetworkClassifier(search=Anneal(max_time=0.1)).fit([["a"], ["b"]] * 9, [0, 1] * 9)
    lines = [
        "## One network for a vote",
        "\nAccuracy on other rows, size, and seconds of a fit on two threads. Concepts that no short formula says: "
        f"whether a weighted sum of {N_COLUMNS} attributes is above the median ({N_TABLES} of them, {N_ROWS:,} rows), "
        f"also with {NOISE:.0%} of the labels wrong; and, where its file is there, connect-4, two folds each of "
        f"{len(FIRST_ROWS)} parts outside its last 4,000 rows.\n",
        "| data | " + " | ".join(WAYS) + " |",
        "|---|" + "---:|" * len(WAYS),
    ]
    results: dict[str, dict[str, list[tuple[float, int, float]]]] = {}
    for name, *table in [*list_sums(), *list_boards()]:
        for way, (distils, least_rows) in WAYS.items():
            with patch.object(Anneal, "schedule", replace(SCHEDULE, boosted_rows=least_rows)):
                results.setdefault(name, {}).setdefault(way, []).append(fit(*table, distils))
    for name, ways in results.items():
        cells = ["{:.4f}, {:.0f}, {:.1f} s".format(*np.mean(ways[way], axis=0)) for way in WAYS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def fit(
    X: pd.DataFrame,
    y: NDArray[np.bool_],
    X_test: pd.DataFrame,
    y_test: NDArray[np.bool_],
    distils: bool | Literal["auto"],
) -> tuple[float, int, float]:
    model = RuleNetworkClassifier(search=Anneal(distil=distils), nominal="all", n_jobs=2, random_state=0)
    begin = perf_counter()
    model.fit(X, y)
    return model.score(X_test, y_test), model.network_.size, perf_counter() - begin


def list_sums() -> Iterator[Table]:
    for noise in (0.0, NOISE):
        for seed in range(N_TABLES):
            rng = np.random.default_rng(seed)
            values = rng.integers(N_VALUES, size=(2 * N_ROWS, N_COLUMNS))
            sums = rng.normal(size=(N_COLUMNS, N_VALUES))[np.arange(N_COLUMNS), values].sum(axis=1)
            X, y = pd.DataFrame(values).add_prefix("a"), sums > np.median(sums)
            seen = y[:N_ROWS] ^ (rng.random(N_ROWS) < noise)
            name = f"sums, {noise:.0%} wrong labels" if noise else "sums"
            yield name, X[:N_ROWS], seen, X[N_ROWS:], y[N_ROWS:]


def list_boards() -> Iterator[Table]:
    try:
        X, y = load_uci("connect-4")
    except DataUnavailableError:
        return
    decided = (y != "draw").to_numpy()
    X, won = X[decided], (y[decided] == "win").to_numpy()
    for first in FIRST_ROWS:
        part, target = X[first : first + 2 * N_ROWS], won[first : first + 2 * N_ROWS]
        for train, test in StratifiedKFold(2, shuffle=True, random_state=1).split(part, target):
            yield "connect-4", part.iloc[train], target[train], part.iloc[test], target[test]
