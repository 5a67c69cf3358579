"""Plain text for people: what is said of every column, and what the shared concepts mean."""

from rulenet.formulas.decisions import Decisions, Goal
from rulenet.formulas.export.decisions.text import ALONE, HEAD, class_text
from rulenet.formulas.export.text import block
from rulenet.formulas.expressions import Formula


def to_text(decisions: Decisions, *, abstain: bool = False) -> str:
    """The decisions in words, a block an output, concepts last; a concept that is an output is told there.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> from rulenet.formulas.decisions import Output
    >>> from rulenet.formulas.expressions import And, Concept
    >>> hot, wet, sun = (Attribute(n, (False, True)).equal(True) for n in ("hot", "wet", "sun"))
    >>> muggy = Score(Output("muggy", True), 2, ((1, hot), (1, wet)))
    >>> storm = Score(Output("storm", True), 2, ((1, Concept("muggy")), (1, ~sun)))
    >>> goals = (Goal("muggy", (True, False), "muggy"), Goal("storm", (True, False), "storm"))
    >>> columns = tuple(x.attribute for x in (hot, wet, sun))
    >>> print(to_text(Decisions((muggy, storm), {"muggy": And((hot, wet))}, columns, "weather", goals)))
    muggy if hot = True and wet = True
    storm if sun = False and muggy
    """
    blocks = [text for goal in decisions.goals for text in _goal(decisions, goal, abstain)]
    told = {text for goal in decisions.goals if len(goal.labels) == 2 for text in (goal.name, f"not {goal.name}")}
    blocks += [block(f"where {name} means", e) for name, e in decisions.concepts.items() if name not in told]
    return "\n".join(blocks)


def _goal(decisions: Decisions, goal: Goal, abstain: bool) -> list[str]:
    part = decisions.part(goal.column)
    if isinstance(part, Formula):
        return [block(f"{goal.name} if", part.output)]
    return [(ALONE if abstain else HEAD).format(goal.name), *(class_text(part, score) for score in part.outputs)]
