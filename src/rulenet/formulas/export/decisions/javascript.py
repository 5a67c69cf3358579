"""JavaScript functions that need nothing else, for browsers and Node."""

from rulenet.formulas.decision import Decision, simplify_decision
from rulenet.formulas.export.javascript import check_name, opening, plain_text

SOURCE = """\
{readers}{export}function {name}Margins(row) {{
  {body}
}}

{export}function {name}(row) {{
  let best = null;
  for (const found of {name}Margins(row)) {{
    if (best === null || found[1] > best[1]) {{
      best = found;
    }}
  }}
  return {answer};
}}
"""
ANSWERS = {False: "best[0]", True: "{name}Margins(row).filter((found) => found[1] >= 0).length === 1 ? best[0] : null"}


def to_javascript(decision: Decision, *, name: str = "predict", module: bool = False, abstain: bool = False) -> str:
    r"""The source of two functions from a row, an object with a property a column: to its class, and to all margins.

    The second is called ``predictMargins`` and gives an array of pairs of class and margin. Values are read as in the
    functions of formulas. With ``module``, the functions are exported. With ``abstain``, the class is null where
    several classes reach their need, or none does.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> lit = Attribute("lit", (False, True))
    >>> source = to_javascript(Decision((Score("x", 1, ((2, lit.equal(True)),)), Score("y", 0)), {}, (lit,)))
    >>> print(source[source.index("function predictMargins"):source.index("\n\nfunction predict(")])
    function predictMargins(row) {
      const lit = readBoolean(row, "lit");
      return [
        ["x", -1 + 2 * (lit === true)],
        ["y", 0],
      ];
    }
    """
    check_name(name)
    decision = simplify_decision(decision)
    language, readers, body = opening(decision.as_formula(), {name, f"{name}Margins", "row"})
    body.append("return [")
    for score in decision.outputs:
        parts = (f"{n} * ({language.text(p)})" if n > 1 else f"({language.text(p)})" for n, p in score.parts)
        body.append(f"  [{plain_text(score.label)}, {' + '.join([str(-score.need), *parts])}],")
    lines = "\n  ".join([*body, "];"])
    answer = ANSWERS[abstain].format(name=name)
    return SOURCE.format(readers=readers, export="export " if module else "", name=name, body=lines, answer=answer)
