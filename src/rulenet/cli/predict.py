"""`rulenet predict`: classes, and probabilities, for the rows of a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rulenet.cli import options
from rulenet.cli.errors import plain_errors
from rulenet.cli.groups import grouped
from rulenet.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd

    from rulenet.calibration import Margins
    from rulenet.estimator import RuleNetworkClassifier
    from rulenet.fitted import Fitted

EPILOG = """Examples:\n
rulenet predict cars.json new.csv -o out.csv\n
rulenet predict cars.json many.parquet -o out.parquet\n
cat new.csv | rulenet predict cars.json - --proba | head"""


@plain_errors()
@grouped
def predict(
    model: options.Model,
    data: options.LargeData,
    files: options.Files,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="CSV, TSV, Parquet, Feather, Excel or JSON lines; - writes to a pipe.",
        ),
    ] = "-",
    proba: Annotated[
        bool, typer.Option("--proba", metavar="", help="A column with the probability of every class too.")
    ] = False,
    name: Annotated[
        str, typer.Option(metavar="TEXT", help="The name of the column with the predictions.")
    ] = "prediction",
    target: options.Chosen = None,
    abstain: options.Abstain = False,
) -> None:
    """Add a column with the predicted class to a table."""
    from rulenet.cli import tables
    from rulenet.cli.large import is_large

    if is_large(data):
        _predict_large(model, data, files, output, proba, name, abstain)
        return
    loaded, table = options.load(model, abstain), files.read(data)
    rows = options.rows_for(loaded, table, data)
    found = _predicted(loaded, rows, name, proba, options.of_targets(loaded, target))
    taken = [column for column in found if column in table]
    if taken:
        raise TableError(f"{data}: has a column {taken[0]!r} already; name the predictions with --name")
    tables.write(table.assign(**found), output)


def _predict_large(
    model: str, data: str, files: options.Files, output: str, proba: bool, name: str, abstain: bool
) -> None:
    """Read, predict and write batch by batch."""
    from rulenet.cli.large import Large
    from rulenet.cli.tables import write_batches
    from rulenet.shards.streams import types_with_predictions, with_predictions

    loaded, table = options.load(model, abstain), Large(data, files)
    options.check_read(loaded, table.columns, data)
    fitted, may_abstain = loaded.one_target("a large table"), loaded.on_conflict == "abstain"
    frames = with_predictions(fitted, table.source, loaded.n_jobs, proba, name, may_abstain)
    write_batches(frames, output, types_with_predictions(fitted, table.source, name))


def _predicted(
    model: "RuleNetworkClassifier", rows: "pd.DataFrame", name: str, proba: bool, targets: Sequence[str]
) -> dict[str, Any]:
    """The columns of predictions; those of several targets end in their names."""
    from rulenet.fitted_targets import FittedTargets

    fitted, abstain = model.fitted_, model.on_conflict == "abstain"
    if not isinstance(fitted, FittedTargets):
        return _columns(fitted, fitted.margins(rows), name, "probability_" if proba else None, abstain)
    found = dict[str, Any]()
    for column, one, margins in zip(fitted.columns, fitted.parts, fitted.margins(rows), strict=True):
        if column not in targets:
            continue
        found |= _columns(one, margins, f"{name}_{column}", f"probability_{column}_" if proba else None, abstain)
    return found


def _columns(fitted: "Fitted", margins: "Margins", name: str, start: str | None, abstain: bool) -> dict[str, Any]:
    found: dict[str, Any] = {name: fitted.label(margins, abstain)}
    if start is not None:
        probabilities = fitted.probabilities_of(margins).T
        found |= {f"{start}{label}": p for label, p in zip(fitted.classes, probabilities, strict=True)}
    return found
