"""Formulas put in order: what is used once in its place, like gates merged, parts sorted."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Not, Or, rebuild, walk
from rulenet.literals import Attribute, Literal


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
    """The expression with an AND inside an AND, or an OR inside an OR, made one, and parts sorted."""
    match expression:
        case And(parts) | Or(parts):
            kind = type(expression)
            new = [merged(p, order) for p in parts]
            flat = [q for p in new for q in (p.parts if isinstance(p, kind) else (p,))]
            return kind(tuple(sorted(flat, key=order)))
        case Not(part):
            return Not(merged(part, order))
        case _:
            return expression


def ordering(attributes: tuple[Attribute, ...]) -> Callable[[Expression], Any]:
    """A sort key: literals by attribute and value, then concepts, then gates, small ones first."""
    place = {a: i for i, a in enumerate(attributes)}

    def key(expression: Expression) -> Any:
        match expression:
            case Literal(attribute, value, operator):
                return 0, place[attribute], operator, attribute.values.index(value)
            case Concept(name):
                return 1, len(name), name
            case Not(part):
                return 2, key(part)
            case And(parts) | Or(parts):
                return 3, len(parts), sorted(key(p) for p in parts)
            case Constant(value):
                return 4, value

    return key


def fresh_names(attributes: tuple[Attribute, ...], taken: set[str]) -> Callable[[], str]:
    """A function that gives c1, c2, ... without those that would be taken for something else."""
    used = taken | {a.name for a in attributes}
    numbers = iter(range(1, 1 << 62))
    return lambda: next(name for n in numbers if (name := f"c{n}") not in used)
