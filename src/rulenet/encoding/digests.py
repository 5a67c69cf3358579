"""What there is to know of a column before its attribute is made, from one part of its rows or from several.

A digest of a part is small, and two digests give that of both parts. So a column may be learned from a table in memory,
from batches or from partitions, and it is the same attribute.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby
from typing import TYPE_CHECKING, Self

import numpy as np

from rulenet.encoding.columns import (
    BOOLEAN,
    EXACT,
    Coded,
    Measured,
    Rounded,
    find_rounded,
    kind_of,
    parse_boolean,
    rounded_in,
)
from rulenet.encoding.measures import NAT, Measure, measure
from rulenet.encoding.tables import Column
from rulenet.exceptions import TableError
from rulenet.kinds import DAY, Bound, Kind
from rulenet.later import Later

if TYPE_CHECKING:
    from rulenet.encoding import packing
else:
    packing = Later("rulenet.encoding.packing")

FEW = 8  # whole numbers up to which every value is asked for too
MAX_DISTINCT = 100_000  # values that are kept of a column that comes in parts

Value = tuple[type, Hashable]


@dataclass(frozen=True)
class Numbers:
    """The digest of a column of numbers, dates or durations.

    ``seen`` are the different values in order, no more than FEW + 1 of them; ``whole`` says that all are whole numbers,
    or days; ``spelt`` that they were text. ``rounded`` is a whole number that floats do not hold, and what it is taken
    as.
    """

    kind: Kind
    n_rows: int
    n_missing: int
    seen: tuple[Bound, ...]
    whole: bool
    ends: tuple[Bound, Bound] | None
    spelt: bool = False
    rounded: Rounded | None = None

    @classmethod
    def of(cls, column: Measured) -> Self:
        """Look at all values once."""
        values, nothing = column.values, nothing_of(column.kind)
        found = np.empty(FEW + 1, values.dtype)
        n_missing, n_found, whole = packing.scan_numbers(values, nothing, found)
        ends = None
        if column.kind != "numeric":
            known = values if n_missing == 0 else values[values != nothing]
            whole = column.kind != "duration" and bool((known % DAY == 0).all())
            ends = (int(known.min()), int(known.max())) if len(known) else None
        return cls(column.kind, len(values), n_missing, tuple(np.sort(found[:n_found]).tolist()), bool(whole), ends)

    @property
    def few(self) -> tuple[Bound, ...]:
        """The different values, none if there are more than FEW."""
        return self.seen if len(self.seen) <= FEW else ()

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return self.n_missing == self.n_rows

    def merge(self, other: Numbers) -> Numbers:
        """The digest of both parts, which are of one kind."""
        ends = [end for part in (self, other) if part.ends is not None for end in part.ends]
        return Numbers(
            self.kind,
            self.n_rows + other.n_rows,
            self.n_missing + other.n_missing,
            tuple(sorted({*self.seen, *other.seen})[: FEW + 1]),
            self.whole and other.whole,
            (min(ends), max(ends)) if ends else None,
            self.spelt or other.spelt,
            self.rounded or other.rounded,
        )


@dataclass(frozen=True)
class Names:
    """The digest of a column of other values: how many rows have each of them.

    ``declared`` means that all of them count, in this order, observed or not; ``ordered`` that this is the order of
    their ranks. Where there are too many they are not complete.
    """

    n_rows: int
    n_missing: int
    counts: dict[Value, int]
    declared: bool = False
    ordered: bool = False
    too_many: bool = False

    @classmethod
    def of(cls, column: Coded) -> Self:
        """Count the values of all rows."""
        counts: dict[Value, int] = {}
        n_missing, *found = packing.count_codes(column.codes, len(column.values)).tolist()
        for value, n in zip(column.values, found, strict=True):
            if value is None:
                n_missing += n
            else:
                key = (type(value), value)
                counts[key] = counts.get(key, 0) + n
        return cls(len(column.codes), n_missing, counts, column.declared, column.ordered)

    @property
    def values(self) -> list[Hashable]:
        """The different values, in the order in which they were found or declared."""
        return [value for _, value in self.counts]

    @property
    def used(self) -> list[Hashable]:
        """The values that rows have."""
        return [value for (_, value), n in self.counts.items() if n]

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return self.n_missing == self.n_rows

    @property
    def distinct(self) -> list[Hashable]:
        """The different values in their order."""
        if self.declared:
            return self.values
        values = sorted(self.values, key=kind_of)
        return [value for _, alike in groupby(values, kind_of) for value in _sorted(list(alike))]

    def interpret(self, name: str) -> Digest:
        """What the values say where their dtype does not: text may be numbers, truth values or dates."""
        if self.declared or self.too_many:
            return self
        if self.counts and all(isinstance(parse_boolean(value), bool) for value in self.values):
            counts: dict[Value, int] = dict.fromkeys(BOOLEAN, 0)
            for (_, value), n in self.counts.items():
                counts[bool, parse_boolean(value)] += n
            return replace(self, counts=counts, declared=True)
        measures = [measure(value) for value in self.values]
        kinds = {found.kind if found is not None else None for found in measures}
        if len(kinds) == 1 and None not in kinds:
            return _spelt(self, [found for found in measures if found is not None])
        _check_dates(self.values, measures, name)
        return self

    def merge(self, other: Names) -> Names:
        """The digest of both parts; categories that differ are no longer declared."""
        declared = self.declared and other.declared and self.ordered == other.ordered
        declared = declared and list(self.counts) == list(other.counts)
        counts: dict[Value, int] = {}
        for part in (self, other):
            for key, n in part.counts.items():
                if n or declared:
                    counts[key] = counts.get(key, 0) + n
        n_rows, n_missing = self.n_rows + other.n_rows, self.n_missing + other.n_missing
        too_many = self.too_many or other.too_many
        return Names(n_rows, n_missing, counts, declared, declared and self.ordered, too_many)


Digest = Numbers | Names


def digest(raw: Column, column: Coded | Measured) -> Digest:
    """The digest of a ``raw`` column that is loaded as ``column``."""
    if isinstance(column, Coded):
        return Names.of(column)
    found = Numbers.of(column)
    return replace(found, rounded=rounded_in(raw, column.values)) if column.kind == "numeric" else found


def merge(parts: Sequence[Digest], name: str) -> Digest:
    """The digest of all parts of a column."""
    some = [part for part in parts if part.n_rows] or parts[:1]
    return reduce(lambda one, other: _bounded(_merge(one, other, name), name), some)


def nothing_of(kind: Kind) -> float | int:
    """The number that stands for a missing value."""
    return float("nan") if kind == "numeric" else NAT


def _merge(one: Digest, other: Digest, name: str) -> Digest:
    if isinstance(one, Names) and isinstance(other, Names):
        return one.merge(other)
    if isinstance(one, Numbers) and isinstance(other, Numbers) and one.kind == other.kind:
        return one.merge(other)
    if one.is_empty or other.is_empty:
        known, empty = (other, one) if one.is_empty else (one, other)
        n_missing = known.n_missing + empty.n_rows
        return replace(known, n_rows=known.n_rows + empty.n_rows, n_missing=n_missing)
    numbers, names = (one, other) if isinstance(one, Numbers) else (other, one)
    if isinstance(numbers, Numbers) and isinstance(names, Names):
        read = names.interpret(name)
        if isinstance(read, Numbers) and read.kind == numbers.kind:
            return numbers.merge(read)
        if numbers.spelt:
            n_rows, n_missing = numbers.n_rows + names.n_rows, numbers.n_missing + names.n_missing
            return replace(names, n_rows=n_rows, n_missing=n_missing, too_many=True)
    raise TableError(
        f"column {name!r} is {_called(one)} in one part of the table but {_called(other)} in another: "
        "convert it to one type"
    )


def _bounded(found: Digest, name: str) -> Digest:
    """A digest of bounded size: of very many texts it is kept only whether they are numbers."""
    if isinstance(found, Numbers) or found.declared or len(found.counts) <= MAX_DISTINCT:
        return found
    read = found.interpret(name)
    if isinstance(read, Numbers):
        return read
    return replace(found, counts=dict([*found.counts.items()][:MAX_DISTINCT]), too_many=True)


def _spelt(names: Names, measures: Sequence[Measure]) -> Numbers:
    """The digest of a column whose values are numbers, or dates, all of one kind."""
    kind = measures[0].kind
    nothing = sum(n for m, n in zip(measures, names.counts.values(), strict=True) if m.number != m.number)
    dtype = np.float64 if kind == "numeric" else np.int64
    found = Numbers.of(Measured(kind, np.array([m.number for m in measures if m.number == m.number], dtype)))
    rounded = None
    if kind == "numeric":
        wide = [(value, m.number) for value, m in zip(names.values, measures, strict=True) if abs(m.number) >= EXACT]
        rounded = find_rounded(*zip(*wide, strict=True)) if wide else None
    return replace(found, n_rows=names.n_rows, n_missing=names.n_missing + nothing, spelt=True, rounded=rounded)


def _sorted(alike: list[Hashable]) -> list[Hashable]:
    try:
        return sorted(alike)  # type: ignore[type-var]
    except TypeError:
        return sorted(alike, key=repr)


def _called(part: Digest) -> str:
    if isinstance(part, Numbers):
        return {"date": "dates", "instant": "dates with a time zone", "duration": "durations"}.get(part.kind, part.kind)
    return " and ".join(sorted({kind_of(value) for value in part.used})[:3])


def _check_dates(values: list[Hashable], measures: list[Measure | None], name: str) -> None:
    """Refuse dates among other things, text apart."""
    dated = [v for v, m in zip(values, measures, strict=True) if m and m.kind != "numeric" and not isinstance(v, str)]
    if dated:
        other = next(v for v, m in zip(values, measures, strict=True) if m is None or m.kind != measure(dated[0]).kind)  # type: ignore[union-attr]
        raise TableError(
            f"column {name!r} holds {dated[0]!r} and {other!r}, but expected dates only, all with a time zone or all "
            "without: convert it, for example with pandas.to_datetime, or make text of it"
        )
