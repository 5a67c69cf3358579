"""What databases say differently: names, text, dates and durations."""

from dataclasses import dataclass

from rulenet.conditions import DAY, Attribute, Bound
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.values import iso, moment, seconds_text


@dataclass(frozen=True, slots=True)
class Dialect:
    """How names are quoted, how dates and durations are written, and what a database lacks.

    ``day``, ``time``, ``instant`` and ``duration`` are patterns for a date, a date with time, one with a time zone, and
    a time span. Where ``day`` is empty, dates are ISO text. ``greatest`` is the function that gives the largest of its
    arguments, empty where not every version of a database has one.
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
    "ansi": Dialect(),
    "sqlite": Dialect(day="", duration="{seconds}", greatest="MAX"),
    "mysql": Dialect(
        "`",
        "`",
        backslash_escapes=True,
        instant="TIMESTAMP '{}+00:00'",
        duration="{seconds}",
        greatest="GREATEST",
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
