"""`rulenet show`: the rules of a model, in any form and language."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from rulenet.cli import options
from rulenet.cli.errors import plain_errors
from rulenet.formulas import Formula, factor, minimise, to_dnf
from rulenet.formulas.export import FORMATS

EPILOG = """Examples:\n
rulenet show cars.json\n
rulenet show cars.json --as sql --style where\n
rulenet show cars.json --form minimal --as prolog"""

Format = StrEnum("Format", {name: name for name in FORMATS})  # type: ignore[misc]
TEXT = Format("text")


class Form(StrEnum):
    """Which of several equal formulas to show."""

    learned = "learned"
    flat = "flat"
    minimal = "minimal"
    factored = "factored"


@plain_errors()
def show(
    model: options.Model,
    format: Annotated[Format, typer.Option("--as", help="The language.")] = TEXT,
    form: Annotated[
        Form, typer.Option(help="As learned, multiplied out, minimal flat, or factored anew.")
    ] = Form.learned,
    style: Annotated[str | None, typer.Option(help="For SQL: case, where or select.")] = None,
    dialect: Annotated[str | None, typer.Option(help="For SQL: ansi, mysql, bigquery or mssql.")] = None,
    table: Annotated[str | None, typer.Option(help="For SQL with --style select: the table.")] = None,
    executable: Annotated[bool, typer.Option("--executable", help="For Prolog: a program that runs.")] = False,
) -> None:
    """Print the rules of a model."""
    loaded = options.load(model)
    chosen: dict[str, Any] = {}
    if format == "sql":
        given = {"style": style, "dialect": dialect, "table": table}
        chosen = {name: value for name, value in given.items() if value is not None}
    elif format == "prolog":
        chosen = {"executable": executable}
    typer.echo(loaded.export(format.value, formula=_formed(loaded.formula_, form), **chosen))


def _formed(formula: Formula, form: Form) -> Formula:
    match form:
        case Form.learned:
            return formula
        case Form.flat:
            return to_dnf(formula).formula()
        case Form.minimal:
            return minimise(formula).formula()
        case Form.factored:
            return factor(minimise(formula))
