"""Real tables with numbers, as a user has them, and what peers reach on the same folds.

The folder is ../shared/data/tables beside the checkout, or the one that RULENET_TABLES names. Types are inferred from
the text of the table; only which columns are nominal is told, by columns.csv. Five stratified folds (seed 0), two where
a table has more than 5,000 rows.
"""

import os
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pandas as pd
from sklearn.model_selection import StratifiedKFold

from benchmarks.accuracy.sets import Sets
from rulenet.cli import tables
from rulenet.experiments.study import Table

SHARED = Path(__file__).parents[3] / "shared"
SMALL_SEVERAL = ("iris", "vertebral-column-3", "teaching", "glass", "ecoli", "flags", "vehicle", "annealing")
FEW_ROWS = 1_000
MANY_ROWS = ("letter", "magic", "page-blocks", "pendigits", "thyroid")


def folder() -> Path:
    return Path(os.environ.get("RULENET_TABLES", SHARED / "data" / "tables"))


def read_columns() -> pd.DataFrame:
    """A row a column of a table: table, column, type, n_distinct, n_missing."""
    columns = pd.read_csv(folder() / "columns.csv")
    return columns.assign(table=[file.split(".")[0] for file in columns["file"]])


@cache
def class_counts() -> dict[str, int]:
    """The number of classes of every table; empty where the tables are not at hand."""
    if not (folder() / "columns.csv").exists():
        return {}
    columns = read_columns()
    classes = columns[columns["type"] == "class"]
    return dict(zip(classes["table"], classes["n_distinct"].astype(int), strict=True))


def table_sets(quick: bool) -> Sets:
    columns = read_columns()
    classes = columns[columns["type"] == "class"].sort_values("n_distinct", kind="stable")
    files = dict(zip(classes["table"], classes["file"], strict=True))
    if quick:
        files = dict(list(files.items())[:3])
    two = StratifiedKFold(2, shuffle=True, random_state=0)
    datasets = {name: partial(load_table, file) for name, file in files.items()}
    return Sets(datasets, {name: two for name in files if name in MANY_ROWS}, n_splits=5)


def several_class_sets(quick: bool) -> Sets:
    """Small tables of three classes and more, in two folds."""
    sets = table_sets(quick=False).only(*SMALL_SEVERAL[: 2 if quick else None])
    return replace(sets, n_splits=2, folds=dict.fromkeys(SMALL_SEVERAL, (0,) if quick else (0, 1)))


def two_class_sets(quick: bool) -> Sets:
    """Those tables that AND/OR networks can learn."""
    columns = read_columns()
    two = columns.loc[(columns["type"] == "class") & (columns["n_distinct"] == 2), "table"]
    sets = table_sets(quick).only(*two[:2] if quick else two)
    return replace(sets, folds=dict.fromkeys(two, (0,))) if quick else sets


def small_two_class_sets(quick: bool) -> Sets:
    """Those of them with at most `FEW_ROWS`, on two of the folds."""
    sets = two_class_sets(quick)
    few = [name for name in sets.datasets if (path := folder() / f"{name}.csv").exists() and _n_rows(path) <= FEW_ROWS]
    return replace(sets.only(*few), folds=dict.fromkeys(few, (0,) if quick else (0, 1)))


def _n_rows(path: Path) -> int:
    """The lines of a table but for its header."""
    with path.open("rb") as lines:
        return sum(1 for _ in lines) - 1


def load_table(file: str) -> Table:
    """The table as text, with the nominal columns categorical."""
    X, y = tables.split(tables.read(str(folder() / file)), "class", file)
    columns = read_columns()
    nominal = columns.loc[(columns["file"] == file) & (columns["type"] == "nominal"), "column"]
    return X.astype(dict.fromkeys(nominal, "category")), y


def read_baselines() -> pd.DataFrame:
    """What peers reach, a row a table, learner and fold, in the columns of our results; empty where it is not known."""
    path = folder().parents[1] / "baselines" / "tables.csv"
    if not path.exists():
        return pd.DataFrame(
            columns=["dataset", "learner", "fold", "accuracy", "balanced_accuracy", "fit_seconds", "size"]
        )
    return pd.read_csv(path)
