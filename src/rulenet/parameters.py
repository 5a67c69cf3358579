"""Which values parameters take, as data, so that every message has one wording.

A class lists ``constraints``, from the name of a parameter to what it takes; `check` compares.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from rulenet.exceptions import ParameterError


@dataclass(frozen=True)
class Constraint:
    """What a parameter takes, in words and as a test."""

    words: str
    accepts: Callable[[Any], bool]


def options(*values: object) -> Constraint:
    """One of some values, or None."""
    strings = {value for value in values if isinstance(value, str)}

    def accepts(value: Any) -> bool:
        return value in strings if isinstance(value, str) else any(value is option for option in values)

    return Constraint(" or ".join(map(repr, values)), accepts)


def boolean() -> Constraint:
    """True or False."""
    return Constraint("True or False", lambda value: isinstance(value, bool | np.bool_))


def integer(low: int, high: int | None = None) -> Constraint:
    """A whole number from ``low`` to ``high``."""
    words = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
    most = math.inf if high is None else high
    return Constraint(words, lambda value: _is(value, Integral) and low <= value <= most)


def number(low: float, high: float | None = None, *, above: bool = False) -> Constraint:
    """A finite number from ``low``, or ``above`` it, to ``high``."""
    start = f"a number above {low:g}" if above else f"a number of at least {low:g}"
    words = start if high is None else f"a number {'above' if above else 'from'} {low:g} to {high:g}"
    most = math.inf if high is None else high

    def accepts(value: Any) -> bool:
        inside = _is(value, Real) and math.isfinite(value) and value <= most
        return inside and (value > low if above else value >= low)

    return Constraint(words, accepts)


def instance(words: str, *types: type) -> Constraint:
    """An object of some types."""
    return Constraint(words, lambda value: isinstance(value, types))


def having(words: str, *methods: str) -> Constraint:
    """An object with some methods; a class is none."""

    def accepts(value: Any) -> bool:
        return not isinstance(value, type) and all(callable(getattr(value, name, None)) for name in methods)

    return Constraint(words, accepts)


def list_of(inner: Constraint, *, least: int = 0, sets: bool = False) -> Constraint:
    """A list, tuple or array of values that ``inner`` accepts; or a set, where their order does not matter."""
    kinds = (list, tuple, np.ndarray, *((frozenset, set) if sets else ()))

    def accepts(value: Any) -> bool:
        if not isinstance(value, kinds):
            return False
        return len(value) >= least and all(inner.accepts(x) for x in value)

    return Constraint(f"a list of {inner.words}" + (f" with at least {least}" if least else ""), accepts)


def several(value: Any) -> bool:
    """Whether a value holds several; text does not."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def mapping(words: str, accepts: Callable[[Any], bool] = lambda value: True) -> Constraint:
    """A dictionary whose values are accepted."""
    return Constraint(words, lambda value: isinstance(value, Mapping) and all(map(accepts, value.values())))


#: A column, by name or by position.
COLUMN = Constraint("columns", lambda value: isinstance(value, str) or _is(value, Integral))


def check(parameters: Mapping[str, Any], constraints: Mapping[str, tuple[Constraint, ...]]) -> None:
    """Raise a `ParameterError` for the first parameter that has a value which it does not take.

    >>> check({"price": -1}, {"price": (options("auto"), number(0))})
    Traceback (most recent call last):
    rulenet.exceptions.ParameterError: price is -1, but must be 'auto' or a number of at least 0
    """
    for name, accepted in constraints.items():
        value = parameters[name]
        if not any(constraint.accepts(value) for constraint in accepted):
            words = " or ".join(constraint.words for constraint in accepted)
            raise ParameterError(f"{name} is {_short(value)}, but must be {words}")


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
