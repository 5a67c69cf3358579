"""`rulenet show`: the rules of a model, in any form and language."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rulenet.cli import options
from rulenet.cli.errors import plain_errors
from rulenet.exceptions import ParameterError

if TYPE_CHECKING:
    from rulenet.formulas import Formula
    from rulenet.readable import Readable

EPILOG = """Examples:\n
rulenet show cars.json\n
rulenet show cars.json --as sql --style where\n
rulenet show cars.json --as onnx -o cars.onnx\n
rulenet show cars.json --form minimal --as prolog\n
rulenet show cars.json --all\n
rulenet show cars.json --choose 0"""


class Form(StrEnum):
    """Which of several equal formulas to show."""

    learned = "learned"
    flat = "flat"
    minimal = "minimal"
    factored = "factored"


@plain_errors()
def show(
    model: options.Model,
    format: Annotated[
        str,
        typer.Option(
            "--as",
            "--format",
            metavar="FORMAT",
            help="The language: text, tree, dnf, sql, python, javascript, onnx, excel, prolog, latex, json, dot ...",
        ),
    ] = "text",
    form: Annotated[
        Form, typer.Option(help="As learned, multiplied out, minimal flat, or factored anew.")
    ] = Form.learned,
    choose: options.Choose = None,
    all_found: Annotated[
        bool,
        typer.Option(
            "--all", metavar="", help="All networks that the search offers: size, accuracy, which one is chosen."
        ),
    ] = False,
    style: Annotated[
        str | None, typer.Option(metavar="NAME", help="For SQL: case, where or select; for Excel: formula or cells.")
    ] = None,
    dialect: Annotated[
        str | None, typer.Option(metavar="NAME", help="For SQL: ansi, postgresql, sqlite, mysql, bigquery or mssql.")
    ] = None,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="For SQL with --style select: the table.")] = None,
    start: Annotated[
        str | None, typer.Option(metavar="CELL", help="For Excel: the cell of the first column, A2 if not said.")
    ] = None,
    target: options.Chosen = None,
    abstain: options.Abstain = False,
    executable: Annotated[
        bool, typer.Option("--executable", metavar="", help="For Prolog: a program that runs.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A file to write to; ONNX needs one, or a pipe."),
    ] = None,
) -> None:
    """Print the rules of a model, or write them to a file."""
    from rulenet.formulas import Formula
    from rulenet.formulas.export import FORMATS

    if format not in FORMATS:
        raise ParameterError(f"--as is {format!r}, but must be one of {', '.join(FORMATS)}")
    loaded = options.choose(options.load_to_read(model, abstain), choose)
    targets = options.of_targets(loaded, target)
    if target and len(targets) > 1:
        raise ParameterError(f"--target names {len(targets)} columns, but one is shown alone, or all without it")
    loaded = loaded.target(targets[0]) if target else loaded
    if all_found:
        typer.echo(_listed(loaded))
        return
    given = {"style": style, "dialect": dialect, "table": table, "start": start, "executable": executable or None}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name in chosen:
        if name not in FORMATS[format].options:
            raise ParameterError(f"--{name} is given, but --as {format} has no such option")
    said = loaded.formula_
    if form is not Form.learned and not isinstance(said, Formula):
        raise ParameterError(f"--form is {form.value}, but the points of several classes are shown as learned only")
    formed = _formed(said, form) if form is not Form.learned and isinstance(said, Formula) else None
    _give(loaded.export(format, formula=formed, **chosen), output)


def _give(made: str | bytes, output: Path | None) -> None:
    """Write to a file, or to standard output, which for bytes must be a pipe or a file."""
    if output is not None:
        output.write_bytes(made if isinstance(made, bytes) else f"{made}\n".encode())
    elif isinstance(made, bytes) and sys.stdout.isatty():
        raise ParameterError("ONNX is bytes, which a terminal cannot show; say where to write it: -o model.onnx")
    else:
        typer.echo(made, nl=isinstance(made, str))


def _listed(model: "Readable") -> str:
    """The networks to choose from, a line each."""
    found = model.pareto_.drop(columns=["price", "network"])
    if not len(found):
        return "this search found one network only"
    texts = found.assign(
        accuracy=[f"{a:.4f}" for a in found["accuracy"]],
        validation=["" if v != v else f"{v:.4f}" for v in found["validation"]],
        chosen=["*" if c else "" for c in found["chosen"]],
    )
    return texts.rename_axis("row").reset_index().to_string(index=False)


def _formed(formula: "Formula", form: Form) -> "Formula":
    from rulenet.formulas import factor, minimise, to_dnf

    match form:
        case Form.learned:
            return formula
        case Form.flat:
            return to_dnf(formula).formula()
        case Form.minimal:
            return minimise(formula).formula()
        case Form.factored:
            return factor(minimise(formula))
