"""Conjunctions over many-valued attributes as single integers, after the positional notation of ESPRESSO-MV.

R. Rudell and A. Sangiovanni-Vincentelli, "Multiple-valued minimization for PLA optimization", IEEE TCAD 6(5), 1987.

A cube has one field per attribute and one bit per value the attribute may take, "missing" being the last value. Above
each field stays one spare bit, so that a single addition finds empty fields.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import FormulaError
from rulenet.literals import Attribute, Literal

Cube = int
FEW = 100


class Space:
    """The rows over some attributes, and the cubes that describe sets of them.

    >>> space = Space([Attribute("a", ("x", "y", "z"))])
    >>> cube = space.cube([Literal(space.attributes[0], "x", "!=")])
    >>> bin(cube), bin(space.full)
    ('0b110', '0b1111')
    """

    def __init__(self, attributes: Iterable[Attribute], *, missing: bool = True) -> None:
        self.attributes = tuple(attributes)
        self.missing = missing
        widths = [len(a.values) + (missing or not a.values) for a in self.attributes]
        self.offsets = [sum(widths[:i]) + i for i in range(len(widths))]
        fields = list(zip(self.offsets, widths, strict=True))
        self.fields = [((1 << w) - 1) << o for o, w in fields]
        self.full = sum(self.fields)
        self._guards = sum(1 << (o + w) for o, w in fields)
        self._conditions: dict[Cube, tuple[tuple[int, int], ...]] = {}
        self._place = {a: i for i, a in enumerate(self.attributes)}

    def nonempty(self, cube: Cube) -> bool:
        """Whether some row is in the cube."""
        return (cube + self.full) & self._guards == self._guards

    def part(self, cube: Cube, i: int) -> int:
        """The values that the cube allows attribute ``i``, as bits."""
        return (cube & self.fields[i]) >> self.offsets[i]

    def with_part(self, cube: Cube, i: int, part: int) -> Cube:
        """The cube with another part for attribute ``i``."""
        return (cube & ~self.fields[i]) | part << self.offsets[i]

    def known(self, i: int) -> int:
        """All values of attribute ``i`` but missing, as bits."""
        return (1 << len(self.attributes[i].values)) - 1

    def cube(self, literals: Iterable[Literal]) -> Cube:
        """The cube of a conjunction; empty fields if it contradicts itself."""
        cube = self.full
        for literal in literals:
            i = self._place[literal.attribute]
            values = literal.attribute.values
            allowed = sum(1 << values.index(v) for v in literal.satisfying)
            cube = self.with_part(cube, i, self.part(cube, i) & allowed)
        return cube

    def conditions(self, cube: Cube) -> tuple[tuple[int, int], ...]:
        """The attributes that the cube restricts, each with the values it allows, as bits."""
        if cube not in self._conditions:
            restricted = (i for i, field in enumerate(self.fields) if cube & field != field)
            self._conditions[cube] = tuple((i, self.part(cube, i)) for i in restricted)
        return self._conditions[cube]

    def literals(self, cube: Cube) -> tuple[Literal, ...]:
        """The shortest conjunction of literals that says what the cube says."""
        return tuple(x for i, part in self.conditions(cube) for x in literals_for(self.attributes[i], part))

    def row(self, codes: Sequence[int]) -> Cube:
        """The cube of a single row; -1 stands for missing."""
        return sum(
            1 << o + (len(a.values) if c < 0 else c)
            for o, a, c in zip(self.offsets, self.attributes, codes, strict=True)
        )

    def contains(self, cube: Cube, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows of ``codes`` are in the cube."""
        inside = np.ones(len(codes), dtype=np.bool_)
        for i, part in self.conditions(cube):
            table = np.array([bool(part >> b & 1) for b in range(len(self.attributes[i].values) + 1)])
            inside &= table[codes[:, i]]
        return inside

    def expressible(self, cube: Cube, *, not_equal: bool = True) -> list[Cube]:
        """The largest cubes inside ``cube`` that conjunctions of literals can say.

        No conjunction says "is known" or "is x or missing"; without ``!=`` none names two values.
        """
        options = [self._options(i, self.part(cube, i), not_equal) for i in range(len(self.attributes))]
        return [sum(p << o for p, o in zip(parts, self.offsets, strict=True)) for parts in product(*options)]

    def closure(self, cube: Cube, *, not_equal: bool = True) -> Cube:
        """The smallest cube around ``cube`` that a conjunction of literals can say."""
        for i, part in self.conditions(cube):
            known = part & self.known(i)
            single = known == part and part.bit_count() == 1
            if not single and (not not_equal or known != part or known == self.known(i)):
                cube |= self.fields[i]
        return cube

    def _options(self, i: int, part: int, not_equal: bool) -> list[int]:
        if part == self.fields[i] >> self.offsets[i]:
            return [part]
        values = range(len(self.attributes[i].values))
        known = part & self.known(i)
        if not_equal and known != self.known(i):
            return [known] if known else []
        if not_equal and len(values) > 2:
            return [known & ~(1 << b) for b in values]
        return [1 << b for b in values if known >> b & 1]


def literals_for(attribute: Attribute, part: int) -> tuple[Literal, ...]:
    """The literals whose conjunction allows exactly the values in ``part``.

    >>> [str(x) for x in literals_for(Attribute("a", ("x", "y", "z", "w")), 0b1100)]
    ['a != x', 'a != y']
    """
    inside = [v for b, v in enumerate(attribute.values) if part >> b & 1]
    if len(inside) == 1:
        return (Literal(attribute, inside[0]),)
    return tuple(Literal(attribute, v, "!=") for b, v in enumerate(attribute.values) if not part >> b & 1)


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
    words = np.frombuffer(b"".join(c.to_bytes(n_bytes, "little") for c in by_size), dtype="<u8")
    words = words.reshape(len(by_size), -1)
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
