"""Predicting a million rows of a DataFrame, next to OneHotEncoder and a decision tree."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.timing import seconds
from benchmarks.workloads import Storage, make_nominal_frame
from rulenet import Greedy, RuleNetworkClassifier

STORAGES: tuple[Storage, ...] = ("object", "str", "category")


def report(n_rows: int = 1_000_000, n_columns: int = 20) -> str:
    lines = [
        "## Predicting",
        f"\n{n_rows:,} rows x {n_columns} nominal columns, seconds on one thread; both learned from the first 5,000 "
        "rows.\n",
        "| columns | columns read by the network | tree | rulenet | ratio |",
        "|---|---:|---:|---:|---:|",
    ]
    for storage in STORAGES:
        n_read, theirs, ours = compare(n_rows, n_columns, storage)
        lines.append(f"| {storage} | {n_read} | {theirs:.2f} | {ours:.3f} | {theirs / ours:.1f} |")
    lines.append("\nThe target is 3.\n")
    return "\n".join([*lines, one_row()])


def one_row() -> str:
    """A single row: what every call costs, whatever the number of rows; and what goes without a DataFrame."""
    lines = [
        "| one row, 10 columns | tree, ms | rulenet, ms | ratio | exported Python, ms | packed conditions, ms |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for storage in STORAGES:
        row, tree, model = learn(1, 10, storage, 5_000)
        theirs, ours = time_both(row, tree, model)
        exported, packed = time_alone(row, model)
        times = (
            f"{1e3 * theirs:.2f} | {1e3 * ours:.2f} | {theirs / ours:.1f} | {1e3 * exported:.4f} | {1e3 * packed:.4f}"
        )
        lines.append(f"| {storage} | {times} |")
    return "\n".join([*lines, "\nThe target is 1.\n"])


def compare(n_rows: int, n_columns: int, storage: Storage, n_learned: int = 5_000) -> tuple[int, float, float]:
    """How many columns the network reads, seconds of the tree, seconds of ours."""
    frame, tree, model = learn(n_rows, n_columns, storage, n_learned)
    n_read = len(np.unique(model.encoding_.relations.owner[model.network_.reads]))
    return n_read, *time_both(frame, tree, model)


def learn(
    n_rows: int, n_columns: int, storage: Storage, n_learned: int
) -> tuple[pd.DataFrame, Pipeline, RuleNetworkClassifier]:
    """Rows to predict, and both learners, fitted."""
    whole = make_nominal_frame(max(n_rows, n_learned), n_columns, storage=storage)
    frame, sample = whole.iloc[:n_rows], whole.iloc[:n_learned]
    codes = sample.apply(lambda column: column.astype("category").cat.codes)
    y = (codes.iloc[:, 0] == 1) ^ (codes.iloc[:, 1] == 0) ^ (np.random.default_rng(0).random(len(sample)) < 0.05)
    tree = make_pipeline(OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier(random_state=0)).fit(sample, y)
    model = RuleNetworkClassifier(search=Greedy(), random_state=0).fit(sample, y)
    model.predict(frame)
    return frame, tree, model


def time_both(frame: pd.DataFrame, tree: Pipeline, model: RuleNetworkClassifier) -> tuple[float, float]:
    """Seconds of the tree, seconds of ours."""
    return seconds(lambda: tree.predict(frame)), seconds(lambda: model.predict(frame))


def time_alone(frame: pd.DataFrame, model: RuleNetworkClassifier) -> tuple[float, float]:
    """Seconds of a row as a dict in the exported function, and of its packed conditions in the compiled evaluator."""
    names: dict[str, Any] = {}
    exec(model.export("python"), names)
    row, literals = frame.iloc[0].to_dict(), model.encoding_.encode(frame)
    if names["predict"](row) != model.predict(frame)[0]:
        raise AssertionError("the exported function and predict differ")
    evaluate, predict = model.network_.evaluate, names["predict"]
    return seconds(lambda: predict(row)), seconds(lambda: evaluate(literals))
