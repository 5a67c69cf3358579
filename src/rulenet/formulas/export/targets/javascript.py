"""JavaScript functions that need nothing else, for browsers and Node."""

from rulenet.formulas.decision import Decision, simplify_decision
from rulenet.formulas.decisions import Decisions, Goal
from rulenet.formulas.export.infix import Infix
from rulenet.formulas.export.javascript import check_name, opening, plain_text, string

SOURCE = """\
{readers}{export}function {name}Margins(row) {{
  {body}
}}

{export}function {name}(row) {{
  const best = (margins) => margins.reduce((most, found) => (found[1] > most[1] ? found : most))[0];
  return Object.fromEntries({name}Margins(row).map(([column, margins]) => [column, {decided}]));
}}
"""
#: How the class of a column follows from its margins, without and with abstaining.
DECIDED = (
    "best(margins)",
    "margins.length > 2 && margins.filter((found) => found[1] >= 0).length !== 1 ? null : best(margins)",
)


def to_javascript(decisions: Decisions, *, name: str = "predict", module: bool = False, abstain: bool = False) -> str:
    """The source of two functions from a row, an object with a property a column: to the classes, and to all margins.

    The first gives an object with a property for every column to predict; the second, ``predictMargins``, an array of
    pairs of a column and an array of pairs of class and margin. Of two classes, the one that is not described has a
    margin of 0 and loses ties. With ``module``, the functions are exported. With ``abstain``, a class is
    null where several of more than two classes reach their need, or none does.
    """
    check_name(name)
    joint = simplify_decision(decisions)
    language, readers, body = opening(joint.as_formula(), {name, f"{name}Margins", "row"})
    body += ["return [", *(_goal(joint, goal, language) for goal in decisions.goals), "];"]
    lines = "\n  ".join(body)
    export = "export " if module else ""
    return SOURCE.format(readers=readers, export=export, name=name, body=lines, decided=DECIDED[abstain])


def _goal(joint: Decision, goal: Goal, language: Infix) -> str:
    pairs = [f"[{plain_text(output.label)}, {_margin(joint, output, language)}]" for output in goal.outputs]
    if len(goal.outputs) < len(goal.labels):
        pairs.append(f"[{plain_text(goal.labels[1])}, 0]")
    return f"  [{string(goal.column)}, [{', '.join(pairs)}]],"


def _margin(joint: Decision, output: object, language: Infix) -> str:
    score = joint.score(output)  # type: ignore[arg-type]
    parts = (f"{n} * ({language.text(p)})" if n > 1 else f"({language.text(p)})" for n, p in score.parts)
    return " + ".join([str(-score.need), *parts])
