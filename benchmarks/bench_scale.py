"""Tables beyond memory: seconds, rows a second, peak memory and accuracy, from generated Parquet files.

`python -m benchmarks scale` runs small sizes. `python -m benchmarks.bench_scale --rows 10000000 --columns 40` runs one
size; `--search auto` the default search, which tries deep networks too; `--search batches` only reads and packs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet import Auto, Count, RuleNetworkClassifier
from rulenet.search.problem import Problem
from rulenet.shards.batches import Batches
from rulenet.shards.data import Divided
from rulenet.shards.sources import open_source

SIZES = ((300_000, 20), (1_000_000, 20))
TEST_ROWS = 200_000
SEEN = (2_000, 20_000, 200_000)  # rows that a search sees of a table in memory
CHUNK, FILE = 250_000, 1_000_000  # rows of a row group and of a file
HEAD = [
    "| rows | columns | learner | seconds | processor | reading | search | polishing | rows a second | peak, MB | "
    "bits, MB | allowed, MB | accuracy |",
    "|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
]


def report() -> str:
    lines = [
        "## Tables in batches",
        "\nNumbers, words and gaps (5%); the label is noisy (5%). Every line is a process of its own on one thread; "
        "memory is its peak (VmHWM), allowed is 1.5 times the packed bits plus 400 MB. Reading, search and polishing "
        "(cuts placed included) are processor time. Boosting is on the whole table in memory.\n",
        *HEAD,
    ]
    for n_rows, n_columns in SIZES:
        lines += measure(n_rows, n_columns, ("auto", "count", "boosting"))
    return "\n".join([*lines, "", searching_samples()])


def searching_samples(n_rows: int = 200_000, n_columns: int = 20) -> str:
    """What it costs in accuracy to search on a sample."""
    lines = [
        "## Searching on a sample",
        f"\n{n_rows:,} rows x {n_columns} columns; the search sees some of them, all polish and judge. `Count` without "
        "folds; accuracy on other rows, of which 5% have the wrong label.\n",
        "| `max_search_rows` | accuracy | size | processor, seconds |",
        "|---:|---:|---:|---:|",
    ]
    train, test = (frame(rows, n_columns, seed) for rows, seed in ((n_rows, 0), (TEST_ROWS, 1)))
    for n_seen in SEEN:
        start = time.process_time()
        model = RuleNetworkClassifier(search=Count(n_folds=0), random_state=0, max_search_rows=n_seen)
        model.fit(train.drop(columns="label"), train["label"])
        elapsed = time.process_time() - start
        accuracy = model.score(test.drop(columns="label"), test["label"])
        lines.append(f"| {n_seen:,} | {accuracy:.4f} | {model.size_} | {elapsed:.1f} |")
    return "\n".join([*lines, ""])


def frame(n_rows: int, n_columns: int, seed: int) -> pd.DataFrame:
    """A generated table in memory; words as text."""
    table = pd.DataFrame({name: x.to_pandas() for name, x in make_rows(n_rows, n_columns, [seed, 0]).items()})
    words = [name for name, kind in table.dtypes.items() if isinstance(kind, pd.CategoricalDtype)]
    return table.astype(dict.fromkeys(words, object))


def measure(n_rows: int, n_columns: int, learners: tuple[str, ...]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        train, test = Path(folder) / "train", Path(folder) / "test"
        write(train, n_rows, n_columns, seed=0)
        write(test, min(TEST_ROWS, n_rows), n_columns, seed=1)
        for learner in learners:
            command = [sys.executable, "-m", "benchmarks.bench_scale", "--child", learner, str(train), str(test)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            start = f"| {n_rows:,} | {n_columns} | {learner} |"
            if done.returncode:
                why = "ended by the system, for want of memory" if done.returncode == -9 else done.stderr.strip()[-80:]
                yield f"{start} {why} |"
            else:
                yield f"{start} {' | '.join(_cells(json.loads(done.stdout.splitlines()[-1]), n_rows))} |"


def _cells(found: dict[str, Any], n_rows: int) -> list[str]:
    packed = found.get("packed")
    stages = [f"{found[name]:.1f}" if name in found else "" for name in ("reading", "search", "polishing")]
    return [
        f"{found['seconds']:.1f}",
        f"{found['processor']:.1f}",
        *stages,
        f"{n_rows / found['seconds']:,.0f}",
        f"{found['peak']:.0f}",
        f"{packed:.0f}" if packed else "",
        f"{1.5 * packed + 400:.0f}" if packed else "",
        f"{found['accuracy']:.4f}" if "accuracy" in found else "",
    ]


def write(folder: Path, n_rows: int, n_columns: int, seed: int) -> None:
    """Parquet files of a generated table, whose rows depend on the seed and their number only; few are in memory."""
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    folder.mkdir()
    for number, start in enumerate(range(0, n_rows, FILE)):
        after = min(start + FILE, n_rows)
        chunks = (
            arrow.table(make_rows(min(CHUNK, after - first), n_columns, [seed, first]))
            for first in range(start, after, CHUNK)
        )
        head = next(chunks)
        with parquet.ParquetWriter(folder / f"{number:05}.parquet", head.schema, store_schema=False) as file:
            file.write_table(head)
            for chunk in chunks:
                file.write_table(chunk)


def n_words(column: int) -> int:
    """How many different words a column has."""
    return 4 + 2 * column


def make_rows(n_rows: int, n_columns: int, seed: list[int]) -> dict[str, Any]:
    """Every third column has words, every third whole numbers, the others real ones; 5% are missing."""
    arrow, rng = import_module("pyarrow"), np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    points = np.zeros(n_rows, np.int8)
    for i in range(n_columns):
        gone = rng.integers(0, 20, n_rows, np.int8) == 0
        if i % 3 == 1:
            values = rng.integers(0, n_words(i), n_rows, np.int32)
            words = arrow.array([f"word{k}" for k in range(n_words(i))])
            columns[f"c{i}"] = arrow.DictionaryArray.from_arrays(arrow.array(values, mask=gone), words)
        else:
            values = rng.integers(0, 5 + 10 * i, n_rows, np.int32) if i % 3 == 2 else rng.standard_normal(n_rows, "f4")
            columns[f"c{i}"] = arrow.array(values.astype(np.float32, copy=False), mask=gone)
        points += _point(i, values) & ~gone
    labels = (points >= 3) ^ (rng.integers(0, 20, n_rows, np.int8) == 0)
    return {**columns, "label": arrow.DictionaryArray.from_arrays(labels.astype(np.int8), arrow.array(["no", "yes"]))}


def _point(column: int, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a column speaks for "yes"."""
    match column:
        case 0 | 3 | 6:
            return np.asarray(values > {0: 0.2, 3: -0.4, 6: 0.1}[column])
        case 1:
            return np.isin(values, [1, 2])
        case 2:
            return np.asarray(values <= 9)
        case 4:
            return np.asarray(values == 3)
    return np.zeros(len(values), np.bool_)


class Clock:
    """A search that says when it began and ended, and how many literals it saw."""

    def __init__(self, search: Any) -> None:
        self.inner, self.defaults = search, search.defaults
        self.began = self.ended = 0.0
        self.n_literals = 0

    def search(self, problem: Problem, *args: Any) -> Any:
        """Search, and look at the clock."""
        self.began, self.n_literals = time.process_time(), len(problem.literals)
        found = self.inner.search(problem, *args)
        self.ended = time.process_time()
        return found


def child(learner: str, train: str, test: str) -> None:
    start, first = time.perf_counter(), time.process_time()
    found: dict[str, float] = {}
    if learner == "batches":
        data = Divided(Batches(open_source(train), "label"), None, 1 << 18)
        ready = data.prepare((1,), None, not_equal=True)
        n_rows = ready.problem.n_rows if ready.shards is None else ready.shards.n_rows
        found["packed"] = len(ready.encoding.conditions) * n_rows / 8e6
    elif learner == "boosting":
        boosting = boost(*as_matrix(train))
    else:
        clock = Clock(Count(n_folds=0) if learner == "count" else Auto())
        model = RuleNetworkClassifier(search=clock, random_state=0).fit(train, "label")
        found |= {"reading": clock.began - first, "search": clock.ended - clock.began}
        found |= {"polishing": time.process_time() - clock.ended, "packed": clock.n_literals * n_rows_of(train) / 8e6}
    found |= {"seconds": time.perf_counter() - start, "processor": time.process_time() - first, "peak": peak()}
    if learner == "boosting":
        X, y, _ = as_matrix(test)
        found["accuracy"] = float((boosting.predict(X) == y).mean())
    elif learner != "batches":
        known = import_module("pyarrow.parquet").read_table(test, columns=["label"])["label"].to_numpy()
        found["accuracy"] = float((model.predict(test) == known).mean())
    print(json.dumps(found))


def peak() -> float:
    """The most memory that this process ever had, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1e3


def n_rows_of(folder: str) -> int:
    return int(import_module("pyarrow.dataset").dataset(folder).count_rows())


def boost(X: NDArray[np.float32], y: NDArray[np.bool_], words: list[int]) -> Any:
    """LightGBM where it is installed, scikit-learn's boosting otherwise; 100 trees, one thread."""
    try:
        lightgbm = import_module("lightgbm")
    except ImportError:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            return HistGradientBoostingClassifier(random_state=0, categorical_features=words).fit(X, y)
    return lightgbm.LGBMClassifier(n_jobs=1, verbose=-1).fit(X, y, categorical_feature=words)


def as_matrix(folder: str) -> tuple[NDArray[np.float32], NDArray[np.bool_], list[int]]:
    """The table as numbers, words as codes, and which columns have words; filled chunk by chunk."""
    dataset = import_module("pyarrow.dataset").dataset(folder)
    names = [name for name in dataset.schema.names if name != "label"]
    words = [i for i in range(len(names)) if i % 3 == 1]
    known = {i: {f"word{k}": k for k in range(n_words(i))} for i in words}
    n_rows, start = dataset.count_rows(), 0
    X, y = np.empty((n_rows, len(names)), np.float32), np.empty(n_rows, np.bool_)
    for batch in dataset.to_batches(batch_size=CHUNK):
        rows = slice(start, start + batch.num_rows)
        for i, name in enumerate(names):
            column = batch[name]
            if i in known:
                coded = column.dictionary_encode()
                codes = np.array([*(known[i][word] for word in coded.dictionary.to_pylist()), np.nan], np.float32)
                X[rows, i] = codes[coded.indices.fill_null(len(codes) - 1).to_numpy()]
            else:
                X[rows, i] = column.to_numpy(zero_copy_only=False)
        y[rows] = batch["label"].to_numpy(zero_copy_only=False) == "yes"
        start += batch.num_rows
    return X, y, words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=40)
    parser.add_argument("--search", nargs="+", default=["count", "boosting"])
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    for line in chain(HEAD, measure(options.rows, options.columns, tuple(options.search))):
        print(line, flush=True)


if __name__ == "__main__":
    main()
