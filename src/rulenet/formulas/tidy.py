"""Formulas put in order: what is used once in its place, like gates merged, parts sorted."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from rulenet.conditions import Attribute, Condition
from rulenet.formulas.cells import pieces
from rulenet.formulas.expressions import And, AtLeast, Concept, Constant, Expression, Formula, Not, Or, rebuild, walk


def inline(formula: Formula) -> Formula:
    """The formula with concepts used once put in their place, and the others named anew.

    A negated concept keeps its name, for "not c1" reads better than its meaning turned round.
    """
    uses = Counter(x.name for _, e in formula.definitions for x in walk(e) if isinstance(x, Concept))
    negated = {x.part for _, e in formula.definitions for x in walk(e) if isinstance(x, Not)}
    kept: dict[str, Expression] = {}
    meaning: dict[str, Expression] = {}
    fresh = fresh_names(formula.attributes, {formula.target})
    order = ordering(formula.attributes)

    def resolved(expression: Expression) -> Expression:
        return merged(rebuild(expression, lambda x: meaning[x.name] if isinstance(x, Concept) else x), order)

    for name, expression in formula.concepts.items():
        meaning[name] = resolved(expression)
        if uses[name] > 1 or Concept(name) in negated:
            alias = fresh()
            kept[alias], meaning[name] = meaning[name], Concept(alias)
    return Formula(resolved(formula.output), kept, formula.attributes, formula.target)


def merged(expression: Expression, order: Callable[[Expression], Any]) -> Expression:
    """The expression with an AND inside an AND, or an OR inside an OR, made one, and parts sorted.

    Conditions on one attribute become one where that is simple: it is then true, false and unknown in the same rows.
    """
    match expression:
        case And(parts) | Or(parts):
            kind = type(expression)
            new = [merged(p, order) for p in parts]
            flat = [q for p in new for q in (p.parts if isinstance(p, kind) else (p,))]
            joined = sorted(_joined(kind, flat), key=order)
            return joined[0] if len(joined) == 1 else kind(tuple(joined))
        case AtLeast(need, parts):
            return AtLeast(need, tuple(sorted((merged(p, order) for p in parts), key=order)))
        case Not(part):
            return Not(merged(part, order))
        case _:
            return expression


def _joined(kind: type[And] | type[Or], parts: list[Expression]) -> list[Expression]:
    found: dict[Attribute, Condition] = {}
    for part in parts:
        if isinstance(part, Condition):
            known = found.get(part.attribute, part)
            found[part.attribute] = known & part if kind is And else known | part
    simple = {a: x for a, x in found.items() if len(pieces(x)) == 1}
    rest = [p for p in parts if not isinstance(p, Condition) or p.attribute not in simple]
    return [*simple.values(), *rest]


def ordering(attributes: tuple[Attribute, ...]) -> Callable[[Expression], Any]:
    """A sort key: conditions by attribute and cells, then concepts, then gates, small ones first."""
    place = {a: i for i, a in enumerate(attributes)}

    def key(expression: Expression) -> Any:
        match expression:
            case Condition(attribute):
                return 0, place[attribute], expression.sort_key
            case Concept(name):
                return 1, len(name), name
            case Not(part):
                return 2, key(part)
            case And(parts) | Or(parts):
                return 3, len(parts), 0, sorted(key(p) for p in parts)
            case AtLeast(need, parts):
                return 3, len(parts), need, sorted(key(p) for p in parts)
            case Constant(value):
                return 4, value

    return key


def fresh_names(attributes: tuple[Attribute, ...], taken: set[str]) -> Callable[[], str]:
    """A function that gives c1, c2, ... without those that would be taken for something else."""
    used = taken | {a.name for a in attributes}
    numbers = iter(range(1, 1 << 62))
    return lambda: next(name for n in numbers if (name := f"c{n}") not in used)
