"""Arrow batches as frames: little is read ahead, and words of columns are numbered once, where they are decoded.

Arrow's scanner decodes whole row groups, often of a million rows. A Parquet file whose columns are those of the dataset
is therefore read by itself, page by page.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from rulenet.exceptions import TableError

# What is read at a time of each column of a file.
BUFFER = 1 << 18
# Words of a column that are one object in all batches: then they are told apart by their addresses.
MAX_WORDS = 4096

Words = dict[str, str]


def needed(module: str) -> Any:
    """A module of pyarrow."""
    try:
        return import_module(module)
    except ImportError as error:
        raise TableError("reading files in batches needs pyarrow: pip install 'rulenet[parquet]'") from error


def batches_of(dataset: Any, columns: list[str] | None, n_rows: int, numbered: bool) -> Iterator[Any]:
    """The batches of a dataset, in order; text is ``numbered`` where that is cheap."""
    schema = dataset.schema
    known = None if columns is None else [name for name in columns if name in schema.names]
    with _pool_of_the_system():
        if not _is_plain(dataset):
            yield from _scanned(dataset, known, n_rows)
            return
        for fragment in dataset.get_fragments():
            if fragment.physical_schema.equals(schema):
                yield from _paged(fragment, known, n_rows, _texts(schema) if numbered else [])
            else:
                yield from _scanned(fragment, known, n_rows, schema=schema)


def _is_plain(dataset: Any) -> bool:
    """Whether a dataset is what its Parquet files hold: no filter, no columns from the names of folders."""
    found = needed("pyarrow.dataset")
    if not isinstance(dataset, found.FileSystemDataset) or getattr(dataset, "_scan_options", True):
        return False
    nothing = found.scalar(True)
    is_whole = all(fragment.partition_expression.equals(nothing) for fragment in dataset.get_fragments())
    return is_whole and isinstance(dataset.format, found.ParquetFileFormat)


def _paged(fragment: Any, columns: list[str] | None, n_rows: int, texts: list[str]) -> Iterator[Any]:
    with fragment.open() as file:
        found = needed("pyarrow.parquet").ParquetFile(file, read_dictionary=texts, buffer_size=BUFFER, pre_buffer=False)
        yield from found.iter_batches(n_rows, columns=columns, use_threads=False)


@contextmanager
def _pool_of_the_system() -> Iterator[None]:
    """While rows are read, Arrow takes memory from the system, which gets it back; files know no other way."""
    arrow = needed("pyarrow")
    before = arrow.default_memory_pool()
    arrow.set_memory_pool(arrow.system_memory_pool())
    try:
        yield
    finally:
        arrow.set_memory_pool(before)


def _scanned(rows: Any, columns: list[str] | None, n_rows: int, **options: Any) -> Iterator[Any]:
    yield from rows.to_batches(
        columns=columns,
        batch_size=n_rows,
        batch_readahead=1,
        fragment_readahead=1,
        use_threads=False,
        **options,
    )


def _texts(schema: Any) -> list[str]:
    return [field.name for field in schema if _is_text(field.type)]


def _is_text(kind: Any) -> bool:
    types = needed("pyarrow").types
    return bool(types.is_string(kind) or types.is_large_string(kind))


def as_pandas(batch: Any, **options: Any) -> pd.DataFrame:
    """A batch as pandas has it, but long whole numbers stay whole where some are missing: floats do not hold them."""
    arrow = needed("pyarrow")
    whole = {arrow.int64(): pd.Int64Dtype(), arrow.uint64(): pd.UInt64Dtype()}
    if any(batch.column(i).null_count for i, field in enumerate(batch.schema) if field.type in whole):
        options["types_mapper"] = whole.get
    frame: pd.DataFrame = batch.to_pandas(**options)
    return frame


class Frames:
    """Batches as pandas has them, but text as objects, each word once; an index is left out."""

    def __init__(self, schema: Any) -> None:
        said = (schema.pandas_metadata or {}).get("index_columns", [])
        self._names = [name for name in schema.names if name not in [x for x in said if isinstance(x, str)]]
        self._texts = [name for name in _texts(schema) if name in self._names]
        self._words: dict[str, Words] = {name: {} for name in self._texts}

    def __call__(self, batch: Any) -> pd.DataFrame:
        """The frame of a batch."""
        names = [name for name in self._names if name in batch.schema.names]
        texts = {name: _objects(batch[name], self._words[name]) for name in self._texts if name in names}
        other = as_pandas(batch.select([name for name in names if name not in texts]), split_blocks=True)
        if not texts:
            return other
        return pd.DataFrame({name: texts[name] if name in texts else other[name] for name in names}, copy=False)


def _objects(column: Any, words: Words) -> "pd.Series[Any]":
    """A column of text as objects."""
    found = column if hasattr(column, "dictionary") else column.dictionary_encode()
    values: list[str] = found.dictionary.to_pylist()
    if len(words) + len(values) <= MAX_WORDS:
        values = [words.setdefault(value, value) for value in values]
    cells = np.empty(len(values) + 1, object)
    cells[:-1] = values
    return pd.Series(cells[found.indices.fill_null(len(values)).to_numpy()], dtype=object)
