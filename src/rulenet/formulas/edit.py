"""Changes that an expert makes to a formula; each gives a new one."""

from dataclasses import replace

from rulenet.conditions import Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.cells import pieces
from rulenet.formulas.comparisons import condition, with_cut
from rulenet.formulas.expressions import FALSE, And, AtLeast, Concept, Expression, Formula, Not, Or, rebuild, walk
from rulenet.formulas.graph import simplify
from rulenet.formulas.parse import parse, parse_all

__all__ = [
    "add_rule",
    "condition",
    "define",
    "forbid",
    "forbid_not_equal",
    "need",
    "parse",
    "remove_rule",
    "rules",
    "substitute",
    "with_cut",
]


def rules(formula: Formula) -> tuple[Expression, ...]:
    """The rules of the target: what its OR joins."""
    if formula.output == FALSE:
        return ()
    return formula.output.parts if isinstance(formula.output, Or) else (formula.output,)


def add_rule(formula: Formula, *conditions: Expression | str) -> Formula:
    """The formula that also holds where all ``conditions`` do; these may be text, see `parse`.

    >>> from rulenet.conditions import Attribute
    >>> age, sex = Attribute("age", kind="numeric", cuts=(60,)), Attribute("sex", ("f", "m"))
    >>> print(add_rule(Formula(age.above(60), {}, (age, sex)), "age <= 30 and sex = f"))
    positive if any of
        age > 60
        age <= 30 and sex = f
    """
    if not conditions:
        raise FormulaError("a rule needs at least one condition; to make the target always true, say TRUE")
    formula, said = parse_all(formula, conditions)
    rule = said[0] if len(said) == 1 else And(said)
    return _with_rules(formula, (*rules(formula), rule))


def remove_rule(formula: Formula, number: int) -> Formula:
    """The formula without rule ``number``, counted from 1 as in the statistics."""
    kept = list(rules(formula))
    if not 1 <= number <= len(kept):
        raise FormulaError(f"there is no rule {number}; the formula has rules 1 to {len(kept)}")
    del kept[number - 1]
    return _with_rules(formula, tuple(kept))


def need(formula: Formula, name: str, need: int) -> Formula:
    """The formula in which a concept, or the target, holds where at least ``need`` of its parts do.

    >>> from rulenet.conditions import Attribute
    >>> a, b, c = (Attribute(n, ("no", "yes")).equal("yes") for n in "abc")
    >>> print(need(Formula(Or((a, b, c)), {}, (a.attribute, b.attribute, c.attribute)), "positive", 3))
    positive if a = yes and b = yes and c = yes
    """
    meaning = formula.output if name == formula.target else formula.definition(name)
    if not isinstance(meaning, And | Or | AtLeast):
        raise FormulaError(f"{name!r} has no parts to count; it must be an AND, an OR or an AT LEAST")
    if not 1 <= need <= len(meaning.parts):
        raise FormulaError(f"need is {need}, but must be between 1 and {len(meaning.parts)}, the parts of {name!r}")
    counted = AtLeast(need, meaning.parts)
    if name == formula.target:
        return simplify(replace(formula, output=counted))
    return simplify(define(formula, name, counted))


def substitute(formula: Formula, old: Expression | str, new: Expression | str) -> Formula:
    """The formula with ``new`` wherever ``old`` stood: a condition, a concept, any part; both may be text."""
    formula, (old, new) = parse_all(formula, (old, new))
    if not any(x == old for _, e in formula.definitions for x in walk(e)):
        asked = [str(x) for x in formula.conditions if isinstance(old, Condition) and x.attribute == old.attribute]
        hint = f"; the formula says {', '.join(asked)}" if asked else ""
        raise FormulaError(f"{old} does not occur in the formula, so it cannot be replaced{hint}")
    concepts = {name: _substituted(e, old, new) for name, e in formula.concepts.items()}
    return simplify(replace(formula, output=_substituted(formula.output, old, new), concepts=concepts))


def define(formula: Formula, name: str, meaning: Expression | str) -> Formula:
    """The formula with concept ``name`` given another meaning, which may be text, or a new one after all others."""
    formula, (meaning,) = parse_all(formula, (meaning,))
    return replace(formula, concepts={**formula.concepts, name: meaning})


def forbid(formula: Formula, part: Condition | Concept | str) -> Formula:
    """The formula without rules that need ``part``."""
    return substitute(formula, part, FALSE)


def forbid_not_equal(formula: Formula) -> Formula:
    """The formula with every ``!=`` and every set of values written as an OR of values; its truth is the same.

    Conditions on ordered attributes become ranges.
    """
    formula = simplify(formula)  # NOT of an equal is a "not equal" too

    def spelled_out(expression: Expression) -> Expression:
        if not isinstance(expression, Condition):
            return expression
        simple = pieces(expression, not_equal=False)
        return simple[0] if len(simple) == 1 else Or(simple) if simple else FALSE

    concepts = {name: rebuild(e, spelled_out) for name, e in formula.concepts.items()}
    return replace(formula, output=rebuild(formula.output, spelled_out), concepts=concepts)


def _with_rules(formula: Formula, parts: tuple[Expression, ...]) -> Formula:
    output = parts[0] if len(parts) == 1 else Or(parts) if parts else FALSE
    return simplify(replace(formula, output=output))


def _substituted(expression: Expression, old: Expression, new: Expression) -> Expression:
    if expression == old:
        return new
    match expression:
        case And(parts):
            return And(tuple(_substituted(p, old, new) for p in parts))
        case Or(parts):
            return Or(tuple(_substituted(p, old, new) for p in parts))
        case AtLeast(need, parts):
            return AtLeast(need, tuple(_substituted(p, old, new) for p in parts))
        case Not(part):
            return Not(_substituted(part, old, new))
        case _:
            return expression
