"""`rulenet explain`: why one row is predicted as it is."""

from typing import Annotated

import typer

from rulenet.cli import options, tables
from rulenet.cli.errors import plain_errors

EPILOG = """Example:\n
rulenet explain cars.json cars.csv --row 12"""


@plain_errors()
def explain(
    model: options.Model,
    data: options.Data,
    row: Annotated[int, typer.Option(help="The row, counted from 0; negative numbers count from the end.")] = 0,
) -> None:
    """Say why a row is predicted as it is: the smallest reason, what fires, the smallest change."""
    loaded, table = options.load(model), tables.read(data)
    typer.echo(str(loaded.explain(tables.select(table, loaded.encoding_.attributes, data), row)))
