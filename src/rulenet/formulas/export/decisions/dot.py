"""Graphviz DOT: the decision as a drawing from conditions to the classes."""

from rulenet.formulas.decision import Decision
from rulenet.formulas.export.dot import COLOURS, Drawing
from rulenet.formulas.export.reading import score_words
from rulenet.formulas.expressions import AtLeast, Concept


def to_dot(decision: Decision) -> str:
    """A directed graph; edges into classes are blue and numbered with points.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> a = Attribute("a", (0, 1)).equal(1)
    >>> print(to_dot(Decision((Score("x", 1, ((2, a),)),), {}, (a.attribute,))).splitlines()[4])
      n1 -> n0 [color="#2471a3", label="2"];
    """
    drawing = Drawing()
    for name, meaning in decision.concepts.items():
        drawing.gate(Concept(name), name, meaning)
    for score in decision.outputs:
        label = f"{decision.name(score.label)}\n{score_words(score)}"
        drawing.unit(score, label, score.parts, COLOURS[AtLeast], counted=True)
    return drawing.graph()
