"""Predicting a million rows of a DataFrame, next to OneHotEncoder and a decision tree."""

import numpy as np
from sklearn.pipeline import make_pipeline
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
    """A single row in a DataFrame: what every call costs, whatever the number of rows."""
    lines = ["| one row, 10 columns | tree, ms | rulenet, ms | ratio |", "|---|---:|---:|---:|"]
    for storage in STORAGES:
        _, theirs, ours = compare(1, 10, storage, n_learned=5_000)
        lines.append(f"| {storage} | {1e3 * theirs:.2f} | {1e3 * ours:.2f} | {theirs / ours:.1f} |")
    return "\n".join([*lines, "\nThe target is 1.\n"])


def compare(n_rows: int, n_columns: int, storage: Storage, n_learned: int = 5_000) -> tuple[int, float, float]:
    """How many columns the network reads, seconds of the tree, seconds of ours."""
    whole = make_nominal_frame(max(n_rows, n_learned), n_columns, storage=storage)
    frame, sample = whole.iloc[:n_rows], whole.iloc[:n_learned]
    codes = sample.apply(lambda column: column.astype("category").cat.codes)
    y = (codes.iloc[:, 0] == 1) ^ (codes.iloc[:, 1] == 0) ^ (np.random.default_rng(0).random(len(sample)) < 0.05)
    tree = make_pipeline(OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier(random_state=0)).fit(sample, y)
    model = RuleNetworkClassifier(search=Greedy(), random_state=0).fit(sample, y)
    n_read = len(np.unique(model.encoding_.relations.owner[model.network_.reads]))
    model.predict(frame)
    return n_read, seconds(lambda: tree.predict(frame)), seconds(lambda: model.predict(frame))
