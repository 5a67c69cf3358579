"""Plain text for people: what every class needs, and what the shared concepts mean."""

from rulenet.formulas.decision import Decision, Score
from rulenet.formulas.export.reading import score_words
from rulenet.formulas.export.text import block, counted

HEAD = "{} is what exceeds its need by most, or else lacks least; of equals the first"
ALONE = "{} is what alone reaches its need; where none does, or several do, there is no answer"


def to_text(decision: Decision, *, abstain: bool = False) -> str:
    """The decision in words, a block a class, concepts last; ``abstain`` says whether several may fire, or none.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.expressions import And, Concept
    >>> size, colour = Attribute("size", kind="numeric", cuts=(2, 5)), Attribute("colour", ("green", "red"))
    >>> ripe = And((size.above(2), colour.equal("red")))
    >>> apple = Score("apple", 2, ((2, Concept("c1")), (1, size.at_most(5))))
    >>> melon = Score("melon", 1, ((1, Concept("c1")), (1, size.above(5))))
    >>> print(to_text(Decision((apple, melon, Score("pea", 1)), {"c1": ripe}, (size, colour), "fruit")))
    fruit is what exceeds its need by most, or else lacks least; of equals the first
    fruit = apple needs 2 points of
        2 if c1
        1 if size <= 5
    fruit = melon needs 1 of
        c1
        size > 5
    fruit = pea is always 1 behind
    where c1 means size > 2 and colour = red
    """
    blocks = [(ALONE if abstain else HEAD).format(decision.target)]
    blocks += [class_text(decision, score) for score in decision.outputs]
    blocks += [block(f"where {name} means", meaning) for name, meaning in decision.concepts.items()]
    return "\n".join(blocks)


def class_text(decision: Decision, score: Score) -> str:
    """What one class needs, and of what."""
    return "\n    ".join([f"{decision.name(score.label)} {score_words(score)}", *counted(score.parts)])
