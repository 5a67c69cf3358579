"""`python -m benchmarks.accuracy [--quick] [--seeds N]`: our default and its peers on the same folds, one report.

The paper's protocol: two stratified folds (seed 0), accuracy is the mean of the test folds; UCI sets cut to their last
4000 rows, connect-4 without draws. The monk sets have their own train and test parts; parity uses 512 of 1024 rows.
Nothing is chosen on test rows. Our learner runs with N seeds (3) on two threads, the peers once, with their defaults.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from wittgenstein import RIPPER

from rulenet import RuleNetworkClassifier
from rulenet.datasets import ARTIFICIAL_SEEDS, load_uci, make_artificial, make_parity

OUT = Path(__file__).parent.parent / "results"
UCI = ("car-evaluation", "connect-4", "kr-vs-kp", "mushroom", "tic-tac-toe", "vote")
MORE = ("splice", "nursery")
N_MONK_TRAINING = {"monk-1": 124, "monk-2": 169, "monk-3": 122}
TARGETS = {
    "artificial": 0.990,
    "car-evaluation": 0.997,
    "connect-4": 0.8195,
    "kr-vs-kp": 0.992,
    "mushroom": 1.0,
    "tic-tac-toe": 1.0,
    "vote": 0.950,
    "monk-1": 1.0,
    "monk-3": 0.97,
    "parity 5 of 10": 1.0,
    "parity 6 of 10": 1.0,
    "parity 7 of 10": 1.0,
}


@dataclass(frozen=True)
class Task:
    """Rows to learn from and rows to judge by; tasks of one ``group`` are averaged."""

    group: str
    name: str
    X: pd.DataFrame
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Outcome:
    accuracy: float
    size: float
    seconds: float


Learner = Callable[[Task, int], Outcome]


def tasks(quick: bool) -> Iterator[Task]:
    for seed in ARTIFICIAL_SEEDS[:4] if quick else ARTIFICIAL_SEEDS:
        yield from two_folds("artificial", str(seed), *make_artificial(seed))
    for name in UCI:
        yield from two_folds(name, name, *binary(name, 4000))
    for name, n_training in N_MONK_TRAINING.items():
        X, y = load_uci(name)
        train, test = np.arange(n_training), np.arange(n_training, len(y))
        yield Task(name, name, X, positive(y), train, test)
    for n_relevant in (5, 6, 7, 8):
        X, y = make_parity(10, n_relevant)
        yield from list(two_folds(f"parity {n_relevant} of 10", "parity", X, np.asarray(y) == y.max()))[:1]
    for name in MORE:
        yield from two_folds(name, name, *binary(name, None))


def binary(name: str, n_last: int | None) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = load_uci(name)
    if name == "connect-4":
        X, y = X[y != "draw"], y[y != "draw"]
    if n_last is not None:
        X, y = X.iloc[-n_last:], y.iloc[-n_last:]
    X = X.reset_index(drop=True)
    return X, (y == "unacc").to_numpy() if name == "car-evaluation" else positive(y)


def positive(y: pd.Series) -> np.ndarray:
    return (y == y.value_counts().idxmax()).to_numpy()


def two_folds(group: str, name: str, X: pd.DataFrame, y: Any) -> Iterator[Task]:
    for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(X, y):
        yield Task(group, name, X, np.asarray(y), train, test)


def rulenet(task: Task, seed: int, **parameters: Any) -> Outcome:
    model = RuleNetworkClassifier(random_state=seed, n_jobs=2, nominal="all", **parameters)
    begin = perf_counter()
    model.fit(task.X.iloc[task.train], task.y[task.train])
    seconds = perf_counter() - begin
    return Outcome(model.score(task.X.iloc[task.test], task.y[task.test]), model.network_.n_edges, seconds)


def one_hot(X: pd.DataFrame) -> pd.DataFrame:
    return pd.get_dummies(X.astype("category"), dtype=bool)


def on_literals(make: Callable[[], Any], count: Callable[[Any], float]) -> Learner:
    def learn(task: Task, seed: int) -> Outcome:
        X, model = one_hot(task.X).to_numpy(), make()
        begin = perf_counter()
        model.fit(X[task.train], task.y[task.train])
        seconds = perf_counter() - begin
        return Outcome(model.score(X[task.test], task.y[task.test]), count(model), seconds)

    return learn


def ripper(task: Task, seed: int) -> Outcome:
    X, model = one_hot(task.X), RIPPER(random_state=0)
    begin = perf_counter()
    model.fit(X.iloc[task.train], y=task.y[task.train], pos_class=True)
    seconds = perf_counter() - begin
    predicted = np.asarray(model.predict(X.iloc[task.test]), dtype=bool)
    size = sum(len(rule.conds) for rule in model.ruleset_.rules)
    return Outcome(float(np.mean(predicted == task.y[task.test])), size, seconds)


def n_splits(model: Any) -> float:
    trees = getattr(model, "estimators_", [model])
    return float(sum((tree.tree_.node_count - 1) / 2 for tree in np.ravel(trees)))


PEERS: dict[str, Learner] = {
    "CART": on_literals(lambda: DecisionTreeClassifier(random_state=0), n_splits),
    "RIPPER (wittgenstein)": ripper,
    "random forest": on_literals(lambda: RandomForestClassifier(random_state=0), n_splits),
    "gradient boosting, 300 trees of depth 4": on_literals(
        lambda: GradientBoostingClassifier(n_estimators=300, max_depth=4, random_state=0), n_splits
    ),
    "histogram gradient boosting": on_literals(
        lambda: HistGradientBoostingClassifier(random_state=0), lambda model: np.nan
    ),
}

# Equal numbers of weights on ten Boolean attributes: 914 deep, 903 flat.
DEPTHS: dict[str, Learner] = {
    "rulenet, deep (32, 8, 2)": lambda task, seed: rulenet(task, seed, hidden_layer_sizes=(32, 8, 2)),
    "rulenet, flat (43)": lambda task, seed: rulenet(task, seed, hidden_layer_sizes=(43,)),
}

COLUMNS = ["group", "task", "learner", "seed", "accuracy", "size", "seconds"]


def measure(quick: bool, n_seeds: int) -> pd.DataFrame:
    records = []
    rulenet(next(tasks(True)), 0)  # compiles
    for seed in range(n_seeds):
        for task in tasks(quick):
            depths = DEPTHS if task.group == "artificial" else {}
            for name, learn in {"rulenet": rulenet, **(PEERS | depths if seed == 0 else {})}.items():
                try:
                    outcome = learn(task, seed)
                except Exception as error:
                    print(f"{name} failed on {task.name}: {error!r}", file=sys.stderr)
                    continue
                records.append((task.group, task.name, name, seed, outcome.accuracy, outcome.size, outcome.seconds))
                print(*records[-1], sep="\t", file=sys.stderr, flush=True)
            pd.DataFrame(records, columns=COLUMNS).to_csv(OUT / "accuracy.csv", index=False)
    return pd.DataFrame(records, columns=COLUMNS)


def summarise(frame: pd.DataFrame) -> str:
    means = frame.groupby(["group", "learner"], sort=False)[["accuracy", "size", "seconds"]].mean()
    lines = ["# Accuracy", "", __doc__.split("\n\n")[1].replace("\n", " "), ""]
    learners = ["rulenet", *PEERS]
    for title, column, form in (
        ("Accuracy on test rows", "accuracy", "{:.4f}"),
        ("Size: edges (rulenet), conditions (RIPPER), splits (trees)", "size", "{:.0f}"),
        ("Seconds to fit", "seconds", "{:.2f}"),
    ):
        table = means[column].unstack().reindex(columns=learners).reindex(frame["group"].unique())
        if column == "accuracy":
            table["rank"] = table.rank(axis=1, ascending=False, method="min")["rulenet"]
            table["target"] = pd.Series(TARGETS)
        lines += [f"## {title}", "", "| | " + " | ".join(table.columns) + " |", "|---" * (table.shape[1] + 1) + "|"]
        for group, row in table.iterrows():
            cells = ["" if pd.isna(x) else f"{x:.0f}" if c == "rank" else form.format(x) for c, x in row.items()]
            lines.append(f"| {group} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += ["## Deep against flat", "", compare_depths(frame), ""]
    both = frame[frame.learner.isin(["rulenet", "RIPPER (wittgenstein)"])]
    ratio = both.groupby(["task", "learner"])["size"].mean().unstack()
    ratio = (ratio["rulenet"] / ratio["RIPPER (wittgenstein)"].clip(lower=1)).median()
    lines.append(f"Edges of rulenet over conditions of RIPPER, median over all data sets: {ratio:.2f}.")
    return "\n".join(lines) + "\n"


def compare_depths(frame: pd.DataFrame) -> str:
    """The same search over deep and flat networks with equal numbers of weights, paired by data set."""
    means = frame[frame.learner.isin(DEPTHS)].groupby(["task", "learner"])["accuracy"].mean().unstack()
    deep, flat = (means[name] for name in DEPTHS)
    difference = deep - flat
    low, high = stats.t.interval(0.95, len(difference) - 1, difference.mean(), stats.sem(difference))
    return (
        f"The 20 artificial sets, one seed, first gate free: {' and '.join(DEPTHS)} reach {deep.mean():.4f} and "
        f"{flat.mean():.4f}; the difference is {difference.mean():+.4f}, 95% interval {low:+.4f} to {high:+.4f}; deep "
        f"is better on {(difference > 0).sum()}, worse on {(difference < 0).sum()}."
    )


def main(arguments: list[str]) -> None:
    OUT.mkdir(exist_ok=True)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="four artificial sets instead of twenty")
    parser.add_argument("--seeds", type=int, default=3, help="runs of our learner")
    options = parser.parse_args(arguments)
    frame = measure(options.quick, options.seeds)
    report = summarise(frame)
    (OUT / "accuracy.md").write_text(report)
    print(report)


if __name__ == "__main__":
    main(sys.argv[1:])
