"""The formula as an indented tree."""

from collections.abc import Iterator

from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import And, Expression, Formula, Not, Or, parts_of


def to_tree(formula: Formula) -> str:
    """Every gate on a line, its parts below it.

    >>> from rulenet.literals import Attribute, Literal
    >>> a, b = (Literal(Attribute(n, (0, 1)), 1) for n in "ab")
    >>> print(to_tree(Formula(Or((a, And((a, b)))), {}, (a.attribute, b.attribute))))
    positive
    └─ or
       ├─ a = 1
       └─ and
          ├─ a = 1
          └─ b = 1
    """
    return "\n".join(line for name, meaning in reversed(formula.definitions) for line in (name, *_branches((meaning,))))


def _branches(parts: tuple[Expression, ...]) -> Iterator[str]:
    for k, part in enumerate(parts):
        last = k == len(parts) - 1
        yield ("└─ " if last else "├─ ") + _label(part)
        for line in _branches(parts_of(part)):
            yield ("   " if last else "│  ") + line


def _label(expression: Expression) -> str:
    match expression:
        case And():
            return "and"
        case Or():
            return "or"
        case Not():
            return "not"
        case _:
            return words(expression)
