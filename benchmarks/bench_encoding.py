"""Encoding against scikit-learn: nominal columns with OneHotEncoder, numbers with KBinsDiscretizer."""

import tracemalloc

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.timing import seconds
from benchmarks.workloads import Storage, make_nominal_frame
from rulenet.encoding import Encoding

STORAGES: tuple[Storage, ...] = ("object", "object, own strings", "str", "category")
N_USED_COLUMNS = 10  # a network of a few rules reads that many
N_THREADS = 2
N_CUTS = 16


def report(n_rows: int = 1_000_000, n_columns: int = 40) -> str:
    """A Markdown section."""
    lines = [
        "## Encoding",
        f"\n{n_rows:,} rows x {n_columns} nominal columns of 2 to 10 values; seconds on one thread, best of the calls "
        "that fit into 5 s.\n",
        "| columns | what | OneHotEncoder | rulenet | ratio |",
        "|---|---|---:|---:|---:|",
    ]
    for storage in STORAGES:
        width = n_columns if storage != "object, own strings" else n_columns // 4  # 64 bytes a cell
        frame = make_nominal_frame(n_rows, width, storage=storage)
        for what, theirs, ours in (*compare_encoders(frame), compare_predicting(frame)):
            lines.append(f"| {width} {storage} | {what} | {theirs:.2f} | {ours:.2f} | {theirs / ours:.1f} |")
    numbers = make_numeric_frame(n_rows, n_columns)
    for what, theirs, ours in compare_discretizers(numbers):
        lines.append(f"| {n_columns} numeric | {what} | {theirs:.2f} | {ours:.2f} | {theirs / ours:.1f} |")
    peak, packed = measure_memory(make_nominal_frame(n_rows, n_columns))
    lines += [
        f"\nThe peak of memory while learning and encoding is {peak / packed:.1f} times the packed bits "
        f"({packed / 1e6:.0f} MB).",
        "\nThe target is 5 times faster for encoding nominal columns and 3 times for numbers, which are compared with "
        f"KBinsDiscretizer (quantile, one-hot, as many bins); both may use {N_THREADS} threads for them.",
        "\nPredicting compares OneHotEncoder and DecisionTreeClassifier "
        f"(depth 8) with encoding only the {N_USED_COLUMNS} columns that a network reads.",
    ]
    return "\n".join(lines) + "\n"


def compare_encoders(frame: pd.DataFrame) -> list[tuple[str, float, float]]:
    encoder, encoding = OneHotEncoder(handle_unknown="ignore").fit(frame), Encoding.learn(frame)
    return [
        (
            "learn + encode",
            seconds(lambda: OneHotEncoder(handle_unknown="ignore").fit_transform(frame)),
            seconds(lambda: Encoding.learn_encode(frame)),
        ),
        ("encode", seconds(lambda: encoder.transform(frame)), seconds(lambda: encoding.encode(frame))),
    ]


def make_numeric_frame(n_rows: int, n_columns: int, seed: int = 0) -> pd.DataFrame:
    values = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    return pd.DataFrame(values, columns=[f"attribute_{j}" for j in range(n_columns)])


def compare_discretizers(frame: pd.DataFrame) -> list[tuple[str, float, float]]:
    def make() -> KBinsDiscretizer:
        return KBinsDiscretizer(N_CUTS + 1, strategy="quantile", quantile_method="averaged_inverted_cdf")

    target = np.random.default_rng(0).integers(0, 2, len(frame))
    bins, encoding = make().fit(frame), Encoding.learn(frame, target, max_cuts=N_CUTS)
    return [
        (
            "learn + encode",
            seconds(lambda: make().fit_transform(frame)),
            seconds(lambda: Encoding.learn_encode(frame, target, max_cuts=N_CUTS, n_jobs=N_THREADS)),
        ),
        ("encode", seconds(lambda: bins.transform(frame)), seconds(lambda: encoding.encode(frame, n_jobs=N_THREADS))),
    ]


def compare_predicting(frame: pd.DataFrame) -> tuple[str, float, float]:
    sample = frame.iloc[:20_000]
    target = np.random.default_rng(0).random(len(sample)) < 0.5
    tree = make_pipeline(OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier(max_depth=8, random_state=0))
    tree.fit(sample, target)
    encoding = Encoding.learn(sample)
    used = encoding.owners < N_USED_COLUMNS
    ours = seconds(lambda: encoding.encode(frame, only=used))
    return "for predicting", seconds(lambda: tree.predict(frame)), ours


def measure_memory(frame: pd.DataFrame) -> tuple[int, int]:
    """Peak and packed bytes of learning and encoding."""
    tracemalloc.start()
    _, words = Encoding.learn_encode(frame)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, words.nbytes
