"""The smallest flat rule set that says the same."""

from itertools import permutations
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import FormulaError
from rulenet.formulas.cubes import Cube, Space, covers
from rulenet.formulas.dnf import Dnf, cover_of, used_attributes
from rulenet.formulas.espresso import espresso, surely_covers
from rulenet.formulas.expressions import Formula
from rulenet.formulas.primes import essential, fewest, primes, primes_outside, restrict
from rulenet.formulas.truth import Codes, Mask, holds, n_rows_of, rows_of

Method = OneOf["auto", "exact", "espresso"]
MAX_PRIMES = 2_000
MAX_POINTS = 1 << 17
MAX_PAIRED = 500


def minimise(
    formula: Formula,
    *,
    assume_complete: bool = False,
    rows: Codes | None = None,
    not_equal: bool = True,
    method: Method = "auto",
) -> Dnf:
    """A flat rule set with few rules, and few conditions among those, that holds in the same rows.

    Which rows count is the caller's choice. By default all of them, each attribute possibly missing: the result equals
    the formula everywhere. That two values of one attribute exclude each other is always used, and so is the order of
    cells: a rule says an interval where it can. Rules tell apart only what the conditions of the formula tell apart.

    Parameters
    ----------
    formula : Formula
        What to minimise.
    assume_complete : bool
        Let rows with missing values come out as they may. Only then does ``(a = 0 and x) or (a = 1 and x)`` become
        ``x``, and not ``a is known and x``.
    rows : Codes, optional
        Only these rows count; the result may differ from the formula in all others.
    not_equal : bool
        Whether rules may say ``!=`` or name several values of a nominal attribute.
    method : {"auto", "exact", "espresso"}
        ``"exact"`` proves that no smaller rule set exists, or raises where that is too much work; ``"espresso"`` is
        heuristic; ``"auto"`` tries the first, then the second.

    Examples
    --------
    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.expressions import And, Or
    >>> a, b = Attribute("a", (0, 1)), Attribute("b", (0, 1))
    >>> either = Or(tuple(And((a.equal(v), b.equal(1))) for v in (0, 1)))
    >>> print(minimise(Formula(either, {}, (a, b)), assume_complete=True).formula())
    positive if b = 1
    """
    if rows is not None and assume_complete:
        raise FormulaError("both rows and assume_complete were given, but rows already say what counts; give one")
    task = _Task(formula, assume_complete, rows, not_equal)
    cubes = task.exact() if method != "espresso" else None
    if cubes is None:
        if method == "exact":
            raise FormulaError("the formula is too large to prove a minimum; use method='espresso'")
        cubes = task.heuristic()
    return Dnf(task.space, tuple(cubes), formula.attributes, formula.target)


class _Task:
    """What must be covered, and what must not be."""

    def __init__(self, formula: Formula, assume_complete: bool, rows: Codes | None, not_equal: bool) -> None:
        self.formula, self.rows, self.not_equal = formula, rows, not_equal
        attributes = used_attributes(formula) if rows is None else rows.attributes
        self.space = Space(attributes, formula.conditions, missing=not assume_complete, singles=not not_equal)
        self.on = self._on()
        self.off = [] if rows is None else self._points(~holds(formula, rows))

    def _on(self) -> list[Cube]:
        if self.rows is None:
            return restrict(self.space, cover_of(self.formula, self.space), not_equal=self.not_equal)
        points = self._points(holds(self.formula, self.rows))
        return [self.space.closure(p, not_equal=self.not_equal) for p in points]

    def _points(self, chosen: Mask) -> list[Cube]:
        assert self.rows is not None
        return sorted({self.space.row(codes) for codes in self.rows.codes[chosen].tolist()})

    def allowed(self, cube: Cube) -> bool:
        """Whether the cube touches nothing that must stay outside."""
        if self.rows is None:
            return surely_covers(self.space, self.on, cube)
        return not any(self.space.nonempty(cube & point) for point in self.off)

    def heuristic(self) -> list[Cube]:
        return espresso(self.space, self.on, self.allowed, not_equal=self.not_equal)

    def exact(self) -> list[Cube] | None:
        try:
            return self._exact()
        except FormulaError:
            return None

    def _exact(self) -> list[Cube] | None:
        if self.rows is None and self._only_minimal():
            return self.on
        candidates = self._candidates()
        if len(candidates) > MAX_PRIMES:
            return None
        if self.rows is None:
            needed = essential(self.space, candidates)
            if all(covers(self.space, needed, cube) for cube in self.on):
                return needed
        points = self._points_to_cover()
        return None if points is None else fewest(self.space, candidates, points)

    def _only_minimal(self) -> bool:
        """Whether rules that name single values, each the only one for a row that misses all else, are the best."""
        space = self.space
        single = all(part.bit_count() == 1 for cube in self.on for _, part in space.restricted(cube))
        if not space.missing or not single or any(b.asks for b in space.blocks):
            return False
        wide = any(len(b.cells) > 2 or b.attribute.ordered for b in space.blocks)
        if not self.not_equal and not any(a.ordered for a in space.attributes):
            return True
        return not wide and len(self.on) <= MAX_PAIRED and not any(map(self._neighbours, *self._pairs()))

    def _pairs(self) -> tuple[list[Cube], list[Cube]]:
        first, second = zip(*permutations(self.on, 2), strict=True) if len(self.on) > 1 else ((), ())
        return list(first), list(second)

    def _neighbours(self, rule: Cube, other: Cube) -> bool:
        """Whether ``other`` has no attribute that ``rule`` has not, and differs from it in one: then they may merge."""
        common = dict(self.space.restricted(rule))
        differ = [common.get(i) != part for i, part in self.space.restricted(other)]
        return sum(differ) == 1 and all(i in common for i, _ in self.space.restricted(other))

    def _candidates(self) -> list[Cube]:
        if self.rows is None:
            found = primes(self.space, self.on, MAX_PRIMES)
        else:
            found = primes_outside(self.space, self.off, MAX_PRIMES)
        return restrict(self.space, found, not_equal=self.not_equal)

    def _points_to_cover(self) -> NDArray[np.int64] | None:
        rows = self.rows
        if rows is None:
            if n_rows_of(self.space.blocks) > MAX_POINTS:
                return None
            rows = rows_of(self.space.blocks)
        return rows.codes[holds(self.formula, rows)]
