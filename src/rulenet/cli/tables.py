"""Tables in and out: CSV, also gzipped, Parquet, and "-" for pipes. Every cell is text, or missing."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rulenet.exceptions import TableError
from rulenet.literals import Attribute

MISSING = ("", "?")


def read(path: str) -> pd.DataFrame:
    """The table in a file, or on standard input for "-"; an empty cell or "?" is missing."""
    try:
        table = _read_parquet(path) if path.endswith((".parquet", ".pq")) else _read_csv(path)
    except (ValueError, UnicodeError, pd.errors.ParserError) as error:
        raise TableError(f"{path}: cannot be read as a table: {error}") from error
    if table.columns.has_duplicates:
        twice = table.columns[table.columns.duplicated()][0]
        raise TableError(f"{path}: two columns are called {twice!r}; rename one")
    return table


def split(table: pd.DataFrame, target: str, path: str) -> tuple[pd.DataFrame, pd.Series]:
    """The columns to learn from, and the column ``target``."""
    if target not in table:
        raise TableError(f"{path}: no column is called {target!r}; the columns are {_listed(table.columns)}")
    labels = table[target]
    if labels.isna().any():
        row = int(labels.isna().to_numpy().argmax())
        raise TableError(f"{path}: column {target!r} is missing in row {row}; give it a value or remove the row")
    return table.drop(columns=target), labels


def select(table: pd.DataFrame, attributes: Sequence[Attribute], path: str) -> pd.DataFrame:
    """The columns that a model knows, in its order, with the values that their text stands for; others are missing."""
    for attribute in attributes:
        if attribute.name not in table:
            raise TableError(
                f"{path}: column {attribute.name!r} is not there, but the model knows it; add it, even if empty"
            )
    columns = {a.name: table[a.name].map({str(v): v for v in a.values}).astype(object) for a in attributes}
    return pd.DataFrame(columns, index=table.index)


def write(table: pd.DataFrame, path: str) -> None:
    """Write a table as its name says, or as CSV to standard output for "-"."""
    if path == "-":
        sys.stdout.write(table.to_csv(index=False))
    elif path.endswith((".parquet", ".pq")):
        table.to_parquet(path, index=False)
    else:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(path, index=False)


def _read_csv(path: str) -> pd.DataFrame:
    source: Any = sys.stdin if path == "-" else path
    return pd.read_csv(
        source, dtype=str, keep_default_na=False, na_values=list(MISSING), compression=_compression(path)
    )


def _compression(path: str) -> Any:
    return "gzip" if path.endswith(".gz") else None


def _read_parquet(path: str) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path)
    except ImportError as error:
        raise TableError(f"{path}: reading Parquet needs pyarrow; install it with: pip install pyarrow") from error
    return table.apply(_as_text)


def _as_text(column: "pd.Series[Any]") -> "pd.Series[Any]":
    text = column.astype(object).map(str, na_action="ignore")
    return text.where(~text.isin(MISSING) & column.notna(), np.nan)


def _listed(columns: "pd.Index[Any]") -> str:
    names = [repr(c) for c in columns[:10]]
    return ", ".join(names) + (", ..." if len(columns) > 10 else "")
