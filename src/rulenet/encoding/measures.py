"""Cells as numbers: what counts as a number, a date or a duration, and the roundest one in a gap.

Dates and durations are whole microseconds. Text counts as a number or as a date where it can be nothing else:
``37``, ``-1.5e3``, ``inf``; ``2024-03-01``, ``2024-03-01 08:30``, ``2024-03-01T08:30:00.5+02:00``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rulenet.kinds import DAY, EPOCH, Bound, Kind
from rulenet.later import Later

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = Later("pandas")

# Every text has one way to match, so that a long one that does not takes no longer.
NUMBER = re.compile(r"\s*[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)\s*", re.I | re.A)
MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?", re.A)
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
LARGEST = float(np.finfo(float).max)
MICROSECOND = timedelta(microseconds=1)

#: What a missing date or duration is, as NumPy has it.
NAT = int(np.iinfo(np.int64).min)


class Measure(NamedTuple):
    """What a cell measures: its kind, and its number."""

    kind: Kind
    number: Bound


def measure(value: Hashable) -> Measure | None:
    """A plain value as a number, None where it is none.

    >>> measure("37"), measure("2024-03-01"), measure("red"), measure(True)
    (Measure(kind='numeric', number=37.0), Measure(kind='date', number=1709251200000000), None, None)
    """
    if isinstance(value, str):
        return _measure_text(value)
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, timedelta | np.timedelta64):  # which NumPy counts among whole numbers
        try:
            return Measure("duration", int(pd.Timedelta(value).floor("us") // MICROSECOND))
        except (ValueError, OverflowError):  # longer than 290,000 years, or of months
            return None
    if isinstance(value, Real | Decimal):
        return Measure("numeric", _as_float(value))
    if isinstance(value, time):
        return Measure("duration", (datetime.combine(EPOCH, value.replace(tzinfo=None)) - EPOCH) // MICROSECOND)
    if isinstance(value, np.datetime64):
        return Measure("date", int(value.astype("M8[us]").astype(np.int64)))
    if isinstance(value, date):
        return _measure_moment(value if isinstance(value, datetime) else datetime.combine(value, time()))
    return None


def _as_float(value: Real | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return math.copysign(math.inf, -1.0 if str(value).startswith("-") else 1.0)


def _measure_text(text: str) -> Measure | None:
    if NUMBER.fullmatch(text):
        return Measure("numeric", float(text))
    if MOMENT.fullmatch(text):
        try:
            return _measure_moment(datetime.fromisoformat(text))
        except ValueError:  # the 30th of February
            return None
    return None


def _measure_moment(moment: datetime) -> Measure:
    if moment.tzinfo is None:
        return Measure("date", (moment - EPOCH) // MICROSECOND)
    return Measure("instant", (moment.astimezone(UTC).replace(tzinfo=None) - EPOCH) // MICROSECOND)


def plain_number(number: float) -> Bound:
    """A number as an integer where it is one that floats hold exactly."""
    return int(number) if float(number).is_integer() and abs(number) < 2**53 else float(number)


def roundest(low: Bound, high: Bound, kind: Kind = "numeric", whole: bool = False) -> Bound:
    """The roundest number from ``low`` on and below ``high``: the one with the fewest digits, then the most central.

    Dates are rounder at the start of a year, a month, a day, an hour, and so on.

    >>> roundest(37.4821, 37.6), roundest(3, 12, whole=True), roundest(-0.3, 8)
    (37.5, 10, 0)
    >>> day = 86_400_000_000
    >>> roundest(19_770 * day, 19_790 * day, "date", whole=True) == 19_783 * day  # the first of March 2024
    True
    """
    if kind in ("date", "instant"):
        return _roundest_moment(int(low), int(high), whole)
    if kind == "duration":
        return _roundest_duration(int(low), int(high))
    return plain_number(_roundest_number(*_finite(float(low), float(high)), whole))


def _finite(low: float, high: float) -> tuple[float, float]:
    """A gap within a gap, with finite ends where there is room."""
    if math.isinf(low) and math.isinf(high):
        return -1.0, 1.0
    if math.isinf(low):
        return max(high - 2 * max(1.0, abs(high)), -LARGEST if high > -LARGEST else low), high
    if math.isinf(high):
        return low, min(low + 2 * max(1.0, abs(low)), LARGEST if low < LARGEST else high)
    return low, high


def _roundest_number(low: float, high: float, whole: bool) -> float:
    if low <= 0 < high:
        return 0.0
    if math.isinf(low) or math.isinf(high):
        return low
    middle = low / 2 + high / 2
    largest = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    for exponent in range(min(largest, 308), max(-1 if whole and largest >= 0 else largest - 18, -324), -1):
        found = [x for x in _multiples(low, high, middle, exponent) if low <= x < high]
        if found:
            return min(found, key=lambda x: abs(x - middle))
    return low


def _multiples(low: float, high: float, middle: float, exponent: int) -> Iterator[float]:
    """The multiples of a power of ten that may be the most central from ``low`` on and below ``high``."""
    step = 10.0**exponent
    first, centre, last = (math.floor(x / step) for x in (low, middle, high))
    # A quotient may be rounded across a whole number, so its neighbours count too.
    for factor in {first, first + 1, centre, centre + 1, last - 1, last}:
        yield float(f"{factor}e{exponent}")


def _roundest_moment(low: int, high: int, whole: bool) -> int:
    for unit in ("Y", "M", "D") if whole else ("Y", "M", "D", "h", "m", "s", "ms"):
        first = _floor(low - 1, unit) + 1
        last = _floor(high - 1, unit)
        if first <= last:
            centre = _floor((low + high) // 2, unit)
            found = (_start(min(max(x, first), last), unit) for x in (centre, centre + 1))
            return int(min(found, key=lambda x: abs(2 * x - low - high)))
    return low


def _floor(moment: int, unit: str) -> int:
    """The number of the year, month, day, ... that a moment is in."""
    return int(np.datetime64(moment, "us").astype(f"M8[{unit}]").astype(np.int64))


def _start(number: int, unit: str) -> int:
    return int(np.array(number, f"M8[{unit}]").astype("M8[us]").astype(np.int64))


def _roundest_duration(low: int, high: int) -> int:
    days = [DAY * 10**k for k in range(6, -1, -1)]
    parts = [DAY // 24 * k for k in (6, 1)] + [DAY // 1440 * k for k in (10, 1)]
    for step in (*days, *parts, *(10**k for k in range(7, -1, -1))):
        first, last = -(-low // step), (high - 1) // step
        if first <= last:
            return int(min(max((low + high) // 2 // step, first), last) * step)
    return low
