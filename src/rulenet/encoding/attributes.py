"""What a column says about itself: its attribute, and the conditions that networks may read."""

import math
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

from rulenet.conditions import Attribute, Condition
from rulenet.encoding.columns import Measured, Rounded, Values, parser, plain
from rulenet.encoding.cuts import Target, choose_cuts, cuts_around
from rulenet.encoding.digests import Digest, Names, Numbers
from rulenet.encoding.measures import measure, plain_number
from rulenet.encoding.tables import Table
from rulenet.encoding.wishes import Forbidden, Placed, Wishes, is_missing_asked
from rulenet.exceptions import ParameterError, TableError
from rulenet.kinds import DAY, Bound, Kind

MAX_LITERALS = 2000  # of all columns together, about
MIN_UNIQUE = 20  # values up to which text is never taken for a column of names
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_800_000_000  # the years 1 to 9999


class LeftOutWarning(UserWarning):
    """A column is left out, since almost every row has a value of its own."""


class Learned(NamedTuple):
    """An attribute, the conditions on it that are allowed, and all that there would be.

    ``left_out`` says why a column with values has no conditions, ``rounded`` which of its numbers are others here.
    """

    attribute: Attribute
    conditions: tuple[Condition, ...]
    candidates: tuple[Condition, ...]
    left_out: str = ""
    rounded: str = ""


#: The numbers that a sample of the rows has, read as some kind.
Sampled = Callable[[Kind], Values]


class AttributeLearner:
    """Makes attributes and conditions of the columns of ``table``; ``target`` has the classes of the sampled rows."""

    def __init__(self, table: Table, wishes: Wishes, target: Target | None) -> None:
        self._table, self._wishes, self._target = table, wishes, target
        self._placed = Placed.of(wishes, table)
        self._forbidden = Forbidden(wishes.forbid, table)
        self._names = table.names
        self._max_cuts = max(1, min(wishes.max_cuts, MAX_LITERALS // (2 * table.n_columns)))

    def is_listed(self, i: int) -> bool:
        """Whether the user says that column i has categories."""
        return i in self._placed.nominal or i in self._placed.ordinal

    def __call__(self, i: int, digest: Digest, sampled: Sampled) -> Learned:
        """The attribute and the conditions of column i."""
        column = self._read(i, digest)
        if isinstance(column, Numbers):
            attribute, candidates = self._measured(i, column, sampled)
        elif left_out := self._left_out(i, column):
            return Learned(Attribute(self._names[i]), (), (), left_out)
        else:
            attribute, candidates = self._listed(i, column)
            if i in self._placed.ordinal:
                _check_listed(column, attribute)
        allowed = tuple(x for x in candidates if self._forbidden.allows(i, x))
        rounded = column.rounded if isinstance(column, Numbers) else None
        return Learned(attribute, allowed, tuple(candidates), rounded=_warning_of(attribute.name, rounded))

    def check(self, learned: Sequence[Learned]) -> None:
        """Refuse wishes that name nothing, and a table that says nothing; warn of columns that are left out."""
        for left_out in filter(None, (one.left_out for one in learned)):
            warnings.warn(left_out, LeftOutWarning, stacklevel=4)
        for rounded in filter(None, (one.rounded for one in learned)):
            warnings.warn(rounded, stacklevel=4)
        self._forbidden.check((x for one in learned for x in one.candidates), self._table)
        if any(one.conditions for one in learned):
            return
        if any(one.candidates for one in learned):
            raise TableError("everything is forbidden: forbid leaves no condition of any column, but one is needed")
        raise TableError(
            f"found no value in any of the {self._table.n_columns} columns that tells rows apart, "
            "but at least one is needed"
        )

    def _read(self, i: int, column: Digest) -> Digest:
        name = self._names[i]
        if isinstance(column, Names) and not self.is_listed(i):
            column = column.interpret(name)
        if isinstance(column, Numbers) and i in self._placed.ordinal:
            raise TableError(
                f"ordinal lists column {name!r}, which holds dates or durations: they have an order anyway"
            )
        if isinstance(column, Names) and i in self._placed.cuts:
            raise TableError(
                f"cuts lists column {name!r}, but it holds {_example(column)}, which is no number or date: "
                "correct its cells, or leave it out of cuts"
            )
        return column

    def _listed(self, i: int, column: Names) -> tuple[Attribute, list[Condition]]:
        name, wishes = self._names[i], self._wishes
        if i in self._placed.ordinal:
            attribute = _ordinal(name, plain(self._placed.ordinal[i], name))
        else:
            values = column.distinct
            _check_values(name, values)
            kind = "ordinal" if column.ordered and i not in self._placed.nominal else "nominal"
            attribute = Attribute(name, tuple(values), kind)  # type: ignore[arg-type]
        if attribute.n_cells > wishes.max_values or column.too_many:
            more = "more than " if column.too_many else ""
            raise TableError(
                f"column {name!r} has {more}{attribute.n_cells} different values, but expected at most "
                f"{wishes.max_values}: "
                "drop the column, merge its rare values, or raise max_values"
            )
        direction = self._placed.monotonic.get(i, 0)
        if attribute.kind == "nominal" and direction and attribute.values != (False, True):
            raise ParameterError(
                f"monotonic lists column {name!r}, which is nominal: name it in ordinal={{...}}, with its order"
            )
        if direction:
            return attribute, list(_chain(attribute, attribute.values[:-1], direction))
        asked = is_missing_asked(wishes.missing, column.n_missing, column.n_rows)
        return attribute, [*_listed_conditions(attribute, wishes.not_equal), *([attribute.is_missing] if asked else [])]

    def _left_out(self, i: int, column: Names) -> str:
        """What to say of a column that has so many values that they rather are names of rows."""
        if column.declared or i in self._placed.nominal or i in self._placed.ordinal:
            return ""
        n_values, n_known = len(column.counts), column.n_rows - column.n_missing
        if n_values <= min(max(MIN_UNIQUE, n_known // 2), self._wishes.max_values) and not column.too_many:
            return ""
        name, more = self._names[i], "more than " if column.too_many else ""
        n_numbers = sum(measure(value) is not None for value in column.values)
        mostly = f"; most are numbers: if {_example(column)} stands for a missing value, make it None"
        return (
            f"column {name!r} is left out: it has {more}{n_values} different values in {n_known} rows, such as "
            f"{_example(column)}{mostly if 2 * n_numbers > n_values else ''}; name it in nominal=[{name!r}] to keep it"
        )

    def _measured(self, i: int, column: Numbers, sampled: Sampled) -> tuple[Attribute, list[Condition]]:
        name, kind, wishes = self._names[i], column.kind, self._wishes
        if i in self._placed.nominal and not isinstance(wishes.nominal, str):
            raise TableError(
                f"nominal lists column {name!r}, which holds dates or durations: make text of it with .astype(str)"
            )
        if column.is_empty:
            return Attribute(name), []
        _check_years(column, name)
        direction = self._placed.monotonic.get(i, 0)
        equal = _asked_alone(column) if not direction and i not in self._placed.cuts else ()
        if i in self._placed.cuts:
            cuts = _given_cuts(name, kind, self._placed.cuts[i])
        elif len(equal) == 2:
            cuts = ()
        else:
            cuts = choose_cuts(Measured(kind, sampled(kind)), self._target, column.whole, self._max_cuts)
        whole = column.whole and all(cut % (1 if kind == "numeric" else DAY) == 0 for cut in cuts)
        attribute = Attribute(name, (), kind, tuple(sorted({*cuts, *cuts_around(equal)})), whole)
        conditions = [attribute.equal(value) for value in equal]
        if wishes.not_equal and len(equal) > 2:
            conditions += [~condition for condition in conditions]
        conditions += _chain(attribute, cuts, direction)
        if not direction and is_missing_asked(wishes.missing, column.n_missing, column.n_rows):
            # Of one number and gaps, nothing else tells rows that have the number.
            conditions += [attribute.is_missing] if conditions else [attribute.is_known, attribute.is_missing]
        return attribute, conditions


def _listed_conditions(attribute: Attribute, not_equal: bool) -> Iterator[Condition]:
    """Every ``=``, then every ``!=``; of ordinal attributes the inner ones, then ``<=`` and ``>``.

    Two values need no ``!=``: the other value says the same.
    """
    ordinal = attribute.kind == "ordinal" and attribute.n_cells > 1
    equal = [attribute.equal(value) for value in (attribute.values[1:-1] if ordinal else attribute.values)]
    yield from equal
    if not_equal and attribute.n_cells > 2:
        yield from (~condition for condition in equal)
    if ordinal:
        yield from _chain(attribute, attribute.values[:-1], 0)


def _chain(attribute: Attribute, bounds: Sequence[Hashable], direction: int) -> Iterator[Condition]:
    """At most and above every bound, or the one ``direction`` of the two that is wanted."""
    if attribute.kind == "nominal":  # False, True
        yield attribute.equal(direction > 0)
        return
    if direction <= 0:
        yield from (attribute.at_most(bound) for bound in bounds)
    if direction >= 0:
        yield from (attribute.above(bound) for bound in bounds)


def _asked_alone(column: Numbers) -> tuple[Bound, ...]:
    """The whole numbers that have a condition of their own."""
    few = column.few
    finite = all(math.isfinite(value) for value in few)
    return few if column.kind == "numeric" and column.whole and finite and len(few) > 1 else ()


def _given_cuts(name: str, kind: str, given: Sequence[object]) -> tuple[Bound, ...]:
    """The cuts of the user as numbers."""
    cuts = set()
    for cut in given:
        found = measure(cut)  # type: ignore[arg-type]
        if found is None or found.kind != kind or not math.isfinite(found.number):
            raise ParameterError(f"cuts lists {cut!r} for column {name!r}, but its cuts must be {kind} and finite")
        cuts.add(plain_number(found.number) if kind == "numeric" else found.number)
    if not cuts:
        raise ParameterError(f"cuts lists none for column {name!r}, but at least one is needed")
    return tuple(sorted(cuts))


def _ordinal(name: str, values: Sequence[Hashable]) -> Attribute:
    if len(set(values)) < max(len(values), 2):
        raise ParameterError(
            f"ordinal lists {list(values)} for column {name!r}, but expected two or more different values"
        )
    return Attribute(name, tuple(values), "ordinal")


def _check_listed(column: Names, attribute: Attribute) -> None:
    parse = parser(attribute.values)
    for value in column.used if parse is None else map(parse, column.used):
        if (type(value), value) not in attribute.places:
            raise TableError(
                f"column {attribute.name!r} holds {value!r}, but ordinal lists only {list(attribute.values)}: add it"
            )


def _warning_of(name: str, rounded: Rounded | None) -> str:
    if rounded is None:
        return ""
    return (
        f"column {name!r} holds whole numbers beyond 2**53, which are compared as floats: {rounded[0]} is taken as "
        f"{rounded[1]}; name it in nominal=[{name!r}] if they are names, or drop it"
    )


def _example(column: Names) -> str:
    """A value that is no number, if there is any."""
    values = column.values
    return repr(min(values, key=lambda value: measure(value) is not None)) if values else "no value"


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
            raise TableError(
                f"column {name!r} holds {value}, which is no category: make it missing, or leave it out of nominal"
            )
        if isinstance(value, complex):
            raise TableError(f"Complex data not supported: column {name!r} holds {value}, but expected categories")


def _check_years(column: Numbers, name: str) -> None:
    if (
        column.kind in ("date", "instant")
        and column.ends is not None
        and (column.ends[0] < FIRST or column.ends[1] >= LAST)
    ):
        raise TableError(f"column {name!r} holds dates outside the years 1 to 9999: make them missing")
