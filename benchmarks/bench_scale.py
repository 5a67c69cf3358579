"""Tables beyond memory: seconds, rows a second, peak memory and accuracy, from generated Parquet files.

`python -m benchmarks scale` runs small sizes. `python -m benchmarks.bench_scale --rows 10000000 --columns 40` runs one
size, with `--search count` the search that does not try deep networks; `--search batches` only reads and packs.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from rulenet import Count, RuleNetworkClassifier
from rulenet.shards.batches import Batches
from rulenet.shards.data import Divided
from rulenet.shards.sources import open_source

SIZES = ((100_000, 20), (400_000, 20), (1_600_000, 20))
TEST_ROWS = 200_000
CHUNK = 250_000


def report() -> str:
    lines = [
        "## Tables in batches",
        "\nNumbers, words and gaps; the label is noisy (5%). Every line is a process of its own; memory is its peak, "
        "allowed is 1.5 times the packed bits plus 400. Boosting is scikit-learn's, on the whole table in memory.\n",
        "| rows | columns | learner | seconds | rows a second | peak, MB | packed, MB | allowed, MB | accuracy |",
        "|---:|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for n_rows, n_columns in SIZES:
        lines += measure(n_rows, n_columns, ("batches", "count", "boosting"))
    return "\n".join([*lines, ""])


def measure(n_rows: int, n_columns: int, learners: tuple[str, ...]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        train, test = Path(folder) / "train", Path(folder) / "test"
        write(train, n_rows, n_columns, seed=0)
        write(test, min(TEST_ROWS, n_rows), n_columns, seed=1)
        for learner in learners:
            command = [sys.executable, "-m", "benchmarks.bench_scale", "--child", learner, str(train), str(test)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                yield f"| {n_rows:,} | {n_columns} | {learner} | did not end: {done.stderr.strip()[-80:]} | | | | | |"
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            packed = found["packed"]
            bound = "" if not packed else f"{1.5 * packed + 400:.0f}"
            shown = f"{packed:.0f}" if packed else ""
            yield (
                f"| {n_rows:,} | {n_columns} | {learner} | {found['seconds']:.1f} | {n_rows / found['seconds']:,.0f} | "
                f"{found['peak']:.0f} | {shown} | {bound} | {found['accuracy'] or ''} |"
            )


def write(folder: Path, n_rows: int, n_columns: int, seed: int) -> None:
    """Parquet files of a generated table, whose rows depend on the seed and their number only."""
    folder.mkdir()
    for number, start in enumerate(range(0, n_rows, CHUNK)):
        frame = make_rows(min(CHUNK, n_rows - start), n_columns, seed * 1_000_003 + number)
        frame.to_parquet(folder / f"{number:05}.parquet", index=False, row_group_size=CHUNK // 4)


def make_rows(n_rows: int, n_columns: int, seed: int) -> pd.DataFrame:
    """Every third column has words, every third whole numbers, the others real ones; 5% are missing."""
    rng = np.random.default_rng(seed)
    columns: dict[str, object] = {}
    for i in range(n_columns):
        gone = rng.random(n_rows) < 0.05
        if i % 3 == 1:
            words = np.array([f"word{k}" for k in range(4 + 2 * i)])
            columns[f"c{i}"] = pd.Series(words[rng.integers(0, len(words), n_rows)]).mask(gone)
        elif i % 3 == 2:
            columns[f"c{i}"] = pd.Series(rng.integers(0, 5 + 10 * i, n_rows).astype(np.float64)).mask(gone)
        else:
            columns[f"c{i}"] = pd.Series(rng.normal(size=n_rows)).mask(gone)
    table = pd.DataFrame(columns)
    points = (table["c0"] > 0.2).astype(int) + (table["c3"] > -0.4) + table["c1"].isin(["word1", "word2"])
    points += (table["c2"] <= 9).astype(int) + (table["c6"] > 0.1) + (table["c4"] == "word3")
    return table.assign(label=np.where((points >= 3) ^ (rng.random(n_rows) < 0.05), "yes", "no"))


def child(learner: str, train: str, test: str) -> None:
    start, packed, accuracy = time.perf_counter(), 0.0, None
    if learner == "batches":
        data = Divided(Batches(open_source(train), "label"), None, 1 << 18)
        ready = data.prepare((1,), None, not_equal=True)
        n_rows = ready.problem.n_rows if ready.shards is None else ready.shards.n_rows
        packed = len(ready.encoding.conditions) * n_rows / 8e6
    elif learner == "boosting":
        model = boosting(train)
        accuracy = boosting_accuracy(model, test)
    else:
        search = Count(n_folds=0) if learner == "count" else learner
        ours = RuleNetworkClassifier(search=search, random_state=0).fit(train, "label")
        accuracy = round(float((ours.predict(test) == labels_of(test)).mean()), 4)
    elapsed = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps({"seconds": elapsed, "peak": peak, "packed": packed, "accuracy": accuracy}))


def labels_of(folder: str) -> np.ndarray:
    return pd.read_parquet(folder, columns=["label"])["label"].to_numpy()


def boosting(folder: str) -> object:
    from sklearn.ensemble import HistGradientBoostingClassifier

    X, y = as_codes(folder)
    return HistGradientBoostingClassifier(random_state=0, categorical_features="from_dtype").fit(X, y)


def boosting_accuracy(model: object, folder: str) -> float:
    X, y = as_codes(folder)
    return round(float(model.score(X, y)), 4)  # type: ignore[attr-defined]


def as_codes(folder: str) -> tuple[pd.DataFrame, pd.Series]:
    table = pd.read_parquet(folder)
    y = table.pop("label")
    for name in table.columns[[i % 3 == 1 for i in range(table.shape[1])]]:
        table[name] = pd.Categorical(table[name], [f"word{k}" for k in range(4 + 2 * int(name[1:]))])
    return table, y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=40)
    parser.add_argument("--search", nargs="+", default=["batches", "count", "boosting"])
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    print(*measure(options.rows, options.columns, tuple(options.search)), sep="\n")


if __name__ == "__main__":
    main()
