"""A column as small numbers and the values they stand for.

Distinct *items* are numbered first: the addresses of objects, the bits of numbers. That is one cheap compiled pass, and
only the few distinct cells are then looked at in Python, where ``True``, ``1`` and ``"1"`` are easily kept apart.
"""

from collections.abc import Callable, Hashable, Iterable
from numbers import Number
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.encoding.packing import number_items, number_objects
from rulenet.encoding.tables import Column
from rulenet.exceptions import TableError, TableTypeError

Codes = NDArray[np.int32]
Kind = Literal["text", "numeric", "Boolean"]

MAX_ITEMS = 4096  # distinct items numbered by the compiled pass; beyond, a slower way is taken


class CodedColumn(NamedTuple):
    """A column in which row r has the value ``values[codes[r]]``; it is missing where the code is -1 or the value None.

    ``kind`` is what the dtype alone says about all cells. ``declared`` means that all of ``values`` count, in this
    order, observed or not. A value may stand in ``values`` more than once.
    """

    codes: Codes
    values: list[Hashable]
    kind: Kind | None = None
    declared: bool = False


def code_column(column: Column, name: str) -> CodedColumn:
    """Number the values of a column.

    >>> code_column(np.array(["red", None, "blue", "red"], dtype=object), "colour")
    CodedColumn(codes=array([0, 1, 2, 0], dtype=int32), values=['red', None, 'blue'], kind=None, declared=False)
    """
    dtype = column.dtype
    kind = _kind(dtype)
    if isinstance(dtype, pd.CategoricalDtype):
        codes = np.asarray(column.array.codes, dtype=np.int32)  # type: ignore[union-attr]
        values = _plain(dtype.categories, name)
        # Before pandas 3, text is kept as objects.
        kind = "text" if all(isinstance(value, str) for value in values) else _kind(dtype.categories.dtype)
        return CodedColumn(codes, values, kind, declared=True)
    if kind is None and dtype != np.object_:
        raise _unsupported(name, dtype)
    if kind == "Boolean":
        return CodedColumn(_code_booleans(column), [False, True], kind, declared=True)
    codes, cells = _number(column, name)
    return CodedColumn(codes, _plain(cells, name), kind)


def kind_of(value: Hashable) -> str:
    """What a plain value is called in messages.

    >>> [kind_of(value) for value in ("red", True, 1, 2.5, (1, 2))]
    ['text', 'Boolean', 'numeric', 'numeric', 'tuple']
    """
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "Boolean"
    return "numeric" if isinstance(value, Number) else type(value).__name__


def _kind(dtype: Any) -> Kind | None:
    if dtype.kind == "b":
        return "Boolean"
    if dtype.kind in "iuf":
        return "numeric"
    return "text" if dtype.kind == "U" or dtype.type is str else None


def _unsupported(name: str, dtype: Any) -> TableError:
    if dtype.kind == "c":
        return TableError(f"Complex data not supported: column {name!r} is {dtype}, but expected categories")
    return TableError(
        f"column {name!r} is {dtype}, but expected text, categories, Booleans or integers: "
        "convert it, for example with .astype('category') or .astype(str)"
    )


def _code_booleans(column: Column) -> Codes:
    if column.dtype == np.bool_:
        return np.asarray(column).astype(np.int32)
    nullable = pd.Series(column).astype("boolean")
    return np.asarray(nullable.to_numpy(dtype=np.int32, na_value=-1))


def _number(column: Column, name: str) -> tuple[Codes, Iterable[object]]:
    """Codes of a column that is no category, and the distinct cells."""
    if isinstance(column, pd.Series) and isinstance(column.dtype, pd.api.extensions.ExtensionDtype):
        if getattr(column.dtype, "storage", None) != "python":
            return _number_equal(column.array)
        column = column.to_numpy(dtype=object)
    array = np.asarray(column)
    if array.dtype.kind == "U":
        array = array.astype(object)
    numbered = _number_items(number_items, array)
    if numbered is None and array.dtype == np.object_:
        numbered = _number_items(number_objects, array) or _number_slowly(array, name)
    return numbered or _number_equal(array)


def _number_items(number: Callable[..., int], array: NDArray[Any]) -> tuple[Codes, Iterable[object]] | None:
    codes, firsts = np.empty(len(array), np.int32), np.empty(MAX_ITEMS, np.int64)
    n_found = number(_items(array), codes, firsts)
    return (codes, array[firsts[:n_found]]) if n_found >= 0 else None


class _View(NamedTuple):
    """The memory of ``owner`` read as int64."""

    owner: NDArray[Any]

    @property
    def __array_interface__(self) -> dict[str, Any]:
        interface = self.owner.__array_interface__
        address = interface["data"][0]
        # Said to be writable so that frozen arrays need no second compilation; nothing writes.
        return {**interface, "data": (address, False), "typestr": np.dtype(np.int64).str, "descr": [("", "<i8")]}


def _items(array: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers that agree only where cells do: the addresses of objects, the bits of numbers."""
    if array.dtype.kind in "iu":
        array = array.astype(np.int64, copy=False)
    elif array.dtype.kind == "f":
        array = array.astype(np.float64, copy=False)
    return np.asarray(_View(array))


def _number_equal(array: Any) -> tuple[Codes, Iterable[object]]:
    codes, cells = pd.factorize(array)
    return codes.astype(np.int32), cells


def _number_slowly(array: NDArray[np.object_], name: str) -> tuple[Codes, Iterable[object]]:
    """Any number of distinct objects."""
    _plain(array, name)  # names a cell without hash
    numbers: dict[tuple[type, object], int] = {}
    codes = [numbers.setdefault((type(cell), cell), len(numbers)) for cell in array]
    return np.array(codes, np.int32), [cell for _, cell in numbers]


def _plain(cells: Iterable[Any], name: str) -> list[Hashable]:
    """The cells as plain Python values, None where missing."""
    return [_plain_value(cell, name) for cell in cells]


def _plain_value(cell: Any, name: str) -> Hashable:
    if type(cell) is str:
        return cell
    try:
        hash(cell)
    except TypeError:
        raise TableTypeError(
            f"column {name!r} holds {cell!r} (a {type(cell).__name__}), but every cell of the argument must be a "
            "string, a number or another hashable value: convert the column, for example with .map(str)"
        ) from None
    if pd.isna(cell):
        return None
    if isinstance(cell, np.generic) and cell.dtype.kind not in "Mm":
        cell = cell.item()
    if isinstance(cell, str):
        return str.__str__(cell)
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() else float(cell)
    return int(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell
