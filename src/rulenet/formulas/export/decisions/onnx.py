"""ONNX: a model whose label is the class with the largest margin."""

from collections.abc import Hashable, Sequence

from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision, simplify_decision
from rulenet.formulas.export.onnx import Probabilities, write


def to_onnx(
    decision: Decision, *, classes: Sequence[Hashable] | None = None, calibration: Probabilities | None = None
) -> bytes:
    """The bytes of an ONNX model with the outputs ``label`` and ``margins``, a column a class.

    With ``calibration`` there are ``probabilities`` as well. ``classes`` is the order of columns, by default that of
    the decision. Inputs are as for formulas.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> from rulenet.formulas.export.onnx_graph import load_onnx
    >>> age = Attribute("age", kind="numeric", cuts=(12, 18))
    >>> adult, child = Score("adult", 1, ((1, age.above(18)),)), Score("child", 1, ((1, age.at_most(12)),))
    >>> model = load_onnx().load_from_string(to_onnx(Decision((adult, child), {}, (age,))))
    >>> [x.name for x in model.graph.output]
    ['label', 'margins']
    """
    decision = simplify_decision(decision)
    order = decision.labels if classes is None else tuple(classes)
    if sorted(map(repr, order)) != sorted(map(repr, decision.labels)):
        raise FormulaError(f"classes is {list(order)}, but the classes of the decision are {list(decision.labels)}")
    return write(decision.outputs, decision.concepts, decision.attributes, order, calibration)
