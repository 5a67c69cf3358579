"""The formula as an indented tree."""

from collections.abc import Iterator, Sequence

from rulenet.formulas.export.reading import points
from rulenet.formulas.export.steps import Part, in_points, steps_of
from rulenet.formulas.export.text import list_words, step_words, words
from rulenet.formulas.expressions import And, AtLeast, Expression, Formula, Not, Or, parts_of


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


def branches(parts: Sequence[Part], *, counts: bool = False) -> Iterator[str]:
    """The lines of ``parts`` and of all below them; parts of a count that gives points say how many."""
    in_steps = counts and in_points(parts)
    lines = steps_of(parts) if counts else [(part,) for part in parts]
    for k, steps in enumerate(lines):
        last, (n, part) = k == len(lines) - 1, steps[0]
        below = _parts(part)
        said = _label(part) if not in_steps else f"{n} if {_asked(part)}" if below else step_words(steps)
        yield ("└─ " if last else "├─ ") + said
        for line in branches(below, counts=isinstance(part, AtLeast)):
            yield ("   " if last else "│  ") + line


def _parts(expression: Expression) -> Sequence[Part]:
    if isinstance(expression, AtLeast):
        return points(expression.parts)
    return [(1, part) for part in parts_of(expression)]


def _asked(expression: Expression) -> str:
    return list_words(expression) if isinstance(expression, And | Or | AtLeast) else _label(expression)


def _label(expression: Expression) -> str:
    match expression:
        case And():
            return "and"
        case Or():
            return "or"
        case Not():
            return "not"
        case AtLeast():
            return list_words(expression)
        case _:
            return words(expression)
