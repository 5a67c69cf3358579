"""`rulenet explain`: why one row is predicted as it is."""

from typing import Annotated

import typer

from rulenet.cli import options
from rulenet.cli.errors import plain_errors
from rulenet.cli.groups import grouped

EPILOG = """Example:\n
rulenet explain cars.json cars.csv --row 12"""


@plain_errors()
@grouped
def explain(
    model: options.Model,
    data: options.Data,
    files: options.Files,
    row: Annotated[
        int, typer.Option(metavar="N", help="The row, counted from 0; negative numbers count from the end.")
    ] = 0,
) -> None:
    """Say why a row is predicted as it is: the smallest reason, what fires, the smallest change."""
    loaded = options.load(model)
    typer.echo(str(loaded.explain(options.rows_for(loaded, files.read(data), data), row)))
