"""A Python function that needs nothing but Python."""

import keyword
import re
from collections.abc import Hashable, Iterable

from rulenet.formulas.export.value_sets import ValueSet, gathered
from rulenet.formulas.export.values import check_plain
from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Or
from rulenet.formulas.graph import simplify
from rulenet.literals import Attribute, Literal

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

    def code(expression: Expression | ValueSet) -> str:
        match expression:
            case And():
                return f"({' and '.join(map(code, gathered(expression)))})"
            case Or():
                return f"({' or '.join(map(code, gathered(expression)))})"
            case Concept(concept):
                return concepts[concept]
            case Constant(value):
                return repr(value)
            case ValueSet(attribute, values):
                return _test(values, variables[attribute], _is_text(attribute))
            case Literal():
                return _test(expression.satisfying, variables[expression.attribute], _is_text(expression.attribute))
            case _:
                raise AssertionError(expression)

    body = [f"{v} = {_read(column)}" for column, v in variables.items()]
    body += [f"{concepts[c]} = {code(meaning)}" for c, meaning in formula.concepts.items()]
    rules = formula.output.parts if isinstance(formula.output, Or) else (formula.output,)
    body += ["if (", *(f"    {'or ' if k else ''}{code(rule)}" for k, rule in enumerate(rules)), "):"]
    body += [f"    return {_plain(positive)}", f"return {_plain(negative)}"]
    lines = "\n    ".join(body)
    preamble = "" if all(map(_is_text, variables)) else f"{PREAMBLE}\n\n"
    return f'{preamble}def {name}(row):\n    """What the rules say of one row."""\n    {lines}\n'


def _is_text(attribute: Attribute) -> bool:
    return all(isinstance(v, str) for v in attribute.values)


def _read(attribute: Attribute) -> str:
    return f"row.get({attribute.name!r})" if _is_text(attribute) else f"_value(row, {attribute.name!r})"


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


def _test(values: tuple[Hashable, ...], variable: str, text: bool) -> str:
    written = [_plain(v) if text else f"({isinstance(v, bool)}, {_plain(v)})" for v in values]
    return f"{variable} == {written[0]}" if len(written) == 1 else f"{variable} in ({', '.join(written)})"


def _plain(value: Hashable) -> str:
    return repr(check_plain(value, "Python"))
