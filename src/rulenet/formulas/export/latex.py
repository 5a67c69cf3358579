r"""LaTeX: one aligned line for the target and for every concept."""

from collections.abc import Hashable

from rulenet.conditions import Attribute, Condition
from rulenet.formulas.export.infix import Infix, Written
from rulenet.formulas.export.reading import Reading, is_proposition, points, readings
from rulenet.formulas.expressions import Expression, Formula

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "\n": " ",
}
SIGNS = {"=": "=", "!=": r"\neq", "<=": r"\leq", ">": ">", "in": r"\in", "not in": r"\notin"}


def to_latex(formula: Formula) -> str:
    r"""An ``align*`` environment (amsmath); True and False columns read like propositions, as in the paper.

    Counts are sums of Iverson brackets: ``[a] + [b] + [c] \geq 2``.

    >>> b, c = Attribute("b", (False, True)), Attribute("c", ("x", "y"))
    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> from rulenet.formulas.expressions import And
    >>> print(to_latex(Formula(And((b.equal(False), c.equal("x"), age.between(20, 37.5))), {}, (b, c, age))))
    \begin{align*}
    \text{positive} &= \neg \text{b} \land \text{c} = \text{x} \land 20 < \text{age} \leq 37.5
    \end{align*}
    """
    lines = [rf"{text(name)} &= {MATHS.text(meaning)}" for name, meaning in reversed(formula.definitions)]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def text(name: str) -> str:
    r"""Upright text; characters that cannot be seen are written as their code.

    >>> print(text("50% of a_1"), text("\0"))
    \text{50\% of a\_1} \text{\textbackslash{}u0000}
    """
    return r"\text{" + "".join(SPECIAL.get(c, c if c.isprintable() else _code(c)) for c in name) + "}"


def _code(character: str) -> str:
    return rf"\textbackslash{{}}u{ord(character):04x}"


class _Maths(Infix):
    and_word, or_word = r" \land ", r" \lor "

    def condition(self, condition: Condition) -> Written:
        return self.joined("or", (Written(_comparison(condition.attribute, x)) for x in readings(condition)))

    def concept(self, name: str) -> str:
        return text(name)

    def constant(self, value: bool) -> str:
        return r"\top" if value else r"\bot"

    def at_least(self, need: int, parts: tuple[Expression, ...]) -> Written:
        summed = (f"{times if times > 1 else ''}[{self.text(part)}]" for times, part in points(parts))
        return Written(rf"{' + '.join(summed)} \geq {need}", "count")

    def negated(self, part: Written) -> Written:
        return Written(rf"\neg ({part.text})" if part.join else rf"\neg {part.text}")


def _comparison(attribute: Attribute, reading: Reading) -> str:
    name, sign, values = text(attribute.name), reading.sign, [_value(attribute, v) for v in reading.values]
    if is_proposition(attribute) and sign == "=":
        return name if reading.values[0] else rf"\neg {name}"
    match sign:
        case "missing" | "known":
            return rf"{name} \text{{ is {sign}}}"
        case "never":
            return r"\bot"
        case "within":
            return rf"{values[0]} < {name} \leq {values[1]}"
        case "in" | "not in":
            return rf"{name} {SIGNS[sign]} \{{{', '.join(values)}\}}"
        case _:
            return f"{name} {SIGNS[sign]} {values[0]}"


def _value(attribute: Attribute, value: Hashable) -> str:
    if not attribute.measured:
        return text(str(value))
    shown = attribute.shown(value)  # type: ignore[arg-type]
    return shown if attribute.kind == "numeric" else text(shown)


MATHS = _Maths()
