"""A column as numbers: measured ones, or small codes and the values they stand for.

Distinct *items* are numbered first: the addresses of objects, the bits of numbers. That is one cheap compiled pass, and
only the few distinct cells are then looked at in Python, where ``True``, ``1`` and ``"1"`` are easily kept apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.encoding.measures import BOOLEANS, NAT, Measure, measure
from rulenet.encoding.tables import Column, of_dictionary
from rulenet.exceptions import TableError, TableTypeError
from rulenet.kinds import MEASURED, Bound, Kind
from rulenet.later import Later

if TYPE_CHECKING:
    import pandas as pd

    from rulenet.encoding import packing
else:
    pd = Later("pandas")
    packing = Later("rulenet.encoding.packing")

CodeArray = NDArray[np.int32]
Values = NDArray[Any]  # float64 for numbers, int64 for dates and durations
Rounded = tuple[int, Bound]  # a whole number that floats do not hold, and what it is taken as

EXACT = 2**53  # floats hold all whole numbers up to here
MAX_WIDE = 10_000  # numbers beyond that are looked at
MAX_ITEMS = 4096  # distinct items numbered by the compiled pass; beyond, a slower way is taken
WHOLE = re.compile(r"\s*[+-]?\d{1,40}\s*", re.A)
BOOLEAN = ((bool, False), (bool, True))  # truth values with their type, in order
COARSE = ("Y", "M", "W", "D", "h", "m", "s", "ms")  # units of dates that reach farther than microseconds
NUMBERS = ("floating", "integer", "mixed-integer-float", "decimal")  # what pandas calls objects that are numbers


class Coded(NamedTuple):
    """A column in which row r has the value ``values[codes[r]]``; it is missing where the code is -1 or the value None.

    ``kind`` is what the dtype alone says about all cells. ``declared`` means that all of ``values`` count, in this
    order, observed or not; ``ordered`` that this is the order of their ranks. A value may stand in ``values`` more than
    once.
    """

    codes: CodeArray
    values: list[Hashable]
    kind: str | None = None
    declared: bool = False
    ordered: bool = False

    @property
    def n_missing(self) -> int:
        """How many rows have no value."""
        counts = packing.count_codes(self.codes, len(self.values))
        return int(sum(n for n, value in zip(counts, (None, *self.values), strict=True) if value is None))

    @property
    def used(self) -> list[Hashable]:
        """The values that rows have, None left out."""
        counts = packing.count_codes(self.codes, len(self.values))[1:]
        return [value for value, n in zip(self.values, counts, strict=True) if n and value is not None]


class Measured(NamedTuple):
    """A column of numbers, dates or durations; NaN and NAT are missing."""

    kind: Kind
    values: Values

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return np.isnan(self.values) if self.kind == "numeric" else np.asarray(self.values == NAT)


def load(column: Column, name: str, *, nominal: bool = False) -> Coded | Measured:
    """A column by what its dtype says: measured if that says so, coded otherwise, or where numbers are ``nominal``.

    >>> load(np.array(["red", None, "blue", "red"], dtype=object), "colour")[:2]
    (array([0, 1, 2, 0], dtype=int32), ['red', None, 'blue'])
    """
    column = _plain_arrow(column)
    dtype: Any = column.dtype
    if dtype.kind == "T":  # NumPy's text of any length is no array of pointers
        column, dtype = column.astype(object), np.dtype(object)
    if isinstance(dtype, pd.CategoricalDtype):
        return _load_categories(column, dtype, name)
    kind = _kind(dtype)
    if kind == "Boolean":
        return Coded(_code_booleans(column), [False, True], kind, declared=True)
    if kind in MEASURED and not (nominal and kind == "numeric"):
        return Measured(kind, _numbers(column) if kind == "numeric" else _microseconds(column, kind, name))  # type: ignore[arg-type]
    if kind is None and dtype.kind == "c":
        raise TableError(f"Complex data not supported: column {name!r} is {dtype}, but expected numbers or categories")
    if kind is None and dtype != np.object_:
        column = pd.Series(column).astype(object)
    return _load_objects(column, name, kind, nominal)


def _plain_arrow(column: Any) -> Any:
    """Categories, days and views of text of pyarrow as pandas has them otherwise."""
    arrow = getattr(column.dtype, "pyarrow_dtype", None)
    if arrow is None:
        return column
    if hasattr(arrow, "value_type") and hasattr(arrow, "ordered"):
        return of_dictionary(column.array.__arrow_array__())
    if str(arrow) == "string_view":
        return np.array(column.array.__arrow_array__().to_pylist(), dtype=object)
    return column.astype("timestamp[us][pyarrow]") if str(arrow).startswith("date") else column


def measured_values(column: Column, name: str, kind: Kind) -> Values:
    """The numbers of a column of the given ``kind``, or an error that names what is none."""
    return as_measured(load(column, name), name, kind)


def as_measured(loaded: Coded | Measured, name: str, kind: Kind) -> Values:
    """The numbers of a column that is loaded.

    >>> as_measured(load(np.array(["1", None, "2.5"], dtype=object), "a"), "a", "numeric")
    array([1. , nan, 2.5])
    """
    if isinstance(loaded, Measured):
        if loaded.kind != kind and not loaded.is_missing.all():
            raise _converted(name, kind, _called(loaded.kind))
        return loaded.values if loaded.kind == kind else _nothing(len(loaded.values), kind)
    if loaded.kind == "Boolean" and loaded.n_missing < len(loaded.codes):
        raise _converted(name, kind, "Boolean")
    measures = {value: measure(value) for value in loaded.used}
    for value, found in measures.items():
        if found is None or found.kind != kind:
            raise TableError(
                f"column {name!r} was {_called(kind)} in fit but holds {value!r} here, "
                f"{_reading(found)}: convert it as it was in fit, or make it missing"
            )
    return _look_up(loaded, {value: found for value, found in measures.items() if found}, kind)


def coded_values(column: Column, name: str, known: Iterable[Hashable]) -> Coded:
    """The codes of a column whose ``known`` values have been learned, or an error where its dtype rules them out."""
    return as_coded(load(column, name, nominal=True), name, known)


def as_coded(loaded: Coded | Measured, name: str, known: Iterable[Hashable]) -> Coded:
    """The codes of a column that is loaded."""
    expected = sorted({kind_of(value) for value in known})
    if isinstance(loaded, Measured):
        if not expected or loaded.is_missing.all():
            return Coded(np.where(loaded.is_missing, np.int32(-1), np.int32(0)), [loaded.kind])
        raise _converted(name, " and ".join(expected), _called(loaded.kind))
    parse = parser(known)
    if parse is not None:
        loaded = loaded._replace(values=[parse(value) for value in loaded.values])
    readable = loaded.kind in expected or (parse is not None and loaded.kind == "text")
    if loaded.kind is not None and expected and not readable and loaded.used:
        raise _converted(name, " and ".join(expected), loaded.kind)
    if len(expected) == 1 and loaded.kind != expected[0]:
        _check_truth_values(loaded, name, expected[0])
    return loaded


def _check_truth_values(loaded: Coded, name: str, expected: str) -> None:
    """Refuse truth values among numbers, and anything else among truth values: 1 and True are no unseen values."""
    for value in loaded.used if expected in PARSERS else ():
        if (kind_of(value) == "Boolean") != (expected == "Boolean"):
            raise TableError(
                f"column {name!r} was {expected} in fit but holds {value!r} here: convert it as it was in fit, or make "
                "it missing"
            )


def find_rounded(cells: Iterable[Any], numbers: Iterable[Bound]) -> Rounded | None:
    """The first of the whole numbers among some cells that is not the number it is taken as, and that number.

    >>> find_rounded(["9007199254740993", 2**60], [9007199254740992.0, 2.0**60])
    (9007199254740993, 9007199254740992)
    """
    for cell, number in zip(cells, numbers, strict=True):
        exact = _plain_value(parse_number(cell), "")
        if isinstance(exact, int) and exact != number:
            return exact, int(number) if math.isfinite(number) else number
    return None


def rounded_in(column: Column, numbers: Values) -> Rounded | None:
    """The same of a column and its numbers; only those that are very large are looked at."""
    if getattr(column.dtype, "kind", "") not in "iuO":
        return None
    wide = np.flatnonzero(np.abs(numbers) >= EXACT)[:MAX_WIDE]
    cells: Any = column.iloc[wide] if isinstance(column, pd.Series) else column[wide]
    return find_rounded(cells.tolist(), numbers[wide].tolist())


def parse_number(value: Hashable) -> Hashable:
    """Text that is a number as this number, everything else as it is.

    >>> parse_number("9007199254740993"), parse_number("1e3"), parse_number("x")
    (9007199254740993, 1000, 'x')
    """
    if isinstance(value, str) and WHOLE.fullmatch(value):
        return int(value)
    found = measure(value) if isinstance(value, str) else None
    return value if found is None or found.kind != "numeric" else _plain_value(found.number, "")


def parse_boolean(value: Hashable) -> Hashable:
    """Text that is a truth value as this, everything else as it is."""
    return BOOLEANS.get(value, value) if isinstance(value, str) else value


def parser(known: Iterable[Hashable]) -> Callable[[Hashable], Hashable] | None:
    """How text is read where the ``known`` values are all of one kind that is no text; None where it stays text."""
    expected = {kind_of(value) for value in known}
    return PARSERS.get(expected.pop()) if len(expected) == 1 else None


PARSERS = {"numeric": parse_number, "Boolean": parse_boolean}


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


def _kind(dtype: Any) -> str | None:
    """What a dtype says about all cells."""
    if dtype.kind == "b":
        return "Boolean"
    if dtype.kind in "iuf" or (dtype.kind != "c" and getattr(dtype, "_is_numeric", False)):
        return "numeric"
    if dtype.kind == "m":
        return "duration"
    if dtype.kind == "M":
        zone = getattr(dtype, "tz", None) or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)
        return "date" if zone is None else "instant"
    if isinstance(dtype, pd.PeriodDtype):
        return "date"
    return "text" if dtype.kind == "U" or dtype.type is str else None


def _load_categories(column: Any, dtype: pd.CategoricalDtype, name: str) -> Coded:
    codes = np.asarray(column.array.codes, dtype=np.int32)
    values = plain(dtype.categories, name)
    if len(codes) and not -1 <= codes.min() <= codes.max() < len(values):
        odd = codes[(codes < -1) | (codes >= len(values))][0]
        raise TableError(
            f"column {name!r} has the category code {odd}, but its codes must be -1 to {len(values) - 1}: "
            "make the column anew, with pandas.Categorical(values)"
        )
    # Before pandas 3, text is kept as objects.
    kind = "text" if all(isinstance(value, str) for value in values) else _kind(dtype.categories.dtype)
    if kind in MEASURED and kind != "numeric":
        kind = None  # dates that are categories are values like any others
    return Coded(codes, values, kind, declared=True, ordered=bool(dtype.ordered))


def _load_objects(column: Column, name: str, kind: str | None, nominal: bool) -> Coded | Measured:
    if isinstance(column, pd.Series) and isinstance(column.dtype, pd.api.extensions.ExtensionDtype):
        if getattr(column.dtype, "storage", None) != "python":
            codes, cells = _number_equal(column.array)
            return Coded(codes, plain(cells, name), kind)
        column = column.to_numpy(dtype=object)
    array = np.asarray(column)
    if array.dtype.kind == "U":
        array = array.astype(object)
    numbered = _number_items(packing.number_items, array)
    if numbered is None and array.dtype == np.object_:
        if not nominal and pd.api.types.infer_dtype(array, skipna=True) in NUMBERS:
            return Measured("numeric", pd.Series(array).astype("Float64").to_numpy(np.float64, na_value=np.nan))
        numbered = _number_items(packing.number_objects, array) or _number_slowly(array, name)
    codes, cells = numbered or _number_equal(array)
    return Coded(codes, plain(cells, name), kind)


def _code_booleans(column: Column) -> CodeArray:
    if column.dtype == np.bool_:
        return np.asarray(column).astype(np.int32)
    nullable = pd.Series(column).astype("boolean")
    return np.asarray(nullable.to_numpy(dtype=np.int32, na_value=-1))


def _numbers(column: Any) -> NDArray[np.float64]:
    if isinstance(column, pd.Series) and not isinstance(column.dtype, np.dtype):
        column = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.ascontiguousarray(column, dtype=np.float64)


def _microseconds(column: Any, kind: str, name: str) -> NDArray[np.int64]:
    unit = np.dtype("m8[us]" if kind == "duration" else "M8[us]")
    if isinstance(column, pd.Series) and not isinstance(column.dtype, np.dtype):
        if isinstance(column.dtype, pd.PeriodDtype):
            column = column.dt.to_timestamp()
        column = column.to_numpy(dtype=unit, na_value=unit.type("NaT", "us"))
    given = np.asarray(column)
    found = given.astype(unit)
    if np.datetime_data(given.dtype)[0] in COARSE:  # NumPy goes round where microseconds end
        odd = (found.astype(given.dtype) != given) & ~np.isnat(given)
        if odd.any():
            raise TableError(
                f"column {name!r} holds {given[odd][0]!s}, which is too far from 1970 to be counted in microseconds: "
                "make it missing"
            )
    return np.ascontiguousarray(found).view(np.int64)


def _look_up(coded: Coded, measures: dict[Hashable, Measure], kind: Kind) -> Values:
    """The number of every row of a column."""
    numbers = _nothing(1 + len(coded.values), kind)
    for i, value in enumerate(coded.values):
        if value in measures:
            numbers[1 + i] = measures[value].number
    return numbers[1 + coded.codes]


def _nothing(n_rows: int, kind: Kind) -> Values:
    return np.full(n_rows, np.nan) if kind == "numeric" else np.full(n_rows, NAT, np.int64)


def _called(kind: str) -> str:
    names = {"date": "dates", "instant": "dates with a time zone", "duration": "durations"}
    return names.get(kind, kind)


def _reading(found: Measure | None) -> str:
    return "which is none of these" if found is None else f"which reads as {_called(found.kind)}"


def _converted(name: str, expected: str, found: str) -> TableError:
    return TableError(
        f"column {name!r} was {_called(expected)} in fit but is {found} here: convert it as it was in fit"
    )


def _number_items(number: Callable[..., int], array: NDArray[Any]) -> tuple[CodeArray, Iterable[object]] | None:
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


def _number_equal(array: Any) -> tuple[CodeArray, Iterable[object]]:
    codes, cells = pd.factorize(array)
    return codes.astype(np.int32), cells


def _number_slowly(array: NDArray[np.object_], name: str) -> tuple[CodeArray, Iterable[object]]:
    """Any number of distinct objects."""
    plain(array, name)  # names a cell without hash
    numbers: dict[tuple[type, object], int] = {}
    codes = [numbers.setdefault((type(cell), cell), len(numbers)) for cell in array]
    return np.array(codes, np.int32), [cell for _, cell in numbers]


def plain(cells: Iterable[Any], name: str) -> list[Hashable]:
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
    if isinstance(cell, float | Decimal):
        return int(cell) if float(cell).is_integer() else float(cell)
    return int(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell
