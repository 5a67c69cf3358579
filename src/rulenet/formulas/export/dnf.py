"""The formula as flat rules, one a line."""

from rulenet.formulas.dnf import MAX_RULES, to_dnf
from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import And, Formula


def to_rules(formula: Formula, *, max_rules: int = MAX_RULES) -> str:
    """All concepts multiplied out.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.expressions import Or
    >>> a, b, c = (Attribute(n, (0, 1)).equal(1) for n in "abc")
    >>> print(to_rules(Formula(And((a, Or((b, c)))), {}, (a.attribute, b.attribute, c.attribute))))
    (a = 1 and b = 1)
    or (a = 1 and c = 1)
    """
    rules = to_dnf(formula, max_rules=max_rules).rules
    return "\nor ".join(f"({words(And(rule))})" if rule else "true" for rule in rules) or "false"
