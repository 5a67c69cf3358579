"""The formula as an indented tree."""

from collections.abc import Iterator, Sequence

from rulenet.formulas.export.reading import gate_words, points
from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import And, AtLeast, Expression, Formula, Not, Or, parts_of

Branch = tuple[int, Expression]


def to_tree(formula: Formula) -> str:
    """Every gate on a line, its parts below it.

    >>> from rulenet.conditions import Attribute
    >>> a, b, c = (Attribute(n, (0, 1)).equal(1) for n in "abc")
    >>> print(to_tree(Formula(Or((a, And((a, b)), AtLeast(2, (a, b, c)))), {}, tuple(x.attribute for x in (a, b, c)))))
    positive
    └─ or
       ├─ a = 1
       ├─ and
       │  ├─ a = 1
       │  └─ b = 1
       └─ at least 2 of
          ├─ a = 1
          ├─ b = 1
          └─ c = 1
    """
    definitions = reversed(formula.definitions)
    return "\n".join(line for name, meaning in definitions for line in (name, *branches([(1, meaning)])))


def branches(parts: Sequence[Branch]) -> Iterator[str]:
    """The lines of ``parts`` and of all below them."""
    for k, (times, part) in enumerate(parts):
        last = k == len(parts) - 1
        yield ("└─ " if last else "├─ ") + (f"{times} x " if times > 1 else "") + _label(part)
        for line in branches(_parts(part)):
            yield ("   " if last else "│  ") + line


def _parts(expression: Expression) -> Sequence[Branch]:
    if isinstance(expression, AtLeast):
        return points(expression.parts)
    return [(1, part) for part in parts_of(expression)]


def _label(expression: Expression) -> str:
    match expression:
        case And():
            return "and"
        case Or():
            return "or"
        case Not():
            return "not"
        case AtLeast():
            return gate_words(expression)
        case _:
            return words(expression)
