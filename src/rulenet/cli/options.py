"""Arguments and options that several commands share."""

import sys
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from rulenet.estimator import SEARCHES, RuleNetworkClassifier
from rulenet.exceptions import ParameterError, TableError
from rulenet.training.anneal import Anneal

Data = Annotated[str, typer.Argument(metavar="DATA", help="CSV (also .gz) or Parquet; - reads CSV from a pipe.")]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file that `rulenet fit` wrote.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.")]
Layers = Annotated[str | None, typer.Option(help="Units of the hidden layers, for example 32,8,2.")]
Seconds = Annotated[
    float | None, typer.Option(help="A limit on the time of a search by annealing; else it takes what it needs.")
]
SearchName = Annotated[str | None, typer.Option("--search", help=f"How to search: {', '.join(SEARCHES)}.")]
Positive = Annotated[str | None, typer.Option(help="The class that the rules describe; all others are the rest.")]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers; the same seed gives the same rules.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Threads; -1 for all cores.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")]


def classifier(
    layers: str | None,
    search: str | None,
    seconds: float | None,
    positive: str | None,
    seed: int,
    jobs: int | None,
    *,
    verbose: bool = False,
) -> RuleNetworkClassifier:
    """The estimator that the options describe."""
    options: dict[str, Any] = {"random_state": seed, "n_jobs": jobs, "verbose": int(verbose)}
    if layers is not None:
        options["hidden_layer_sizes"] = _sizes(layers)
    if search is not None:
        options["search"] = search
    if seconds is not None:
        if search not in (None, "anneal"):
            raise ParameterError(f"--seconds limits the search by annealing, but --search is {search}")
        options["search"] = Anneal(max_time=seconds)
    if positive is not None:
        options["positive_class"] = positive
    return RuleNetworkClassifier(**options)


def labels(column: pd.Series, positive: str | None, path: str) -> NDArray[np.str_]:
    """Two classes: those of the column, or ``positive`` and the rest."""
    found = sorted(column.unique())
    if positive is not None and positive not in found:
        raise TableError(f"{path}: column {column.name!r} has no class {positive!r}; it has {', '.join(found[:10])}")
    if len(found) == 2:
        return column.to_numpy(dtype=str)
    if len(found) < 2:
        raise TableError(f"{path}: column {column.name!r} has one class only, {found[0]!r}; two are needed")
    if positive is None:
        raise TableError(
            f"{path}: column {column.name!r} has {len(found)} classes; say which one to describe, "
            f"for example --positive {found[0]!r}"
        )
    return np.where(column == positive, positive, f"not {positive}")


def load(path: str) -> RuleNetworkClassifier:
    """The model in a file."""
    return RuleNetworkClassifier.load(path)


def on_terminal() -> bool:
    """Whether a person is watching standard error."""
    return sys.stderr.isatty()


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise ParameterError(f"--layers is {text!r}, but must be integers with commas, such as 32,8,2") from error
