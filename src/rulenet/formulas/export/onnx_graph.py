"""The nodes of an ONNX model: columns become cells, cells conditions, conditions units that count.

Every condition and unit is a column of 0 and 1, so that all gates are one matrix product and one comparison. The number
of a cell is looked up in `Condition.table`, whose last two entries are for values that no cell holds and for missing
ones; ONNX counts these from the end, as Python does.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import MISSING, UNKNOWN, Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.reading import points
from rulenet.formulas.export.values import EXACT, check_plain, check_text, one_kind
from rulenet.formulas.expressions import And, AtLeast, Concept, Constant, Expression, Not, Or

#: What a missing value is in a column of whole numbers: what NumPy has for NaT.
NO_TIME = np.iinfo(np.int64).min
OPSET, LABELS_OPSET, IR_VERSION = 17, 2, 8


def load_onnx() -> Any:
    """The onnx package, or how to install it."""
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise FormulaError("ONNX needs the package onnx; install it with: pip install 'rulenet[onnx]'") from error
    return onnx


def tensor_kind(attribute: Attribute) -> str:
    """What a column is fed as.

    >>> [tensor_kind(Attribute("a", v)) for v in (("x", "y"), (False, True), (1, 2.5), (1, 2**60))]
    ['text', 'number', 'number', 'whole']
    """
    if attribute.measured:
        return "number" if attribute.kind == "numeric" else "time"
    values = [check_plain(value, "ONNX") for value in attribute.values]
    kind = one_kind(attribute, "an ONNX tensor")
    if kind is str:
        return "text"
    if all(abs(value) <= EXACT for value in values):  # type: ignore[arg-type]
        return "number"
    if all(type(value) is int and NO_TIME < value <= -(NO_TIME + 1) for value in values):
        return "whole"
    raise FormulaError(f"column {attribute.name!r} has whole numbers that an ONNX tensor rounds; convert it to text")


def missing_text(attribute: Attribute) -> str:
    """What may stand for a missing value in a column of text: "" unless that is one of its values.

    Rules tell missing and unknown values apart only where they ask what is missing; that is an input of its own.

    >>> missing_text(Attribute("a", ("", "x"))), missing_text(Attribute("a", ("x", "y")))
    ('NA', '')
    """
    text = ""
    while text in attribute.values:
        text = text + "_" if text else "NA"
    return text


def missing_name(attribute: Attribute, taken: Collection[str]) -> str:
    """The name of the input that says where a column of text is missing; no column has it.

    >>> missing_name(Attribute("a", ("x", "y")), {"a", "b"})
    'a is missing'
    """
    name = f"{attribute.name} is missing"
    while name in taken:
        name += "_"
    return name


def asks_missing(attribute: Attribute, conditions: Iterable[Condition]) -> bool:
    """Whether a column of text needs an input that says where it is missing."""
    return tensor_kind(attribute) == "text" and any(condition.asks_missing for condition in conditions)


def describe(attribute: Attribute, missing: str = "") -> str:
    """How a column is fed, in words; ``missing`` is the input that says where it is missing, if there is one."""
    match tensor_kind(attribute):
        case "text" if missing:
            return f"text; where a value is missing, the input {missing!r} is true and the text does not matter"
        case "text":
            return f"text; a missing value is {missing_text(attribute)!r}"
        case "number":
            return "numbers (False is 0, True is 1); a missing value is NaN"
        case "time":
            what = {"date": "since 1970", "instant": "since 1970 in UTC", "duration": "of time"}[attribute.kind]
            return f"microseconds {what}; a missing value is {NO_TIME}, as NumPy has it for NaT"
    return f"whole numbers; a missing value is {NO_TIME}"


class GraphOfNodes:
    """A graph that grows; values have names of their own, which no column has."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.onnx = load_onnx()
        self.taken = set(taken)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.codes: dict[Attribute, tuple[str, tuple[int, ...]]] = {}
        self.units: dict[Expression, str] = {}

    def name(self, wanted: str) -> str:
        """A name that nothing has yet."""
        name = wanted
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def constant(self, array: NDArray[Any]) -> str:
        """A tensor that is always the same."""
        name = self.name(f"constant {len(self.constants)}")
        if array.dtype == object:
            texts = [text.encode() for text in array.tolist()]
            self.constants.append(self.onnx.helper.make_tensor(name, self.onnx.TensorProto.STRING, array.shape, texts))
        else:
            self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def node(self, operator: str, *inputs: str, output: str | None = None, domain: str = "", **options: Any) -> str:
        """The value that an operator gives."""
        output = output or self.name(f"{operator} {len(self.nodes)}")
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [output], domain=domain, **options))
        return output

    def cast(self, value: str, kind: str) -> str:
        """A value as another type."""
        return self.node("Cast", value, to=getattr(self.onnx.TensorProto, kind))

    def column(self, values: Sequence[Any], dtype: Any) -> str:
        """A constant row to compare a column of the table with."""
        return self.constant(np.array(values, dtype=dtype).reshape(1, -1))

    def read(self, attribute: Attribute, conditions: Sequence[Condition], missing: str = "") -> None:
        """The cell of a column in every row, as far as ``conditions`` tell cells apart.

        ``missing`` is the input that says where a column of text is missing.
        """
        kind = tensor_kind(attribute)
        used = _used_cuts(attribute, conditions)
        if kind == "text":
            code = self._text_cells(attribute)
            if missing:
                code = self.node("Where", missing, self.constant(np.array(MISSING)), code)
        else:
            wide = self.node("Unsqueeze", attribute.name, self.constant(np.array([1], dtype=np.int64)))
            dtype = np.float64 if kind == "number" else np.int64
            if attribute.measured:
                code = self._counted("Greater", wide, [attribute.cuts[c] for c in used], dtype, 1, 0)
            else:
                code = self._counted("Equal", wide, [*attribute.values], dtype, None, UNKNOWN)
            none = (
                self.node("IsNaN", attribute.name)
                if kind == "number"
                else self.node("Equal", attribute.name, self.constant(np.array([NO_TIME])))
            )
            code = self.node("Where", none, self.constant(np.array(MISSING)), code)
        self.codes[attribute] = code, used

    def _text_cells(self, attribute: Attribute) -> str:
        texts = [*map(_utf8, attribute.values)] or [""]
        cells = [*range(len(attribute.values))] or [UNKNOWN]
        return self.node(
            "LabelEncoder",
            attribute.name,
            domain="ai.onnx.ml",
            keys_strings=texts,
            values_int64s=cells,
            default_int64=UNKNOWN,
        )

    def _counted(self, operator: str, wide: str, values: list[Any], dtype: Any, times: int | None, start: int) -> str:
        """``start``, and for every value that compares so ``times``, or its number less ``start``."""
        if not values:
            values, times = [np.inf if dtype is np.float64 else -(NO_TIME + 1)], 0
        held = self.cast(self.node(operator, wide, self.column(values, dtype)), "INT64")
        each = [times if times is not None else k - start for k in range(len(values))]
        summed = self.node("ReduceSum", self.node("Mul", held, self.column(each, np.int64)), self._axis(), keepdims=0)
        return self.node("Add", summed, self.constant(np.array(start, dtype=np.int64)))

    def _axis(self) -> str:
        return self.constant(np.array([1], dtype=np.int64))

    def condition(self, condition: Condition) -> str:
        """Where a condition holds, as a column of 0 and 1."""
        code, used = self.codes[condition.attribute]
        held = condition.table.tolist()
        if condition.attribute.measured:
            held = [held[0], *(held[c + 1] for c in used), *held[UNKNOWN:]]
        table = self.constant(np.array(held, dtype=np.float32))
        return self.node("Unsqueeze", self.node("Gather", table, code), self._axis())

    def unit(self, expression: Expression) -> str:
        """Where an expression holds, as a column of 0 and 1."""
        if expression not in self.units:
            self.units[expression] = self._unit(expression)
        return self.units[expression]

    def _unit(self, expression: Expression) -> str:
        match expression:
            case Condition():
                return self.condition(expression)
            case And(parts):
                return self._reached(len(parts), parts)
            case Or(parts):
                return self._reached(1, parts)
            case AtLeast(need, parts):
                return self._reached(need, parts)
            case Concept() | Constant() | Not():
                raise AssertionError(expression)  # concepts are known, constants and NOT are simplified away

    def _reached(self, need: int, parts: Sequence[Expression]) -> str:
        counted = points(parts)
        weights = np.array([[times] for times, _ in counted], dtype=np.float32)
        summed = self.sums([part for _, part in counted], weights)
        reached = self.node("GreaterOrEqual", summed, self.constant(np.array(need, dtype=np.float32)))
        return self.cast(reached, "FLOAT")

    def sums(self, parts: Sequence[Expression], weights: NDArray[np.float32]) -> str:
        """The points of all parts that hold, a column for every column of ``weights``."""
        units = [self.unit(part) for part in parts]
        return self.node("MatMul", self.node("Concat", *units, axis=1), self.constant(weights))


def check_name(name: str) -> str:
    """A name that ONNX can have."""
    if not name or "\0" in name:
        raise FormulaError(f"a column is called {name!r}, which ONNX cannot say; rename it")
    return _utf8(name)


def _utf8(text: Any) -> str:
    if "\0" in text:
        raise FormulaError(f"the value {text!r} has a NUL character, which ONNX runtimes cut off; replace it")
    return check_text(str(text), "ONNX")


def _used_cuts(attribute: Attribute, conditions: Iterable[Condition]) -> tuple[int, ...]:
    """The cuts at which a condition begins or ends."""
    changed = 0
    for condition in conditions:
        changed |= condition.known_cells ^ condition.known_cells >> 1
    return tuple(c for c in range(len(attribute.cuts)) if changed >> c & 1)
