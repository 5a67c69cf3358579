"""What a column's values say about it: its attribute, or why it has none."""

import datetime
import math
from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import Literal as OneOf

import numpy as np

from rulenet.encoding.codes import CodedColumn, kind_of
from rulenet.encoding.tables import Table
from rulenet.exceptions import ParameterError, TableError
from rulenet.literals import Attribute

Nominal = OneOf["auto", "all"] | Sequence[str | int]

DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


class AttributeLearner:
    """Makes attributes of the columns of ``table``.

    Numeric columns must be listed in ``nominal``; no column may have more than ``max_values`` values.
    """

    def __init__(self, table: Table, nominal: Nominal, max_values: int) -> None:
        self._table = table
        self._numeric_allowed = _nominal_columns(nominal, table)
        self._max_values = max_values

    def __call__(self, i: int, coded: CodedColumn) -> Attribute:
        """The attribute of column i."""
        name = self._table.label(i)
        values = _distinct(coded)
        _check_values(name, values)
        if i not in self._numeric_allowed and not coded.declared and _all_numeric(values):
            raise TableError(
                f"column {name!r} is numeric ({self._table.column(i).dtype}, {len(values)} different values): "
                "name it in nominal=[...] to treat its values as categories, or cut it into intervals first, "
                "for example with pandas.cut"
            )
        if len(values) > self._max_values:
            raise TableError(
                f"column {name!r} has {len(values)} different values, but expected at most {self._max_values}: "
                "drop the column, merge its rare values, or raise max_values"
            )
        return Attribute(name, tuple(values))


def _nominal_columns(nominal: Nominal, table: Table) -> set[int]:
    """Positions of the columns that ``nominal`` speaks of."""
    if isinstance(nominal, str):
        if nominal not in ("auto", "all"):
            raise ParameterError(f"nominal is {nominal!r}, but expected 'auto', 'all' or a list such as [{nominal!r}]")
        return set(range(table.n_columns)) if nominal == "all" else set()
    return {_position(column, table) for column in nominal}


def _position(column: object, table: Table) -> int:
    if isinstance(column, str) and column in (table.names or ()):
        return (table.names or ()).index(column)
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < table.n_columns:
        return int(column)
    known = "has no column names" if table.names is None else f"has the columns {', '.join(table.names)}"
    raise TableError(f"nominal lists {column!r}, but the table {known} and positions 0 to {table.n_columns - 1}")


def _distinct(coded: CodedColumn) -> list[Hashable]:
    """The different values in their order."""
    values = list({(type(value), value): value for value in coded.values if value is not None}.values())
    if coded.declared:
        return values
    values.sort(key=kind_of)
    return [value for _, alike in groupby(values, kind_of) for value in _sorted(list(alike))]


def _sorted(alike: list[Hashable]) -> list[Hashable]:
    try:
        return sorted(alike)  # type: ignore[type-var]
    except TypeError:
        return sorted(alike, key=repr)


def _all_numeric(values: list[Hashable]) -> bool:
    return bool(values) and all(kind_of(value) == "numeric" for value in values)


def _check_values(name: str, values: list[Hashable]) -> None:
    seen: dict[Hashable, Hashable] = {}
    for value in values:
        twin = seen.setdefault(value, value)
        if twin is not value:
            raise TableError(
                f"column {name!r} holds {twin!r} and {value!r}, which Python takes as equal: "
                "convert it to one type, for example with .astype(str)"
            )
        if isinstance(value, float) and math.isinf(value):
            raise TableError(f"column {name!r} holds {value}, but expected finite numbers: replace it or make it NaN")
        if isinstance(value, DATES):
            raise TableError(
                f"column {name!r} holds dates or times such as {value!r}: make categories of them first, "
                "for example with .dt.month"
            )
        if isinstance(value, complex):
            raise TableError(f"Complex data not supported: column {name!r} holds {value}, but expected categories")
