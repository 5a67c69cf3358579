"""Tables to literals, and rows to one bit a literal.

Every value of every column becomes a literal ``column = value``. A missing value (None, NaN, NA, NaT) and a value that
was not there when the encoding was learned set no literal of their column. A row is encoded by itself: no other row of
the call has an influence.
"""

from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray

from rulenet.bits import Words, n_words
from rulenet.encoding.attributes import AttributeLearner, Nominal
from rulenet.encoding.codes import CodedColumn, code_column, kind_of
from rulenet.encoding.packing import negate_values, pack_codes
from rulenet.encoding.tables import Table, read_table
from rulenet.exceptions import ParameterError, TableError
from rulenet.literals import Attribute, Literal, literals_of, sibling_groups

Result = TypeVar("Result")
Places = dict[tuple[type, Hashable], int]


@dataclass(frozen=True)
class Encoding:
    """The attributes of a table, and how its rows become packed literals.

    Parameters
    ----------
    attributes : tuple of Attribute
        One attribute a column, in the order of the columns.
    not_equal : bool
        Whether attributes with more than two values have ``!=`` literals too.
    named : bool
        Whether the columns had names, so that later tables must have the same.

    Examples
    --------
    >>> rows = [["red", True], ["blue", False], [None, True]]
    >>> encoding = Encoding.learn(rows)
    >>> [str(literal) for literal in encoding.literals]
    ['x0 = blue', 'x0 = red', 'x1 = False', 'x1 = True']
    >>> encoding.encode(rows)
    array([[2],
           [1],
           [2],
           [5]], dtype=uint64)
    """

    attributes: tuple[Attribute, ...]
    not_equal: bool = False
    named: bool = False

    @classmethod
    def learn(
        cls,
        table: object,
        *,
        nominal: Nominal = "auto",
        not_equal: bool = False,
        max_values: int = 1000,
        n_jobs: int | None = None,
    ) -> Self:
        """Find the values of every column.

        Parameters
        ----------
        table : DataFrame, 2-d array or list of rows
            Text, categories, Booleans, other hashable cells, numbers if ``nominal`` says so. Values are sorted; those
            of a pandas category count in their declared order, observed or not, and Booleans are always
            (False, True).
        nominal : {"auto", "all"} or list of column names or positions
            The numeric columns whose numbers are names of categories. With "auto" a numeric column is an error.
            Numbers are compared exactly and 1.0 is the value 1; a fraction may be a category, infinity may not.
        not_equal : bool
            Whether to add ``!=`` literals.
        max_values : int
            How many values a column may have.
        n_jobs : int or None
            Threads over columns.

        Raises
        ------
        TableError
            Where the table cannot be encoded; the message names the column and the remedy.
        """
        view = _read_for_learning(table)
        learn = AttributeLearner(view, nominal, max_values)
        attributes = _each(lambda i: learn(i, _code(view, i)), range(view.n_columns), n_jobs)
        return cls._of(attributes, view, not_equal)

    @classmethod
    def learn_encode(
        cls,
        table: object,
        *,
        nominal: Nominal = "auto",
        not_equal: bool = False,
        max_values: int = 1000,
        n_jobs: int | None = None,
    ) -> tuple[Self, Words]:
        """``learn`` and ``encode`` of the same table, reading every column once."""
        view = _read_for_learning(table)
        learn = AttributeLearner(view, nominal, max_values)

        def learn_pack(i: int) -> tuple[Attribute, Words]:
            coded = _code(view, i)
            attribute = learn(i, coded)
            words = np.empty((_n_literals(attribute, not_equal), n_words(view.n_rows)), np.uint64)
            _pack(coded, _places(attribute), words)
            return attribute, words

        attributes, words = zip(*_each(learn_pack, range(view.n_columns), n_jobs), strict=True)
        return cls._of(attributes, view, not_equal), np.concatenate(words)

    @classmethod
    def _of(cls, attributes: Iterable[Attribute], table: Table, not_equal: bool) -> Self:
        encoding = cls(tuple(attributes), not_equal, table.names is not None)
        if not encoding.literals:
            raise TableError(f"found no value in any of the {table.n_columns} columns, but at least one is needed")
        return encoding

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """The literals, attribute by attribute: the rows of ``encode``."""
        return literals_of(self.attributes, not_equal=self.not_equal)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """For every literal the number of its group of mutually exclusive siblings, -1 where it has none."""
        groups = sibling_groups(self.literals)
        groups.setflags(write=False)
        return groups

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where the literals of every attribute start; one more entry for the end."""
        return np.cumsum([0, *(_n_literals(attribute, self.not_equal) for attribute in self.attributes)])

    @cached_property
    def _places(self) -> tuple[Places, ...]:
        return tuple(_places(attribute) for attribute in self.attributes)

    def encode(self, table: object, *, only: NDArray[np.bool_] | None = None, n_jobs: int | None = None) -> Words:
        """The literals of every row, one bit a row: ``uint64`` of shape (n_literals, n_words).

        Parameters
        ----------
        table : DataFrame, 2-d array or list of rows
            The columns of the learned table in the same order; names must match where both tables have them. A
            column of numbers where there was text (or the like) is an error; so are unhashable cells. In an object
            column every other cell that is no known value counts as missing.
        only : Boolean array of shape (n_literals,), optional
            The literals that matter. Columns without any of them are not read, and their bits stay zero.
        n_jobs : int or None
            Threads over columns.
        """
        view = read_table(table)
        self._check_columns(view)
        words = np.zeros((len(self.literals), n_words(view.n_rows)), np.uint64)

        def fill(i: int) -> None:
            coded = _code(view, i)
            _check_kind(coded, self.attributes[i])
            _pack(coded, self._places[i], words[self._starts[i] : self._starts[i + 1]])

        _each(fill, self._needed(only), n_jobs)
        return words

    def _needed(self, only: NDArray[np.bool_] | None) -> list[int]:
        """The columns with literals that matter."""
        only = np.ones(len(self.literals), np.bool_) if only is None else np.asarray(only)
        if only.dtype != np.bool_ or only.shape != (len(self.literals),):
            raise ParameterError(
                f"only is {only.dtype} of shape {only.shape}, but expected one Boolean for each of the "
                f"{len(self.literals)} literals"
            )
        return [i for i in range(len(self.attributes)) if only[self._starts[i] : self._starts[i + 1]].any()]

    def _check_columns(self, table: Table) -> None:
        expected = tuple(attribute.name for attribute in self.attributes)
        if self.named and table.names is not None and table.names != expected:
            raise TableError(_describe_names(table.names, expected))
        if table.n_columns != len(expected):
            raise TableError(
                f"X has {table.n_columns} features, but {type(self).__name__} is expecting {len(expected)} features "
                f"as input: {', '.join(expected[:10])}{', ...' if len(expected) > 10 else ''}"
            )


def _places(attribute: Attribute) -> Places:
    """Where to find a value; its type is part of the key, since True == 1."""
    return {(type(value), value): place for place, value in enumerate(attribute.values)}


def _n_literals(attribute: Attribute, not_equal: bool) -> int:
    return len(literals_of([attribute], not_equal=not_equal))


def _each(function: Callable[[int], Result], columns: Iterable[int], n_jobs: int | None) -> list[Result]:
    n_threads = joblib.effective_n_jobs(n_jobs)
    if n_threads == 1:
        return [function(i) for i in columns]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, columns))


def _code(table: Table, i: int) -> CodedColumn:
    return code_column(table.column(i), table.label(i))


def _pack(coded: CodedColumn, places: Places, words: Words) -> None:
    """Fill ``words``, all literals of the attribute with these ``places``."""
    nowhere = len(places)
    found = [places.get((type(value), value), nowhere) for value in coded.values]
    equal, differs = words[:nowhere], words[nowhere:]
    pack_codes(coded.codes, np.array([nowhere, *found], np.int32), equal)
    if len(differs):
        negate_values(equal, differs)


def _read_for_learning(table: object) -> Table:
    view = read_table(table)
    for n, what in ((view.n_rows, "sample"), (view.n_columns, "feature")):
        if n == 0:
            raise TableError(
                f"Found array with 0 {what}(s) (shape=({view.n_rows}, {view.n_columns})) "
                "while a minimum of 1 is required."
            )
    return view


def _check_kind(coded: CodedColumn, attribute: Attribute) -> None:
    """Tell a table that was converted differently, where its dtype says so, from a table with unseen values."""
    expected = sorted({kind_of(value) for value in attribute.values})
    if coded.kind is None or coded.kind in expected or all(value is None for value in coded.values):
        return
    raise TableError(
        f"column {attribute.name!r} was {' and '.join(expected)} in fit but is {coded.kind} here: "
        "convert it as it was in fit"
    )


def _describe_names(found: tuple[str, ...], expected: tuple[str, ...]) -> str:
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
