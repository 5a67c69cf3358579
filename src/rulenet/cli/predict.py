"""`rulenet predict`: classes, and probabilities, for the rows of a table."""

from typing import Annotated

import typer

from rulenet.cli import options, tables
from rulenet.cli.errors import plain_errors

EPILOG = """Examples:\n
rulenet predict cars.json new.csv -o out.csv\n
cat new.csv | rulenet predict cars.json - --proba | head"""


@plain_errors()
def predict(
    model: options.Model,
    data: options.Data,
    output: Annotated[str, typer.Option("--output", "-o", help="CSV or Parquet to write; - writes to a pipe.")] = "-",
    proba: Annotated[
        bool, typer.Option("--proba", help="A column with the probability of the prediction too.")
    ] = False,
    name: Annotated[str, typer.Option(help="The name of the column with the predictions.")] = "prediction",
) -> None:
    """Add a column with the predicted class to a table."""
    loaded, table = options.load(model), tables.read(data)
    X = tables.select(table, loaded.encoding_.attributes, data)
    table[name] = loaded.predict(X)
    if proba:
        table["probability"] = loaded.predict_proba(X).max(axis=1)
    tables.write(table, output)
