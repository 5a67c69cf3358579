"""Tables to conditions, and rows to one bit a condition.

A missing value (None, NaN, NA, NaT) and a value that was not there when the encoding was learned are in no cell, so no
condition holds but "is missing". A row is encoded by itself: no other row of the call has an influence.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from rulenet.bits import Words, n_words
from rulenet.conditions import MISSING, UNKNOWN, Attribute, Condition
from rulenet.encoding.attributes import AttributeLearner, Learned
from rulenet.encoding.columns import Coded, Measured, Values, as_coded, as_measured, find_rounded, load, measured_values
from rulenet.encoding.cuts import SAMPLE
from rulenet.encoding.digests import Digest, digest, nothing_of
from rulenet.encoding.sampling import choose_rows
from rulenet.encoding.tables import Column, Table, heading_of, read_table
from rulenet.encoding.wishes import Placed, Wished, Wishes
from rulenet.exceptions import ParameterError, TableError
from rulenet.kinds import Kind
from rulenet.later import Later
from rulenet.relations import Relations, relations_of

if TYPE_CHECKING:
    import joblib

    from rulenet.encoding import packing
else:
    joblib = Later("joblib")
    packing = Later("rulenet.encoding.packing")

Result = TypeVar("Result")
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Encoding:
    """The attributes of a table, and how its rows become packed literals.

    Parameters
    ----------
    attributes : tuple of Attribute
        One attribute a column, in the order of the columns. A column that is left out has no cells.
    conditions : tuple of Condition
        What networks read: literal j of a row says whether condition j holds.
    named : bool
        Whether the columns had names, so that later tables must have the same.

    Examples
    --------
    >>> rows = [["red", 17, True], ["blue", 38, False], [None, 21, True]]
    >>> encoding = Encoding.learn(rows, cuts={1: [18, 30]})
    >>> [str(condition) for condition in encoding.conditions[:6]]
    ['x0 = blue', 'x0 = red', 'x1 <= 18', 'x1 <= 30', 'x1 > 18', 'x1 > 30']
    >>> encoding.encode(rows)[:, 0]
    array([2, 1, 1, 5, 6, 2, 2, 5], dtype=uint64)
    >>> encoding.codes(rows)
    array([[ 1,  0,  1],
           [ 0,  2,  0],
           [-1,  1,  1]])
    """

    attributes: tuple[Attribute, ...]
    conditions: tuple[Condition, ...]
    named: bool = False

    def __post_init__(self) -> None:
        """Compiled loops trust that conditions speak of the cells of the attributes."""
        known = {attribute.name: attribute for attribute in self.attributes}
        if len(known) < len(self.attributes):
            raise ParameterError("two attributes of an encoding have one name, but names must differ")
        for condition in self.conditions:
            mine, attribute = condition.attribute, known.get(condition.attribute.name)
            if mine is not attribute and mine != attribute:
                what = "is no attribute" if attribute is None else "has other cells than the attribute"
                raise ParameterError(f"there is a condition on {mine.name!r}, which {what} of this encoding")

    @classmethod
    def learn(
        cls,
        table: object,
        target: NDArray[np.int64] | None = None,
        *,
        n_jobs: int | None = None,
        **wishes: Unpack[Wished],
    ) -> Self:
        """Find the cells of every column, and the conditions on them.

        Parameters
        ----------
        table : DataFrame, 2-d array or list of rows
            Numbers, dates and durations are cut at a few quantiles. Ordered categories are ordinal; other text,
            categories, Booleans and hashable cells are nominal. Text that can be read as numbers, as dates
            (``2024-03-01``, also with a time) or as true and false throughout a column counts as that. Values are
            sorted; those of a pandas category count in their declared order, observed or not, and Booleans are always
            (False, True). A column with almost as many different texts as rows is left out, with a warning.
        target : array of class codes, optional
            Columns are not cut between neighbouring values whose rows are all of one class.
        nominal : {"auto", "all"} or list of column names or positions
            The columns whose values are names of categories, though they are numbers, ordered or mostly different.
            Their text stays text. Numbers are compared exactly and 1.0 is the value 1; infinity is no category.
        ordinal : dict from columns to lists of values, optional
            The columns whose values have an order, and this order.
        cuts : dict from columns to lists of numbers or dates, optional
            The only cuts of these columns.
        monotonic : dict from columns to -1, 0 or 1, or list with one for every column, optional
            Columns of which only "above" (1) or only "at most" (-1) is asked.
        forbid : iterable of columns, conditions, their texts and "!="
            What must not be asked.
        not_equal : bool
            Whether to ask ``!=`` too, where there are more than two values.
        missing : "auto" or bool
            Whether "is missing" is asked of columns with gaps; "auto" asks it where at least 5 rows and 1% are missing.
        max_values : int
            How many values a nominal or ordinal column may have.
        max_cuts : int
            How many cuts a column of numbers gets, fewer where there are many columns.
        n_jobs : int or None
            Threads over columns.

        Raises
        ------
        TableError, ParameterError
            Where the table cannot be encoded; the message names the column and the remedy.
        """
        whole = _Whole.of(table, target, Wishes(**wishes))
        learned = _each(lambda i: whole.learn(i)[0], range(whole.view.n_columns), n_jobs)
        return cls._of(learned, whole.learner, whole.view)

    @classmethod
    def learn_encode(
        cls,
        table: object,
        target: NDArray[np.int64] | None = None,
        *,
        n_jobs: int | None = None,
        **wishes: Unpack[Wished],
    ) -> tuple[Self, Words]:
        """``learn`` and ``encode`` of the same table, reading every column once."""
        whole = _Whole.of(table, target, Wishes(**wishes))
        view = whole.view

        def learn_pack(i: int) -> tuple[Learned, Words]:
            learned, column = whole.learn(i)
            words = np.empty((len(learned.conditions), n_words(view.n_rows)), np.uint64)
            runs = _runs(learned.attribute, list(enumerate(learned.conditions)))
            if learned.conditions:
                _pack(_read(column, learned.attribute), learned.attribute, runs, words)
            return learned, words

        learned, words = zip(*_each(learn_pack, range(view.n_columns), n_jobs), strict=True)
        return cls._of(learned, whole.learner, view), np.concatenate(words)

    @classmethod
    def learn_from(
        cls,
        digests: Sequence[Digest],
        sample: object,
        target: NDArray[np.int64] | None = None,
        **wishes: Unpack[Wished],
    ) -> Self:
        """``learn`` from a digest of every column and from the rows that `sampling` chooses, with their classes."""
        view = read_table(sample)
        learner = AttributeLearner(view, Wishes(**wishes), target)

        def learn(i: int) -> Learned:
            return learner(i, digests[i], lambda kind: measured_values(view.column(i), view.names[i], kind))

        return cls._of([learn(i) for i in range(view.n_columns)], learner, view)

    @classmethod
    def _of(cls, learned: Sequence[Learned], learn: AttributeLearner, table: Table) -> Self:
        learn.check(learned)
        return cls(tuple(x.attribute for x in learned), tuple(c for x in learned for c in x.conditions), table.named)

    @cached_property
    def relations(self) -> Relations:
        """What searches know of the literals."""
        return relations_of(self.conditions)

    @property
    def heading(self) -> Table:
        """The learned table without its rows, in which columns are found by label, name or position."""
        return heading_of(tuple(attribute.name for attribute in self.attributes), self.named)

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The column that every condition asks about."""
        places = {attribute.name: i for i, attribute in enumerate(self.attributes)}
        return np.array([places[condition.attribute.name] for condition in self.conditions], np.int64)

    @cached_property
    def _runs(self) -> dict[int, packing.Runs]:
        """The conditions of every column that has any, as compiled loops take them."""
        return self._runs_of(np.ones(len(self.conditions), np.bool_))

    def _runs_of(self, only: Mask) -> dict[int, packing.Runs]:
        chosen: dict[int, list[tuple[int, Condition]]] = {}
        for j in np.flatnonzero(only).tolist():
            chosen.setdefault(int(self.owners[j]), []).append((j, self.conditions[j]))
        return {i: _runs(self.attributes[i], conditions) for i, conditions in chosen.items()}

    def encode(self, table: object, *, only: Mask | None = None, n_jobs: int | None = None) -> Words:
        """The literals of every row, one bit a row: ``uint64`` of shape (n_conditions, n_words).

        Parameters
        ----------
        table : DataFrame, 2-d array or list of rows
            The columns of the learned table, by name where both tables have names, by position otherwise. A column of
            numbers may be given as text, dates as ISO text; text where there were numbers is an error. So are
            unhashable cells. A nominal value that is not known is in no cell.
        only : Boolean array of shape (n_conditions,), optional
            The conditions that matter. The bits of others stay zero; their columns are not read, and a table with
            names need not have them.
        n_jobs : int or None
            Threads over columns.
        """
        view = read_table(table)
        runs = self._runs if only is None else self._runs_of(self._checked(only))
        places = self._places(view, runs)
        words = np.zeros((len(self.conditions), n_words(view.n_rows)), np.uint64)

        def fill(i: int) -> None:
            attribute = self.attributes[i]
            _pack(_convert(view.column(places[i]), attribute), attribute, runs[i], words)

        _each(fill, runs, n_jobs)
        return words

    def codes(self, table: object) -> NDArray[np.int64]:
        """The cell of every row in every column, `MISSING` or `UNKNOWN`: of shape (n_rows, n_attributes)."""
        view = read_table(table)
        places = self._places(view, ())
        codes = np.empty((view.n_rows, len(self.attributes)), np.int64)
        for i, attribute in enumerate(self.attributes):
            codes[:, i] = _codes(_convert(view.column(places[i]), attribute), attribute)
        return codes

    def measured(self, table: object, names: Iterable[str]) -> dict[str, Values]:
        """The numbers of some columns of numbers, dates or durations, by name; NaN and NAT are missing."""
        view, wanted = read_table(table), set(names)
        columns = {i: a for i, a in enumerate(self.attributes) if a.name in wanted}
        places = self._places(view, columns)
        return {a.name: measured_values(view.column(places[i]), a.name, a.kind) for i, a in columns.items()}

    def check(self, table: object) -> None:
        """Refuse a table that has not the columns of the learned one, all of them, in their order."""
        self._places(read_table(table), ())

    def replace(self, conditions: Iterable[Condition]) -> Self:
        """The same columns with other conditions, whose attributes replace those of the same name."""
        chosen = tuple(conditions)
        found = {condition.attribute.name: condition.attribute for condition in chosen}
        unknown = sorted(set(found) - {attribute.name for attribute in self.attributes})
        if unknown:
            raise ParameterError(f"there is a condition on {unknown[0]!r}, which is no column of this encoding")
        for condition in chosen:
            if condition.attribute != found[condition.attribute.name]:
                raise ParameterError(f"the conditions on {condition.attribute.name!r} disagree about its cells")
        return type(self)(tuple(found.get(a.name, a) for a in self.attributes), chosen, self.named)

    def _checked(self, only: Mask) -> Mask:
        only = np.asarray(only)
        if only.dtype != np.bool_ or only.shape != (len(self.conditions),):
            raise ParameterError(
                f"only is {only.dtype} of shape {only.shape}, but expected one Boolean for each of the "
                f"{len(self.conditions)} conditions"
            )
        return only

    def _places(self, table: Table, needed: Iterable[int]) -> Mapping[int, int]:
        """Where a table has the columns that are ``needed``, or all if none is."""
        expected = tuple(attribute.name for attribute in self.attributes)
        if not (self.named and table.named):
            if table.n_columns != len(expected):
                raise TableError(
                    f"X has {table.n_columns} features, but {type(self).__name__} is expecting {len(expected)} "
                    f"features as input: {', '.join(expected[:10])}{', ...' if len(expected) > 10 else ''}"
                )
            if table.labels is not None and _is_other_order(table, expected):
                raise TableError(describe_names((), ()))
            return {i: i for i in range(len(expected))}
        positions = {name: place for place, name in enumerate(table.names)}
        found = {i: positions[name] for i, name in enumerate(expected) if name in positions}
        wanted = set(needed) or set(range(len(expected)))
        if len(found) < len(positions) or not wanted <= set(found):
            raise TableError(describe_names(table.names, expected))
        if list(found.values()) != sorted(found.values()):
            raise TableError(describe_names((), ()))
        return found


def _each(function: Callable[[int], Result], columns: Iterable[int], n_jobs: int | None) -> list[Result]:
    n_threads = joblib.effective_n_jobs(n_jobs)
    if n_threads == 1:
        return [function(i) for i in columns]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, columns))


@dataclass(frozen=True)
class _Whole:
    """A table to learn from whose rows are all at hand, and those of them that quantiles are taken from."""

    view: Table
    learner: AttributeLearner
    chosen: NDArray[np.int64] | None

    @classmethod
    def of(cls, table: object, target: NDArray[np.int64] | None, wishes: Wishes) -> Self:
        view = _read_for_learning(table)
        chosen = choose_rows(view.n_rows, SAMPLE) if view.n_rows > SAMPLE else None
        seen = target if target is None or chosen is None else target[chosen]
        return cls(view, AttributeLearner(view, wishes, seen), chosen)

    def learn(self, i: int) -> tuple[Learned, Coded | Measured]:
        """What there is to know of column i, and the column."""
        name = self.view.names[i]
        raw = self.view.column(i)
        column = load(raw, name, nominal=self.learner.is_listed(i))
        if isinstance(column, Measured) and (rounded := find_rounded(raw)):
            warnings.warn(
                f"column {name!r} holds whole numbers beyond 2**53, which are compared as floats: {rounded[0]} is "
                f"taken as {rounded[1]}; name it in nominal=[{name!r}] if they are names, or drop it",
                stacklevel=2,
            )

        def sampled(kind: Kind) -> Values:
            values = as_measured(column, name, kind)
            return values if self.chosen is None else values[self.chosen]

        return self.learner(i, digest(column), sampled), column


def _convert(column: Column, attribute: Attribute) -> Coded | Measured:
    """A column as an attribute takes it."""
    return _read(load(column, attribute.name, nominal=not attribute.measured), attribute)


def _read(column: Coded | Measured, attribute: Attribute) -> Coded | Measured:
    """A column that is loaded, as an attribute takes it."""
    if attribute.measured:
        return Measured(attribute.kind, as_measured(column, attribute.name, attribute.kind))
    return as_coded(column, attribute.name, attribute.values)


def _codes(column: Coded | Measured, attribute: Attribute) -> NDArray[np.int64]:
    if isinstance(column, Measured):
        codes = np.searchsorted(_cuts(attribute), column.values).astype(np.int64)
        codes[column.is_missing] = MISSING
        return codes
    cells = [MISSING, *(attribute.cell_of(value) for value in column.values)]
    return np.array(cells, np.int64)[1 + column.codes]


def _pack(column: Coded | Measured, attribute: Attribute, runs: packing.Runs, words: Words) -> None:
    """Fill the rows of ``words`` that ``runs`` speaks of."""
    if not len(runs.rows):
        return
    if isinstance(column, Measured):
        packing.pack_numbers(column.values, _cuts(attribute), nothing_of(column.kind), runs, words)
        return
    after = {MISSING: attribute.n_cells, UNKNOWN: attribute.n_cells + 1}
    cells = (attribute.cell_of(value) for value in column.values)
    places = [after[MISSING], *(after.get(cell, cell) for cell in cells)]
    packing.pack_codes(column.codes, np.array(places, np.int32), runs, words)


def _cuts(attribute: Attribute) -> Values:
    return np.array(attribute.cuts, np.float64 if attribute.kind == "numeric" else np.int64)


def listed_columns(table: object, **wishes: Unpack[Wished]) -> frozenset[int]:
    """The positions of the columns that the user says have categories."""
    placed = Placed.of(Wishes(**wishes), read_table(table))
    return placed.nominal | frozenset(placed.ordinal)


def _runs(attribute: Attribute, conditions: Sequence[tuple[int, Condition]]) -> packing.Runs:
    """Conditions on an attribute with the rows they are written to, as compiled loops take them."""
    missing = attribute.n_cells
    found = [(*x.runs, *([(missing, missing + 1)] if x.asks_missing else [])) for _, x in conditions]
    runs = [run for runs in found for run in runs]
    # One array for four short lists: to make an array takes longer than to fill it.
    ends, firsts, afters = accumulate(map(len, found), initial=0), [run[0] for run in runs], [run[1] for run in runs]
    numbers = np.array([*(j for j, _ in conditions), *ends, *firsts, *afters], np.int64)
    starts, first, after = len(conditions), 2 * len(conditions) + 1, 2 * len(conditions) + 1 + len(runs)
    return packing.Runs(missing, numbers[:starts], numbers[starts:first], numbers[first:after], numbers[after:])


def _read_for_learning(table: object) -> Table:
    view = read_table(table)
    for n, what in ((view.n_rows, "sample"), (view.n_columns, "feature")):
        if n == 0:
            raise TableError(
                f"Found array with 0 {what}(s) (shape=({view.n_rows}, {view.n_columns})) "
                "while a minimum of 1 is required."
            )
    return view


def _is_other_order(table: Table, expected: tuple[str, ...]) -> bool:
    """Whether the columns are those that are expected, or have the labels 0, 1, 2, ..., but in another order."""
    found, numbers = table.names, tuple(map(str, range(table.n_columns)))
    return found != expected and any(found != names and set(found) == set(names) for names in (expected, numbers))


def describe_names(found: tuple[str, ...], expected: tuple[str, ...]) -> str:
    """What is wrong with the names, in scikit-learn's words."""
    lines = ["The feature names should match those that were passed during fit."]
    for title, names in (
        ("Feature names unseen at fit time:", sorted(set(found) - set(expected))),
        ("Feature names seen at fit time, yet now missing:", sorted(set(expected) - set(found))),
    ):
        if names:
            lines += [title, *(f"- {name}" for name in names[:5]), *(["- ..."] if len(names) > 5 else [])]
    if len(lines) == 1:
        lines.append("Feature names must be in the same order as they were in fit.")
    return "\n".join(lines) + "\n"
