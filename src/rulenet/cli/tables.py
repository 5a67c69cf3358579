"""Tables in and out: delimited text, also packed, Parquet, Feather, Excel, JSON lines, and "-" for pipes.

Text stays text: what its values are is inferred where a table is learned from, in one way for every entrance. Formats
that know their types keep them.
"""

import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd

from rulenet.cli import files
from rulenet.cli.text import decode, read_text
from rulenet.encoding.columns import EXACT, parse_number
from rulenet.exceptions import TableError
from rulenet.nearest import nearest
from rulenet.replacing import replacing

#: What stands for a missing value in text and in spreadsheets; --na names others instead.
MISSING = (
    *("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-NaN", "-nan"),
    *("NULL", "Null", "null", "None"),
)
#: A cell counts as a character and what ends it, also where it is empty: empty ones take as much memory.
CELL_BYTES = 2
#: Rows of a Parquet file that are unpacked at once.
BATCH_ROWS = 4096
#: The bits that say where a cell of any length begins.
OFFSET = 32


@dataclass(frozen=True)
class Reading:
    """How to read a file; None is for what is found out."""

    sep: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    na: tuple[str, ...] | None = None
    max_bytes: int = files.MAX_BYTES


def read(path: str, how: Reading | None = None) -> pd.DataFrame:
    """The table in a file, or on standard input for "-"."""
    how = how or Reading()
    data = files.read_bytes(path, how.max_bytes)
    try:
        table = _READERS[files.format_of(data, path)](data, path, how)
    except (ValueError, UnicodeError, RecursionError, pd.errors.ParserError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(f"{path}: cannot be read as a table: {error}") from error
    if table.columns.has_duplicates:
        twice = table.columns[table.columns.duplicated()].unique()
        raise TableError(f"{path}: several columns are called {_listed(twice)}; give each its own name")
    if not len(table):
        raise TableError(f"{path}: has the names of {table.shape[1]} columns, but no rows below them")
    return table


def split(table: pd.DataFrame, target: str, path: str) -> tuple[pd.DataFrame, "pd.Series[str]"]:
    """The columns to learn from, and the classes in the column ``target``, as text."""
    rest, columns = split_all(table, [target], path)
    return rest, columns[target]


def split_all(
    table: pd.DataFrame, targets: Sequence[str], path: str
) -> "tuple[pd.DataFrame, dict[str, pd.Series[str]]]":
    """The columns to learn from, and the classes in the columns ``targets``, as text."""
    check_columns(targets, table.columns, path)
    columns = dict[str, "pd.Series[str]"]()
    for target in targets:
        if target in columns:
            raise TableError(f"{path}: column {target!r} is to be predicted twice; name it once")
        labels = table[target]
        if labels.isna().any():
            row = int(labels.isna().to_numpy().argmax())
            raise TableError(f"{path}: column {target!r} is missing in row {row}; give it a value or remove the row")
        columns[target] = labels.map(str).astype(object)
    if table.shape[1] == len(targets):
        raise TableError(
            f"{path}: has no column but {', '.join(map(repr, targets))}; something to learn from is needed"
        )
    return table.drop(columns=[*targets]), columns


def check_columns(names: Iterable[str], known: Iterable[Any], path: str, why: str = "") -> None:
    """Refuse names that no column has, with the nearest that one has; ``why`` says who asks for them."""
    columns = dict.fromkeys(map(str, known))
    for name in names:
        if name not in columns:
            near = nearest(name, columns)
            hint = f"the columns are {_listed(columns)}" if near is None else f"did you mean {near!r}?"
            raise TableError(f"{path}: no column is called {name!r}{why}; {hint}")


def write(table: pd.DataFrame, path: str) -> None:
    """Write a table as its name says, or as CSV to standard output for "-"."""
    if path == "-":
        sys.stdout.write(table.to_csv(index=False))
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        _write(table, str(file))


def _write(table: pd.DataFrame, path: str) -> None:
    if path.endswith((".parquet", ".pq")):
        table.to_parquet(path, index=False)
    elif path.endswith((".feather", ".arrow")):
        table.to_feather(path)
    elif path.endswith((".jsonl", ".ndjson")):
        table.to_json(path, orient="records", lines=True)
    elif path.endswith(".xlsx"):
        _needed("openpyxl", path, "Excel", "excel", "writing")
        table.to_excel(path, index=False)
    else:
        table.to_csv(path, index=False, sep="\t" if ".tsv" in Path(path).suffixes else ",")


def write_batches(batches: Iterator[pd.DataFrame], path: str, types: dict[str, Any] | None = None) -> None:
    """Write a table batch by batch: as Parquet, with the Arrow ``types`` that are known, or as delimited text."""
    if path.endswith((".parquet", ".pq")):
        from rulenet.shards.streams import write_parquet

        write_parquet(batches, path, types)
        return
    if path.endswith((".feather", ".arrow", ".jsonl", ".ndjson", ".xlsx")) or ".gz" in path:
        raise TableError(f"{path}: a table that is read in batches is written as .parquet, .csv or .tsv")
    sep = "\t" if ".tsv" in Path(path).suffixes else ","
    if path == "-":
        _write_lines(batches, sys.stdout, sep)
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as place, place.open("w", newline="", encoding="utf-8") as file:
        _write_lines(batches, file, sep)


def _write_lines(batches: Iterator[pd.DataFrame], file: TextIO, sep: str) -> None:
    for number, frame in enumerate(batches):
        frame.to_csv(file, index=False, sep=sep, header=number == 0)


def _read_delimited(data: bytes, path: str, how: Reading) -> pd.DataFrame:
    sep = "\t" if how.sep == r"\t" else how.sep
    most = max(map(data.count, (sep.encode(),) if sep else (b",", b";", b"\t", b"|")))
    _check_size(CELL_BYTES * (most + data.count(b"\n")), path, how)
    return read_text(data, path, sep, how.encoding, how.decimal, MISSING if how.na is None else how.na)


def _read_parquet(data: bytes, path: str, how: Reading) -> pd.DataFrame:
    parquet = _needed("pyarrow.parquet", path, "Parquet", "parquet")
    file = parquet.ParquetFile(io.BytesIO(data))
    # What is told of a column may be of runs or of numbers of a dictionary, so what a cell takes at least counts too.
    told = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    least = file.metadata.num_rows * sum(_width(field.type) or OFFSET for field in file.schema_arrow) // 8
    _check_size(max(told, least), path, how)
    texts = [field.name for field in file.schema_arrow if _width(field.type) is None]
    _check_batches(file.iter_batches(BATCH_ROWS, columns=texts) if texts else iter(()), path, how)
    return masked(_as_pandas(file.read()), how.na)


def _as_pandas(table: Any) -> pd.DataFrame:
    from rulenet.shards.arrow import as_pandas

    return as_pandas(table)


def _check_batches(batches: Iterator[Any], path: str, how: Reading) -> None:
    """Refuse too much before any of it is kept."""
    size = 0
    for batch in batches:
        size += batch.nbytes
        _check_size(size, path, how)


def _width(type: Any) -> int | None:
    """The bits that a cell takes, None where cells are of any length."""
    try:
        return int(type.bit_width)
    except ValueError:
        return None


def _read_feather(data: bytes, path: str, how: Reading) -> pd.DataFrame:
    ipc = _needed("pyarrow.ipc", path, "Feather", "parquet")
    if data.startswith(b"FEA1"):
        return masked(pd.read_feather(io.BytesIO(data)), how.na)
    with ipc.open_file(io.BytesIO(data)) as file:
        _check_batches(map(file.get_batch, range(file.num_record_batches)), path, how)
        return masked(_as_pandas(file.read_all()), how.na)


def _read_excel(data: bytes, path: str, how: Reading) -> pd.DataFrame:
    _needed("openpyxl", path, "Excel", "excel")
    sheet = pd.read_excel(io.BytesIO(data), header=None, keep_default_na=False, na_values=[], dtype=object)
    sheet = sheet.dropna(how="all")
    if not len(sheet):
        raise TableError(f"{path}: the first sheet is empty, but a line with the names of the columns is expected")
    names = [f"column {i + 1}" if pd.isna(name) else str(name).strip() for i, name in enumerate(sheet.iloc[0])]
    body = sheet.iloc[1:].set_axis(pd.Index(names), axis="columns").reset_index(drop=True)
    return masked(body, MISSING if how.na is None else how.na).infer_objects()


def _read_json(data: bytes, path: str, how: Reading) -> pd.DataFrame:
    text = decode(data, path, how.encoding)
    if text.lstrip().startswith("["):
        rows = list(enumerate(json.loads(text), start=1))
    else:
        rows = [(i, json.loads(line)) for i, line in enumerate(text.split("\n"), start=1) if line.strip()]
    for i, row in rows:
        if not isinstance(row, dict):
            raise TableError(f"{path}: entry {i} is no object with the values of a row")
        nested = [name for name, value in row.items() if isinstance(value, dict | list)]
        if nested:
            raise TableError(f"{path}: entry {i} holds a list or an object in {nested[0]!r}, but one value is expected")
    table = pd.DataFrame([row for _, row in rows], dtype=object)
    return masked(table.apply(_inferred), how.na)


def _inferred(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """A column of its own type; long whole numbers stay whole where some are missing: floats do not hold them."""
    found = column.infer_objects()
    is_long = found.dtype.kind == "f" and bool((found.abs() >= EXACT).any())
    return column if is_long and pd.api.types.infer_dtype(column, skipna=True) == "integer" else found


_READERS = {
    "text": _read_delimited,
    "parquet": _read_parquet,
    "feather": _read_feather,
    "excel": _read_excel,
    "json": _read_json,
}


def _needed(module: str, path: str, format: str, extra: str, doing: str = "reading") -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise TableError(
            f"{path}: {doing} {format} needs {package}; install it with: pip install 'rulenet[{extra}]'"
        ) from error


def _check_size(size: int, path: str, how: Reading) -> None:
    if size > how.max_bytes:
        raise files.too_large(path, how.max_bytes)


def masked(table: pd.DataFrame, na: Sequence[str] | None) -> pd.DataFrame:
    """The table with cells missing that are one of the texts ``na``, or the number that one of them is."""
    if na is None:
        return table
    numbers = [number for number in map(parse_number, na) if not isinstance(number, str)]
    table = table.copy(deep=False)
    for i in range(table.shape[1]):
        is_marker = table.iloc[:, i].isin([*na, *numbers])
        if is_marker.any() and table.dtypes.iloc[i].kind != "b":
            table.isetitem(i, _without(table.iloc[:, i], is_marker).array)
    return table


def _without(column: "pd.Series[Any]", is_marker: "pd.Series[bool]") -> "pd.Series[Any]":
    if column.dtype.kind in "iu" and isinstance(column.dtype, np.dtype):  # which would be rounded with a gap among them
        column = column.astype("UInt64" if column.dtype.kind == "u" else "Int64")
    return column.mask(is_marker)


def _listed(columns: Iterable[Any]) -> str:
    names = [repr(c) for c in columns]
    return ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
