"""`rulenet page`: a model and rows as one page to see, question and change it in the browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rulenet.cli import options
from rulenet.cli.errors import plain_errors
from rulenet.cli.groups import grouped
from rulenet.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd

    from rulenet import RuleNetworkClassifier

EPILOG = """Examples:\n
rulenet page cars.json cars.csv --target class -o cars.html\n
rulenet page cars.json train.csv --target class --held-out test.csv"""


@plain_errors()
@grouped
def page(
    model: options.Model,
    data: options.Data,
    target: options.Target,
    files: options.Files,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = Path(
        "page.html"
    ),
    held_out: Annotated[
        str | None,
        typer.Option(
            metavar="DATA", help="A table of rows that the model was not fitted to.", callback=options.existing
        ),
    ] = None,
    max_rows: Annotated[int, typer.Option(min=1, metavar="N", help="Of more rows a sample is embedded.")] = 10_000,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The title of the page.")] = None,
) -> None:
    """Write a page that opens in any browser, from disk: the network, its rows, and all that can be changed."""
    loaded = options.load(model)
    X, y = _rows(loaded, files, data, target)
    other = None if held_out is None else _rows(loaded, files, held_out, target)
    loaded.page(X, y, held_out=other, max_rows=max_rows, title=title).save(output)


def _rows(
    model: "RuleNetworkClassifier", files: options.Files, path: str, target: str
) -> "tuple[pd.DataFrame, list[Any]]":
    from rulenet.cli import tables

    table, column = tables.split(files.read(path), target, path)
    return options.rows_for(model, table, path), labels_for(model.classes_.tolist(), column.tolist(), path, target)


def labels_for(classes: list[Any], texts: list[str], path: str, target: str) -> list[Any]:
    """The labels of a model that texts stand for; where it tells one class from the rest, also those of the rest.

    >>> labels_for(["a", "not a"], ["a", "b"], "x.csv", "class")
    ['a', 'not a']
    """
    known = {str(label): label for label in classes}
    rest = next(
        (
            label
            for label in classes
            if str(label).removeprefix("not ") in known and len(classes) == 2 and str(label).startswith("not ")
        ),
        None,
    )
    unknown = next((text for text in texts if text not in known), None)
    if unknown is not None and rest is None:
        raise TableError(f"{path}: column {target!r} has the class {unknown!r}, but the model knows {', '.join(known)}")
    return [known.get(text, rest) for text in texts]
