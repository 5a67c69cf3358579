"""A JavaScript function that needs nothing else, for browsers and Node."""

import json
import math
import re
from collections.abc import Hashable, Mapping

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.infix import Infix, Written
from rulenet.formulas.export.javascript_readers import source_of
from rulenet.formulas.export.python import identifiers, reader_of
from rulenet.formulas.export.reading import Alternative, Missing, OneOf, points
from rulenet.formulas.export.values import EXACT, check_plain, iso, number_text, seconds
from rulenet.formulas.expressions import Expression, Formula, Or
from rulenet.formulas.graph import simplify
from rulenet.kinds import Bound, Range

WORDS = (
    "abstract arguments await boolean break byte case catch char class const continue debugger default delete do "
    "double else enum eval export extends false final finally float for function goto if implements import in "
    "instanceof int interface let long native new null package private protected public return short static super "
    "switch synchronized this throw throws transient true try typeof undefined var void volatile while with yield "
    "nan infinity"
)
RESERVED = {*WORDS.split(" ")}


def to_javascript(
    formula: Formula,
    *,
    name: str = "predict",
    positive: Hashable = True,
    negative: Hashable = False,
    module: bool = False,
) -> str:
    r"""The source of a function from a row, an object with a property a column, to ``positive`` or ``negative``.

    Numbers may be text; dates are ISO text or ``Date`` (whose UTC date counts where the column has no time zone);
    durations are seconds; null, undefined, NaN and an absent property are missing. A value of another kind than the
    rules ask for throws a ``TypeError`` that names the column. With ``module``, the function is exported.

    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> print(to_javascript(Formula(age.between(20, 37.5), {}, (age,))).rpartition("}\n\n")[2])
    function predict(row) {
      const age = readNumber(row, "age");
      if (
        age > 20 && age <= 37.5
      ) {
        return true;
      }
      return false;
    }
    """
    check_name(name)
    formula = simplify(formula)
    language, readers, body = opening(formula, {name, "row"})
    rules = formula.output.parts if isinstance(formula.output, Or) else (formula.output,)
    written = [language.inside(language.write(rule), "or" if len(rules) > 1 else "") for rule in rules]
    body += ["if (", *(f"  {'|| ' if k else ''}{rule}" for k, rule in enumerate(written)), ") {"]
    body += [f"  return {plain_text(positive)};", "}", f"return {plain_text(negative)};"]
    lines = "\n  ".join(body)
    return f"{readers}{'export ' if module else ''}function {name}(row) {{\n  {lines}\n}}\n"


def check_name(name: str) -> None:
    """Refuse what is no name of a function."""
    if not re.fullmatch(r"[A-Za-z_$][\w$]*", name, re.ASCII) or name.lower() in RESERVED:
        raise FormulaError(f"name is {name!r}, but must be a name that JavaScript takes for a function")


def opening(formula: Formula, taken: set[str]) -> tuple[Infix, str, list[str]]:
    """How expressions are written in a function of a row, the readers it needs, and its first lines.

    These give a constant to every column that is read and to every concept; none is in ``taken``.
    """
    readers = {x.attribute: reader_of(x.attribute) for x in formula.conditions}
    names = identifiers([*(a.name for a in readers), *formula.concepts], taken=taken | RESERVED)
    variables = dict(zip(readers, names, strict=False))
    concepts = dict(zip(formula.concepts, names[len(readers) :], strict=True))
    language = _JavaScript(variables, concepts)
    body = [f"const {v} = read{readers[a].title()}(row, {string(a.name)});" for a, v in variables.items()]
    body += [f"const {concepts[c]} = {language.text(meaning)};" for c, meaning in formula.concepts.items()]
    return language, source_of(readers.values()), body


def string(text: str) -> str:
    r"""Text that is safe inside a script element too: ASCII only, without angle brackets.

    >>> print(string('</script> "é"'))
    "\u003c/script\u003e \"\u00e9\""
    """
    quoted = json.dumps(text)
    return "".join(f"\\u{ord(c):04x}" if c in "<>&'\x7f" else c for c in quoted)


class _JavaScript(Infix):
    and_word, or_word = " && ", " || "

    def __init__(self, variables: Mapping[Attribute, str], concepts: Mapping[str, str]) -> None:
        self.variables, self.concepts = variables, concepts

    def concept(self, name: str) -> str:
        return self.concepts[name]

    def constant(self, value: bool) -> str:
        return "true" if value else "false"

    def at_least(self, need: int, parts: tuple[Expression, ...]) -> Written:
        counted = (f"{f'{times} * ' if times > 1 else ''}({self.text(part)})" for times, part in points(parts))
        return Written(f"{' + '.join(counted)} >= {need}", "count")

    def comparisons(self, attribute: Attribute, alternative: Alternative) -> list[str]:
        variable = self.variables[attribute]
        match alternative:
            case Missing():
                return [f"{variable} === undefined"]
            case OneOf((value,)):
                return [f"{variable} === {plain_text(value)}"]
            case OneOf(values):
                return [f"[{', '.join(map(plain_text, values))}].includes({variable})"]
            case Range(None, None):
                return [f"{variable} !== undefined"]
            case Range(low, high):
                above = [] if low is None else [f"{variable} > {_bound(attribute, low)}"]
                return above + ([] if high is None else [f"{variable} <= {_bound(attribute, high)}"])


def _bound(attribute: Attribute, bound: Bound) -> str:
    match attribute.kind:
        case "date" | "instant":
            return string(iso(bound))
        case "duration":
            return number_text(seconds(bound))
        case _:
            return number_text(bound) if math.isfinite(bound) else "Infinity" if bound > 0 else "-Infinity"


def plain_text(value: Hashable) -> str:
    """A value as JavaScript writes it."""
    plain = check_plain(value, "JavaScript")
    if isinstance(plain, str):
        return string(plain)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, int) and abs(plain) > EXACT:
        raise FormulaError(f"the value {plain} is a whole number that JavaScript rounds; convert the column to text")
    return repr(plain)
