"""What databases say differently: names, text, dates and durations."""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.values import iso, moment, one_kind, seconds_text
from rulenet.formulas.expressions import Formula
from rulenet.kinds import DAY, Bound


@dataclass(frozen=True, slots=True)
class Dialect:
    """How names are quoted, how dates and durations are written, and what a database lacks.

    ``day``, ``time``, ``instant`` and ``duration`` are patterns for a date, a date with time, one with a time zone, and
    a time span. Where ``day`` is empty, dates are ISO text. ``greatest`` is the function that gives the largest of its
    arguments, empty where not every version of a database has one. With ``folds_names``, columns whose names differ in
    case only are one; with ``folds_text``, texts that differ in case, in accents or in blanks at their end are equal
    unless columns are declared otherwise; with ``narrows``, a column of 32-bit floats makes them of decimals, too.
    """

    opening: str = '"'
    closing: str = '"'
    backslash_escapes: bool = False
    has_booleans: bool = True
    unicode_prefix: str = ""
    day: str = "DATE '{}'"
    time: str = "TIMESTAMP '{}'"
    instant: str = "TIMESTAMP WITH TIME ZONE '{}+00:00'"
    duration: str = "INTERVAL '{seconds}' SECOND"
    greatest: str = ""
    folds_names: bool = True
    folds_text: bool = False
    narrows: bool = False

    def moment(self, bound: Bound, attribute: Attribute) -> str:
        """A cut of dates."""
        if not self.day:
            return f"'{iso(bound, ' ')}'"
        if attribute.kind == "date" and attribute.whole and int(bound) % DAY == 0:
            return self.day.format(moment(bound).date().isoformat())
        return (self.instant if attribute.kind == "instant" else self.time).format(_short(bound))

    def span(self, bound: Bound) -> str:
        """A cut of durations."""
        return self.duration.format(seconds=seconds_text(bound), microseconds=int(bound))

    def column(self, name: str, attribute: Attribute) -> str:
        """A column as it is compared: dates that are text in one form.

        The cut has all digits, so that a text with fewer, which means zeros, is before it. An offset that is
        ``+00:00`` may follow in text.
        """
        if self.day or attribute.kind not in ("date", "instant"):
            return name
        text = f"replace({name}, 'T', ' ')"
        return f"replace(replace({text}, 'Z', ''), '+00:00', '')" if attribute.kind == "instant" else text


def _short(bound: Bound) -> str:
    """A moment without digits that are zero."""
    return moment(bound).isoformat(" ")


DIALECTS = {
    "ansi": Dialect(narrows=True),
    "postgresql": Dialect(greatest="GREATEST", folds_names=False),
    # SQLite takes a name in double quotes that no column has for text.
    "sqlite": Dialect("`", "`", day="", duration="{seconds}", greatest="MAX"),
    "mysql": Dialect(
        "`",
        "`",
        backslash_escapes=True,
        instant="TIMESTAMP '{}+00:00'",
        duration="{seconds}",
        greatest="GREATEST",
        folds_text=True,
    ),
    "bigquery": Dialect(
        "`",
        "`",
        backslash_escapes=True,
        time="DATETIME '{}'",
        instant="TIMESTAMP '{}+00:00'",
        duration="INTERVAL {microseconds} MICROSECOND",
        greatest="GREATEST",
    ),
    "mssql": Dialect(
        "[",
        "]",
        has_booleans=False,
        unicode_prefix="N",
        day="CAST('{}' AS date)",
        time="CAST('{}' AS datetime2)",
        instant="CAST('{}+00:00' AS datetimeoffset)",
        duration="{seconds}",
        folds_text=True,
        narrows=True,
    ),
}


def dialect_called(name: str) -> Dialect:
    """The dialect of that name.

    >>> dialect_called("mysql").opening
    '`'
    """
    if name not in DIALECTS:
        raise FormulaError(f"dialect is {name!r}, but must be one of {', '.join(DIALECTS)}")
    return DIALECTS[name]


def check_columns(formula: Formula, dialect: Dialect) -> None:
    """Refuse columns that the rules read and that a database takes for others, or whose values it cannot hold.

    >>> both = Attribute("Age", kind="numeric", cuts=(18,)), Attribute("age", kind="numeric", cuts=(30,))
    >>> check_columns(Formula(both[1].above(30), {}, both), DIALECTS["sqlite"])
    Traceback (most recent call last):
    rulenet.exceptions.FormulaError: the columns 'Age' and 'age' differ in case only, ...
    """
    read = {x.attribute for x in formula.conditions}
    if dialect.folds_names:
        for twins in _twins((a.name for a in formula.attributes), str.casefold):
            if any(a.name in twins for a in read):
                raise FormulaError(
                    f"the columns {twins[0]!r} and {twins[1]!r} differ in case only, and databases take them for one; "
                    "rename one, or write for dialect='postgresql'"
                )
    for attribute in read:
        one_kind(attribute, "a column of a database")
        if dialect.folds_text:
            _check_texts(attribute)


def _check_texts(attribute: Attribute) -> None:
    for twins in _twins((v for v in attribute.values if isinstance(v, str)), _plain_letters):
        raise FormulaError(
            f"the values {twins[0]!r} and {twins[1]!r} of column {attribute.name!r} differ in case, accents or blanks "
            "only, and databases of this dialect take them for equal; replace one"
        )


def _plain_letters(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in apart if not unicodedata.combining(c)).rstrip()


def _twins(texts: Iterable[str], folded: Callable[[str], str]) -> list[list[str]]:
    """The texts that are one when they are folded."""
    found: dict[str, list[str]] = {}
    for text in texts:
        found.setdefault(folded(text), []).append(text)
    return [group for group in found.values() if len(group) > 1]
