r"""LaTeX: one aligned line for the target and for every concept."""

from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Not, Or
from rulenet.literals import Literal

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


def to_latex(formula: Formula) -> str:
    r"""An ``align*`` environment (amsmath); True and False columns read like propositions, as in the paper.

    >>> from rulenet.literals import Attribute
    >>> b, c = Attribute("b", (False, True)), Attribute("c", ("x", "y"))
    >>> print(to_latex(Formula(And((Literal(b, False), Literal(c, "x"))), {}, (b, c))))
    \begin{align*}
    \text{positive} &= \neg \text{b} \land \text{c} = \text{x}
    \end{align*}
    """
    lines = [rf"{_text(name)} &= {_maths(meaning)}" for name, meaning in reversed(formula.definitions)]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _maths(expression: Expression) -> str:
    match expression:
        case And(parts):
            return r" \land ".join(_nested(p) for p in parts)
        case Or(parts):
            return r" \lor ".join(_nested(p) for p in parts)
        case Not(part):
            return rf"\neg {_nested(part)}"
        case Constant(value):
            return r"\top" if value else r"\bot"
        case Concept(name):
            return _text(name)
        case Literal():
            return _literal(expression)


def _nested(expression: Expression) -> str:
    inner = _maths(expression)
    return rf"({inner})" if isinstance(expression, And | Or) else inner


def _literal(literal: Literal) -> str:
    name = _text(literal.attribute.name)
    if [*map(repr, literal.attribute.values)] == ["False", "True"]:
        return name if (literal.operator == "==") == literal.value else rf"\neg {name}"
    return rf"{name} {'=' if literal.operator == '==' else chr(92) + 'neq'} {_text(str(literal.value))}"


def _text(name: str) -> str:
    return r"\text{" + "".join(SPECIAL.get(c, c) for c in name) + "}"
