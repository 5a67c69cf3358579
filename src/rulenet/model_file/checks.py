"""Checks of fields of a model file; each message names the place."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import ModelFileError

MAX_HISTORY = 1_000_000


def some_numbers(data: Any, place: str, low: float) -> NDArray[np.float64]:
    """Finite numbers of at least ``low``."""
    for x in an_array(data, place, MAX_HISTORY):
        if isinstance(x, bool) or not isinstance(x, int | float) or not low <= x < math.inf:
            raise ModelFileError(f"{place} has {short(x)}, but must have finite numbers of at least {low:g}")
    try:
        return np.array(data, dtype=np.float64)
    except OverflowError as error:
        raise ModelFileError(f"{place} has a number that is too large") from error


def an_object(data: Any, place: str, keys: tuple[str, ...]) -> None:
    """Check that ``data`` is an object, with just these ``keys`` if any are named."""
    if not isinstance(data, dict):
        raise ModelFileError(f"{place} is {short(data)}, but must be an object")
    if keys and set(data) != set(keys):
        missing, extra = sorted(set(keys) - set(data)), sorted(set(data) - set(keys))
        raise ModelFileError(f"{place} lacks {missing} and has {short(extra)} besides; it must have {sorted(keys)}")


def an_array(data: Any, place: str, most: int) -> list[Any]:
    """An array of at most so many entries."""
    if not isinstance(data, list):
        raise ModelFileError(f"{place} is {short(data)}, but must be an array")
    if len(data) > most:
        raise ModelFileError(f"{place} has {len(data)} entries, but may have {most} at most")
    return data


def a_string(data: Any, place: str) -> str:
    """A string."""
    if not isinstance(data, str):
        raise ModelFileError(f"{place} is {short(data)}, but must be a string")
    return data


def a_boolean(data: Any, place: str) -> bool:
    """True or false."""
    if not isinstance(data, bool):
        raise ModelFileError(f"{place} is {short(data)}, but must be true or false")
    return data


def an_integer(data: Any, place: str, low: int, high: int) -> int:
    """An integer from ``low`` to ``high``."""
    if isinstance(data, bool) or not isinstance(data, int) or not low <= data <= high:
        raise ModelFileError(f"{place} is {short(data)}, but must be an integer from {low} to {high}")
    return data


def a_value(data: Any, place: str) -> str | bool | int | float:
    """A string, a Boolean or a number."""
    if not isinstance(data, str | bool | int | float):
        raise ModelFileError(f"{place} has {short(data)}, but must have strings, Booleans and numbers")
    return data


def short(data: Any) -> str:
    """What was found, in few characters."""
    text = repr(data) if not isinstance(data, dict | list) else f"a {type(data).__name__} of {len(data)}"
    return text if len(text) <= 80 else text[:77] + "..."
