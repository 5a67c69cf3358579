"""Kinds of attributes, and the bounds between which their cells lie.

The cells of every kind:

    nominal    a cell for every value
    ordinal    a cell for every value, in the order of their ranks
    numeric    a cell for every interval between two cuts: above the lower one, up to and with the upper one
    date       numeric, in microseconds since 1970; "instant" is a date with a time zone, counted in UTC
    duration   numeric, in microseconds
"""

from datetime import datetime, timedelta
from typing import Literal as OneOf
from typing import NamedTuple

Kind = OneOf["nominal", "ordinal", "numeric", "date", "instant", "duration"]
Bound = float | int

KINDS: tuple[Kind, ...] = ("nominal", "ordinal", "numeric", "date", "instant", "duration")
ORDERED: tuple[Kind, ...] = KINDS[1:]
MEASURED: tuple[Kind, ...] = KINDS[2:]

EPOCH = datetime(1970, 1, 1)
DAY = 86_400_000_000


class Range(NamedTuple):
    """A run of neighbouring cells: above ``low``, up to and with ``high``; None is an open end."""

    low: Bound | None
    high: Bound | None


def shown(bound: Bound, kind: Kind, whole: bool) -> str:
    """A bound as people read it; ``whole`` says whether numbers are whole, or dates are days.

    >>> shown(19783 * DAY, "date", whole=True)
    '2024-03-01'
    """
    if kind in ("date", "instant"):
        moment = EPOCH + timedelta(microseconds=int(bound))
        if whole:
            return moment.date().isoformat()
        return moment.isoformat(sep=" ") + ("+00:00" if kind == "instant" else "")
    if kind == "duration":
        return str(timedelta(microseconds=int(bound)))
    return repr(int(bound)) if float(bound).is_integer() and abs(bound) < 1e16 else repr(float(bound))
