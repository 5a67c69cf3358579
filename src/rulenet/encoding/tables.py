"""One view of whatever holds a table: DataFrames, arrays, lists of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import TableError, TableTypeError
from rulenet.later import Later
from rulenet.nearest import nearest

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse
else:
    pd = Later("pandas")
    sparse = Later("scipy.sparse")

SMALL = 100_000  # cells that may be copied without a thought

Column: TypeAlias = "pd.Series[Any] | NDArray[Any]"


@dataclass(frozen=True)
class Table:
    """A table as columns by position, each fetched when asked for.

    ``labels`` is None where the columns have no names (arrays, lists, frames with the labels 0, 1, 2, ...). Labels that
    are not text are names in text, but only text makes a table ``named`` in the sense of scikit-learn. ``lent`` are the
    columns that were added to it, with the directions that they have where those of other columns count.
    """

    labels: tuple[object, ...] | None
    n_rows: int
    n_columns: int
    column: Callable[[int], Column]
    lent: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def named(self) -> bool:
        """Whether all columns have text for names."""
        return self.labels is not None and all(isinstance(label, str) for label in self.labels)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, ``x0``, ``x1``, ... where they have none."""
        return tuple(f"x{i}" for i in range(self.n_columns)) if self.labels is None else tuple(map(str, self.labels))

    def __len__(self) -> int:
        return self.n_rows

    def wider(self, name: str, added: Column, direction: int) -> Table:
        """The table with one more column after its own."""
        n_own, labels = self.n_columns, self.names if self.labels is None else self.labels

        def column(i: int) -> Column:
            return self.column(i) if i < n_own else added

        return Table((*labels, name), self.n_rows, n_own + 1, column, {**self.lent, name: direction})

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Some rows of the table."""
        return Table(self.labels, len(rows), self.n_columns, lambda i: _taken(self.column(i), rows), self.lent)

    def position(self, column: object, parameter: str) -> int:
        """Where a column stands that ``parameter`` names, by its label, its name or its position."""
        labels = self.labels or ()
        is_number = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if isinstance(column, str) or is_number:
            for names in (labels, self.names):
                if column in names:
                    return names.index(column)
        if is_number and 0 <= column < self.n_columns:  # type: ignore[operator]
            return int(column)  # type: ignore[call-overload, no-any-return]
        raise TableError(f"{parameter} lists {column!r}, but {self._describe()}{suggestion(column, self.names)}")

    def _describe(self) -> str:
        shown = ", ".join(self.names[:10]) + (", ..." if self.n_columns > 10 else "")
        known = "has no column names" if self.labels is None else f"has the columns {shown}"
        return f"the table {known} and positions 0 to {self.n_columns - 1}"


def heading_of(names: tuple[str, ...], named: bool) -> Table:
    """A table without rows whose columns have these names; unless it is ``named``, numbers among them were labels.

    >>> heading_of(("10", "20"), named=False).position(20, "forbid")
    1
    """
    labels: tuple[object, ...] | None = names
    if not named:
        labels = None if names == tuple(f"x{i}" for i in range(len(names))) else tuple(map(_label, names))
    return Table(labels, 0, len(names), lambda i: np.empty(0, object))


def _label(name: str) -> object:
    try:
        return int(name)
    except ValueError:
        return name


def suggestion(word: object, known: Iterable[str]) -> str:
    """The end of a message about an unknown ``word``: the nearest known one, if any is near.

    >>> suggestion("colr", ["size", "colour"])
    "; did you mean 'colour'?"
    """
    near = nearest(str(word), known)
    return "" if near is None else f"; did you mean {near!r}?"


def read_table(table: object) -> Table:
    """View ``table`` as columns, or say why it is none.

    >>> table = read_table([["red", 1], ["blue", 2]])
    >>> table.n_rows, table.names, table.column(0)
    (2, ('x0', 'x1'), array(['red', 'blue'], dtype=object))
    """
    if isinstance(table, Table):
        return table
    if isinstance(table, pd.DataFrame):
        return _of_pandas(table)
    if sparse.issparse(table):
        raise TableTypeError("found a sparse matrix, but expected a dense table: call .toarray() on it first")
    if isinstance(table, list | tuple):
        return _of_rows(table)
    arrow = nw.dependencies.get_pyarrow()
    if arrow is not None and isinstance(table, arrow.RecordBatch):
        table = arrow.Table.from_batches([table])
    frame = nw.from_native(table, pass_through=True)  # type: ignore[call-overload]
    if isinstance(frame, nw.LazyFrame):
        raise TableTypeError(f"found a lazy {type(table).__name__}, but expected a table: call .collect() on it first")
    if isinstance(frame, nw.DataFrame):
        return Table(_labels(frame.columns), *frame.shape, lambda i: _of_series(frame[frame.columns[i]]))
    if hasattr(table, "columns") and hasattr(table, "shape"):
        return _of_frame(table)
    if isinstance(table, np.ma.MaskedArray):
        return _of_array(_without_mask(table))
    if hasattr(table, "__array__"):
        return _of_array(np.asarray(table))
    raise TableTypeError(f"found a {type(table).__name__}, but expected a DataFrame, a 2-d array or a list of rows")


def _taken(column: Column, rows: NDArray[np.int64]) -> Column:
    return column.iloc[rows] if isinstance(column, pd.Series) else column[rows]


def _of_pandas(frame: pd.DataFrame) -> Table:
    labels, (n_rows, n_columns) = _labels(frame.columns), frame.shape
    dtypes = frame.dtypes.tolist() if n_rows * n_columns < SMALL else []
    if dtypes and isinstance(dtypes[0], np.dtype) and all(dtype == dtypes[0] for dtype in dtypes):
        values = frame.to_numpy()  # columns of an array are fetched ten times faster than those of a frame
        return Table(labels, n_rows, n_columns, lambda i: values[:, i])
    return Table(labels, n_rows, n_columns, lambda i: _in_native_order(frame.iloc[:, i]))


def _in_native_order(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column in the byte order of the machine, as files of other machines may not have it: pandas needs that."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and not dtype.isnative:
        return pd.Series(column.to_numpy().astype(dtype.newbyteorder("=")), column.index)
    return column


def _of_series(series: nw.Series[Any]) -> Column:
    """A column of polars or pyarrow, as pandas or NumPy has it."""
    dtype = series.dtype
    if isinstance(dtype, nw.Enum):
        return pd.Series(pd.Categorical(series.to_list(), list(dtype.categories), ordered=True))
    if isinstance(dtype, nw.Categorical) and series.implementation.is_pyarrow():
        return of_dictionary(series.to_native())
    if isinstance(dtype, nw.Categorical):
        native = series.to_native()
        if getattr(getattr(native, "type", None), "ordered", False):  # of Arrow
            return native.unify_dictionaries().to_pandas()  # type: ignore[no-any-return]
        return pd.Series(series.cast(nw.String).to_list(), dtype="category")
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return pd.Series(pd.DatetimeIndex(moments.to_numpy()).tz_localize("UTC"))
    if isinstance(dtype, nw.Decimal | nw.Boolean | nw.String | nw.Struct | nw.Array | nw.Int128 | nw.UInt128):
        return np.fromiter(series.to_list(), object, len(series))
    if dtype.is_integer() and series.null_count():
        return pd.Series(series.to_list(), dtype="UInt64" if dtype.is_unsigned_integer() else "Int64")
    return series.to_numpy()


def of_dictionary(column: Any) -> pd.Series[Any]:
    """Categories of pyarrow as pandas has them: those with an order as they are declared, else those that rows have."""
    return column.to_pandas() if column.type.ordered else pd.Series(column.to_pylist(), dtype="category")  # type: ignore[no-any-return]


def _of_frame(frame: Any) -> Table:
    labels = list(getattr(frame, "column_names", frame.columns))
    n_rows, n_columns = frame.shape
    return Table(_labels(labels), n_rows, n_columns, lambda i: np.asarray(frame[labels[i]]))


def _without_mask(array: Any) -> NDArray[Any]:
    """An array whose masked cells are missing."""
    if not np.ma.is_masked(array):
        return np.asarray(array)
    if array.dtype.kind in "mM":
        return np.asarray(array.filled(np.array("NaT", array.dtype)))
    if array.dtype.kind == "f" or (array.dtype.kind in "iu" and array.dtype.itemsize < 8):
        return np.asarray(array.astype(np.float64).filled(np.nan))
    cells = np.array(array, dtype=object)
    cells[np.ma.getmaskarray(array)] = None
    return cells


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


def _labels(found: Iterable[Any]) -> tuple[object, ...] | None:
    """The labels, None where nobody gave any."""
    labels = tuple(found)
    texts = [label for label in labels if isinstance(label, str)]
    if texts and len(texts) < len(labels):
        odd = next(label for label in labels if not isinstance(label, str))
        raise TableTypeError(
            f"column names must be all text or all something else, but found {texts[0]!r} and {odd!r}: "
            "Feature names are only supported if all input features have string names; "
            "convert them with frame.columns.astype(str)"
        )
    names = tuple(map(str, labels))
    if len(set(names)) < len(names):
        name = next(name for i, name in enumerate(names) if name in names[:i])
        raise TableError(f"two columns are named {name!r}, but names must differ: rename or drop one of them")
    return None if labels == tuple(range(len(labels))) else names if texts else labels


def _shorten(found: object, width: int = 60) -> str:
    text = " ".join(repr(found).split())
    return text if len(text) <= width else text[: width - 3] + "..."
