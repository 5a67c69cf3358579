"""The decision as indented trees, one a class and one a concept."""

from rulenet.formulas.decision import Decision
from rulenet.formulas.export.reading import score_words
from rulenet.formulas.export.tree import branches


def to_tree(decision: Decision) -> str:
    """Every class on a line, what it counts below it; then the concepts.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> a, b = (Attribute(n, (0, 1)).equal(1) for n in "ab")
    >>> scores = (Score("x", 2, ((2, a), (1, b))), Score("y", 1))
    >>> print(to_tree(Decision(scores, {}, (a.attribute, b.attribute))))
    class = x needs 2 points of
    ├─ 2 if a = 1
    └─ 1 if b = 1
    class = y is always 1 behind
    """
    lines: list[str] = []
    for score in decision.outputs:
        lines += [f"{decision.name(score.label)} {score_words(score)}", *branches(score.parts, counts=True)]
    for name, meaning in decision.concepts.items():
        lines += [name, *branches([(1, meaning)])]
    return "\n".join(lines)
