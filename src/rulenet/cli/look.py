"""`rulenet look`: a table as a fit would see it, before fitting."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rulenet.cli import options
from rulenet.cli.errors import plain_errors, said
from rulenet.cli.groups import grouped
from rulenet.exceptions import RuleNetError

if TYPE_CHECKING:
    import pandas as pd

    from rulenet.conditions import Attribute

EPILOG = """Examples:\n
rulenet look people.csv\n
rulenet look people.csv --target income --nominal zip"""

HEADER = ("column", "type", "missing", "distinct", "cells")
WIDTH = 48


@plain_errors()
@grouped
def look(
    data: options.Data,
    types: options.Types,
    files: options.Files,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict: cuts then heed its classes."),
    ] = None,
) -> None:
    """Show what a fit would make of a table: types as inferred, missing values, distinct ones, cuts, warnings."""
    from rulenet.cli import tables

    table = types.without_dropped(files.read(data), data, [] if target is None else [target])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            attributes = _attributes(table, target, types, data)
        except RuleNetError:  # what was left out may be why
            _say(caught)
            raise
    X = table if target is None else table.drop(columns=target)
    rows = [_row(a, X[name]) for name, a in zip(X.columns, attributes, strict=True)]
    if target is not None:
        rows.append(_target_row(tables.split(table, target, data)[1]))
    typer.echo(f"{data}: {len(table)} rows, {table.shape[1]} columns")
    typer.echo(_aligned([HEADER, *rows]))
    _say(caught)


def _say(caught: Sequence[warnings.WarningMessage]) -> None:
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            typer.echo(f"warning: {said(warning.message)}")


def _attributes(table: "pd.DataFrame", target: str | None, types: options.Types, path: str) -> "tuple[Attribute, ...]":
    import numpy as np

    from rulenet import Encoding
    from rulenet.cli import tables

    codes = None
    if target is not None:
        table, column = tables.split(table, target, path)
        codes = np.unique(column.to_numpy(dtype=str), return_inverse=True)[1]
    return Encoding.learn(table, codes, **types.parameters(table.columns.tolist(), path)).attributes


def _row(attribute: "Attribute", column: "pd.Series[str]") -> tuple[str, ...]:
    kind = attribute.kind if attribute.n_cells > 1 else "left out" if column.nunique() > 1 else "constant"
    cells = [attribute.shown(cut) for cut in attribute.cuts] if attribute.measured else map(str, attribute.values)
    start = "cuts " if attribute.cuts else ""
    return attribute.name, kind, _share(column), str(column.nunique()), _shortened(start + ", ".join(cells))


def _target_row(column: "pd.Series[str]") -> tuple[str, ...]:
    counts = column.value_counts()
    cells = ", ".join(f"{label} {count}" for label, count in counts.items())
    return str(column.name), "class", _share(column), str(len(counts)), _shortened(cells)


def _share(column: "pd.Series[str]") -> str:
    missing = int(column.isna().sum())
    return f"{missing} ({missing / len(column):.0%})" if missing else "0"


def _shortened(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 4].rpartition(" ")[0] + " ..."


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns: numbers to the right, the rest to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
    right = {HEADER.index("missing"), HEADER.index("distinct")}
    lines = [
        "  ".join(
            f"{cell:>{w}}" if i in right else f"{cell:<{w}}"
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)
