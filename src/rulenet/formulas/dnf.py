"""Flat rule sets: a disjunction of conjunctions of literals."""

from dataclasses import dataclass
from functools import reduce

from rulenet.exceptions import FormulaError
from rulenet.formulas.cubes import Cube, Space, absorb
from rulenet.formulas.expressions import FALSE, TRUE, And, Expression, Formula, Or
from rulenet.formulas.graph import FALSE_ID, TRUE_ID, Graph
from rulenet.literals import Attribute, Literal

MAX_RULES = 5_000


@dataclass(frozen=True, slots=True)
class Dnf:
    """A set of rules, each a conjunction; the target holds where one of them does."""

    space: Space
    cubes: tuple[Cube, ...]
    attributes: tuple[Attribute, ...]
    target: str = "positive"

    @property
    def rules(self) -> tuple[tuple[Literal, ...], ...]:
        """The conditions of every rule, short rules first."""
        rules = [self.space.literals(cube) for cube in self.cubes]
        place = {x: i for i, x in enumerate(self.attributes)}

        def key(rule: tuple[Literal, ...]) -> tuple[object, ...]:
            return len(rule), [(place[x.attribute], x.operator, x.attribute.values.index(x.value)) for x in rule]

        return tuple(sorted(rules, key=key))

    def formula(self) -> Formula:
        """The rule set as a formula without concepts."""
        parts = tuple(conjunction(rule) for rule in self.rules)
        output = parts[0] if len(parts) == 1 else Or(parts) if parts else FALSE
        return Formula(output, {}, self.attributes, self.target)


def conjunction(rule: tuple[Literal, ...]) -> Expression:
    """AND of the literals, as plainly as it can be said."""
    return rule[0] if len(rule) == 1 else And(rule) if rule else TRUE


def to_dnf(formula: Formula, *, assume_complete: bool = False, max_rules: int = MAX_RULES) -> Dnf:
    """The formula multiplied out, without rules that another one contains.

    It holds in exactly the same rows, missing values included. Where all literals are ``==``, no smaller rule set
    does: each rule is then the only one for the row that has its values and misses all others.

    >>> a, b, c = (Literal(Attribute(n, (0, 1)), 1) for n in "abc")
    >>> formula = Formula(And((a, Or((b, c)))), {}, (a.attribute, b.attribute, c.attribute))
    >>> print(to_dnf(formula).formula())
    positive if any of
        a = 1 and b = 1
        a = 1 and c = 1
    """
    space = Space(used_attributes(formula), missing=not assume_complete)
    graph = Graph(formula.attributes)
    root = graph.add(formula)[formula.target]
    cubes: dict[int, list[Cube]] = {FALSE_ID: [], TRUE_ID: [space.full]}
    for node in graph.postorder(root):
        leaf, gate = graph.leaves.get(node), graph.gates[node]
        if isinstance(leaf, Literal):
            cubes[node] = [space.cube([leaf])]
        elif gate == "or":
            cubes[node] = absorb(c for p in graph.parts[node] for c in cubes[p])
        elif gate == "and":
            factors = sorted((cubes[p] for p in graph.parts[node]), key=len)
            cubes[node] = reduce(lambda x, y: multiply(space, x, y, max_rules), factors)
    return Dnf(space, tuple(cubes[root]), formula.attributes, formula.target)


def multiply(space: Space, left: list[Cube], right: list[Cube], limit: int = MAX_RULES) -> list[Cube]:
    """The cubes of the conjunction of two covers."""
    products = {c for a in left for b in right if space.nonempty(c := a & b)}
    found = absorb(products) if len(products) <= 20 * limit else []
    if len(found) > limit or len(products) > 20 * limit:
        raise FormulaError(f"the formula has more than {limit} flat rules; keep it deep, or raise max_rules")
    return found


def used_attributes(formula: Formula) -> tuple[Attribute, ...]:
    """The attributes that the formula mentions, in order."""
    mentioned = {x.attribute for x in formula.literals}
    return tuple(a for a in formula.attributes if a in mentioned)
