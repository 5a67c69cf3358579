"""Attributes cut into cells, and conditions: sets of cells of one attribute.

Every column is an attribute cut into cells, and a row is in at most one of them; `rulenet.kinds` says what cells are.
A missing value is in no cell, and neither is a value that an attribute does not know. Sets of cells are integers: bit
i stands for cell i, and one more bit, after those of all cells, for "is missing".
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import FormulaError
from rulenet.kinds import DAY, KINDS, MEASURED, ORDERED, Bound, Kind, Range, shown

#: The code of a row whose value is missing, and of one whose value no cell holds.
MISSING, UNKNOWN = -1, -2


Place = tuple[type, Hashable]  # a value with its type, since True == 1


@dataclass(frozen=True)
class Attribute:
    """A column of the table, and the cells that it is cut into.

    Parameters
    ----------
    name : str
        The name of the column.
    values : tuple
        The value of every cell, for nominal and ordinal attributes.
    kind : {"nominal", "ordinal", "numeric", "date", "instant", "duration"}
        What the values are.
    cuts : tuple of numbers
        Where cells end, rising, for the other kinds; the last cell has no end. Those of dates and durations are
        whole microseconds.
    whole : bool
        Whether the numbers are whole, or the dates days: then a cell of one number reads ``= 3``.

    Examples
    --------
    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> print(age.at_most(37.5), age.above(20), age.between(20, 37.5), age.is_missing, sep=" · ")
    age <= 37.5 · age > 20 · 20 < age <= 37.5 · age is missing
    >>> colour = Attribute("colour", ("blue", "red", "green"))
    >>> print(colour.equal("red"), ~colour.equal("red"), colour.one_of(["red", "blue"]), sep=" · ")
    colour = red · colour != red · colour != green
    """

    name: str
    values: tuple[Hashable, ...] = ()
    kind: Kind = "nominal"
    cuts: tuple[Bound, ...] = ()
    whole: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise FormulaError(f"the kind of column {self.name!r} is {self.kind!r}, but must be one of {list(KINDS)}")
        if (self.values and self.measured) or (self.cuts and not self.measured):
            raise FormulaError(
                f"column {self.name!r} is {self.kind}, which has {'cuts' if self.measured else 'values'}"
            )
        if any(not low < high for low, high in zip(self.cuts, self.cuts[1:], strict=False)):
            raise FormulaError(f"the cuts of column {self.name!r} are {list(self.cuts)}, but must rise")

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.kind, self.values, self.cuts, self.whole))

    def __getstate__(self) -> dict[str, object]:
        """The parameters alone: text has another hash in every process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def measured(self) -> bool:
        """Whether cells lie between cuts."""
        return self.kind in MEASURED

    @property
    def ordered(self) -> bool:
        """Whether cells have an order."""
        return self.kind in ORDERED

    @cached_property
    def n_cells(self) -> int:
        """How many cells there are."""
        return len(self.cuts) + 1 if self.measured else len(self.values)

    @cached_property
    def known(self) -> int:
        """All cells, as bits."""
        return (1 << self.n_cells) - 1

    @cached_property
    def missing(self) -> int:
        """The bit that stands for "is missing"."""
        return 1 << self.n_cells

    @cached_property
    def places(self) -> dict[Place, int]:
        """The cell of every value; its type is part of the key, since True == 1."""
        return {(type(value), value): cell for cell, value in enumerate(self.values)}

    def cell_of(self, value: Hashable) -> int:
        """The cell that a plain value is in: `MISSING` for None, `UNKNOWN` where there is none.

        Numbers, dates and durations are given as numbers.

        >>> Attribute("age", kind="numeric", cuts=(20, 37.5)).cell_of(37.5), Attribute("a", ("x", "y")).cell_of("z")
        (1, -2)
        """
        if value is None or value != value:
            return MISSING
        if self.measured:
            return int(np.searchsorted(self.cuts, value)) if self.cuts else 0  # type: ignore[call-overload]
        return self.places.get((type(value), value), UNKNOWN)

    def equal(self, value: Hashable) -> "Condition":
        """That the attribute has this value; for whole numbers, the cell must hold no other."""
        return Condition(self, 1 << self._cell(value))

    def one_of(self, values: Iterable[Hashable]) -> "Condition":
        """That the attribute has one of some values."""
        return Condition(self, sum({1 << self._cell(value) for value in values}))

    def at_most(self, bound: Hashable) -> "Condition":
        """That the attribute is at most a cut, or a value of an ordinal one."""
        return Condition(self, (1 << self._end(bound)) - 1)

    def above(self, bound: Hashable) -> "Condition":
        """That the attribute is above a cut, or a value of an ordinal one."""
        return ~self.at_most(bound)

    def between(self, low: Hashable, high: Hashable) -> "Condition":
        """That the attribute is above ``low`` and at most ``high``."""
        return self.above(low) & self.at_most(high)

    @property
    def is_missing(self) -> "Condition":
        """That the attribute has no value."""
        return Condition(self, self.missing)

    @property
    def is_known(self) -> "Condition":
        """That the attribute has a value, one that it knows."""
        return Condition(self, self.known)

    def shown(self, bound: Bound) -> str:
        """A cut as people read it."""
        return shown(bound, self.kind, self.whole)

    def _cell(self, value: Hashable) -> int:
        if self.measured:
            cell = self.cell_of(value)
            low, high = self.bounds(cell)
            if not self.whole or low is None or high is None or high - low != self.step or high != value:
                raise FormulaError(f"no cell of column {self.name!r} holds {value!r} alone; its cuts are {self.cuts}")
            return cell
        if (type(value), value) not in self.places:
            raise FormulaError(f"column {self.name!r} has no value {value!r}; its values are {list(self.values)}")
        return self.places[type(value), value]

    def _end(self, bound: Hashable) -> int:
        """The number of cells up to and with a bound."""
        if not self.ordered:
            raise FormulaError(f"column {self.name!r} is {self.kind}, so its values have no order")
        if not self.measured:
            return self._cell(bound) + 1
        if bound not in self.cuts:
            raise FormulaError(f"column {self.name!r} has no cut at {bound!r}; its cuts are {list(self.cuts)}")
        return self.cuts.index(bound) + 1  # type: ignore[arg-type]

    @property
    def step(self) -> int:
        """The distance of neighbours, where numbers are whole or dates are days."""
        return DAY if self.kind in ("date", "instant") else 1

    def bounds(self, cell: int) -> tuple[Bound | None, Bound | None]:
        """What a cell lies between, None at an open end."""
        return self.cuts[cell - 1] if cell > 0 else None, self.cuts[cell] if cell < len(self.cuts) else None


def merge(first: Attribute, *others: Attribute) -> Attribute:
    """The attribute that is cut wherever one of several of the same name and kind is.

    An ordinal one takes a nominal one that has no other values, and new values at their place in the order.

    >>> age = Attribute("age", kind="numeric", cuts=(20,))
    >>> merge(age, Attribute("age", kind="numeric", cuts=(10, 30))).cuts
    (10, 20, 30)
    """
    if first.kind == "ordinal":
        return reduce(_merge_ordinal, others, first)
    for other in others:
        if (other.name, other.kind) != (first.name, first.kind):
            raise FormulaError(f"column {first.name!r} is {first.kind} here, but {other.name!r} is {other.kind} there")
    if first.measured:
        cuts = tuple(sorted({cut for attribute in (first, *others) for cut in attribute.cuts}))
        return replace(first, cuts=cuts, whole=all(attribute.whole for attribute in (first, *others)))
    places = {
        key: value
        for attribute in (first, *others)
        for key, value in zip(attribute.places, attribute.values, strict=True)
    }
    return replace(first, values=tuple(places.values()))


def _merge_ordinal(known: Attribute, other: Attribute) -> Attribute:
    """An ordinal attribute with the values of both."""
    if other.name != known.name or other.kind not in ("ordinal", "nominal"):
        raise FormulaError(f"column {known.name!r} is {known.kind} here, but {other.name!r} is {other.kind} there")
    new = [key for key in other.places if key not in known.places]
    if other.kind == "nominal" and new:
        order = " < ".join(map(str, known.values))
        raise FormulaError(
            f"column {known.name!r} has the order {order} here, but also {new[0][1]!r} there, which has no place: "
            f"name all values in ordinal={{{known.name!r}: [...]}}, from low to high"
        )
    if not new:
        return known
    return replace(known, values=tuple(value for _, value in _in_order([*known.places], [*other.places])))


def _in_order(one: Sequence[Place], other: Sequence[Place]) -> list[Place]:
    """The values of both, in the order of both if they say which; else those that are new to the first come last."""
    found, i, j = list[Place](), 0, 0
    while i < len(one) and j < len(other):
        mine, others = one[i] not in other, other[j] not in one
        if mine == others and one[i] != other[j]:
            return [*one, *(key for key in other if key not in one)]
        found.append(other[j] if others else one[i])
        i, j = i + (not others), j + (not mine)
    return [*found, *one[i:], *other[j:]]


@dataclass(frozen=True)
class Condition:
    """That an attribute is in one of some cells.

    A condition is false where the attribute is missing or has a value that no cell holds; but one whose ``cells``
    have the bit of "is missing" is true where it is missing. So ``!=`` reads "is known, and differs".

    Parameters
    ----------
    attribute : Attribute
        What is asked about.
    cells : int
        The cells for which the condition holds, as bits; see `rulenet.conditions`.

    Examples
    --------
    >>> size = Attribute("size", ("S", "M", "L", "XL"), kind="ordinal")
    >>> condition = size.at_most("M")
    >>> print(condition, ~condition, condition & ~size.equal("S"), condition.holds("L"), sep=" · ")
    size <= M · size > M · size = M · False
    """

    attribute: Attribute
    cells: int

    def __post_init__(self) -> None:
        if not 0 <= self.cells < 2 * self.attribute.missing:
            raise FormulaError(
                f"{self.cells:#b} has bits for more than the {self.attribute.n_cells} cells of its column"
            )

    def __invert__(self) -> "Condition":
        """The condition that holds where this one certainly fails: for other known values."""
        return Condition(self.attribute, self.attribute.known & ~self.cells)

    def __and__(self, other: "Condition") -> "Condition":
        return Condition(self.attribute, self.cells & other.cells)

    def __or__(self, other: "Condition") -> "Condition":
        return Condition(self.attribute, self.cells | other.cells)

    def __le__(self, other: "Condition") -> bool:
        """Whether this condition implies the other."""
        return self.attribute == other.attribute and self.cells & ~other.cells == 0

    def on(self, attribute: Attribute) -> "Condition":
        """The same condition on an attribute that is cut at least as finely.

        >>> age = Attribute("age", kind="numeric", cuts=(20,))
        >>> print(age.above(20).on(Attribute("age", kind="numeric", cuts=(10, 20, 30))))
        age > 20
        """
        if attribute == self.attribute:
            return self
        if attribute.measured:
            old = [self.attribute.cell_of(attribute.bounds(cell)[1]) for cell in range(len(attribute.cuts))]
            old.append(self.attribute.n_cells - 1)
        else:
            old = [self.attribute.cell_of(value) for value in attribute.values]
        cells = sum(1 << cell for cell, code in enumerate(old) if self.holds_in(code))
        return Condition(attribute, cells | (attribute.missing if self.asks_missing else 0))

    @property
    def known_cells(self) -> int:
        """The cells without the bit of "is missing"."""
        return self.cells & self.attribute.known

    @property
    def asks_missing(self) -> bool:
        """Whether the condition holds where the attribute is missing."""
        return bool(self.cells & self.attribute.missing)

    def holds(self, value: Hashable) -> bool:
        """Whether the condition is true of a row with this plain value."""
        return self.holds_in(self.attribute.cell_of(value))

    def holds_in(self, code: int) -> bool:
        """Whether the condition is true of a row with this cell, or `MISSING` or `UNKNOWN`."""
        return self.asks_missing if code == MISSING else code >= 0 and bool(self.cells >> code & 1)

    @property
    def table(self) -> NDArray[np.bool_]:
        """Where the condition holds, by cell; then for unknown values, last for missing ones.

        >>> Attribute("a", ("x", "y")).equal("x").table[[0, 1, UNKNOWN, MISSING]]
        array([ True, False, False, False])
        """
        n_cells = self.attribute.n_cells
        held = [bool(self.cells >> cell & 1) for cell in range(n_cells)]
        return np.array([*held, False, self.asks_missing])

    @property
    def members(self) -> tuple[Hashable, ...]:
        """The values of a nominal or ordinal attribute for which the condition holds."""
        return tuple(value for cell, value in enumerate(self.attribute.values) if self.cells >> cell & 1)

    @property
    def others(self) -> tuple[Hashable, ...]:
        """The values of a nominal or ordinal attribute for which it does not."""
        return (~self).members

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """The runs of neighbouring cells, each as its first cell and the one after its last.

        >>> Condition(Attribute("a", ("x", "y", "z", "w")), 0b1011).runs
        ((0, 2), (3, 4))
        """
        found, cell, left = list[tuple[int, int]](), 0, self.known_cells
        while left:
            gap = (left & -left).bit_length() - 1
            left >>= gap
            length = (~left & left + 1).bit_length() - 1
            found.append((cell + gap, cell + gap + length))
            left >>= length
            cell += gap + length
        return tuple(found)

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The runs of a measured attribute, by their bounds."""
        bounds = self.attribute.bounds
        return tuple(Range(bounds(first)[0], bounds(after - 1)[1]) for first, after in self.runs)

    @property
    def is_simple(self) -> bool:
        """Whether the condition reads as one comparison, without "or"."""
        if self.asks_missing or not self.attribute.measured:
            return not (self.asks_missing and self.known_cells)
        return len(self.runs) <= 1 or _excluded(self) is not None

    @property
    def parts(self) -> tuple["Condition", ...]:
        """The bounds or values that a condition names, where it names several.

        >>> age = Attribute("age", kind="numeric", cuts=(20, 60))
        >>> colour = Attribute("colour", ("blue", "red", "green", "white"))
        >>> print(*age.between(20, 60).parts, *colour.one_of(["red", "blue"]).parts, age.above(20).parts, sep=" · ")
        age > 20 · age <= 60 · colour = blue · colour = red · ()
        """
        known = Condition(self.attribute, self.known_cells)
        if self.asks_missing:
            found = [known, self.attribute.is_missing] if known.cells else []
        else:
            found = _measured_parts(self) if self.attribute.measured else _listed_parts(self)
        return tuple(found) if len(found) > 1 else ()

    @property
    def sort_key(self) -> tuple[bool, int, int]:
        """For an order among the conditions of an attribute: one cell, some cells, all but some, "is missing"."""
        cells, others = self.known_cells, self.attribute.known & ~self.cells
        if cells.bit_count() <= 1:
            return self.asks_missing, 0, cells
        from_the_start = bool(cells & 1) if self.attribute.ordered else cells.bit_count() <= others.bit_count()
        return (self.asks_missing, 1, cells) if from_the_start else (self.asks_missing, 2, others)

    def __str__(self) -> str:
        name, cells, known = self.attribute.name, self.known_cells, self.attribute.known
        if self.asks_missing and cells:
            rest = Condition(self.attribute, cells)
            return f"{name} is anything" if cells == known else f"{rest} or {name} is missing"
        if self.asks_missing:
            return f"{name} is missing"
        if cells == known:
            return f"{name} is known"
        if not cells:
            return f"{name} is impossible"
        return _measured_text(self) if self.attribute.measured else _listed_text(self)


def _excluded(condition: Condition) -> Bound | None:
    """The one whole number that a condition on a measured attribute leaves out."""
    if not condition.attribute.whole:
        return None
    outside = (~condition).ranges
    return _single(condition.attribute, outside[0]) if len(outside) == 1 else None


def _single(attribute: Attribute, run: Range) -> Bound | None:
    """The one whole number in a range."""
    if not attribute.whole or run.low is None or run.high is None or run.high - run.low != attribute.step:
        return None
    return run.high


def _measured_text(condition: Condition) -> str:
    attribute = condition.attribute
    excluded = _excluded(condition)
    if excluded is not None and len(condition.ranges) > 1:
        return f"{attribute.name} != {attribute.shown(excluded)}"
    return " or ".join(_range_text(attribute, run) for run in condition.ranges)


def _measured_parts(condition: Condition) -> list[Condition]:
    attribute, found = condition.attribute, list[Condition]()
    for run in condition.ranges if _excluded(condition) is None else ():
        single = _single(attribute, run)
        if single is not None:
            found.append(attribute.equal(single))
            continue
        found += [attribute.above(run.low)] if run.low is not None else []
        found += [attribute.at_most(run.high)] if run.high is not None else []
    return found


def _range_text(attribute: Attribute, run: Range) -> str:
    single, name = _single(attribute, run), attribute.name
    if single is not None:
        return f"{name} = {attribute.shown(single)}"
    if run.low is None:
        return f"{name} <= {attribute.shown(run.high)}" if run.high is not None else f"{name} is known"
    if run.high is None:
        return f"{name} > {attribute.shown(run.low)}"
    return f"{attribute.shown(run.low)} < {name} <= {attribute.shown(run.high)}"


def _listed_text(condition: Condition) -> str:
    attribute, inside, outside = condition.attribute, condition.members, condition.others
    name, runs = attribute.name, condition.runs
    if len(inside) == 1:
        return f"{name} = {inside[0]}"
    if attribute.kind == "ordinal" and len(runs) == 1:
        (first, after), values = runs[0], attribute.values
        if first == 0:
            return f"{name} <= {values[after - 1]}"
        above = f"{values[first - 1]} < {name}"
        return f"{name} > {values[first - 1]}" if after == len(values) else f"{above} <= {values[after - 1]}"
    if len(outside) == 1:
        return f"{name} != {outside[0]}"
    sign, named = ("in", inside) if len(inside) <= len(outside) else ("not in", outside)
    return f"{name} {sign} {{{', '.join(map(str, named))}}}"


def _listed_parts(condition: Condition) -> list[Condition]:
    attribute, inside, outside = condition.attribute, condition.members, condition.others
    if attribute.kind == "ordinal" and len(condition.runs) == 1 and len(inside) > 1:
        (first, after), values = condition.runs[0], attribute.values
        return [
            *([attribute.above(values[first - 1])] if first else []),
            *([attribute.at_most(values[after - 1])] if after < len(values) else []),
        ]
    if len(inside) <= len(outside):
        return [attribute.equal(value) for value in inside]
    return [~attribute.equal(value) for value in outside]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """`Relations`, which pickled models look for here."""
        if name != "Relations":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module("rulenet.relations").Relations
