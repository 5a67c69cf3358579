"""How an exported Python function reads a value: source text, put before the function as far as it is needed."""

from collections.abc import Iterable

CELL = '''\
def _cell(row, column):
    """The value without NumPy's or pandas' wrapping; None where it is missing."""
    value = row.get(column)
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind in ("M", "m"):
        value = value.astype("datetime64[us]" if kind == "M" else "timedelta64[us]")
    value = value.item() if hasattr(value, "item") else value
    return None if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value else value


def _wrong(column, value, expected):
    return ValueError(f"column {column!r} is {value!r}, but expected {expected}")
'''

TEXT = """\
def _text(row, column):
    value = _cell(row, column)
    if value is not None and not isinstance(value, str):
        raise _wrong(column, value, "text")
    return value
"""

BOOLEAN = """\
def _boolean(row, column):
    value = _cell(row, column)
    if value is not None and not isinstance(value, bool):
        raise _wrong(column, value, "True or False")
    return value
"""

VALUE = '''\
def _value(row, column):
    """The value with its kind, so that True is not 1."""
    value = _cell(row, column)
    return None if value is None else (isinstance(value, bool), value)
'''

CODE = '''\
def _code(row, column):
    """A number that is one of some: whole numbers stay exact."""
    value = _cell(row, column)
    if isinstance(value, str):
        if not value.strip():
            return None
        if not re.fullmatch(_NUMBER, value.strip(), re.ASCII | re.IGNORECASE):
            raise _wrong(column, value, "a number")
        value = int(value) if re.fullmatch("[+-]?[0-9]+", value.strip()) else float(value)
    if value is None or value != value:
        return None
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise _wrong(column, value, "a number")
    return value if isinstance(value, (int, float)) else int(value) if value == value // 1 else float(value)
'''

NUMBER = '''\
def _number(row, column):
    """The number as a float, NaN where it is missing."""
    value = _cell(row, column)
    if isinstance(value, str):
        if value.strip() and not re.fullmatch(_NUMBER, value.strip(), re.ASCII | re.IGNORECASE):
            raise _wrong(column, value, "a number")
        value = value.strip() or None
    elif isinstance(value, bool) or value is not None and not hasattr(value, "__float__"):
        raise _wrong(column, value, "a number")
    try:
        return float("nan" if value is None else value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
'''

MOMENT = '''\
def _moment(row, column):
    """The date with its time, or None."""
    value = _cell(row, column)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip()) if value.strip() else None
        except ValueError:
            raise _wrong(column, value, "a date such as 2024-03-01") from None
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    if value is not None and not isinstance(value, datetime):
        raise _wrong(column, value, "a date")
    return value.replace(nanosecond=0) if getattr(value, "nanosecond", 0) else value
'''

DATE = """\
def _date(row, column):
    value = _moment(row, column)
    if value is not None and value.tzinfo is not None:
        raise _wrong(column, value, "a date without a time zone")
    return value
"""

INSTANT = '''\
def _instant(row, column):
    """The moment in UTC, or None."""
    value = _moment(row, column)
    if value is not None and value.tzinfo is None:
        raise _wrong(column, value, "a date with a time zone")
    return None if value is None else value.astimezone(timezone.utc).replace(tzinfo=None)
'''

SECONDS = '''\
def _seconds(row, column):
    """The duration to the microsecond, or None."""
    value = _cell(row, column)
    if value is not None and not isinstance(value, timedelta):
        raise _wrong(column, value, "a timedelta")
    return None if value is None else timedelta(value.days, value.seconds, value.microseconds)
'''

READERS = {
    "text": (TEXT,),
    "boolean": (BOOLEAN,),
    "value": (VALUE,),
    "code": (CODE,),
    "number": (NUMBER,),
    "date": (MOMENT, DATE),
    "instant": (MOMENT, INSTANT),
    "seconds": (SECONDS,),
}
PATTERN = r"""_NUMBER = r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?|nan" """.rstrip()


def source_of(readers: Iterable[str]) -> str:
    """The source that reads values in these ways.

    >>> source_of([])
    ''
    """
    used = set(readers)
    if not used:
        return ""
    pieces = list(dict.fromkeys([CELL, *(piece for reader in sorted(used) for piece in READERS[reader])]))
    head = []
    if used & {"code", "number"}:
        head += ["import re"]
    if used & {"date", "instant", "seconds"}:
        head += ["from datetime import date, datetime, timedelta, timezone"]
    if used & {"code", "number"}:
        head += ["", PATTERN]
    lines = "\n".join(head)
    return (f"{lines}\n\n\n" if head else "") + "\n\n".join(pieces) + "\n\n"
