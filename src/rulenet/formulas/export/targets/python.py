"""Python functions that need nothing but Python."""

from rulenet.formulas.decision import Decision, simplify_decision
from rulenet.formulas.decisions import Decisions, Goal
from rulenet.formulas.export.decisions.python import ABSTAINS, CHOICES, DECIDES
from rulenet.formulas.export.infix import Infix
from rulenet.formulas.export.python import check_name, opening, plain_text


def to_python(decisions: Decisions, *, name: str = "predict", abstain: bool = False) -> str:
    """The source of two functions from a row, a mapping from column to value: to the classes, and to all margins.

    The first gives a dictionary from column to class; the second, ``predict_margins``, one from column to a
    dictionary from class to margin. Of two classes, the one that is not described has a margin of 0 and loses ties.
    With ``abstain``, a class is None where several of more than two classes reach their need, or none does.
    """
    check_name(name)
    joint = simplify_decision(decisions)
    language, readers, body = opening(joint.as_formula(), {name, f"{name}_margins"})
    body += ["return {", *(_goal(joint, goal, language) for goal in decisions.goals), "}"]
    lines = "\n    ".join(body)
    chosen = f"({CHOICES[True]} if len(margins) > 2 else {CHOICES[False]})" if abstain else CHOICES[False]
    return (
        f'{readers}def {name}_margins(row):\n    """By how much every class exceeds its need in one row."""\n'
        f"    {lines}\n\n\n"
        f'def {name}(row):\n    """For every column: {ABSTAINS if abstain else DECIDES}"""\n'
        f"    found = {name}_margins(row)\n"
        f"    return {{column: {chosen} for column, margins in found.items()}}\n"
    )


def _goal(joint: Decision, goal: Goal, language: Infix) -> str:
    margins = [f"{plain_text(output.label)}: {_margin(joint, output, language)}" for output in goal.outputs]
    if len(goal.outputs) < len(goal.labels):
        margins.append(f"{plain_text(goal.labels[1])}: 0")
    return f"    {goal.column!r}: {{{', '.join(margins)}}},"


def _margin(joint: Decision, output: object, language: Infix) -> str:
    score = joint.score(output)  # type: ignore[arg-type]
    parts = (f"{n} * ({language.text(p)})" if n > 1 else f"({language.text(p)})" for n, p in score.parts)
    return " + ".join([str(-score.need), *parts])
