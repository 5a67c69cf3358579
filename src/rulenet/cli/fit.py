"""`rulenet fit`: from a table to a model file."""

import sys
from time import perf_counter
from typing import Annotated

import pandas as pd
import typer

from rulenet.cli import options, tables
from rulenet.cli.errors import plain_errors
from rulenet.estimator import RuleNetworkClassifier
from rulenet.formulas.measures import measure
from rulenet.model_file import dumps

EPILOG = """Examples:\n
rulenet fit cars.csv --target class -o cars.json\n
zcat log.csv.gz | rulenet fit - --target fraud --positive yes -o fraud.json"""


@plain_errors()
def fit(
    data: options.Data,
    target: options.Target,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file to write; - writes to a pipe.")] = (
        "model.json"
    ),
    layers: options.Layers = None,
    search: options.SearchName = None,
    seconds: options.Seconds = None,
    positive: options.Positive = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Learn a rule network from a table and save it."""
    X, column = tables.split(tables.read(data), target, data)
    y = pd.Series(options.labels(column, positive, data), name=target)
    show = options.on_terminal() and not quiet
    model = options.classifier(layers, search, seconds, positive, seed, jobs, verbose=show)
    start = perf_counter()
    model.fit(X, y)
    elapsed = perf_counter() - start
    model.set_params(verbose=0)
    if output == "-":
        sys.stdout.write(dumps(model._state()))
    else:
        model.save(output)
    if not quiet:
        typer.echo(_summary(model, float(model.score(X, y)), elapsed, output), err=True)


def _summary(model: RuleNetworkClassifier, accuracy: float, seconds: float, output: str) -> str:
    formula = model.formula_
    size = measure(formula)
    return (
        f"{output}: {formula.target} in {size.rules} rules with {size.conditions} conditions "
        f"and {size.concepts} named concepts; accuracy on these rows {accuracy:.4f}, {seconds:.1f} s"
    )
