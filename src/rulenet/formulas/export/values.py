"""Which values can be written in other languages."""

import math
from collections.abc import Hashable
from typing import TypeAlias

from rulenet.exceptions import FormulaError

Plain: TypeAlias = str | bool | int | float


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
