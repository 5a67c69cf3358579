"""Points by column: what several conditions on one column count together, in steps.

Conditions on one column that each count some points are a step function of that column. Read as steps, of which the
first that holds counts, they take one line instead of many.
"""

from collections.abc import Sequence

from rulenet.conditions import Attribute, Condition
from rulenet.formulas.expressions import Expression

#: What counts, and the points that it counts.
Part = tuple[int, Expression]
#: Parts of which the first that holds counts, those with the most points first.
Steps = tuple[Part, ...]


def steps_of(parts: Sequence[Part]) -> list[Steps]:
    """The parts, those that ask for the same column as steps; lines with the most points first.

    >>> age, sex = Attribute("age", kind="numeric", cuts=(57, 64, 66)), Attribute("sex", ("f", "m"))
    >>> parts = [(1, age.above(57)), (2, age.above(64)), (2, sex.equal("f")), (3, age.above(66))]
    >>> for steps in steps_of(parts):
    ...     print([(points, str(part)) for points, part in steps])
    [(6, 'age > 66'), (3, 'age > 64'), (1, 'age > 57')]
    [(2, 'sex = f')]
    """
    columns: dict[Attribute, list[tuple[int, Condition]]] = {}
    for points, part in parts:
        if isinstance(part, Condition):
            columns.setdefault(part.attribute, []).append((points, part))
    found: list[Steps] = []
    for points, part in parts:
        if not isinstance(part, Condition):
            found.append(((points, part),))
        elif part.attribute in columns:
            alike = columns.pop(part.attribute)
            found.append(tuple(alike) if len(alike) == 1 else _merged(part.attribute, alike))
    return sorted(found, key=lambda steps: -steps[0][0])


def in_points(parts: Sequence[Part]) -> bool:
    """Whether points differ, so that they must be said."""
    return any(steps[0][0] > 1 for steps in steps_of(parts))


def highest(parts: Sequence[Part]) -> int:
    """The most points that a row can have, as far as columns tell: a value takes one step only."""
    return sum(steps[0][0] for steps in steps_of(parts))


def _merged(attribute: Attribute, conditions: Sequence[tuple[int, Condition]]) -> Steps:
    """What the conditions count together, the highest step first, each as short as it can be said."""
    bits = [1 << cell for cell in range(attribute.n_cells + 1)]
    total = {bit: sum(points for points, x in conditions if x.cells & bit) for bit in bits}
    steps, above = list[Part](), 0
    for points in sorted({n for n in total.values() if n}, reverse=True):
        here = sum(bit for bit in bits if total[bit] == points)
        steps.append((points, Condition(attribute, _shortest(attribute, here, above))))
        above |= here
    return tuple(steps)


def _shortest(attribute: Attribute, here: int, above: int) -> int:
    """The cells ``here`` as they are said shortest: those of higher steps may be named too, since the first counts."""
    up_to = (1 << here.bit_length()) - 1
    from_there = attribute.known & -(here & -here)
    allowed = [cells for cells in (here | above, up_to, from_there, here) if here & ~cells == 0]
    return min((c for c in allowed if c & ~(here | above) == 0), key=lambda c: len(str(Condition(attribute, c))))
