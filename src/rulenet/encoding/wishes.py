"""What the user says about columns, by position, checked against the table."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypedDict
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Condition
from rulenet.encoding.tables import Table, suggestion
from rulenet.exceptions import ParameterError, TableError

ColumnName = str | int
Nominal = OneOf["auto", "all"] | Sequence[ColumnName]
Missing = OneOf["auto"] | bool
Directions = Mapping[ColumnName, int] | Sequence[int]


@dataclass(frozen=True)
class Wishes:
    """Everything that the user may say about the columns of a table."""

    nominal: Nominal = "auto"
    ordinal: Mapping[ColumnName, Sequence[Hashable]] | None = None
    cuts: Mapping[ColumnName, Sequence[Any]] | None = None
    monotonic: Directions | None = None
    forbid: Iterable[object] = ()
    not_equal: bool = False
    missing: Missing = "auto"
    max_values: int = 1000
    max_cuts: int = 16


class Wished(TypedDict, total=False):
    """`Wishes` as keywords."""

    nominal: Nominal
    ordinal: Mapping[ColumnName, Sequence[Hashable]] | None
    cuts: Mapping[ColumnName, Sequence[Any]] | None
    monotonic: Directions | None
    forbid: Iterable[object]
    not_equal: bool
    missing: Missing
    max_values: int
    max_cuts: int


@dataclass(frozen=True)
class Placed:
    """The wishes by position of the column."""

    nominal: frozenset[int]
    ordinal: dict[int, tuple[Hashable, ...]]
    cuts: dict[int, tuple[Any, ...]]
    monotonic: dict[int, int]

    @classmethod
    def of(cls, wishes: Wishes, table: Table) -> Self:
        """Find the columns, and refuse what contradicts itself."""
        placed = cls(
            _nominal(wishes.nominal, table),
            {i: tuple(values) for i, values in _by_position(wishes.ordinal, "ordinal", table).items()},
            {i: tuple(cuts) for i, cuts in _by_position(wishes.cuts, "cuts", table).items()},
            _directions(wishes.monotonic, table),
        )
        placed._check(table, () if isinstance(wishes.nominal, str) else placed.nominal)
        return placed

    def _check(self, table: Table, nominal: Iterable[int]) -> None:
        said = [("nominal", set(nominal)), ("ordinal", set(self.ordinal)), ("cuts", set(self.cuts))]
        for k, (one, columns) in enumerate(said):
            for other, others in said[:k]:
                for i in columns & others:
                    raise ParameterError(
                        f"{other} and {one} both list column {table.names[i]!r}: name it in one of them"
                    )


def _nominal(nominal: Nominal, table: Table) -> frozenset[int]:
    if isinstance(nominal, str):
        if nominal not in ("auto", "all"):
            raise ParameterError(f"nominal is {nominal!r}, but expected 'auto', 'all' or a list such as [{nominal!r}]")
        return frozenset(range(table.n_columns)) if nominal == "all" else frozenset()
    return frozenset(table.position(column, "nominal") for column in nominal)


def _by_position(said: Mapping[ColumnName, Any] | None, parameter: str, table: Table) -> dict[int, Any]:
    return {table.position(column, parameter): what for column, what in (said or {}).items()}


def _directions(monotonic: Directions | None, table: Table) -> dict[int, int]:
    if monotonic is None or isinstance(monotonic, Mapping):
        found = _by_position(monotonic, "monotonic", table)
    elif len(monotonic) != table.n_columns:
        n_lent = len(table.lent)
        raise ParameterError(
            f"monotonic_cst lists {len(monotonic) - n_lent} directions, but the table has {table.n_columns - n_lent} "
            "columns"
        )
    else:
        found = dict(enumerate(monotonic))
    for i, direction in found.items():
        if direction not in (-1, 0, 1):
            raise ParameterError(
                f"the direction of column {table.names[i]!r} in monotonic is {direction!r}, but must be -1, 0 or 1"
            )
    return {i: int(direction) for i, direction in found.items() if direction}


class Forbidden:
    """The columns and conditions that no network may read."""

    def __init__(self, forbid: Iterable[object], table: Table) -> None:
        wanted = [forbid] if isinstance(forbid, str | Condition) else list(forbid)
        self._not_equal = any(isinstance(entry, str) and entry == "!=" for entry in wanted)
        self._columns: set[int] = set()
        self._texts: set[str] = set()
        for entry in wanted:
            if isinstance(entry, str) and entry == "!=":
                continue
            try:
                self._columns.add(table.position(entry, "forbid"))
            except TableError:
                self._texts.add(_text(entry, table))

    def allows(self, i: int, condition: Condition) -> bool:
        """Whether networks may read a condition on column i, and the parts of what it says."""
        if not all(self.allows(i, part) for part in condition.parts):
            return False
        if i in self._columns or (self._texts and str(condition) in self._texts):
            return False
        return not (self._not_equal and str(condition).startswith(f"{condition.attribute.name} != "))

    def check(self, conditions: Iterable[Condition], table: Table) -> None:
        """Refuse what names nothing, now that all conditions are known."""
        if self._texts:
            known = [str(condition) for condition in conditions]
            for text in sorted(self._texts - set(known)):
                raise ParameterError(
                    f"forbid lists {text!r}, which is no column, no condition and not '!='"
                    f"{suggestion(text, (*table.names, *known))}"
                )


def ruled_out(conditions: Sequence[Condition], wishes: Wishes, heading: Table) -> NDArray[np.bool_]:
    """Which conditions on the columns of ``heading`` are forbidden, or ask for the other direction."""
    forbidden, directions = Forbidden(wishes.forbid, heading), _directions(wishes.monotonic, heading)
    places = {name: i for i, name in enumerate(heading.names)}

    def is_ruled_out(condition: Condition) -> bool:
        i = places[condition.attribute.name]
        return not forbidden.allows(i, condition) or _turns(condition, directions.get(i, 0))

    return np.array([is_ruled_out(condition) for condition in conditions], np.bool_)


def _turns(condition: Condition, direction: int) -> bool:
    """Whether a condition may cease to hold as its column goes in a ``direction``, or asks for gaps."""
    end = condition.attribute.n_cells if direction > 0 else 0
    ways = all(end in run for run in condition.runs)
    return direction != 0 and (condition.asks_missing or len(condition.runs) > 1 or not ways)


def _text(entry: object, table: Table) -> str:
    if isinstance(entry, str | Condition):
        return str(entry)
    raise ParameterError(
        f"forbid lists {entry!r}, but expected columns by name or position (0 to {table.n_columns - 1}), "
        "conditions or '!='"
    )


def is_missing_asked(missing: Missing, n_missing: int, n_rows: int) -> bool:
    """Whether "is missing" is a condition of a column with so many gaps.

    >>> is_missing_asked("auto", 5, 100), is_missing_asked("auto", 4, 100), is_missing_asked(True, 4, 100)
    (True, False, True)
    """
    if not isinstance(missing, bool | np.bool_) and missing != "auto":
        raise ParameterError(f"missing is {missing!r}, but must be 'auto', True or False")
    if not 0 < n_missing < n_rows or missing is False:
        return False
    return bool(missing != "auto" or (n_missing >= 5 and n_missing * 100 >= n_rows))


def directions_of(monotonic_cst: Directions | None, outputs: tuple[int, ...]) -> Directions | None:
    """The direction of every column for the class that the rules describe; ``monotonic_cst`` speaks of the second."""
    if monotonic_cst is None:
        return None
    if len(outputs) > 1:
        raise ParameterError(f"monotonic_cst speaks of the second of two classes, but y holds {len(outputs)}")
    sign = 1 if outputs[0] == 1 else -1
    if isinstance(monotonic_cst, Mapping):
        return {column: sign * int(direction) for column, direction in monotonic_cst.items()}
    return [sign * int(direction) for direction in monotonic_cst]


def with_lent(monotonic_cst: Directions | None, lent: Mapping[str, int]) -> Directions | None:
    """The directions of all columns, where some are ``lent`` that follow the others.

    >>> with_lent({"age": 1}, {"ill": 1}), with_lent([0, -1], {"ill": 1}), with_lent([0, 0], {"ill": 1})
    ({'age': 1, 'ill': 1}, [0, -1, 1], [0, 0, 0])
    """
    if monotonic_cst is None:
        return None
    if not isinstance(monotonic_cst, Mapping):
        return [*monotonic_cst, *(lent.values() if any(monotonic_cst) else [0] * len(lent))]
    found: dict[ColumnName, int] = dict(monotonic_cst)
    if any(monotonic_cst.values()):
        found.update(lent.items())
    return found
