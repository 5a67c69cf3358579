"""Plain text for people: what the target and the concepts mean."""

from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Not, Or
from rulenet.literals import Literal

MAX_LINE = 80


def to_text(formula: Formula) -> str:
    """The formula in words: "positive if ..., where c1 means ...".

    >>> from rulenet.literals import Attribute
    >>> a, b = Attribute("a", (0, 1)), Attribute("b", (0, 1, 2))
    >>> print(to_text(Formula(And((Literal(a, 1), Literal(b, 2, "!="))), {}, (a, b))))
    positive if a = 1 and b != 2
    """
    blocks = [_block(f"{formula.target} if", formula.output)]
    blocks += [_block(f"where {name} means", meaning) for name, meaning in reversed([*formula.concepts.items()])]
    return "\n".join(blocks)


def _block(head: str, expression: Expression) -> str:
    if isinstance(expression, Or):
        return "\n    ".join([f"{head} any of", *(words(p) for p in expression.parts)])
    if isinstance(expression, And) and len(words(expression)) > MAX_LINE:
        return "\n    ".join([f"{head} all of", *(words(p) for p in expression.parts)])
    if isinstance(expression, Constant):
        return f"{head} {'always' if expression.value else 'never'}"
    return f"{head} {words(expression)}"


def words(expression: Expression) -> str:
    """One expression on one line.

    >>> words(Or((Concept("c1"), Not(Concept("c2")))))
    'c1 or not c2'
    """
    match expression:
        case And(parts):
            return " and ".join(f"({words(p)})" if isinstance(p, Or) else words(p) for p in parts)
        case Or(parts):
            return " or ".join(f"({words(p)})" if isinstance(p, And) else words(p) for p in parts)
        case Not(part):
            return f"not ({words(part)})" if isinstance(part, And | Or) else f"not {words(part)}"
        case Constant(value):
            return "true" if value else "false"
        case Concept(name):
            return name
        case Literal():
            return str(expression)
