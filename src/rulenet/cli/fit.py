"""`rulenet fit`: from a table to a model file."""

import signal
import sys
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rulenet.cli import options
from rulenet.cli.errors import plain_errors
from rulenet.cli.groups import grouped
from rulenet.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rulenet.estimator import RuleNetworkClassifier

EPILOG = """Examples:\n
rulenet fit cars.csv --target class -o cars.json\n
rulenet fit tags.csv --target spam --target urgent\n
rulenet fit people.csv --target income --nominal zip --ordinal school=none,some,full --cuts age=18,30,65\n
zcat log.csv.gz | rulenet fit - --target fraud --positive yes -o fraud.json"""


@plain_errors()
@grouped
def fit(
    data: options.LargeData,
    target: options.Targets,
    types: options.Types,
    learning: options.Learning,
    files: options.Files,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The model file to write; - writes to a pipe.")
    ] = ("model.json"),
    choose: options.Choose = None,
    quiet: options.Quiet = False,
) -> None:
    """Learn a rule network from a table and save it.

    Ctrl-C, or a signal to terminate, ends the search: the best network so far is saved.
    """
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    import pandas as pd

    from rulenet.cli import tables
    from rulenet.cli.classes import classes_of
    from rulenet.cli.large import is_large

    if is_large(data):
        if len(target) > 1:
            raise ParameterError(f"--target names {len(target)} columns, but a table in batches is learned for one")
        _fit_large(data, target[0], types, learning, files, output, quiet)
        return
    shown = options.on_terminal() and not quiet
    y: Any
    if len(target) > 1:
        X, y = options.labels_of(files, types, learning, data, target)
        model = learning.classifier(types, list(X), (), data, verbose=int(shown))
    else:
        X, column = tables.split(types.without_dropped(files.read(data), data, target), target[0], data)
        classes = classes_of(column, learning.positive, data)
        y = pd.Series(classes.labels, name=target[0], index=X.index)
        model = learning.classifier(types, list(X), classes.labels, data, **classes.parameters, verbose=int(shown))
    start = perf_counter()
    model.fit(X, y)
    elapsed = perf_counter() - start
    options.choose(model.set_params(verbose=0), choose)
    _save(model, output)
    if not quiet:
        typer.echo(_summary(model, float(model.score(X, y)), elapsed, output), err=True)


def _fit_large(
    data: str,
    target: str,
    types: options.Types,
    learning: options.Learning,
    files: options.Files,
    output: str,
    quiet: bool,
) -> None:
    """Learn from a table that is read in batches."""
    import pandas as pd

    from rulenet.cli.classes import Classes, check_classes, relabel
    from rulenet.cli.large import Large

    columns = Large(data, files).columns
    table = Large(data, files, types.dropped(columns, data, [target]))
    counts = table.counts(target)
    check_classes(counts, learning.positive, data)
    labels = pd.Series(sorted(counts.index), dtype=object)
    classes = Classes(relabel(labels, counts, learning.positive), learning.positive)

    def batches() -> "Iterator[pd.DataFrame]":
        for frame in table.read():
            yield frame.assign(**{target: relabel(frame[target].map(str), counts, learning.positive)})

    shown = options.on_terminal() and not quiet
    known = [name for name in table.columns if name != target]
    model = learning.classifier(types, known, classes.labels, data, **classes.parameters, verbose=int(shown))
    start = perf_counter()
    model.fit(batches, target)
    elapsed = perf_counter() - start
    model.set_params(verbose=0)
    _save(model, output)
    if not quiet:
        typer.echo(_summary(model, float(model.history_[-1]), elapsed, output), err=True)


def _save(model: "RuleNetworkClassifier", output: str) -> None:
    from rulenet.model_file import dumps

    if output == "-":
        sys.stdout.write(dumps(model._state()))
    else:
        model.save(output)


def _summary(model: "RuleNetworkClassifier", accuracy: float, seconds: float, output: str) -> str:
    from rulenet.formulas.decision import Decision
    from rulenet.formulas.decisions import Decisions
    from rulenet.formulas.export.text import number, summarise
    from rulenet.formulas.expressions import AtLeast

    said, end = model.formula_, f"accuracy on these rows {accuracy:.4f}, {seconds:.1f} s"
    if isinstance(said, Decision):
        several = isinstance(said, Decisions)
        what = said.target if several else f"{said.target} of {len(said.labels)} classes"
        end = end.replace("rows", "rows, all columns right,", 1) if several else end
        concepts = f" and {number(len(said.concepts), 'named concept')}" if said.concepts else ""
        by = f"{number(len(said.conditions), 'different condition')}{concepts}"
        return f"{output}: {what} by {by}; size {model.size_}, {end}"
    joined = "if" if isinstance(said.output, AtLeast) else "in"
    return f"{output}: {said.target} {joined} {summarise(said)}; size {model.size_}, {end}"
