"""One view of whatever holds a table: DataFrames, arrays, lists of rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from rulenet.exceptions import TableError, TableTypeError

SMALL = 100_000  # cells that may be copied without a thought

Column: TypeAlias = "pd.Series[Any] | NDArray[Any]"


@dataclass(frozen=True, slots=True)
class Table:
    """A table as columns by position, each fetched when asked for.

    ``names`` is None where the columns have no names (arrays, lists, frames whose labels are not text).
    """

    names: tuple[str, ...] | None
    n_rows: int
    n_columns: int
    column: Callable[[int], Column]

    def label(self, i: int) -> str:
        """The name of column i, ``x0``, ``x1``, ... where columns have none."""
        return self.names[i] if self.names is not None else f"x{i}"


def read_table(table: object) -> Table:
    """View ``table`` as columns, or say why it is none.

    >>> table = read_table([["red", 1], ["blue", 2]])
    >>> table.n_rows, table.label(0), table.column(0)
    (2, 'x0', array(['red', 'blue'], dtype=object))
    """
    if isinstance(table, pd.DataFrame):
        return _of_pandas(table)
    if sparse.issparse(table):
        raise TableTypeError("found a sparse matrix, but expected a dense table: call .toarray() on it first")
    if isinstance(table, list | tuple):
        return _of_rows(table)
    if hasattr(table, "columns") and hasattr(table, "shape"):  # polars, pyarrow
        return _of_frame(table)
    if hasattr(table, "__array__"):
        return _of_array(np.asarray(table))
    raise TableTypeError(f"found a {type(table).__name__}, but expected a DataFrame, a 2-d array or a list of rows")


def _of_pandas(frame: pd.DataFrame) -> Table:
    names, (n_rows, n_columns) = _names(frame.columns), frame.shape
    dtype = frame.dtypes.iloc[0] if n_columns else None
    if frame.size < SMALL and isinstance(dtype, np.dtype) and (frame.dtypes == dtype).all():
        values = frame.to_numpy()  # columns of an array are fetched ten times faster than those of a frame
        return Table(names, n_rows, n_columns, lambda i: values[:, i])
    return Table(names, n_rows, n_columns, lambda i: frame.iloc[:, i])


def _of_frame(frame: Any) -> Table:
    labels = list(getattr(frame, "column_names", frame.columns))
    n_rows, n_columns = frame.shape
    return Table(_names(labels), n_rows, n_columns, lambda i: np.asarray(frame[labels[i]]))


def _of_array(array: NDArray[Any]) -> Table:
    if array.ndim < 2:
        raise _not_a_table(array if array.ndim else array.item(), "scalar" if array.ndim == 0 else "1D")
    if array.ndim > 2:
        raise TableError(f"found an array with dim {array.ndim}, but expected 2 dimensions: rows, columns")
    return Table(None, array.shape[0], array.shape[1], lambda i: array[:, i])


def _of_rows(rows: Sequence[Any]) -> Table:
    for i, row in enumerate(rows):
        if isinstance(row, dict):
            raise TableTypeError(f"row {i} is a dict, but expected a list of cells: use pandas.DataFrame(rows)")
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise _not_a_table(rows, "1D")
    sizes = [len(row) for row in rows]
    for i, size in enumerate(sizes):
        if size != sizes[0]:
            raise TableError(f"row {i} has {size} cells but row 0 has {sizes[0]}: all rows must be equally long")
    n_rows, n_columns = len(rows), sizes[0] if sizes else 0
    return Table(None, n_rows, n_columns, lambda j: np.fromiter((row[j] for row in rows), object, n_rows))


def _not_a_table(found: object, shape: str) -> TableError:
    return TableError(
        f"Expected 2D array, got {shape} array instead: {_shorten(found)}. Reshape your data using "
        "array.reshape(-1, 1) if it is a single column or array.reshape(1, -1) if it is a single row"
    )


def _names(labels: Iterable[object]) -> tuple[str, ...] | None:
    """The labels if they are text, None if none of them is."""
    labels = tuple(labels)
    names = tuple(str(label) for label in labels if isinstance(label, str))
    if names and len(names) < len(labels):
        odd = next(label for label in labels if not isinstance(label, str))
        raise TableTypeError(
            f"column names must be all text or all something else, but found {names[0]!r} and {odd!r}: "
            "Feature names are only supported if all input features have string names; "
            "convert them with frame.columns.astype(str)"
        )
    if len(set(names)) < len(names):
        name = next(name for i, name in enumerate(names) if name in names[:i])
        raise TableError(f"two columns are named {name!r}, but names must differ: rename or drop one of them")
    return names or None


def _shorten(found: object, width: int = 60) -> str:
    text = " ".join(repr(found).split())
    return text if len(text) <= width else text[: width - 3] + "..."
