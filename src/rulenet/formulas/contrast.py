"""Where two formulas, or two decisions, say different things: as a formula of its own.

That an expression does not hold is said by the conditions that are left: those that fail, or are missing. So what comes
out is exact for every row whose values are known or missing; of values that no cell holds it says nothing.
"""

from collections.abc import Hashable

from rulenet.conditions import Attribute, Condition, merge
from rulenet.formulas.decision import Decision, simplify_decision
from rulenet.formulas.expressions import (
    FALSE,
    And,
    AtLeast,
    Concept,
    Constant,
    Expression,
    Formula,
    Not,
    Or,
    rebuild,
)
from rulenet.formulas.graph import simplify

Said = Formula | Decision


def contrast(first: Decision, second: Decision) -> Formula:
    """The formula that holds where the two decide differently.

    >>> from rulenet.formulas.decision import Score
    >>> age = Attribute("age", kind="numeric", cuts=(20, 30))
    >>> young = Decision.of_formula(Formula(age.at_most(20), {}, (age,)))
    >>> print(contrast(young, Decision.of_formula(Formula(age.at_most(30), {}, (age,)))))
    they differ if 20 < age <= 30
    """
    attributes = together(first.attributes, second.attributes)
    concepts: dict[str, Expression] = {}
    wins = [_winners(_moved(decision, attributes), concepts) for decision in (first, second)]
    labels = dict.fromkeys([*wins[0], *wins[1]])
    parts = [And((wins[0].get(k, FALSE), _failing(wins[1].get(k, FALSE), concepts))) for k in labels]
    return simplify(Formula(Or(tuple(parts)), concepts, attributes, "they differ"))


def together(first: tuple[Attribute, ...], second: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """The attributes of both, those of one name cut wherever one of them is."""
    others = {a.name: a for a in second}
    mine = tuple(merge(a, others.pop(a.name)) if a.name in others else a for a in first)
    return (*mine, *others.values())


def _moved(decision: Decision, attributes: tuple[Attribute, ...]) -> Decision:
    finer = {attribute.name: attribute for attribute in attributes}

    def move(expression: Expression) -> Expression:
        return rebuild(expression, lambda x: x.on(finer[x.attribute.name]) if isinstance(x, Condition) else x)

    decision = simplify_decision(decision)  # without NOT, whose failing could not be said
    scores = tuple(type(s)(s.label, s.need, tuple((n, move(p)) for n, p in s.parts)) for s in decision.outputs)
    return Decision(scores, {n: move(m) for n, m in decision.concepts.items()}, attributes, decision.target)


def _winners(decision: Decision, concepts: dict[str, Expression]) -> dict[Hashable, Expression]:
    """When every class wins; the concepts that this needs join ``concepts`` under new names."""
    names: dict[str, str] = {}
    for name, meaning in decision.concepts.items():
        new = name
        while new in concepts:
            new += "'"
        concepts[new] = _renamed(meaning, names)
        names[name] = new
    outputs = [(s.label, s.need, [(n, _renamed(p, names)) for n, p in s.parts]) for s in decision.outputs]
    found: dict[Hashable, Expression] = {}
    for k, (label, need, parts) in enumerate(outputs):
        beaten = []
        for j, (_, other_need, others) in enumerate(outputs):
            if j != k:
                counted = [part for n, part in parts for _ in range(n)]
                counted += [_failing(part, concepts) for n, part in others for _ in range(n)]
                least = need - other_need + sum(n for n, _ in others) + (k > j)  # of equals the first wins
                beaten.append(_reached(least, counted))
        found[label] = beaten[0] if len(beaten) == 1 else And(tuple(beaten)) if beaten else Constant(True)
    return found


def _reached(need: int, parts: list[Expression]) -> Expression:
    if need <= 0 or need > len(parts):
        return Constant(need <= 0)
    return AtLeast(need, tuple(parts))


def _renamed(expression: Expression, names: dict[str, str]) -> Expression:
    return rebuild(expression, lambda x: Concept(names[x.name]) if isinstance(x, Concept) else x)


def _failing(expression: Expression, concepts: dict[str, Expression]) -> Expression:
    """What holds where an expression without NOT does not."""
    match expression:
        case Condition(attribute, cells):
            return Condition(attribute, (attribute.known | attribute.missing) & ~cells)
        case Constant(value):
            return Constant(not value)
        case Concept(name):
            return _failing(concepts[name], concepts)
        case And(parts):
            return Or(tuple(_failing(p, concepts) for p in parts))
        case Or(parts):
            return And(tuple(_failing(p, concepts) for p in parts))
        case AtLeast(need, parts):
            return AtLeast(len(parts) - need + 1, tuple(_failing(p, concepts) for p in parts))
        case Not():
            raise AssertionError(expression)
