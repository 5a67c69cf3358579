"""A Python function that needs nothing but Python."""

import keyword
import math
import re
from collections.abc import Hashable, Iterable, Mapping
from datetime import timedelta

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.infix import Infix, Written
from rulenet.formulas.export.python_readers import source_of
from rulenet.formulas.export.reading import Alternative, Missing, OneOf, points
from rulenet.formulas.export.values import check_plain, moment, number_text
from rulenet.formulas.expressions import Expression, Formula, Or
from rulenet.formulas.graph import simplify
from rulenet.kinds import Bound, Range

#: The names that the body of a function uses.
USED = {"row", "datetime", "timedelta", "float"}


def to_python(formula: Formula, *, name: str = "predict", positive: Hashable = True, negative: Hashable = False) -> str:
    """The source of a function from a row, a mapping from column to value, to ``positive`` or ``negative``.

    Numbers may be text, Decimals or NumPy scalars, and dates may be ISO text; None, NaN and an absent column are
    missing. A value of another kind than the rules ask for raises a ``ValueError`` that names the column.

    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> source = to_python(Formula(age.between(20, 37.5), {}, (age,)))
    >>> scope = {}
    >>> exec(source, scope)
    >>> scope["predict"]({"age": "37"}), scope["predict"]({})
    (True, False)
    >>> scope["predict"]({"age": "old"})
    Traceback (most recent call last):
    ValueError: column 'age' is 'old', but expected a number
    """
    check_name(name)
    formula = simplify(formula)
    language, readers, body = opening(formula, {name})
    rules = formula.output.parts if isinstance(formula.output, Or) else (formula.output,)
    written = [language.inside(language.write(rule), "or" if len(rules) > 1 else "") for rule in rules]
    body += ["if (", *(f"    {'or ' if k else ''}{rule}" for k, rule in enumerate(written)), "):"]
    body += [f"    return {plain_text(positive)}", f"return {plain_text(negative)}"]
    lines = "\n    ".join(body)
    return f'{readers}def {name}(row):\n    """What the rules say of one row."""\n    {lines}\n'


def check_name(name: str) -> None:
    """Refuse what is no name of a function."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise FormulaError(f"name is {name!r}, but must be a name that Python takes for a function")


def opening(formula: Formula, taken: set[str]) -> tuple[Infix, str, list[str]]:
    """How expressions are written in a function of a row, the readers it needs, and its first lines.

    These give a variable to every column that is read and to every concept; none is in ``taken``.
    """
    readers = {x.attribute: reader_of(x.attribute) for x in formula.conditions}
    names = identifiers([*(a.name for a in readers), *formula.concepts], taken=taken | USED)
    variables = dict(zip(readers, names, strict=False))
    concepts = dict(zip(formula.concepts, names[len(readers) :], strict=True))
    language = _Python(variables, concepts)
    body = [f"{v} = _{readers[a]}(row, {a.name!r})" for a, v in variables.items()]
    body += [f"{concepts[c]} = {language.text(meaning)}" for c, meaning in formula.concepts.items()]
    return language, source_of(readers.values()), body


def reader_of(attribute: Attribute) -> str:
    """What the values of an attribute are read as.

    >>> [reader_of(Attribute("a", values)) for values in [("x", "y"), (False, True), (1, 2.5), ("x", 1)]]
    ['text', 'boolean', 'code', 'value']
    """
    if attribute.measured:
        return {"numeric": "number", "date": "date", "instant": "instant", "duration": "seconds"}[attribute.kind]
    kinds = {type(value) for value in attribute.values}
    if kinds == {str}:
        return "text"
    if kinds == {bool}:
        return "boolean"
    return "code" if kinds and kinds <= {int, float} else "value"


def identifiers(names: Iterable[str], taken: set[str]) -> list[str]:
    """Names as Python identifiers, all different.

    >>> identifiers(["size", "class", "2 cm", "size!"], set())
    ['size', 'class_', 'column_2_cm', 'size_2']
    """
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^0-9a-z]+", "_", name.lower(), flags=re.ASCII).strip("_") or "column"
        plain = f"column_{plain}" if plain[0].isdigit() else plain
        plain = f"{plain}_" if keyword.iskeyword(plain) else plain
        numbered = (f"{plain}_{n}" if n > 1 else plain for n in range(1, len(found) + len(taken) + 3))
        found.append(next(x for x in numbered if x not in found and x not in taken))
    return found


class _Python(Infix):
    and_word, or_word = " and ", " or "

    def __init__(self, variables: Mapping[Attribute, str], concepts: Mapping[str, str]) -> None:
        self.variables, self.concepts = variables, concepts

    def concept(self, name: str) -> str:
        return self.concepts[name]

    def constant(self, value: bool) -> str:
        return repr(value)

    def at_least(self, need: int, parts: tuple[Expression, ...]) -> Written:
        counted = (f"{times} * ({self.text(p)})" if times > 1 else f"({self.text(p)})" for times, p in points(parts))
        return Written(f"{' + '.join(counted)} >= {need}", "count")

    def comparisons(self, attribute: Attribute, alternative: Alternative) -> list[str]:
        variable, is_float = self.variables[attribute], attribute.kind == "numeric"
        match alternative:
            case Missing():
                return [f"{variable} != {variable}" if is_float else f"{variable} is None"]
            case OneOf(values):
                return [_one_of(variable, values, tagged=reader_of(attribute) == "value")]
            case Range(low, high):
                known = [] if is_float else [f"{variable} is not None"]
                compared = _compared(variable, attribute, low, high)
                return known + compared or [f"{variable} == {variable}"]


def _compared(variable: str, attribute: Attribute, low: Bound | None, high: Bound | None) -> list[str]:
    if low is None and high is None:
        return []
    above = "" if low is None else f"{_bound(attribute, low)} < "
    if high is None:
        return [f"{variable} > {_bound(attribute, low)}"] if low is not None else []
    return [f"{above}{variable} <= {_bound(attribute, high)}"]


def _bound(attribute: Attribute, bound: Bound) -> str:
    match attribute.kind:
        case "date" | "instant":
            return repr(moment(bound)).removeprefix("datetime.")
        case "duration":
            return repr(timedelta(microseconds=int(bound))).removeprefix("datetime.")
        case _:
            return number_text(bound) if math.isfinite(bound) else f"float({str(float(bound))!r})"


def _one_of(variable: str, values: tuple[Hashable, ...], *, tagged: bool) -> str:
    written = [f"({isinstance(v, bool)}, {plain_text(v)})" if tagged else plain_text(v) for v in values]
    return f"{variable} == {written[0]}" if len(written) == 1 else f"{variable} in ({', '.join(written)})"


def plain_text(value: Hashable) -> str:
    """A value as Python writes it."""
    return repr(check_plain(value, "Python"))
