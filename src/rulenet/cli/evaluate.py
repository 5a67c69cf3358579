"""`rulenet evaluate`: cross-validation of a rule network next to other learners, on the same folds."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rulenet.cli import options
from rulenet.cli.confusion import as_data, shown
from rulenet.cli.errors import plain_errors
from rulenet.cli.groups import grouped
from rulenet.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd

    from rulenet.experiments import Study
    from rulenet.experiments.confusion import Confusion

EPILOG = """Examples:\n
rulenet evaluate cars.csv --target class --positive unacc --folds 10\n
rulenet evaluate cars.csv --target class --peers all --json\n
rulenet evaluate tags.csv --target spam --target urgent"""

USUAL = "CART,forest,boosting"
OURS = "rulenet"
COLUMNS = {
    "accuracy": "{:.4f}",
    "deviation": "{:.4f}",
    "balanced_accuracy": "{:.4f}",
    "auc": "{:.4f}",
    "log_loss": "{:.4f}",
    "size": "{:.1f}",
    "seconds": "{:.2f}",
}
CAPTION = "means over folds; size: edges of the network, leaves of trees"


@plain_errors()
@grouped
def evaluate(
    data: options.Data,
    target: options.Targets,
    types: options.Types,
    learning: options.Learning,
    files: options.Files,
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="Parts of the cross-validation.")] = 10,
    peers: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="Learners to compare with: names with commas, all that are installed, or none."
        ),
    ] = USUAL,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="JSON instead of a table.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Estimate accuracy, AUC and log loss on new rows by cross-validation, next to other learners.

    Then come precision, recall and F1 of every class, and what is taken for what, by the rule network.
    """
    import pandas as pd

    from rulenet.cli import tables
    from rulenet.cli.classes import classes_of
    from rulenet.cli.evaluate_targets import evaluate_targets, typed_for_peers

    chosen = _chosen(peers)
    if len(target) > 1:
        evaluate_targets(data, target, types, learning, files, folds, chosen, as_json)
        return
    X, column = tables.split(types.without_dropped(files.read(data), data, target), target[0], data)
    classes = classes_of(column, learning.positive, data)
    y = pd.Series(classes.labels, name=target[0], index=X.index)
    # Two classes must be in all folds. Of more, those that are rarer may be in some only.
    n_rows = int(y.value_counts().iloc[1])
    if n_rows < folds:
        remedy = f"use --folds {n_rows}" if n_rows > 1 else "two classes must have 2 rows at least"
        raise TableError(f"{data}: a class has {n_rows} rows only, too few for {folds} folds; {remedy}")
    model = learning.classifier(types, list(X), classes.labels, data, **classes.parameters)
    studies = [_study({OURS: lambda seed: model}, X, y, folds, learning.seed)]
    if chosen:
        studies.append(_study(chosen, typed_for_peers(X, types, data), y, folds, learning.seed))
    rows = list(_run(studies, options.on_terminal() and not quiet))
    _report(pd.DataFrame(rows), as_json)


def _study(learners: Mapping[str, Any], X: "pd.DataFrame", y: "pd.Series[str]", folds: int, seed: int) -> "Study":
    from rulenet.experiments import Study

    return Study({"data": lambda: (X, y)}, learners, seeds=(seed,), n_splits=folds, fold_seed=seed, confusion=True)


def _chosen(peers: str) -> dict[str, Any]:
    """The learners that an option names."""
    from rulenet.experiments.peers import installed, peer

    names = installed() if peers == "all" else [] if peers == "none" else peers.split(",")
    return {name: peer(name) for name in names}


def _run(studies: "Sequence[Study]", shown: bool) -> Iterator[dict[str, object]]:
    """The rows of results of all studies, with a bar if wanted."""
    from rulenet.experiments import run_fits
    from rulenet.experiments.progress import show_progress

    total = sum(1 for study in studies for _ in study.fits())
    with show_progress("folds", 0, total) if shown else nullcontext(lambda row: None) as advance:
        for study in studies:
            for row in run_fits(study):
                advance(row)
                yield row


def _report(results: "pd.DataFrame", as_json: bool) -> None:
    from rich.console import Console

    table = _summary(results)
    if as_json:
        errors = _errors(results)
        told = _confusions(results)
        records = [
            {"learner": name} | _known(row) | {"errors": errors.get(str(name), [])} | told.get(str(name), {})
            for name, row in table.iterrows()
        ]
        typer.echo(json.dumps(records, indent=2))
    else:
        _print(table)
        if (found := _confusion(results, OURS)) is not None:
            typer.echo("\n" + shown(found, Console().width if Console().is_terminal else None))
        for learner, messages in _errors(results).items():
            for message in messages:
                typer.echo(f"rulenet: {learner} failed: {message}", err=True)
    if "error" in results and results["error"].notna().all():
        raise typer.Exit(1)


def _summary(results: "pd.DataFrame") -> "pd.DataFrame":
    """A row a learner; one that failed on a fold has no means."""
    results = results.rename(columns={"fit_seconds": "seconds"}).reindex(
        columns=["learner", "accuracy", "balanced_accuracy", "auc", "log_loss", "size", "seconds"]
    )
    groups = results.groupby("learner", sort=False)
    table = groups.mean().where(groups.count() == groups.size().iloc[0])
    table.insert(1, "deviation", groups["accuracy"].std(ddof=1))
    return table


def _errors(results: "pd.DataFrame") -> dict[str, list[str]]:
    failed = results[results["error"].notna()] if "error" in results else results[:0]
    return {str(name): sorted(set(rows["error"])) for name, rows in failed.groupby("learner", sort=False)}


def _confusion(results: "pd.DataFrame", learner: str) -> "Confusion | None":
    """What a learner took for what, if it failed on no fold."""
    from rulenet.experiments.confusion import Confusion

    mine = results[results["learner"] == learner]
    if "confusion" not in mine or mine["confusion"].isna().any():
        return None
    return Confusion.of(pair for pairs in mine["confusion"] for pair in pairs)


def _confusions(results: "pd.DataFrame") -> dict[str, dict[str, Any]]:
    found = {str(name): _confusion(results, str(name)) for name in results["learner"].unique()}
    return {name: as_data(one) for name, one in found.items() if one is not None}


def _known(row: "pd.Series[Any]") -> dict[str, float | None]:
    return {str(name): None if value != value else float(value) for name, value in row.items()}


def _print(table: "pd.DataFrame") -> None:
    from rich.console import Console
    from rich.table import Table

    header = ("learner", *(name.replace("_", " ") for name in COLUMNS))
    rows = [
        (
            str(name),
            *(form.format(row[column]) if row[column] == row[column] else "" for column, form in COLUMNS.items()),
        )
        for name, row in table.iterrows()
    ]
    console = Console()
    if not console.is_terminal:
        typer.echo("\n".join("\t".join(row) for row in (header, *rows)))
        return
    shown = Table(*header, caption=CAPTION)
    for row in rows:
        shown.add_row(*row)
    console.print(shown)
