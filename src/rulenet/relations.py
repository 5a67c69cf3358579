"""Relations between conditions: which exclude each other, and which hold for a few cells less or more."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Attribute, Condition


class Relations(NamedTuple):
    """What searches know of the literals that a network reads, besides their bits.

    ``owner`` numbers the attributes. Literals with the same number of ``exclusive`` exclude each other; those with -1
    exclude nothing that is known. ``down`` and ``up`` are the next literals of the same direction on an ordered
    attribute, those that hold for fewer and for more cells, -1 where there is none. The literals of attribute a are
    ``members[starts[a]:starts[a + 1]]``.
    """

    owner: NDArray[np.int64]
    exclusive: NDArray[np.int64]
    down: NDArray[np.int64]
    up: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        owner: Sequence[int],
        exclusive: Sequence[int] | None = None,
        down: Sequence[int] | None = None,
        up: Sequence[int] | None = None,
    ) -> "Relations":
        """The relations of literals with these owners, which need not stand together."""
        owners = np.array(owner, dtype=np.int64)
        none = np.full(len(owners), -1, dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=1))]).astype(np.int64)
        return cls(
            owners,
            none.copy() if exclusive is None else np.array(exclusive, dtype=np.int64),
            none.copy() if down is None else np.array(down, dtype=np.int64),
            none.copy() if up is None else np.array(up, dtype=np.int64),
            starts,
            np.argsort(owners, kind="stable").astype(np.int64),
        )


def relations_of(conditions: Sequence[Condition]) -> Relations:
    """The relations of the literals that stand for ``conditions``.

    >>> from rulenet.conditions import Attribute
    >>> shape, age = Attribute("shape", ("disc", "ring", "star")), Attribute("age", kind="numeric", cuts=(20, 30))
    >>> equal = [shape.equal(value) for value in shape.values]
    >>> found = relations_of([*equal, ~equal[0], age.at_most(20), age.at_most(30), age.above(30)])
    >>> print(found.owner, found.exclusive, found.up, sep=" · ")
    [0 0 0 0 1 1 1] · [ 0  0  0 -1 -1 -1 -1] · [-1 -1 -1 -1  5 -1 -1]
    """
    numbers: dict[Attribute, int] = {}
    owner = [numbers.setdefault(x.attribute, len(numbers)) for x in conditions]
    groups: dict[Attribute, int] = {}
    exclusive = [
        groups.setdefault(x.attribute, len(groups)) if x.cells.bit_count() == 1 and not _chain(x) else -1
        for x in conditions
    ]
    down, up = [-1] * len(conditions), [-1] * len(conditions)
    chains: dict[tuple[Attribute, str], list[int]] = {}
    for j, x in enumerate(conditions):
        if direction := _chain(x):
            chains.setdefault((x.attribute, direction), []).append(j)
    for chain in chains.values():
        chain.sort(key=lambda j: conditions[j].cells.bit_count())
        for below, above in pairwise(chain):
            up[below], down[above] = above, below
    return Relations.of(owner, exclusive, down, up)


def _chain(condition: Condition) -> str:
    """Which end of an ordered attribute a condition is about, if that is what it says."""
    attribute = condition.attribute
    if not attribute.ordered or condition.asks_missing or condition.cells == attribute.known:
        return ""
    runs = condition.runs
    if len(runs) != 1:
        return ""
    first, after = runs[0]
    return "low" if first == 0 else "high" if after == attribute.n_cells else ""
