"""Heuristic minimisation: expand, drop what is redundant, reduce, again while it helps.

R. Brayton, G. Hachtel, C. McMullen and A. Sangiovanni-Vincentelli, "Logic Minimization Algorithms for VLSI
Synthesis", 1984.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from rulenet.exceptions import FormulaError
from rulenet.formulas.cubes import Cube, Space, covers, rest_around

STEPS = 100_000
MAX_CUBES = 400
Allowed = Callable[[Cube], bool]


def espresso(space: Space, on: Sequence[Cube], allowed: Allowed, *, not_equal: bool = True) -> list[Cube]:
    """Few cubes that cover ``on``, each of them ``allowed`` and said by a conjunction of simple conditions.

    The cubes of ``on`` must already be both; more than ``MAX_CUBES`` are left as they are. ``allowed`` must be
    monotone: what is inside an allowed cube is allowed.
    """
    if len(on) > MAX_CUBES:
        return list(on)
    best = irredundant(space, expand(space, on, allowed, not_equal), on)
    while True:
        shrunk = shrink(space, best, on)
        reduced = [space.closure(c, not_equal=not_equal, within=around) for around, c in shrunk]
        cover = irredundant(space, expand(space, reduced, allowed, not_equal), on)
        if _cost(space, cover) >= _cost(space, best):
            return best
        best = cover


def expand(space: Space, cover: Iterable[Cube], allowed: Allowed, not_equal: bool) -> list[Cube]:
    """Every cube grown, attribute by attribute, as far as it is allowed; cubes swallowed on the way are gone."""
    grown: list[Cube] = []
    for cube in sorted(cover, key=int.bit_count):
        if not any(cube | g == g for g in grown):
            larger = _expand_one(space, cube, allowed, not_equal)
            grown = [*(g for g in grown if g | larger != larger), larger]
    return grown


def irredundant(space: Space, cover: Sequence[Cube], on: Sequence[Cube]) -> list[Cube]:
    """``cover`` without cubes that ``on`` does not need, the smallest tried first."""
    kept = list(cover)
    for cube in sorted(cover, key=int.bit_count):
        rest = [k for k in kept if k != cube]
        if all(surely_covers(space, rest, o & cube) for o in on if space.nonempty(o & cube)):
            kept = rest
    return kept


def shrink(space: Space, cover: Sequence[Cube], on: Sequence[Cube]) -> list[tuple[Cube, Cube]]:
    """Every cube, and it cut down to the smallest that still covers what the others leave of ``on``."""
    large = sorted(cover, key=int.bit_count, reverse=True)
    cubes: list[Cube | None] = [*large]
    for k, cube in enumerate(cubes):
        rest = [c for j, c in enumerate(cubes) if j != k and c is not None]
        cubes[k] = rest_around(space, cube, on, rest, STEPS // len(on)) if cube is not None else None
    return [(around, c) for around, c in zip(large, cubes, strict=True) if c is not None]


def surely_covers(space: Space, cover: Sequence[Cube], cube: Cube) -> bool:
    """Whether ``cover`` is seen to cover ``cube`` without much work."""
    try:
        return covers(space, cover, cube, STEPS // (len(cover) + 1))
    except FormulaError:
        return False


def _expand_one(space: Space, cube: Cube, allowed: Allowed, not_equal: bool) -> Cube:
    for field in space.fields:
        if cube & field != field and allowed(cube | field):
            cube |= field
    for i, part in space.restricted(cube):
        if not_equal or space.attributes[i].ordered:
            cube = _widen(space, cube, i, part, allowed)
    return cube


def _widen(space: Space, cube: Cube, i: int, part: int, allowed: Allowed) -> Cube:
    tried, steps = {part}, deque(space.wider(i, part))
    while steps:
        wider = steps.popleft() if space.attributes[i].ordered else steps.popleft() | part
        if wider not in tried and allowed(space.with_part(cube, i, wider)):
            part, cube = wider, space.with_part(cube, i, wider)
            if space.attributes[i].ordered:
                steps = deque(space.wider(i, part))
        tried.add(wider)
    return cube


def _cost(space: Space, cover: Sequence[Cube]) -> tuple[int, int]:
    return len(cover), sum(len(space.restricted(c)) for c in cover)
