"""ONNX: a model for any runtime, exact at every cut: numbers are doubles, moments whole microseconds.

There is one input for every column that the rules read, of shape (rows,):

    text               a string; a missing value is "" unless that is a value of the column (then "NA"). Where a rule
                       asks whether a text is missing, a Boolean input "... is missing" says it, since any text may
                       be a value that is not known
    numbers, Booleans  a double; a missing value is NaN
    dates, durations   int64 microseconds, dates since 1970 (in UTC where they have a time zone); a missing value is
                       what NumPy has for NaT, as ``values.astype("datetime64[us]").astype("int64")`` gives it

The description of every input in the model says which of these it is. Outputs are ``label``, ``margins`` and, where the
calibration is given, ``probabilities``.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Score
from rulenet.formulas.export.onnx_graph import (
    IR_VERSION,
    LABELS_OPSET,
    OPSET,
    GraphOfNodes,
    asks_missing,
    check_name,
    describe,
    missing_name,
    tensor_kind,
)
from rulenet.formulas.export.values import check_plain
from rulenet.formulas.expressions import Concept, Expression, Formula, walk
from rulenet.formulas.graph import simplify

#: A class that the decision prefers is at least this much more probable, and none has less.
EDGE = 1e-6


class Probabilities(Protocol):
    """The multiple of margins, and an offset for every output, whose softmax is the probability of a class."""

    @property
    def scale(self) -> float:
        """The multiple."""
        ...

    @property
    def offsets(self) -> tuple[float, ...]:
        """An offset for every output."""
        ...

    @property
    def by_sign(self) -> bool:
        """Whether margins from 0 on are taken as 0, and those below as -1."""
        ...

    @property
    def follows(self) -> bool:
        """Whether the class that is decided is always the most probable one."""
        ...


def to_onnx(
    formula: Formula,
    *,
    positive: Hashable = True,
    negative: Hashable = False,
    calibration: Probabilities | None = None,
) -> bytes:
    """The bytes of an ONNX model whose ``label`` is ``positive`` where the formula holds, else ``negative``.

    The columns of ``margins``, and of ``probabilities`` where the calibration of these two is given, are those of
    ``negative`` and ``positive``.

    >>> from rulenet.formulas.export.onnx_graph import load_onnx
    >>> age = Attribute("age", kind="numeric", cuts=(20, 37.5))
    >>> model = load_onnx().load_from_string(to_onnx(Formula(age.between(20, 37.5), {}, (age,))))
    >>> [(x.name, x.doc_string) for x in model.graph.input]
    [('age', 'numbers (False is 0, True is 1); a missing value is NaN')]
    """
    formula = simplify(formula)
    scores = (Score.of_formula(formula, positive), Score(negative, 0))
    return write(scores, formula.concepts, formula.attributes, (negative, positive), calibration)


def write(
    scores: Sequence[Score],
    concepts: Mapping[str, Expression],
    attributes: Sequence[Attribute],
    classes: Sequence[Hashable],
    calibration: Probabilities | None,
) -> bytes:
    """A model of simplified scores; ``classes`` are their labels in the order of columns."""
    parts = list(dict.fromkeys(part for score in scores for _, part in score.parts))
    asked = _asked([*concepts.values(), *parts])
    used = [a for a in attributes if a in asked] or [*attributes][:1]
    if not used:
        raise FormulaError("the formula has no columns, so an ONNX model could not say how many rows there are")
    columns = {check_name(a.name) for a in used}
    missing = {a: missing_name(a, columns) for a in used if asks_missing(a, asked.get(a, ()))}
    graph = GraphOfNodes([*columns, *missing.values()])
    for attribute in used:
        graph.read(attribute, asked.get(attribute, ()), missing.get(attribute, ""))
    for name, meaning in concepts.items():
        graph.units[Concept(name)] = graph.unit(meaning)
    labels = [score.label for score in scores]
    order = graph.constant(np.array([labels.index(label) for label in classes], dtype=np.int64))
    margins = _margins(graph, scores, parts, used[0])
    number = graph.node("ArgMax", margins, axis=1, keepdims=0)
    kind, values = _labels(labels)
    outputs = [_output(graph, "label", kind, "Gather", graph.constant(values), number)]
    whole = graph.cast(margins, "INT64")
    outputs.append(_output(graph, "margins", "INT64", "Gather", whole, order, axis=1))
    if calibration is not None:
        found = _probabilities(graph, margins, number, calibration, len(scores))
        outputs.append(_output(graph, "probabilities", "DOUBLE", "Gather", found, order, axis=1))
    return _model(graph, {a: missing.get(a, "") for a in used}, outputs, len(scores))


def _output(graph: GraphOfNodes, name: str, kind: str, *node: str, **options: Any) -> tuple[str, str]:
    name = graph.name(name)
    graph.node(*node, output=name, **options)
    return name, kind


def _asked(expressions: Sequence[Expression]) -> dict[Attribute, list[Condition]]:
    found: dict[Attribute, list[Condition]] = {}
    for expression in expressions:
        for x in walk(expression):
            if isinstance(x, Condition):
                found.setdefault(x.attribute, []).append(x)
    return found


def _margins(graph: GraphOfNodes, scores: Sequence[Score], parts: list[Expression], first: Attribute) -> str:
    """Points less needs, (rows, scores), as floats."""
    place = {part: i for i, part in enumerate(parts)}
    weights = np.zeros((max(len(parts), 1), len(scores)), dtype=np.float32)
    for k, score in enumerate(scores):
        for n, part in score.parts:
            weights[place[part], k] = n
    if parts:
        summed = graph.sums(parts, weights)
    else:  # every row has the same margins
        nothing = graph.condition(Condition(first, 0))
        summed = graph.node("MatMul", nothing, graph.constant(weights))
    needs = np.array([[score.need for score in scores]], dtype=np.float32)
    return graph.node("Sub", summed, graph.constant(needs))


def _labels(labels: Sequence[Hashable]) -> tuple[str, NDArray[Any]]:
    kinds = {type(check_plain(label, "ONNX")) for label in labels}
    for allowed, dtype, kind in (({str}, object, "STRING"), ({bool}, np.bool_, "BOOL"), ({int}, np.int64, "INT64")):
        if kinds == allowed:
            return kind, np.array(labels, dtype=dtype)
    if kinds <= {int, float}:
        return "DOUBLE", np.array(labels, dtype=np.float64)
    raise FormulaError(f"the classes {list(labels)} are of several kinds, which an ONNX tensor cannot hold")


def _probabilities(graph: GraphOfNodes, margins: str, number: str, given: Probabilities, n_classes: int) -> str:
    """Softmax of scaled margins; the class that is decided has the largest part, where probabilities follow it."""
    seen = graph.cast(margins, "DOUBLE")
    if given.by_sign:
        seen = graph.node("Clip", seen, graph.constant(np.array(-1.0)), graph.constant(np.array(0.0)))
    scaled = graph.node("Mul", seen, graph.constant(np.array(given.scale)))
    scores = graph.node("Add", scaled, graph.constant(np.array([given.offsets], dtype=np.float64)))
    parts = graph.node("Softmax", scores, axis=1)
    if given.follows:
        parts = _lifted(graph, parts, number, n_classes)
    axis = graph.constant(np.array([1], dtype=np.int64))
    kept = graph.node("Max", parts, graph.constant(np.array(EDGE)))
    return graph.node("Div", kept, graph.node("ReduceSum", kept, axis, keepdims=1))


def _lifted(graph: GraphOfNodes, parts: str, number: str, n_classes: int) -> str:
    """The same parts, that of the class which is decided a little larger than all others."""
    most = graph.node("ReduceMax", parts, axes=[1], keepdims=1)
    axis = graph.constant(np.array([1], dtype=np.int64))
    decided = graph.node("Unsqueeze", number, axis)
    other = graph.node("Not", graph.node("Equal", graph.node("ArgMax", parts, axis=1, keepdims=1), decided))
    is_decided = graph.node("Equal", decided, graph.constant(np.arange(n_classes, dtype=np.int64).reshape(1, -1)))
    edge = graph.constant(np.array(EDGE))
    return graph.node("Where", graph.node("And", is_decided, other), graph.node("Add", most, edge), parts)


def _model(graph: GraphOfNodes, used: Mapping[Attribute, str], outputs: list[tuple[str, str]], n_classes: int) -> bytes:
    onnx = graph.onnx
    kinds = {"text": "STRING", "number": "DOUBLE"}
    wanted = []
    for attribute, missing in used.items():
        wanted.append((attribute.name, kinds.get(tensor_kind(attribute), "INT64"), describe(attribute, missing)))
        if missing:
            wanted.append((missing, "BOOL", f"true where {attribute.name!r} is missing"))
    inputs = [
        onnx.helper.make_tensor_value_info(name, getattr(onnx.TensorProto, kind), ["rows"], about)
        for name, kind, about in wanted
    ]
    shapes = (["rows"], ["rows", n_classes], ["rows", n_classes])
    given = [
        onnx.helper.make_tensor_value_info(name, getattr(onnx.TensorProto, kind), shape)
        for (name, kind), shape in zip(outputs, shapes, strict=False)
    ]
    made = onnx.helper.make_graph(graph.nodes, "rules", inputs, given, graph.constants)
    opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", LABELS_OPSET)]
    model = onnx.helper.make_model(made, opset_imports=opsets, ir_version=IR_VERSION, producer_name="rulenet")
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())
