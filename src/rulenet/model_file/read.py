"""JSON to state: nothing is trusted, every field is checked, sizes are bounded, and no code runs."""

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rulenet.encoding import Encoding
from rulenet.exceptions import FormulaError, ModelFileError, RuleNetError
from rulenet.formulas.export.json import from_data
from rulenet.formulas.expressions import Formula
from rulenet.literals import Attribute
from rulenet.model_file.state import FORMAT, VERSION, State
from rulenet.network import Network
from rulenet.training.search import Choice

MAX_BYTES = 32 << 20
MAX_WEIGHTS = 20_000_000
MAX_UNITS = 100_000
MAX_CHOICES = 10_000
MAX_VALUES = 500_000
MAX_HISTORY = 1_000_000
MAX_NESTING = 20
KEYS = (
    "format",
    "version",
    "parameters",
    "classes",
    "positive",
    "encoding",
    "network",
    "history",
    "counts",
    "target",
    "named",
    "choices",
)
DTYPE_KINDS = "biufUO"

Strategies = dict[str, Callable[..., Any]]


def read(path: str | os.PathLike[str], strategies: Strategies) -> State:
    """The state in the file ``path``; ``strategies`` are the classes that parameters may name."""
    with Path(path).open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        return loads(data, strategies)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error.__cause__


def loads(text: bytes | str, strategies: Strategies) -> State:
    """The state in the text of a model file."""
    if len(text) > MAX_BYTES:
        raise ModelFileError(f"the file is larger than {MAX_BYTES >> 20} MiB, too large for a model")
    try:
        data = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repetition)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"this is not a model file: {str(error)[:200]}") from error
    return _Reader(strategies).state(data)


class _Reader:
    """Checks with the place of what is checked, for messages."""

    def __init__(self, strategies: Strategies) -> None:
        self.strategies = strategies
        self.budget = MAX_WEIGHTS  # of all networks together

    def state(self, data: Any) -> State:
        _object(data, "the model", ())
        if data.get("format") != FORMAT:
            raise ModelFileError(f"format is {_short(data.get('format'))}, but a model file says {FORMAT!r}")
        if data.get("version") != VERSION or isinstance(data["version"], bool):
            raise ModelFileError(
                f"version is {_short(data.get('version'))}, but this rulenet reads {VERSION}; use the one that wrote it"
            )
        _object(data, "the model", KEYS)
        encoding = self.encoding(data["encoding"])
        network = self.network(data["network"], "network", len(encoding.literals))
        choices, counts = self.choices(data["choices"], len(encoding.literals))
        return State(
            self.parameters(data["parameters"], "parameters", 0),
            _classes(data["classes"]),
            _integer(data["positive"], "positive", 0, 1),
            encoding,
            network,
            _numbers(data["history"], "history", low=0.0),
            _counts(data["counts"], network),
            _target(data["target"]),
            _named(data["named"], encoding),
            choices,
            counts,
        )

    def choices(self, data: Any, n_literals: int) -> tuple[tuple[Choice, ...], tuple[NDArray[np.float64], ...]]:
        choices, counts = list[Choice](), list[NDArray[np.float64]]()
        for i, entry in enumerate(_array(data, "choices", MAX_CHOICES)):
            place = f"choices[{i}]"
            _object(entry, place, ("price", "accuracy", "validation", "network", "counts"))
            network = self.network(entry["network"], f"{place}.network", n_literals)
            price, accuracy = _numbers([entry["price"], entry["accuracy"]], place, low=0.0).tolist()
            given = [] if entry["validation"] is None else [entry["validation"]]
            validation = _numbers(given, f"{place}.validation", low=0.0).tolist()
            choices.append(Choice(price, network, accuracy, validation[0] if validation else None))
            counts.append(_counts(entry["counts"], network))
        return tuple(choices), tuple(counts)

    def encoding(self, data: Any) -> Encoding:
        _object(data, "encoding", ("attributes", "not_equal", "named"))
        attributes = [
            self.attribute(a, f"encoding.attributes[{i}]")
            for i, a in enumerate(_array(data["attributes"], "encoding.attributes", MAX_VALUES))
        ]
        names = [a.name for a in attributes]
        if len(set(names)) < len(names):
            raise ModelFileError("encoding.attributes has two attributes of one name; names must differ")
        not_equal = _boolean(data["not_equal"], "encoding.not_equal")
        n_values = sum(len(a.values) for a in attributes)
        if not 0 < n_values <= MAX_VALUES:
            raise ModelFileError(f"encoding.attributes has {n_values} values in all, but must have 1 to {MAX_VALUES}")
        return Encoding(tuple(attributes), not_equal, _boolean(data["named"], "encoding.named"))

    def attribute(self, data: Any, place: str) -> Attribute:
        _object(data, place, ("name", "values"))
        values = [_plain(v, f"{place}.values") for v in _array(data["values"], f"{place}.values", MAX_VALUES)]
        if len({(type(v), v) for v in values}) < len(values):
            raise ModelFileError(f"{place}.values has a value twice; values must differ")
        return Attribute(_string(data["name"], f"{place}.name"), tuple(values))

    def network(self, data: Any, place: str, n_literals: int | None = None) -> Network:
        _object(data, place, ("first_gate", "n_literals", "layers"))
        layers = _array(data["layers"], f"{place}.layers", 10_000)
        n_inputs = _integer(data["n_literals"], f"{place}.n_literals", 1, MAX_WEIGHTS)
        if n_literals not in (None, n_inputs):
            raise ModelFileError(f"{place}.n_literals is {n_inputs}, but the encoding has {n_literals} literals")
        weights = list[NDArray[np.bool_]]()
        for i, layer in enumerate(layers):
            units = _array(layer, f"{place}.layers[{i}]", MAX_UNITS)
            self.budget -= len(units) * n_inputs
            if self.budget < 0:
                raise ModelFileError(f"{place}.layers has more than {MAX_WEIGHTS} weights, too many for a model")
            weights.append(_layer(units, n_inputs, f"{place}.layers[{i}]"))
            n_inputs = len(units)
        try:
            return Network(weights, data["first_gate"])
        except (RuleNetError, TypeError) as error:
            raise ModelFileError(f"{place}: {error}") from error

    def parameters(self, data: Any, place: str, depth: int) -> dict[str, Any]:
        _object(data, place, ())
        return {_string(k, place): self.parameter(v, f"{place}.{k}", depth) for k, v in data.items()}

    def parameter(self, data: Any, place: str, depth: int) -> Any:
        if depth > MAX_NESTING:
            raise ModelFileError(f"{place[:80]} is nested deeper than {MAX_NESTING}")
        if data is None or isinstance(data, bool | str | int | float):
            return data
        _object(data, place, ())
        match list(data.items()):
            case [("tuple", items)]:
                return tuple(self.parameter(x, place, depth + 1) for x in _array(items, place, MAX_VALUES))
            case [("list", items)]:
                return [self.parameter(x, place, depth + 1) for x in _array(items, place, MAX_VALUES)]
            case [("mapping", items)]:
                pairs = [_array(p, place, 2) for p in _array(items, place, MAX_VALUES)]
                if any(len(p) != 2 for p in pairs):
                    raise ModelFileError(f"{place}.mapping must be an array of pairs")
                return {_plain(k, place): self.parameter(v, place, depth + 1) for k, v in pairs}
            case [("network", network)]:
                return self.network(network, f"{place}.network")
            case [("strategy", name), ("parameters", inner)] | [("parameters", inner), ("strategy", name)]:
                return self.strategy(name, self.parameters(inner, f"{place}.parameters", depth + 1), place)
        raise ModelFileError(f"{place} is {_short(data)}, but no parameter looks like that")

    def strategy(self, name: Any, parameters: dict[str, Any], place: str) -> Any:
        if not isinstance(name, str) or name not in self.strategies:
            known = ", ".join(self.strategies)
            raise ModelFileError(f"{place}.strategy is {_short(name)}, but this rulenet knows {known}")
        try:
            return self.strategies[name](**parameters)
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"{place}: {name} does not take these parameters: {error}") from error


def _layer(units: list[Any], n_inputs: int, place: str) -> NDArray[np.bool_]:
    weights = np.zeros((len(units), n_inputs), dtype=np.bool_)
    for k, unit in enumerate(units):
        if unit != []:
            inputs = _array(unit, f"{place}[{k}]", n_inputs)
            weights[k, [_integer(j, f"{place}[{k}]", 0, n_inputs - 1) for j in inputs]] = True
    return weights


def _classes(data: Any) -> NDArray[Any]:
    _object(data, "classes", ("dtype", "values"))
    values = [_plain(v, "classes.values") for v in _array(data["values"], "classes.values", 2)]
    if len(values) != 2:
        raise ModelFileError(f"classes.values has {len(values)} labels, but must have 2")
    text = _string(data["dtype"], "classes.dtype")
    try:
        dtype = np.dtype(text)
        if dtype.kind not in DTYPE_KINDS or dtype.itemsize > 1 << 20 or dtype.shape or dtype.names:
            raise TypeError(f"{text[:80]!r} is no type of labels")
        classes = np.array(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError, SyntaxError) as error:
        raise ModelFileError(f"classes: {error}") from error
    if classes.tolist() != values or values[0] == values[1]:
        raise ModelFileError(
            f"classes.values is {_short(values)}, but must be two different labels of type {text[:80]}"
        )
    return classes


def _counts(data: Any, network: Network) -> NDArray[np.float64]:
    by_rule = len(network.weights) > 1 and network.gates[-1] == "or"
    n_rules = int(network.weights[-1].sum()) if by_rule else 1
    rows = [_numbers(row, "counts", low=0.0) for row in _array(data, "counts", MAX_VALUES)]
    if len(rows) != n_rules + 1 or any(len(row) != 2 for row in rows):
        raise ModelFileError(f"counts must have a pair of numbers for each of {n_rules} rules, and one for no rule")
    return np.array(rows, dtype=np.float64)


def _target(data: Any) -> str:
    if not _string(data, "target").strip():
        raise ModelFileError(f"target is {data!r}, but must have a visible character")
    return str(data)


def _named(data: Any, encoding: Encoding) -> Formula | None:
    if data is None:
        return None
    try:
        formula = from_data(data)
    except FormulaError as error:
        raise ModelFileError(f"named: {error}") from error
    if formula.attributes != encoding.attributes:
        raise ModelFileError("named.attributes must be the same as encoding.attributes")
    return formula


def _numbers(data: Any, place: str, low: float) -> NDArray[np.float64]:
    for x in _array(data, place, MAX_HISTORY):
        if isinstance(x, bool) or not isinstance(x, int | float) or not low <= x < math.inf:
            raise ModelFileError(f"{place} has {_short(x)}, but must have finite numbers of at least {low:g}")
    try:
        return np.array(data, dtype=np.float64)
    except OverflowError as error:
        raise ModelFileError(f"{place} has a number that is too large") from error


def _object(data: Any, place: str, keys: tuple[str, ...]) -> None:
    if not isinstance(data, dict):
        raise ModelFileError(f"{place} is {_short(data)}, but must be an object")
    if keys and set(data) != set(keys):
        missing, extra = sorted(set(keys) - set(data)), sorted(set(data) - set(keys))
        raise ModelFileError(f"{place} lacks {missing} and has {_short(extra)} besides; it must have {sorted(keys)}")


def _array(data: Any, place: str, most: int) -> list[Any]:
    if not isinstance(data, list):
        raise ModelFileError(f"{place} is {_short(data)}, but must be an array")
    if len(data) > most:
        raise ModelFileError(f"{place} has {len(data)} entries, but may have {most} at most")
    return data


def _string(data: Any, place: str) -> str:
    if not isinstance(data, str):
        raise ModelFileError(f"{place} is {_short(data)}, but must be a string")
    return data


def _boolean(data: Any, place: str) -> bool:
    if not isinstance(data, bool):
        raise ModelFileError(f"{place} is {_short(data)}, but must be true or false")
    return data


def _integer(data: Any, place: str, low: int, high: int) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not low <= data <= high:
        raise ModelFileError(f"{place} is {_short(data)}, but must be an integer from {low} to {high}")
    return data


def _plain(data: Any, place: str) -> str | bool | int | float:
    if not isinstance(data, str | bool | int | float):
        raise ModelFileError(f"{place} has {_short(data)}, but must have strings, Booleans and numbers")
    return data


def _short(data: Any) -> str:
    text = repr(data) if not isinstance(data, dict | list) else f"a {type(data).__name__} of {len(data)}"
    return text if len(text) <= 80 else text[:77] + "..."


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _no_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError("an object has a key twice")
    return data
