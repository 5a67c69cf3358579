"""Exact minimisation: all largest rules, then the fewest of them that cover the target.

W. V. Quine, "A way to simplify truth functions", 1955; E. J. McCluskey, "Minimization of Boolean functions", 1956.
The cover is found by integer programming (HiGHS), which proves that none is smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import FormulaError
from rulenet.formulas.cubes import Cube, Space, absorb, covers
from rulenet.formulas.dnf import multiply
from rulenet.later import Later

if TYPE_CHECKING:
    from scipy import optimize
else:
    optimize = Later("scipy.optimize")

SECONDS = 20.0
MAX_WORK = 200_000


def primes_outside(space: Space, cover: Sequence[Cube], limit: int) -> list[Cube]:
    """All largest cubes that touch no cube of ``cover``.

    The product of the complements of the cubes, largest ones kept, has exactly these.
    """
    found, work = [space.full], 0
    for cube in cover:
        pieces = [space.full & ~field | field & ~cube for field in space.fields if field & ~cube]
        work += len(found) * len(pieces)
        if work > MAX_WORK:
            raise FormulaError(f"finding all primes takes more than {MAX_WORK} products")
        found = multiply(space, found, pieces, limit)
    return found


def primes(space: Space, cover: Sequence[Cube], limit: int) -> list[Cube]:
    """All largest cubes inside ``cover``: what lies outside of what lies outside."""
    return primes_outside(space, primes_outside(space, cover, limit), limit)


def fewest(space: Space, candidates: Sequence[Cube], codes: NDArray[np.int64]) -> list[Cube] | None:
    """The fewest candidates, with the fewest conditions, that cover all rows of ``codes``; None if not proven."""
    if not len(codes):
        return []
    inside = np.array([space.contains(c, codes) for c in candidates]).T
    needed = np.unique(inside, axis=0).astype(float)
    conditions = np.array([len(space.restricted(c)) for c in candidates], dtype=float)
    result = optimize.milp(
        conditions + conditions.sum() + 1,
        constraints=optimize.LinearConstraint(needed, lb=1),
        integrality=np.ones(len(candidates)),
        bounds=optimize.Bounds(0, 1),
        options={"time_limit": SECONDS, "mip_rel_gap": 0},
    )
    if result.status != 0:
        return None
    return [c for c, chosen in zip(candidates, result.x, strict=True) if chosen > 0.5]


def essential(space: Space, candidates: Sequence[Cube]) -> list[Cube]:
    """The candidates that hold a row which no other holds."""
    return [c for i, c in enumerate(candidates) if not covers(space, [*candidates[:i], *candidates[i + 1 :]], c)]


def restrict(space: Space, cubes: Sequence[Cube], *, not_equal: bool) -> list[Cube]:
    """The largest cubes inside some of ``cubes`` that conjunctions of simple conditions can say."""
    return absorb(part for cube in cubes for part in space.expressible(cube, not_equal=not_equal))
