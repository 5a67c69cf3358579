"""`rulenet data`: generated data sets as files."""

import inspect
from typing import Annotated, Any

import typer

from rulenet.cli.errors import plain_errors
from rulenet.exceptions import ParameterError

#: The generators of `rulenet.datasets`, without "make_".
NAMES = ("artificial", "car-evaluation", "monk", "multiplexer", "nursery", "parity", "tic-tac-toe")
EPILOG = """Examples:\n
rulenet data artificial-5 -o five.csv\n
rulenet data artificial-16 | rulenet fit - --target class -o model.json"""


@plain_errors()
def data(
    name: Annotated[
        str,
        typer.Argument(help=f"What to generate, with its number if it takes one: {', '.join(NAMES)}."),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="CSV or Parquet to write; - writes to a pipe.")
    ] = "-",
) -> None:
    """Write a generated data set, its labels in the last column."""
    from rulenet.cli import tables

    X, y = _made(name)
    tables.write(X.assign(**{str(y.name): y}), output)


def _made(name: str) -> Any:
    maker, _, number = name.rpartition("-") if name.rpartition("-")[2].isdigit() else (name, "", "")
    if maker not in NAMES:
        raise ParameterError(f"no data set is called {name!r}; there are {', '.join(NAMES)}")
    from rulenet import datasets

    function = getattr(datasets, f"make_{maker.replace('-', '_')}")
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    if required and not number:
        raise ParameterError(f"{maker} needs a number, its {required[0].name}; for example {maker}-5")
    if number and not inspect.signature(function).parameters:
        raise ParameterError(f"{maker} takes no number; say just {maker}")
    return function(int(number)) if number else function()
