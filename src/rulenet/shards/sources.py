"""Rows beyond memory: files, datasets, relations and iterators, read in batches as often as asked."""

import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from rulenet.exceptions import TableError, TableTypeError
from rulenet.shards import arrow
from rulenet.shards.arrow import needed

# Cells and rows of a batch: enough for compiled loops to be busy, little beside what is allowed.
BATCH_CELLS = 3 << 18
MIN_BATCH, MAX_BATCH = 1 << 10, 1 << 16
# The methods that read a relation of DuckDB in batches: of the newest versions, since 1.4, before.
READERS = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")

Frames = Iterator[pd.DataFrame]
Types = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """A table that is read in batches: ``read`` begins anew, with the named columns only where it can.

    ``coded`` is a way to read that gives text as objects, each word once: faster, but not what was stored. ``types``
    are those of the columns in Arrow, where they are known beforehand.
    """

    name: str
    read: Callable[[list[str] | None], Frames]
    coded: Callable[[], Frames] | None = None
    types: Callable[[], Types] = dict

    def rows(self) -> Frames:
        """All batches, to be looked at and packed."""
        return self.read(None) if self.coded is None else self.coded()


def is_source(table: object) -> bool:
    """Whether a table is one that is read in batches.

    >>> is_source("rows.parquet"), is_source(iter([])), is_source([["red", 1]]), is_source(np.zeros((2, 2)))
    (True, True, False, False)
    """
    if isinstance(table, str | os.PathLike):
        return True
    if _is_dataset(table) or _is_relation(table):
        return True
    if isinstance(table, list | tuple):
        return bool(table) and hasattr(table[0], "columns")
    if isinstance(table, Iterator):
        return True
    whole = any(hasattr(table, name) for name in ("columns", "__array__", "__dataframe__", "shape"))
    return not whole and (callable(table) or isinstance(table, Iterable)) and not isinstance(table, bytes | dict | set)


def open_source(table: Any) -> Source:
    """The source that a path, a dataset, a relation, a function or an iterator is."""
    if isinstance(table, str | os.PathLike):
        return _of_dataset(_open_path(Path(table)), str(table))
    if _is_dataset(table):
        return _of_dataset(table, "the dataset")
    if _is_relation(table):
        return _of_relation(table)
    if callable(table):
        return Source("the iterator", lambda columns: map(as_frame, table()))
    if isinstance(table, Iterator):
        return Source("the iterator", Spool(table).read)
    return Source("the iterator", lambda columns: map(as_frame, table))


class Spool:
    """An iterator that can be read again: what came is kept in a temporary file."""

    def __init__(self, frames: Iterator[Any]) -> None:
        self._frames, self._n_read = frames, 0
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (closed, and gone, with the last reference to it)

    def read(self, columns: list[str] | None = None) -> Frames:
        """All batches, the first time from the iterator."""
        self._file.seek(0)
        for _ in range(self._n_read):
            yield pickle.load(self._file)
        for frame in map(as_frame, self._frames):
            pickle.dump(frame, self._file, pickle.HIGHEST_PROTOCOL)
            self._n_read += 1
            yield frame


def as_frame(batch: Any) -> pd.DataFrame:
    """A batch as pandas has it."""
    if isinstance(batch, pd.DataFrame):
        return batch
    if nw.dependencies.is_polars_dataframe(batch):
        return arrow.as_pandas(batch.to_arrow(), date_as_object=False)
    if hasattr(batch, "to_pandas") and hasattr(batch, "schema"):
        return arrow.as_pandas(batch)
    if hasattr(batch, "to_pandas"):
        return _with_names(batch.to_pandas())
    if isinstance(batch, np.ndarray) and batch.ndim == 2:
        return pd.DataFrame(batch)
    frame = nw.from_native(batch, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame.to_pandas()
    raise TableTypeError(
        f"the iterator gave a {type(batch).__name__}, but expected DataFrames with the target as a column"
    )


def _with_names(frame: Any) -> pd.DataFrame:
    return frame if isinstance(frame, pd.DataFrame) else pd.DataFrame(frame)


def _open_path(path: Path) -> Any:
    if not path.exists():
        raise TableError(f"there is no file or folder {str(path)!r}, but expected one with Parquet files")
    suffix = path.suffix.lower()
    if path.is_file() and suffix not in (".parquet", ".pq", ".feather", ".arrow"):
        raise TableError(
            f"found the file {str(path)!r}, but expected a Parquet or Feather file or a folder of Parquet files: "
            "read it into a DataFrame, or give an iterator, such as pandas.read_csv(path, chunksize=100_000)"
        )
    dataset = needed("pyarrow.dataset")
    try:
        if path.is_dir():
            return _open_folder(dataset, path)
        return dataset.dataset(path, format="feather" if suffix in (".feather", ".arrow") else "parquet")
    except (OSError, ValueError) as error:
        raise TableError(f"{path}: cannot be read as Parquet: {error}") from error


def _open_folder(dataset: Any, path: Path) -> Any:
    """A folder, with columns from names of folders in it such as year=2024, as all who read Parquet take them."""
    try:
        return dataset.dataset(path, format="parquet", partitioning="hive")
    except TypeError:  # the files have that column too, and of another type
        return dataset.dataset(path, format="parquet")


def _of_dataset(dataset: Any, name: str) -> Source:
    schema = dataset.schema
    n_rows = batch_rows(len(schema.names))
    if not schema.names:
        raise TableError(f"{name}: has no columns, but a table is expected; a folder must hold Parquet files")

    def read(columns: list[str] | None) -> Frames:
        for batch in arrow.batches_of(dataset, columns, n_rows, numbered=False):
            if batch.num_rows:
                yield arrow.as_pandas(batch)

    def coded() -> Frames:
        as_rows = arrow.Frames(schema)
        return (as_rows(x) for x in arrow.batches_of(dataset, None, n_rows, numbered=True) if x.num_rows)

    return Source(name, read, coded, lambda: _stored_types(schema))


def _of_relation(relation: Any) -> Source:
    def batches(columns: list[str] | None) -> Iterator[Any]:
        # A projection also where all columns are read: before DuckDB 1.4 a relation itself is read only once.
        chosen = relation.project("*" if columns is None else ", ".join(_quoted(c) for c in columns))
        reader = next(_readers(chosen))
        return (batch for batch in reader(batch_rows(len(relation.columns))) if batch.num_rows)

    def coded() -> Frames:
        as_rows: arrow.Frames | None = None
        for batch in batches(None):
            as_rows = as_rows or arrow.Frames(batch.schema)
            yield as_rows(batch)

    def types() -> Types:
        return _stored_types(next(_readers(relation.limit(0)))(1).schema)

    return Source("the relation", lambda columns: map(arrow.as_pandas, batches(columns)), coded, types)


def _readers(relation: Any) -> Iterator[Any]:
    return (found for name in READERS if (found := getattr(relation, name, None)))


def _stored_types(schema: Any) -> Types:
    """The types of columns; dictionaries are left to each batch."""
    is_dictionary = needed("pyarrow").types.is_dictionary
    return {field.name: field.type for field in schema if not is_dictionary(field.type)}


def batch_rows(n_columns: int) -> int:
    """How many rows a batch has.

    >>> batch_rows(10), batch_rows(100)
    (65536, 7864)
    """
    return max(MIN_BATCH, min(MAX_BATCH, BATCH_CELLS // max(1, n_columns)))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_dataset(table: object) -> bool:
    return hasattr(table, "to_batches") and hasattr(table, "scanner")


def _is_relation(table: object) -> bool:
    return type(table).__name__ == "DuckDBPyRelation"
