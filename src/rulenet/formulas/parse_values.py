"""How values stand in typed rules: numbers, dates and durations as they are shown, anything in quotes."""

import re
from datetime import timedelta

from rulenet.conditions import Attribute, Condition
from rulenet.formulas.expressions import Expression, rebuild

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_DATE = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_DURATION = re.compile(r"(?:(-?\d+) days?, )?(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?")
BARE = {
    "numeric": re.compile(r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf)", re.IGNORECASE),
    "date": re.compile(_DATE),
    "instant": re.compile(_DATE),
    "duration": _DURATION,
}
PLAIN = re.compile(r"[^\W\d]\w*")
WORDS = {"and", "or", "not", "in", "is", "at", "all", "any", "true", "false", "always", "never", "x"}


def quoted(text: str) -> str:
    r"""Text in quotes, so that rules may hold it.

    >>> print(quoted('say "x" \\ and'))
    "say \"x\" \\ and"
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquoted(text: str) -> str:
    """What stands in quotes."""
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


def duration_of(text: str) -> timedelta:
    """A duration as Python shows it.

    >>> duration_of("-1 day, 23:59:59.5")
    datetime.timedelta(days=-1, seconds=86399, microseconds=500000)
    """
    found = _DURATION.fullmatch(text.strip())
    if not found:
        raise ValueError(text)
    days, hours, minutes, seconds, fraction = found.groups()
    parts = {"days": days or 0, "hours": hours, "minutes": minutes, "seconds": seconds}
    return timedelta(**{k: int(v) for k, v in parts.items()}, microseconds=int((fraction or "0").ljust(6, "0")))


def with_quotes(expression: Expression) -> Expression:
    """The expression with names of columns and values in quotes where they are not single words, for printing.

    >>> a = Attribute("the colour", ("dark red", "blue"))
    >>> print(with_quotes(a.equal("dark red")))
    "the colour" = "dark red"
    """
    known: dict[Attribute, Attribute] = {}

    def leaf(x: Expression) -> Expression:
        if not isinstance(x, Condition):
            return x
        a = x.attribute
        if a not in known:
            values = tuple(_safe(v) if isinstance(v, str) else v for v in a.values)
            known[a] = Attribute(_safe(a.name), values, a.kind, a.cuts, a.whole)
        return Condition(known[a], x.cells)

    return rebuild(expression, leaf)


def _safe(text: str) -> str:
    return text if PLAIN.fullmatch(text) and text.lower() not in WORDS else quoted(text)
