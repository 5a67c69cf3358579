"""Attributes and the literals that networks and formulas are made of."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

Operator = OneOf["==", "!="]


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column of the table: its name and the values it is known to take, in order."""

    name: str
    values: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """A condition on one attribute.

    No literal of an attribute holds in a row where the attribute is missing or has a value that is not
    among ``attribute.values``; so ``!=`` reads "is known, and differs".

    >>> colour = Attribute("colour", ("blue", "red"))
    >>> literal = Literal(colour, "red", "!=")
    >>> print(literal, literal.holds("blue"), literal.holds("red"), literal.holds(None))
    colour != red True False False
    """

    attribute: Attribute
    value: Hashable
    operator: Operator = "=="

    @property
    def satisfying(self) -> tuple[Hashable, ...]:
        """The values of the attribute for which the literal holds."""
        return tuple(v for v in self.attribute.values if (v == self.value) == (self.operator == "=="))

    def holds(self, value: Hashable) -> bool:
        """Whether the literal is true of a row with this ``value``."""
        return value in self.satisfying

    def __str__(self) -> str:
        sign = "=" if self.operator == "==" else "!="
        return f"{self.attribute.name} {sign} {self.value}"


def literals_of(attributes: Iterable[Attribute], *, not_equal: bool = False) -> tuple[Literal, ...]:
    """The literals of ``attributes``, attribute by attribute: every ``==``, then every ``!=``.

    A two-valued attribute needs no ``!=``: its other value says the same.

    >>> shape = Attribute("shape", ("disc", "ring", "star"))
    >>> [str(literal) for literal in literals_of([shape], not_equal=True)]
    ['shape = disc', 'shape = ring', 'shape = star', 'shape != disc', 'shape != ring', 'shape != star']
    """

    def of_one(attribute: Attribute) -> Iterator[Literal]:
        for value in attribute.values:
            yield Literal(attribute, value)
        if not_equal and len(attribute.values) > 2:
            for value in attribute.values:
                yield Literal(attribute, value, "!=")

    return tuple(literal for attribute in attributes for literal in of_one(attribute))


def sibling_groups(literals: Iterable[Literal]) -> NDArray[np.int64]:
    """For every literal the number of its group of mutually exclusive siblings, -1 where it has none.

    Siblings are the ``==`` literals of one attribute; at most one of them holds in a row.

    >>> shape, lit = Attribute("shape", ("disc", "ring", "star")), Attribute("lit", (False, True))
    >>> sibling_groups(literals_of([shape, lit], not_equal=True))
    array([ 0,  0,  0, -1, -1, -1,  1,  1])
    """
    numbers: dict[Attribute, int] = {}
    return np.array(
        [numbers.setdefault(x.attribute, len(numbers)) if x.operator == "==" else -1 for x in literals],
        dtype=np.int64,
    )
