"""Conjunctions over many-valued attributes as single integers, after the positional notation of ESPRESSO-MV.

R. Rudell and A. Sangiovanni-Vincentelli, "Multiple-valued minimization for PLA optimization", IEEE TCAD 6(5), 1987.

A cube has one field per attribute and one bit per block of cells that conditions tell apart, then those of `Blocks` for
values in no cell. Above each field stays one spare bit, so that a single addition finds empty fields.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.cells import blocks_of, pieces, positions

Cube = int
FEW = 100


class Space:
    """The rows over some attributes, and the cubes that describe sets of them.

    Parameters
    ----------
    attributes : iterable of Attribute
        The columns.
    conditions : iterable of Condition, optional
        What tells cells apart; by default every cell is told from all others, and nothing asks for missing values.
    missing : bool
        Whether values may be missing, or in no cell.
    singles : bool
        Whether every value of a nominal attribute is told apart, whatever the conditions.

    Examples
    --------
    >>> space = Space([Attribute("a", ("x", "y", "z"))])
    >>> cube = space.cube([~space.attributes[0].equal("x")])
    >>> bin(cube), bin(space.full)
    ('0b110', '0b1111')
    """

    def __init__(
        self,
        attributes: Iterable[Attribute],
        conditions: Iterable[Condition] | None = None,
        *,
        missing: bool = True,
        singles: bool = False,
    ) -> None:
        self.attributes = tuple(attributes)
        self.blocks = blocks_of(self.attributes, conditions, missing=missing, singles=singles)
        self.missing = missing
        widths = [len(b) for b in self.blocks]
        self.offsets = [sum(widths[:i]) + i for i in range(len(widths))]
        fields = list(zip(self.offsets, widths, strict=True))
        self.fields = [((1 << w) - 1) << o for o, w in fields]
        self.full = sum(self.fields)
        self._guards = sum(1 << (o + w) for o, w in fields)
        self._restricted: dict[Cube, tuple[tuple[int, int], ...]] = {}
        self._said: dict[tuple[int, int], Condition] = {}
        self._place = {a: i for i, a in enumerate(self.attributes)}

    def nonempty(self, cube: Cube) -> bool:
        """Whether some row is in the cube."""
        return (cube + self.full) & self._guards == self._guards

    def part(self, cube: Cube, i: int) -> int:
        """The positions that the cube allows attribute ``i``, as bits."""
        return (cube & self.fields[i]) >> self.offsets[i]

    def with_part(self, cube: Cube, i: int, part: int) -> Cube:
        """The cube with another part for attribute ``i``."""
        return (cube & ~self.fields[i]) | part << self.offsets[i]

    def known(self, i: int) -> int:
        """All blocks of cells of attribute ``i``, as bits."""
        return self.blocks[i].known

    def cube(self, conditions: Iterable[Condition]) -> Cube:
        """The cube of a conjunction; empty fields if it contradicts itself."""
        cube = self.full
        for condition in conditions:
            i = self._place[condition.attribute]
            cube = self.with_part(cube, i, self.part(cube, i) & self.blocks[i].part(condition))
        return cube

    def restricted(self, cube: Cube) -> tuple[tuple[int, int], ...]:
        """The attributes that the cube restricts, each with the positions it allows, as bits."""
        if cube not in self._restricted:
            narrow = (i for i, field in enumerate(self.fields) if cube & field != field)
            self._restricted[cube] = tuple((i, self.part(cube, i)) for i in narrow)
        return self._restricted[cube]

    def conditions(self, cube: Cube) -> tuple[Condition, ...]:
        """The conjunction that says what the cube says, one condition an attribute."""
        return tuple(self._condition(i, part) for i, part in self.restricted(cube))

    def row(self, codes: Sequence[int]) -> Cube:
        """The cube of a single row, given as codes."""
        places = zip(self.offsets, self.blocks, codes, strict=True)
        return sum(1 << o + int(b.place[c]) for o, b, c in places)

    def contains(self, cube: Cube, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows of ``codes`` are in the cube."""
        inside = np.ones(len(codes), dtype=np.bool_)
        for i, part in self.restricted(cube):
            blocks = self.blocks[i]
            table = np.array([bool(part >> k & 1) for k in range(len(blocks) + 1)])
            inside &= table[blocks.place[codes[:, i]]]
        return inside

    def expressible(self, cube: Cube, *, not_equal: bool = True) -> list[Cube]:
        """The largest cubes inside ``cube`` that conjunctions of simple conditions can say.

        No simple condition says "is x or missing", or two intervals; without ``not_equal`` none names two nominal
        values.
        """
        options = [self._options(i, self.part(cube, i), not_equal) for i in range(len(self.attributes))]
        return [sum(p << o for p, o in zip(parts, self.offsets, strict=True)) for parts in product(*options)]

    def closure(self, cube: Cube, *, not_equal: bool = True, within: Cube | None = None) -> Cube:
        """A small cube around ``cube``, and inside ``within`` around that, that a conjunction can say.

        ``within`` must be one that a conjunction can say; by default it is the whole space.
        """
        outer = self.full if within is None else within
        for i, part in self.restricted(cube):
            limit = self.part(outer, i)
            options = [p for p in self._around(i, part, not_equal) if p & ~limit == 0]
            cube = self.with_part(cube, i, options[0] if options else limit)
        return cube

    def wider(self, i: int, part: int) -> Iterator[int]:
        """The next larger sets of blocks of attribute ``i`` that one condition can say."""
        known = self.known(i)
        if part & ~known:
            return
        if not self.attributes[i].ordered:
            yield from (part | 1 << k for k in positions(known & ~part))
        else:
            runs = self._options(i, (part | part << 1 | part >> 1) & known, True)
            steps = (part | 1 << k for run in runs for k in positions(run & ~part))
            yield from (p for p in steps if self._options(i, p, True) == [p])

    def _condition(self, i: int, part: int) -> Condition:
        if (i, part) not in self._said:
            self._said[i, part] = self.blocks[i].condition(part)
        return self._said[i, part]

    def _around(self, i: int, part: int, not_equal: bool) -> list[int]:
        """Sets that one condition can say around ``part``, the smallest first."""
        blocks = self.blocks[i]
        if part == blocks.asked:
            return [part]
        if part & ~blocks.known:
            return []
        if self.attributes[i].ordered:
            return [(1 << part.bit_length()) - (part & -part)]
        return [part] if not_equal or part.bit_count() == 1 else []

    def _options(self, i: int, part: int, not_equal: bool) -> list[int]:
        """The largest sets inside ``part`` that one condition can say."""
        if part == self.fields[i] >> self.offsets[i]:
            return [part]
        blocks = self.blocks[i]
        simple = pieces(self._condition(i, part & (blocks.known | blocks.asked)), not_equal=not_equal)
        return [blocks.part(x) for x in simple]


def absorb(cubes: Iterable[Cube]) -> list[Cube]:
    """The cubes that no other contains, the largest first."""
    by_size = sorted(set(cubes), key=lambda c: (-c.bit_count(), c))
    if len(by_size) > FEW:
        return _absorb_many(by_size)
    kept: list[Cube] = []
    for _, same_size in groupby(by_size, key=int.bit_count):
        kept += [cube for cube in same_size if not any(cube | k == k for k in kept)]
    return kept


def _absorb_many(by_size: list[Cube]) -> list[Cube]:
    """``absorb`` on words: one cube against all kept ones at a time."""
    n_bytes = -(-max(by_size).bit_length() // 64) * 8 or 8
    joined = b"".join(c.to_bytes(n_bytes, "little") for c in by_size)
    words = np.frombuffer(joined, dtype="<u8").reshape(len(by_size), -1)
    kept: list[int] = []
    outside = np.empty_like(words)  # the complements of the kept cubes, as far as they are filled
    n_larger, size = 0, -1
    for i, cube in enumerate(by_size):
        if cube.bit_count() != size:  # cubes of one size do not contain each other
            n_larger, size = len(kept), cube.bit_count()
        if not (~(outside[:n_larger] & words[i]).any(axis=1)).any():
            outside[len(kept)] = ~words[i]
            kept.append(i)
    return [by_size[i] for i in kept]


def sharp(space: Space, cube: Cube, other: Cube) -> Iterator[Cube]:
    """Disjoint cubes that make up ``cube`` without ``other``."""
    if not space.nonempty(cube & other):
        yield cube
        return
    for field in space.fields:
        outside = cube & field & ~other
        if outside:
            yield cube & ~field | outside
            cube = cube & ~field | (cube & field & other)


def rest_around(space: Space, cube: Cube, cubes: Iterable[Cube], cover: Sequence[Cube], steps: int) -> Cube | None:
    """A small cube inside ``cube`` around what ``cover`` leaves of ``cubes``; None if it leaves nothing.

    It is the smallest one unless the search takes more than ``steps``; then ``cube`` itself is the answer.
    """
    found: Cube | None = None
    stack = [(c & cube, 0) for c in cubes if space.nonempty(c & cube)]
    for _ in range(steps):
        if not stack:
            return found
        piece, k = stack.pop()
        if found is not None and piece | found == found:
            continue
        k = _next_touching(space, piece, cover, k)
        if k == len(cover):
            found = piece | (found or 0)
        else:
            stack.extend((p, k + 1) for p in sharp(space, piece, cover[k]))
    return cube


def covers(space: Space, cover: Sequence[Cube], cube: Cube, steps: int = 1_000_000) -> bool:
    """Whether every row of ``cube`` is in some cube of ``cover``; raises if that takes more than ``steps``."""
    touching = [c & cube for c in cover if space.nonempty(c & cube)]
    if cube in touching:
        return True
    touching.sort(key=int.bit_count, reverse=True)
    stack = [(cube, 0)]
    for _ in range(steps):
        if not stack:
            return True
        piece, k = stack.pop()
        k = _next_touching(space, piece, touching, k)
        if k == len(touching):
            return False
        stack.extend((p, k + 1) for p in sharp(space, piece, touching[k]))
    raise FormulaError(f"a cover of {len(cover)} rules takes more than {steps} steps to check")


def _next_touching(space: Space, cube: Cube, cover: Sequence[Cube], k: int) -> int:
    while k < len(cover) and not space.nonempty(cube & cover[k]):
        k += 1
    return k
