"""From flat to deep: shared parts of rules become concepts.

Division by kernels as in R. Brayton and C. McMullen, "The decomposition and factorization of Boolean expressions",
ISCAS 1982. Two things are added. A quotient may meet the divisor in a contradiction, so that more rules divide. And a
part that is the negation of a concept already there is written so, which halves parity.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice

from rulenet.conditions import Condition
from rulenet.formulas.cubes import Cube, Space, absorb
from rulenet.formulas.dnf import Dnf, conjunction
from rulenet.formulas.expressions import FALSE, And, Concept, Expression, Formula, Not, Or
from rulenet.formulas.measures import n_aggregations
from rulenet.formulas.tidy import inline

Cover = frozenset[Cube]
MAX_PAIRS = 5_000
MAX_DIVISORS = 50
MAX_NEGATED = 64


def factor(dnf: Dnf, *, negation: bool = True) -> Formula:
    """A deep formula that holds in exactly the rows where ``dnf`` does.

    Parameters
    ----------
    dnf : Dnf
        The rules.
    negation : bool
        Whether concepts may be negated. ``not c`` holds where ``c`` certainly fails, so missing values stay exact.

    Examples
    --------
    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.dnf import to_dnf
    >>> a, b, c, d = (Attribute(n, (0, 1)).equal(1) for n in "abcd")
    >>> flat = Or((And((a, c)), And((a, d)), And((b, c)), And((b, d))))
    >>> print(factor(to_dnf(Formula(flat, {}, tuple(x.attribute for x in (a, b, c, d))))))
    positive if (a = 1 or b = 1) and (c = 1 or d = 1)
    """
    tries = [_Factoring(dnf, negation, singles_first).formula() for singles_first in (False, True)]
    return min((dnf.formula(), *tries), key=n_aggregations)


@dataclass(frozen=True, slots=True)
class _Split:
    """cover = divisor AND quotient, OR rest."""

    divisor: Cover
    quotient: Cover
    rest: Cover

    def cost(self, space: Space) -> int:
        return sum(len(space.restricted(c)) for part in (self.divisor, self.quotient, self.rest) for c in part)


class _Factoring:
    """One factoring of one rule set; covers met again are shared."""

    def __init__(self, dnf: Dnf, negation: bool, singles_first: bool) -> None:
        self.dnf, self.space = dnf, dnf.space
        self.negation, self.singles_first = negation, singles_first
        self.concepts: dict[str, Expression] = {}
        self.names: dict[Cover, Expression] = {}
        self.covers: dict[str, tuple[Cover | None, Cover | None]] = {}

    def formula(self) -> Formula:
        output = self.factor(frozenset(self.dnf.cubes))
        formula = Formula(output, self.concepts, self.dnf.attributes, self.dnf.target)
        return inline(formula)

    def factor(self, cover: Cover) -> Expression:
        if not cover:
            return FALSE
        if len(cover) == 1:
            return self._rule(next(iter(cover)))
        if cover not in self.names:
            self._define(cover)
        return self.names[cover]

    def _rule(self, cube: Cube) -> Expression:
        return conjunction(self.space.conditions(cube))

    def _define(self, cover: Cover) -> None:
        expression = self._expression(cover)
        if cover in self.names:  # met, negated, while its parts were made
            return
        name = f"part {len(self.concepts)}"
        self.concepts[name] = expression
        self.names[cover] = Concept(name)
        negated = self._rail(expression, positive=False) if self.negation else None
        self.covers[name] = (cover, negated)
        if negated is not None and len(negated) > 1:
            self.names.setdefault(negated, Not(Concept(name)))

    def _expression(self, cover: Cover) -> Expression:
        common = self._common(cover)
        if common != self.space.full:
            inner = self.factor(frozenset(self._without(c, common) for c in cover))
            return And((self._rule(common), inner))
        parts: list[Expression] = []
        while (split := self._best_split(cover)) is not None:
            parts.append(And((self.factor(split.divisor), self.factor(split.quotient))))
            cover = split.rest
            if len(cover) < 2 or self._common(cover) != self.space.full:
                parts += [self.factor(cover)] if cover else []
                cover = frozenset()
        parts += [self._rule(c) for c in sorted(cover)]
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _best_split(self, cover: Cover) -> _Split | None:
        flat = sum(len(self.space.restricted(c)) for c in cover)
        divisors = self._single_divisors(cover) if self.singles_first else self._kernels(cover)
        splits = [split for d in divisors if (split := self._divide(cover, d)) is not None]
        best = min(splits, key=lambda s: (s.cost(self.space), sorted(s.divisor)), default=None)
        return best if best is not None and best.cost(self.space) < flat else None

    def _single_divisors(self, cover: Cover) -> Iterator[Cover]:
        counts = Counter(condition for cube in cover for condition in self.space.restricted(cube))
        for (i, part), n in counts.most_common():
            if n > 1:
                yield frozenset((self.space.with_part(self.space.full, i, part),))

    def _kernels(self, cover: Cover) -> set[Cover]:
        """Single conditions, and what remains of the rules that share what two of them share, the most first."""
        pairs = islice(combinations(sorted(cover), 2), MAX_PAIRS)
        shared = Counter(self._common(pair) for pair in pairs)
        del shared[self.space.full]
        best = sorted(shared, key=lambda s: (-shared[s] * len(self.space.restricted(s)), s))[:MAX_DIVISORS]
        kernels = {frozenset(self._without(c, s) for c in cover if c | s == s) for s in best}
        return {self._cube_free(k) for k in kernels} | set(islice(self._single_divisors(cover), MAX_DIVISORS))

    def _divide(self, cover: Cover, divisor: Cover) -> _Split | None:
        """The most that can be taken out of ``cover`` with ``divisor``."""
        candidates = {self._without(c, d) for c in cover for d in divisor if self._has(c, d)}
        quotient = frozenset(absorb(q for q in candidates if all(self._inside(q & d, cover) for d in divisor)))
        if not quotient or self.space.full in quotient:
            return None
        made = {q & d for q in quotient for d in divisor}
        rest = frozenset(c for c in cover if not any(c | m == m for m in made))
        return _Split(divisor, quotient, rest) if len(rest) < len(cover) else None

    def _inside(self, cube: Cube, cover: Cover) -> bool:
        return cube in cover or not self.space.nonempty(cube) or any(cube | c == c for c in cover)

    def _common(self, cubes: Iterable[Cube]) -> Cube:
        """The conditions that all cubes have."""
        shared = set.intersection(*(set(self.space.restricted(c)) for c in cubes))
        cube = self.space.full
        for i, part in shared:
            cube = self.space.with_part(cube, i, part)
        return cube

    def _has(self, cube: Cube, conditions: Cube) -> bool:
        return cube | conditions == conditions and all(
            self.space.part(cube, i) == part for i, part in self.space.restricted(conditions)
        )

    def _without(self, cube: Cube, conditions: Cube) -> Cube:
        for i, part in self.space.restricted(conditions):
            if self.space.part(cube, i) == part:
                cube |= self.space.fields[i]
        return cube

    def _cube_free(self, cover: Cover) -> Cover:
        common = self._common(cover)
        return frozenset(self._without(c, common) for c in cover)

    def _rail(self, expression: Expression, *, positive: bool) -> Cover | None:
        """The rules for where ``expression`` holds, or where it certainly fails; None if they are many."""
        match expression:
            case Concept(name):
                return self.covers[name][0 if positive else 1]
            case Not(part):
                return self._rail(part, positive=not positive)
            case And(parts) | Or(parts):
                covers = [self._rail(p, positive=positive) for p in parts]
                return self._join(covers, isinstance(expression, And) == positive)
            case _:
                return self._leaf(expression, positive)

    def _join(self, covers: list[Cover | None], conjunctive: bool) -> Cover | None:
        joined = {self.space.full} if conjunctive else set[Cube]()
        for cover in covers:
            if cover is None or len(joined) > MAX_NEGATED:
                return None
            if conjunctive and len(joined) * len(cover) > MAX_NEGATED**2:
                return None
            both = {a & b for a in joined for b in cover} if conjunctive else joined | cover
            joined = set(absorb(c for c in both if self.space.nonempty(c)))
        return frozenset(joined)

    def _leaf(self, expression: Expression, positive: bool) -> Cover | None:
        if not isinstance(expression, Condition):
            return None
        cube = self.space.cube([expression if positive else ~expression])
        return frozenset(self.space.expressible(cube)) if self.space.nonempty(cube) else frozenset()
