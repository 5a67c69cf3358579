"""`rulenet evaluate`: cross-validation of a rule network next to a decision tree."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from rulenet.cli import options, tables
from rulenet.cli.errors import plain_errors
from rulenet.exceptions import TableError
from rulenet.formulas.measures import measure

EPILOG = """Example:\n
rulenet evaluate cars.csv --target class --positive unacc --folds 10"""


@dataclass(frozen=True, slots=True)
class Score:
    """One learner on one fold."""

    learner: str
    accuracy: float
    size: int
    seconds: float


@plain_errors()
def evaluate(
    data: options.Data,
    target: options.Target,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 10,
    layers: options.Layers = None,
    search: options.SearchName = None,
    seconds: options.Seconds = None,
    positive: options.Positive = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Estimate the accuracy on new rows by cross-validation, next to CART."""
    X, column = tables.split(tables.read(data), target, data)
    y = options.labels(column, positive, data)
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < folds:
        raise TableError(f"{data}: a class has {smallest} rows only, too few for {folds} folds; use --folds {smallest}")
    network = options.classifier(layers, search, seconds, positive, seed, jobs)
    tree = make_pipeline(OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier(random_state=0))
    learners: dict[str, tuple[Any, Callable[[Any], int]]] = {
        "rulenet": (network, lambda m: measure(m.formula_).conditions),
        "CART": (tree, lambda m: int(m[-1].get_n_leaves())),
    }
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y))
    shown = options.on_terminal() and not quiet
    steps = track(parts, "folds", console=Console(stderr=True), disable=not shown)
    _print([score for part in steps for score in _scores(learners, X, y, *part)])


def _scores(
    learners: dict[str, tuple[Any, Callable[[Any], int]]],
    X: pd.DataFrame,
    y: NDArray[np.str_],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> Iterator[Score]:
    for name, (learner, size_of) in learners.items():
        start = perf_counter()
        model = clone(learner).fit(X.iloc[train], y[train])
        seconds = perf_counter() - start
        yield Score(name, float(model.score(X.iloc[test], y[test])), size_of(model), seconds)


def _print(scores: list[Score]) -> None:
    frame = pd.DataFrame(scores).groupby("learner", sort=False)
    rows = [
        (
            name,
            f"{g.accuracy.mean():.4f}",
            f"{g.accuracy.std(ddof=1):.4f}",
            f"{g['size'].mean():.1f}",
            f"{g.seconds.mean():.2f}",
        )
        for name, g in frame
    ]
    header = ("learner", "accuracy", "deviation", "size", "seconds")
    console = Console()
    if not console.is_terminal:
        typer.echo("\n".join("\t".join(map(str, row)) for row in (header, *rows)))
        return
    table = Table(*header, caption="size: conditions of the rules, leaves of the tree")
    for row in rows:
        table.add_row(*map(str, row))
    console.print(table)
