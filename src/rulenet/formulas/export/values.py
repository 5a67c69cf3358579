"""Which values can be written in other languages, and how numbers and moments are written in all of them."""

import math
from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import TypeAlias

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.kinds import EPOCH, Bound

Plain: TypeAlias = str | bool | int | float

EXACT = 2**53  # whole numbers up to here are floats


def check_plain(value: Hashable, language: str) -> Plain:
    """``value`` itself, if it is text, a Boolean or a finite number.

    >>> check_plain((1, 2), "SQL")
    Traceback (most recent call last):
    rulenet.exceptions.FormulaError: the value (1, 2) is a tuple, which SQL cannot say; convert the column to text
    """
    if isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    kind = type(value).__name__
    raise FormulaError(f"the value {value!r} is a {kind}, which {language} cannot say; convert the column to text")


def check_text(text: str, language: str) -> str:
    """``text`` itself, if it can be written to a file."""
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise FormulaError(f"{text!r} is no valid Unicode text, which {language} cannot say; replace it")
    return text


def one_kind(attribute: Attribute, what: str) -> type:
    """Of which kind all values of a nominal or ordinal attribute are: text, Booleans or numbers (``float``).

    >>> one_kind(Attribute("a", ("x", "y")), "a tensor"), one_kind(Attribute("a", (1, 2.5)), "a tensor")
    (<class 'str'>, <class 'float'>)
    >>> one_kind(Attribute("a", ("1", 1)), "a tensor")
    Traceback (most recent call last):
    rulenet.exceptions.FormulaError: column 'a' has values of several kinds, which a tensor cannot hold; convert it ...
    """
    kinds = {float if type(value) is int else type(value) for value in attribute.values}
    if len(kinds) > 1:
        raise FormulaError(
            f"column {attribute.name!r} has values of several kinds, which {what} cannot hold; convert it to text"
        )
    return kinds.pop() if kinds else str


def number_text(bound: Bound) -> str:
    """A number such that reading it as a float gives the same one.

    >>> number_text(37.0), number_text(0.1 + 0.2), number_text(-2.5e-9)
    ('37', '0.30000000000000004', '-2.5e-09')
    """
    number = float(bound)
    return repr(int(number)) if number.is_integer() and abs(number) < EXACT else repr(number)


def moment(bound: Bound) -> datetime:
    """A cut of dates, which counts microseconds since 1970, as a date with time."""
    return EPOCH + timedelta(microseconds=int(bound))


def iso(bound: Bound, separator: str = "T") -> str:
    """A cut of dates as text of one length, so that the order of texts is the order of dates.

    >>> iso(1_500_000)
    '1970-01-01T00:00:01.500000'
    """
    return moment(bound).isoformat(separator, timespec="microseconds")


def seconds(bound: Bound) -> float:
    """A cut of durations, which counts microseconds, in seconds: the float nearest to it."""
    return timedelta(microseconds=int(bound)).total_seconds()


def seconds_text(bound: Bound) -> str:
    """A cut of durations in seconds, to the digit.

    >>> seconds_text(90_500_000), seconds_text(-1), seconds_text(60_000_000)
    ('90.5', '-0.000001', '60')
    """
    whole, rest = divmod(abs(int(bound)), 1_000_000)
    text = f"{whole}.{rest:06d}".rstrip("0").rstrip(".")
    return f"-{text}" if bound < 0 else text
