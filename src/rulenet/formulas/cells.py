"""Which cells conditions tell apart, and how a set of cells is said in simple conditions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import MISSING, UNKNOWN, Attribute, Condition


@dataclass(frozen=True)
class Blocks:
    """What may become of an attribute in a row, as far as some conditions tell it apart.

    First the blocks of cells that every condition treats alike, those of ordered attributes in order and each a run of
    neighbours. Then one for values that no cell holds, last one for missing values; where no condition asks for missing
    values, these two are one.

    Attributes
    ----------
    attribute : Attribute
        What is cut into blocks.
    cells : tuple of int
        The cells of every block, as bits.
    codes : tuple of int
        A code for every block, then for what else may be: `UNKNOWN`, `MISSING`.
    asks : bool
        Whether conditions may ask for missing values.
    """

    attribute: Attribute
    cells: tuple[int, ...]
    codes: tuple[int, ...]
    asks: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The position of every code; the last two are those of `UNKNOWN` and `MISSING`."""
        places = np.full(self.attribute.n_cells + 2, len(self.cells), dtype=np.int64)
        for k, cells in enumerate(self.cells):
            places[list(positions(cells))] = k
        places[MISSING] = max(len(self) - 1, len(self.cells))
        return places

    @property
    def known(self) -> int:
        """All blocks of cells, as bits of positions."""
        return (1 << len(self.cells)) - 1

    @property
    def asked(self) -> int:
        """The bit of missing values if a condition may ask for them, else 0."""
        return 1 << len(self) - 1 if self.asks and self.codes[-1:] == (MISSING,) else 0

    def part(self, condition: Condition) -> int:
        """The positions for which a condition holds, as bits."""
        return sum(1 << k for k, code in enumerate(self.codes) if condition.holds_in(code))

    def condition(self, part: int) -> Condition:
        """The condition that holds for some positions."""
        cells = sum(cells for k, cells in enumerate(self.cells) if part >> k & 1)
        return Condition(self.attribute, cells | (self.attribute.missing if part & self.asked else 0))


def blocks_of(
    attributes: Iterable[Attribute],
    conditions: Iterable[Condition] | None = None,
    *,
    missing: bool = True,
    singles: bool = False,
) -> tuple[Blocks, ...]:
    """The blocks of every attribute; every cell is one where no ``conditions`` are given.

    Parameters
    ----------
    attributes : iterable of Attribute
        The columns of the rows.
    conditions : iterable of Condition, optional
        What tells cells apart.
    missing : bool
        Whether values may be missing, or in no cell.
    singles : bool
        Whether every cell of a nominal attribute is a block, whatever the conditions say.

    Examples
    --------
    >>> age, shape = Attribute("age", kind="numeric", cuts=(20, 30, 40)), Attribute("shape", tuple("xyz"))
    >>> [b.codes for b in blocks_of([age, shape], [age.above(30), ~shape.equal("y")])]
    [(0, 2, -1), (0, 1, -1)]
    >>> [b.codes for b in blocks_of([shape], [shape.is_missing])]
    [(0, -2, -1)]
    """
    asked: dict[Attribute, list[Condition]] = {}
    for condition in conditions or ():
        asked.setdefault(condition.attribute, []).append(condition)
    return tuple(
        _blocks(a, asked.get(a, ()), missing, conditions is None or (singles and not a.ordered)) for a in attributes
    )


def _blocks(attribute: Attribute, conditions: Sequence[Condition], missing: bool, finest: bool) -> Blocks:
    if finest:
        cells = [1 << cell for cell in range(attribute.n_cells)]
    elif attribute.ordered:
        cells = _runs(attribute, conditions)
    else:
        cells = _classes(attribute, conditions)
    asks = any(x.asks_missing for x in conditions)
    others: tuple[int, ...] = ()
    if missing or not cells:
        others = (UNKNOWN, MISSING) if asks and not attribute.measured else (MISSING,)
    return Blocks(attribute, tuple(cells), (*((c & -c).bit_length() - 1 for c in cells), *others), asks)


def _runs(attribute: Attribute, conditions: Iterable[Condition]) -> list[int]:
    ends = {0, attribute.n_cells}.union(*(run for x in conditions for run in x.runs))
    return [(1 << after) - (1 << first) for first, after in pairwise(sorted(ends))]


def _classes(attribute: Attribute, conditions: Sequence[Condition]) -> list[int]:
    """Cells that the same conditions single out, by the smaller side of each condition."""
    singled: dict[int, list[int]] = {}
    for k, condition in enumerate(conditions):
        cells, others = condition.known_cells, (~condition).cells
        for cell in positions(min(cells, others, key=int.bit_count)):
            singled.setdefault(cell, []).append(k)
    classes: dict[tuple[int, ...], int] = {}
    for cell in range(attribute.n_cells):
        key = tuple(singled.get(cell, ()))
        classes[key] = classes.get(key, 0) | 1 << cell
    return list(classes.values())


def positions(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set.

    >>> list(positions(0b1011))
    [0, 1, 3]
    """
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def table_of(condition: Condition) -> NDArray[np.bool_]:
    """Where a condition holds, by code: cells, then `UNKNOWN`, then `MISSING`; fast for thousands of cells."""
    n_cells = condition.attribute.n_cells
    packed = condition.known_cells.to_bytes(n_cells // 8 + 1, "little")
    held = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=n_cells, bitorder="little")
    return np.append(held.view(np.bool_), [False, condition.asks_missing])


def is_everything(condition: Condition) -> bool:
    """Whether the condition holds in every row: no value of a measured attribute is in no cell."""
    attribute = condition.attribute
    return attribute.measured and condition.cells == attribute.known | attribute.missing


def pieces(condition: Condition, *, not_equal: bool = True) -> tuple[Condition, ...]:
    """The few simple conditions of which one holds where ``condition`` does.

    Those of ordered attributes are runs of neighbours, or all but one value. Without ``not_equal`` there are no such
    exceptions, and those of nominal attributes name one value.

    >>> age = Attribute("age", kind="numeric", cuts=(20, 30))
    >>> [str(x) for x in pieces(age.at_most(20) | age.above(30) | age.is_missing)]
    ['age <= 20', 'age > 30', 'age is missing']
    """
    attribute, known = condition.attribute, Condition(condition.attribute, condition.known_cells)
    missing = (attribute.is_missing,) if condition.asks_missing else ()
    if not known.cells:
        return missing
    if attribute.ordered and not (not_equal and excludes_one(known)):
        return (*(Condition(attribute, (1 << after) - (1 << first)) for first, after in known.runs), *missing)
    if not attribute.ordered and not not_equal:
        return (*(Condition(attribute, 1 << cell) for cell in positions(known.cells)), *missing)
    return (known, *missing)


def excludes_one(condition: Condition) -> bool:
    """Whether a condition on an ordered attribute reads as ``!=``."""
    if condition.attribute.measured:
        return len(condition.runs) > 1 and condition.is_simple
    return (~condition).cells.bit_count() == 1


def factors(condition: Condition) -> tuple[Condition, ...]:
    """Simple conditions that all hold where ``condition`` does; none if it takes an "or" to say.

    >>> rooms = Attribute("rooms", kind="numeric", cuts=(2, 3, 10), whole=True)
    >>> [str(x) for x in factors(rooms.at_most(10) & ~rooms.equal(3))]
    ['rooms <= 10', 'rooms != 3']
    """
    if len(pieces(condition)) == 1:
        return pieces(condition)
    attribute, runs = condition.attribute, condition.runs
    if condition.asks_missing or not runs:
        return ()
    hull = Condition(attribute, (1 << runs[-1][1]) - (1 << runs[0][0]))
    gaps = zip((after for _, after in runs), (first for first, _ in runs[1:]), strict=False)
    without = [~Condition(attribute, (1 << after) - (1 << first)) for first, after in gaps]
    if not all(map(excludes_one, without)):
        return ()
    return (*([hull] if hull.cells != attribute.known else []), *without)
