"""Learning on: ten parts of a stream, one after the other, next to river's trees and to one fit of all rows.

`python -m benchmarks streams`. Accuracy on a part is taken before it is learned from; the last column is that on fresh
rows of the last story. The trees of river see row by row.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from rulenet import Count, RuleNetworkClassifier

N_PARTS, N_ROWS, N_TEST = 10, 1_000, 5_000

Part = tuple[pd.DataFrame, "pd.Series[str]"]


def report(n_rows: int = N_ROWS) -> str:
    lines = [
        "## Streams",
        f"\n{N_PARTS} parts of {n_rows:,} rows, 10 columns, 5% of the labels wrong; on the drifting stream another "
        "rule holds from the sixth part on. Mean accuracy on parts before they are learned from, and at the end.\n",
        "| stream | learner | before learning | at the end | seconds |",
        "|---|---|---:|---:|---:|",
    ]
    for stream, turns in (("stationary", False), ("drifting", True)):
        parts = [make_part(n_rows, seed, turns and seed >= N_PARTS // 2) for seed in range(N_PARTS)]
        test = make_part(N_TEST, 99, turns)
        for name, learn in (("partial_fit", ours), ("one fit of all rows", one_fit), *trees()):
            start = time.perf_counter()
            before, predict = learn(parts)
            elapsed = time.perf_counter() - start
            end = float((predict(test[0]) == test[1].to_numpy()).mean())
            shown = "" if before is None else f"{before:.3f}"
            lines.append(f"| {stream} | {name} | {shown} | {end:.3f} | {elapsed:.1f} |")
    return "\n".join([*lines, ""])


Learn = Callable[[list[Part]], tuple[float | None, Callable[[pd.DataFrame], np.ndarray]]]


def ours(parts: list[Part]) -> tuple[float | None, Callable[[pd.DataFrame], np.ndarray]]:
    model, before = RuleNetworkClassifier(search=Count(n_folds=0), random_state=0), list[float]()
    for X, y in parts:
        if hasattr(model, "fitted_"):
            before.append(model.score(X, y))
        model.partial_fit(X, y)
    return float(np.mean(before)), model.predict


def one_fit(parts: list[Part]) -> tuple[float | None, Callable[[pd.DataFrame], np.ndarray]]:
    X, y = (pd.concat(x) for x in zip(*parts, strict=True))
    return None, RuleNetworkClassifier(search=Count(n_folds=0), random_state=0).fit(X, y).predict


def trees() -> Iterator[tuple[str, Learn]]:
    try:
        from river import tree
    except ImportError:
        return
    for name in ("HoeffdingTreeClassifier", "HoeffdingAdaptiveTreeClassifier"):
        yield f"river {name}", lambda parts, name=name: grow(getattr(tree, name)(), parts)  # type: ignore[misc]


def grow(tree: object, parts: list[Part]) -> tuple[float | None, Callable[[pd.DataFrame], np.ndarray]]:
    def predict(X: pd.DataFrame) -> np.ndarray:
        return np.array([tree.predict_one(row) for row in X.to_dict("records")])  # type: ignore[attr-defined]

    before = list[float]()
    for number, (X, y) in enumerate(parts):
        if number:
            before.append(float((predict(X) == y.to_numpy()).mean()))
        for row, label in zip(X.to_dict("records"), y, strict=True):
            tree.learn_one(row, label)  # type: ignore[attr-defined]
    return float(np.mean(before)), predict


def make_part(n_rows: int, seed: int, turned: bool) -> Part:
    rng = np.random.default_rng(seed)
    numbers = {f"n{i}": rng.normal(size=n_rows) for i in range(6)}
    words = {f"w{i}": rng.choice(["red", "green", "blue"], n_rows) for i in range(4)}
    X = pd.DataFrame(numbers | words)
    if turned:
        positive = (X["n2"] > 0) & (X["w1"] != "red") | (X["n3"] < -0.7)
    else:
        positive = (X["n0"] > 0.2) & (X["w0"] != "blue") | (X["n1"] > 1)
    return X, pd.Series(np.where(positive ^ (rng.random(n_rows) < 0.05), "yes", "no"), name="kind")
