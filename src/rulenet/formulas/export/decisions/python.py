"""Python functions that need nothing but Python."""

from rulenet.formulas.decision import Decision, simplify_decision
from rulenet.formulas.export.python import check_name, opening, plain_text

DECIDES = "The class that exceeds its need by most, of equals the first."
ABSTAINS = "The class that alone reaches its need, None where several do or none does."
CHOICES = {
    False: "max(margins, key=margins.get)",
    True: "max(margins, key=margins.get) if sum(margin >= 0 for margin in margins.values()) == 1 else None",
}


def to_python(decision: Decision, *, name: str = "predict", abstain: bool = False) -> str:
    """The source of two functions from a row, a mapping from column to value: to its class, and to all margins.

    The second is called ``predict_margins`` and gives a dictionary from class to margin. Values are read as in the
    functions of formulas. With ``abstain``, the class is None where several classes reach their need, or none does.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> lit = Attribute("lit", (False, True))
    >>> source = to_python(Decision((Score("x", 1, ((2, lit.equal(True)),)), Score("y", 0)), {}, (lit,)))
    >>> print(source[source.index("    return {"):source.index("def predict(")].rstrip())
        return {
            'x': -1 + 2 * (lit == True),
            'y': 0,
        }
    >>> scope = {}
    >>> exec(source, scope)
    >>> scope["predict"]({"lit": True}), scope["predict_margins"]({"lit": None})
    ('x', {'x': -1, 'y': 0})
    """
    check_name(name)
    decision = simplify_decision(decision)
    language, readers, body = opening(decision.as_formula(), {name, f"{name}_margins"})
    body.append("return {")
    for score in decision.outputs:
        parts = (f"{n} * ({language.text(p)})" if n > 1 else f"({language.text(p)})" for n, p in score.parts)
        body.append(f"    {plain_text(score.label)}: {' + '.join([str(-score.need), *parts])},")
    lines = "\n    ".join([*body, "}"])
    return (
        f'{readers}def {name}_margins(row):\n    """By how much every class exceeds its need in one row."""\n'
        f"    {lines}\n\n\n"
        f'def {name}(row):\n    """{ABSTAINS if abstain else DECIDES}"""\n'
        f"    margins = {name}_margins(row)\n    return {CHOICES[abstain]}\n"
    )
