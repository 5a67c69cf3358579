"""Python functions that need nothing but Python."""

from rulenet.formulas.decision import Decision, simplify_decision
from rulenet.formulas.export.python import check_name, opening, plain_text


def to_python(decision: Decision, *, name: str = "predict") -> str:
    """The source of two functions from a row, a mapping from column to value: to its class, and to all margins.

    The second is called ``predict_margins`` and gives a dictionary from class to margin. Values are read as in the
    functions of formulas.

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
        f'def {name}(row):\n    """The class that exceeds its need by most, of equals the first."""\n'
        f"    margins = {name}_margins(row)\n    return max(margins, key=margins.get)\n"
    )
