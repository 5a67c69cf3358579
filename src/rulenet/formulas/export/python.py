"""A Python function that needs nothing but Python."""

import keyword
import re
from collections.abc import Hashable, Iterable

from rulenet.formulas.export.values import check_plain
from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Or
from rulenet.formulas.graph import simplify
from rulenet.literals import Literal

PREAMBLE = '''\
def _value(row, column):
    """The value with its kind, so that True is not 1; never equal to a known one where it is missing."""
    value = row.get(column)
    value = value.item() if hasattr(value, "item") else value
    return isinstance(value, bool), value
'''


def to_python(formula: Formula, *, name: str = "predict", positive: Hashable = True, negative: Hashable = False) -> str:
    """The source of a function from a row, a mapping from column to value, to ``positive`` or ``negative``.

    >>> from rulenet.literals import Attribute
    >>> colour = Attribute("colour", ("blue", "red"))
    >>> source = to_python(Formula(Literal(colour, "red"), {}, (colour,)))
    >>> scope = {}
    >>> exec(source, scope)
    >>> scope["predict"]({"colour": "red"}), scope["predict"]({})
    (True, False)
    """
    formula = simplify(formula)
    columns = {x.attribute: x.attribute.name for x in formula.literals}
    names = identifiers([*columns.values(), *formula.concepts], taken={name, "row", "_value"})
    variables = dict(zip(columns, names, strict=False))
    concepts = dict(zip(formula.concepts, names[len(columns) :], strict=True))

    def code(expression: Expression) -> str:
        match expression:
            case And(parts):
                return f"({' and '.join(map(code, parts))})"
            case Or(parts):
                return f"({' or '.join(map(code, parts))})"
            case Concept(concept):
                return concepts[concept]
            case Constant(value):
                return repr(value)
            case Literal():
                return _test(expression, variables[expression.attribute])
            case _:
                raise AssertionError(expression)

    body = [f"{v} = _value(row, {column.name!r})" for column, v in variables.items()]
    body += [f"{concepts[c]} = {code(meaning)}" for c, meaning in formula.concepts.items()]
    body += [f"return {_plain(positive)} if {code(formula.output)} else {_plain(negative)}"]
    lines = "\n    ".join(body)
    return f'{PREAMBLE}\n\ndef {name}(row):\n    """What the rules say of one row."""\n    {lines}\n'


def identifiers(names: Iterable[str], taken: set[str]) -> list[str]:
    """Names as Python identifiers, all different.

    >>> identifiers(["size", "class", "2 cm", "size!"], set())
    ['size', 'class_', '_2_cm', 'size_2']
    """
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^0-9a-z]+", "_", name.lower(), flags=re.ASCII).strip("_") or "column"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        plain = f"{plain}_" if keyword.iskeyword(plain) else plain
        numbered = (f"{plain}_{n}" if n > 1 else plain for n in range(1, len(found) + len(taken) + 3))
        found.append(next(x for x in numbered if x not in found and x not in taken))
    return found


def _test(literal: Literal, variable: str) -> str:
    pairs = [f"({isinstance(v, bool)}, {_plain(v)})" for v in literal.satisfying]
    return f"{variable} == {pairs[0]}" if len(pairs) == 1 else f"{variable} in ({', '.join(pairs)})"


def _plain(value: Hashable) -> str:
    return repr(check_plain(value, "Python"))
