"""`rulenet picture`: the network, the training or the rules of a model as a picture."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rulenet.cli import options
from rulenet.cli.errors import plain_errors
from rulenet.cli.groups import grouped
from rulenet.exceptions import ParameterError

EPILOG = """Examples:\n
rulenet picture cars.json -o net.svg\n
rulenet picture cars.json --kind coverage --data cars.csv --target class -o rules.png"""
SUFFIXES = (".svg", ".png", ".pdf")


class Kind(StrEnum):
    """What to draw."""

    network = "network"
    history = "history"
    coverage = "coverage"


class Colours(StrEnum):
    """Which colours to use."""

    paper = "paper"
    safe = "safe"


@plain_errors()
@grouped
def picture(
    model: options.Model,
    files: options.Files,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write: .svg, .png or .pdf.")
    ] = (Path("network.svg")),
    kind: Annotated[Kind, typer.Option(help="What to draw.")] = Kind.network,
    colours: Annotated[Colours, typer.Option(help="Red and green as in the paper, or safe for all eyes.")] = (
        Colours.paper
    ),
    data: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Rows: how many each part covers is drawn too.", callback=options.existing),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COLUMN", help="The column of classes of these rows.")
    ] = None,
) -> None:
    """Draw a model."""
    if output.suffix.lower() not in SUFFIXES:
        raise ParameterError(f"{output}: pictures end in {', '.join(SUFFIXES)}, not in {output.suffix or 'nothing'}")
    loaded = options.load(model)
    X = y = None
    if kind is not Kind.history and (kind is Kind.coverage or data is not None or target is not None):
        if data is None or target is None:
            raise ParameterError("coverage is counted on rows; give --data and --target")
        from rulenet.cli import tables

        table, column = tables.split(files.read(data), target, data)
        X, y = options.rows_for(loaded, table, data), column.to_numpy(dtype=str)
    loaded.picture(kind.value, X, y, colours=colours.value).savefig(output, dpi=150)
