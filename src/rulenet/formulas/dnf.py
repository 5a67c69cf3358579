"""Flat rule sets: a disjunction of conjunctions of conditions."""

from collections import Counter
from dataclasses import dataclass
from functools import reduce

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.cells import pieces
from rulenet.formulas.cubes import Cube, Space, absorb
from rulenet.formulas.expressions import FALSE, TRUE, And, Expression, Formula, Or
from rulenet.formulas.graph import FALSE_ID, TRUE_ID, Graph

MAX_RULES = 5_000


@dataclass(frozen=True, slots=True)
class Dnf:
    """A set of rules, each a conjunction; the target holds where one of them does."""

    space: Space
    cubes: tuple[Cube, ...]
    attributes: tuple[Attribute, ...]
    target: str = "positive"

    @property
    def rules(self) -> tuple[tuple[Condition, ...], ...]:
        """The conditions of every rule, at most one an attribute, short rules first."""
        rules = [self.space.conditions(cube) for cube in self.cubes]
        place = {x: i for i, x in enumerate(self.attributes)}

        def key(rule: tuple[Condition, ...]) -> tuple[object, ...]:
            return len(rule), [(place[x.attribute], x.sort_key) for x in rule]

        return tuple(sorted(rules, key=key))

    def formula(self) -> Formula:
        """The rule set as a formula without concepts."""
        parts = tuple(conjunction(rule) for rule in self.rules)
        output = parts[0] if len(parts) == 1 else Or(parts) if parts else FALSE
        return Formula(output, {}, self.attributes, self.target)


def conjunction(rule: tuple[Condition, ...]) -> Expression:
    """AND of the conditions, as plainly as it can be said."""
    return rule[0] if len(rule) == 1 else And(rule) if rule else TRUE


def to_dnf(formula: Formula, *, assume_complete: bool = False, max_rules: int = MAX_RULES) -> Dnf:
    """The formula multiplied out, without rules that another one contains.

    It holds in exactly the same rows, missing values included. What counts becomes one rule for every smallest way to
    reach the count, which may be many.

    >>> a, b, c = (Attribute(n, (0, 1)).equal(1) for n in "abc")
    >>> formula = Formula(And((a, Or((b, c)))), {}, (a.attribute, b.attribute, c.attribute))
    >>> print(to_dnf(formula).formula())
    positive if any of
        a = 1 and b = 1
        a = 1 and c = 1
    """
    space = Space(used_attributes(formula), formula.conditions, missing=not assume_complete)
    return Dnf(space, tuple(cover_of(formula, space, max_rules)), formula.attributes, formula.target)


def cover_of(formula: Formula, space: Space, max_rules: int = MAX_RULES) -> list[Cube]:
    """The cubes of the formula multiplied out, in a space that tells its conditions apart."""
    graph = Graph(formula.attributes)
    root = graph.add(formula)[formula.target]
    cubes: dict[int, list[Cube]] = {FALSE_ID: [], TRUE_ID: [space.full]}
    for node in graph.postorder(root):
        leaf, gate, parts = graph.leaves.get(node), graph.gates[node], graph.parts[node]
        if isinstance(leaf, Condition):
            cubes[node] = [space.cube([x]) for x in pieces(leaf) if space.nonempty(space.cube([x]))]
        elif gate == "or":
            cubes[node] = absorb(c for p in parts for c in cubes[p])
        elif gate == "and":
            factors = sorted((cubes[p] for p in parts), key=len)
            cubes[node] = reduce(lambda x, y: multiply(space, x, y, max_rules), factors)
        elif gate == "count":
            points = Counter(parts)
            counted = [(cubes[p], n) for p, n in points.items()]
            cubes[node] = _at_least(space, graph.needs[node], counted, max_rules)
    return cubes[root]


def _at_least(space: Space, need: int, points: list[tuple[list[Cube], int]], limit: int) -> list[Cube]:
    """The cubes in which covers with at least ``need`` points meet."""
    reached: list[list[Cube]] = [[space.full], *([] for _ in range(need))]
    for cover, n in sorted(points, key=lambda x: len(x[0])):
        for k in range(need, 0, -1):
            more = multiply(space, reached[max(k - n, 0)], cover, limit)
            reached[k] = absorb([*reached[k], *more])
            _check_size(len(reached[k]), limit)
    return reached[need]


def multiply(space: Space, left: list[Cube], right: list[Cube], limit: int = MAX_RULES) -> list[Cube]:
    """The cubes of the conjunction of two covers."""
    products = {c for a in left for b in right if space.nonempty(c := a & b)}
    _check_size(len(products) // 20, limit)
    found = absorb(products)
    _check_size(len(found), limit)
    return found


def _check_size(n_rules: int, limit: int) -> None:
    if n_rules > limit:
        raise FormulaError(f"the formula has more than {limit} flat rules; keep it deep, or raise max_rules")


def used_attributes(formula: Formula) -> tuple[Attribute, ...]:
    """The attributes that the formula mentions, in order."""
    mentioned = {x.attribute for x in formula.conditions}
    return tuple(a for a in formula.attributes if a in mentioned)
