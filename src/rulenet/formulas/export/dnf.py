"""The formula as flat rules, one a line."""

from rulenet.formulas.dnf import MAX_RULES, to_dnf
from rulenet.formulas.expressions import Formula


def to_rules(formula: Formula, *, max_rules: int = MAX_RULES) -> str:
    """All concepts multiplied out.

    >>> from rulenet.formulas.expressions import And, Or
    >>> from rulenet.literals import Attribute, Literal
    >>> a, b, c = (Literal(Attribute(n, (0, 1)), 1) for n in "abc")
    >>> print(to_rules(Formula(And((a, Or((b, c)))), {}, (a.attribute, b.attribute, c.attribute))))
    (a = 1 and b = 1)
    or (a = 1 and c = 1)
    """
    rules = to_dnf(formula, max_rules=max_rules).rules
    written = [f"({' and '.join(str(x) for x in rule)})" if rule else "true" for rule in rules]
    return "\nor ".join(written) or "false"
