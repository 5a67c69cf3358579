"""Conditions on one attribute gathered into one: the values for which they hold."""

from collections.abc import Hashable
from dataclasses import dataclass

from rulenet.formulas.expressions import And, Expression, Or
from rulenet.literals import Attribute, Literal


@dataclass(frozen=True, slots=True)
class ValueSet:
    """That an attribute has one of some values."""

    attribute: Attribute
    values: tuple[Hashable, ...]


def gathered(gate: And | Or) -> tuple[Expression | ValueSet, ...]:
    """The parts of a gate, with the literals of each attribute as one set of values.

    >>> a = Attribute("a", ("x", "y", "z", "w"))
    >>> gathered(And((Literal(a, "x", "!="), Literal(a, "y", "!="))))[0].values
    ('z', 'w')
    """
    allowed: dict[Attribute, set[Hashable]] = {}
    parts: list[Expression | Attribute] = []
    for part in gate.parts:
        if not isinstance(part, Literal):
            parts.append(part)
        elif part.attribute not in allowed:
            allowed[part.attribute] = set(part.satisfying)
            parts.append(part.attribute)
        elif isinstance(gate, And):
            allowed[part.attribute] &= set(part.satisfying)
        else:
            allowed[part.attribute] |= set(part.satisfying)
    return tuple(_value_set(p, allowed[p]) if isinstance(p, Attribute) else p for p in parts)


def _value_set(attribute: Attribute, allowed: set[Hashable]) -> ValueSet:
    return ValueSet(attribute, tuple(v for v in attribute.values if v in allowed))
