"""JSON to state: nothing is trusted, every field is checked, sizes are bounded, and no code runs."""

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rulenet.calibration import Calibration
from rulenet.conditions import Attribute, Condition
from rulenet.encoding import Encoding
from rulenet.exceptions import FormulaError, ModelFileError, RuleNetError
from rulenet.fitted import Alternative, Edit, Fitted
from rulenet.fitted_targets import FittedTargets, Target
from rulenet.formulas.export.json import from_data
from rulenet.formulas.expressions import Formula
from rulenet.kinds import KINDS, MEASURED
from rulenet.model_file.checks import (
    a_boolean,
    a_string,
    a_value,
    an_array,
    an_integer,
    an_object,
    short,
    some_numbers,
)
from rulenet.model_file.state import FORMAT, READABLE_VERSIONS, State
from rulenet.model_file.version_1 import upgrade
from rulenet.network import Network

MAX_BYTES = 32 << 20
MAX_WEIGHTS = 20_000_000
MAX_UNITS = 100_000
MAX_ALTERNATIVES = 1_000
MAX_VALUES = 500_000
MAX_CLASSES = 10_000
# Bits of the sets of cells of all conditions together.
MAX_CELLS = 500_000_000
MAX_NESTING = 20
MAX_NEED = 1_000_000_000
MAX_EDITS = 100_000
KEYS = ("format", "version", "parameters", "encoding", "network", "history", "named")
OF_TARGET = ("target", "classes", "outputs", "calibration")
# What a calibration is where it does not say that it is the opposite.
UNLESS_SAID = {"by_sign": False, "follows": True}
MAX_TARGETS = 10_000
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
        an_object(data, "the model", ())
        if data.get("format") != FORMAT:
            raise ModelFileError(f"format is {short(data.get('format'))}, but a model file says {FORMAT!r}")
        version = data.get("version")
        if isinstance(version, bool) or version not in READABLE_VERSIONS:
            known = " and ".join(map(str, READABLE_VERSIONS))
            raise ModelFileError(
                f"version is {short(version)}, but this rulenet reads {known}; use the one that wrote it"
            )
        data = upgrade(data) if version == 1 else data
        told = ("targets",) if "targets" in data else (*OF_TARGET, "alternatives")
        an_object(data, "the model", (*KEYS, *told, "edits") if "edits" in data else (*KEYS, *told))
        fitted = self.fitted_targets(data) if "targets" in data else self.fitted(data)
        return State(self.parameters(data["parameters"], "parameters", 0), fitted)

    def fitted(self, data: Any) -> Fitted:
        encoding = self.encoding(data["encoding"])
        n_literals = len(encoding.conditions)
        network = self.network(data["network"], "network", n_literals)
        classes, outputs, calibration, target = _told(data, "")
        if len(outputs) != network.n_outputs:
            raise ModelFileError(f"outputs is {short(outputs)}, but the network has {network.n_outputs} outputs")
        return Fitted(
            encoding,
            network,
            classes,
            outputs,
            calibration,
            target,
            some_numbers(data["history"], "history", low=0.0),
            self.alternatives(data["alternatives"], n_literals, len(outputs)),
            _named(data["named"], encoding),
            _edits(data.get("edits", [])),
        )

    def fitted_targets(self, data: Any) -> FittedTargets:
        encoding, targets = self.encoding(data["encoding"]), list[Target]()
        network = self.network(data["network"], "network", len(encoding.conditions))
        for i, entry in enumerate(an_array(data["targets"], "targets", MAX_TARGETS)):
            an_object(entry, f"targets[{i}]", ("column", *OF_TARGET))
            column = a_string(entry["column"], f"targets[{i}].column")
            classes, outputs, calibration, name = _told(entry, f"targets[{i}].")
            targets.append(Target(column, name, classes, outputs, calibration))
        n_outputs = sum(len(target.outputs) for target in targets)
        if n_outputs != network.n_outputs or len({t.column for t in targets}) < max(len(targets), 1):
            raise ModelFileError(
                f"targets has {len(targets)} targets with {n_outputs} outputs, but the network has "
                f"{network.n_outputs} outputs, and every target needs a name of its own"
            )
        history = some_numbers(data["history"], "history", low=0.0)
        named, edits = _named(data["named"], encoding), _edits(data.get("edits", []))
        return FittedTargets(encoding, network, tuple(targets), history, named, edits=edits)

    def alternatives(self, data: Any, n_literals: int, n_outputs: int) -> tuple[Alternative, ...]:
        found = list[Alternative]()
        for i, entry in enumerate(an_array(data, "alternatives", MAX_ALTERNATIVES)):
            place = f"alternatives[{i}]"
            an_object(entry, place, ("price", "accuracy", "validation", "network", "calibration"))
            network = self.network(entry["network"], f"{place}.network", n_literals)
            if network.n_outputs != n_outputs:
                raise ModelFileError(f"{place}.network has {network.n_outputs} outputs, but must have {n_outputs}")
            price, accuracy = some_numbers([entry["price"], entry["accuracy"]], place, low=0.0).tolist()
            given = [] if entry["validation"] is None else [entry["validation"]]
            validation = some_numbers(given, f"{place}.validation", low=0.0).tolist()
            calibration = _calibration(entry["calibration"], f"{place}.calibration", n_outputs)
            found.append(Alternative(network, calibration, price, accuracy, *validation))
        return tuple(found)

    def encoding(self, data: Any) -> Encoding:
        an_object(data, "encoding", ("attributes", "conditions", "named"))
        attributes = [
            _attribute(a, f"encoding.attributes[{i}]")
            for i, a in enumerate(an_array(data["attributes"], "encoding.attributes", MAX_VALUES))
        ]
        names = [a.name for a in attributes]
        if len(set(names)) < len(names):
            raise ModelFileError("encoding.attributes has two attributes of one name; names must differ")
        n_cells = sum(a.n_cells for a in attributes)
        if not 0 < n_cells <= MAX_VALUES:
            raise ModelFileError(f"encoding.attributes has {n_cells} cells in all, but must have 1 to {MAX_VALUES}")
        conditions = an_array(data["conditions"], "encoding.conditions", MAX_WEIGHTS)
        if not conditions:
            raise ModelFileError("encoding.conditions is empty, but a network reads at least one")
        found, n_bits = list[Condition](), 0
        for i, condition in enumerate(conditions):
            found.append(_condition(condition, attributes, f"encoding.conditions[{i}]"))
            n_bits += found[-1].attribute.n_cells
            if n_bits > MAX_CELLS:
                raise ModelFileError(f"encoding.conditions has more than {MAX_CELLS} cells, too many for a model")
        return Encoding(tuple(attributes), tuple(found), a_boolean(data["named"], "encoding.named"))

    def network(self, data: Any, place: str, n_literals: int | None = None) -> Network:
        an_object(data, place, ("first_gate", "n_literals", "layers", "needs"))
        layers = an_array(data["layers"], f"{place}.layers", 10_000)
        n_inputs = an_integer(data["n_literals"], f"{place}.n_literals", 1, MAX_WEIGHTS)
        if n_literals not in (None, n_inputs):
            raise ModelFileError(f"{place}.n_literals is {n_inputs}, but the encoding has {n_literals} conditions")
        weights = list[NDArray[np.bool_]]()
        for i, layer in enumerate(layers):
            units = an_array(layer, f"{place}.layers[{i}]", MAX_UNITS)
            self.budget -= len(units) * n_inputs
            if self.budget < 0:
                raise ModelFileError(f"{place}.layers has more than {MAX_WEIGHTS} weights, too many for a model")
            weights.append(_layer(units, n_inputs, f"{place}.layers[{i}]"))
            n_inputs = len(units)
        needs = [
            [
                an_integer(need, f"{place}.needs[{i}]", 1, MAX_NEED)
                for need in an_array(layer, f"{place}.needs", MAX_UNITS)
            ]
            for i, layer in enumerate(an_array(data["needs"], f"{place}.needs", 10_000))
        ]
        try:
            return Network(weights, data["first_gate"], needs)
        except (RuleNetError, TypeError) as error:
            raise ModelFileError(f"{place}: {error}") from error

    def parameters(self, data: Any, place: str, depth: int) -> dict[str, Any]:
        an_object(data, place, ())
        return {a_string(k, place): self.parameter(v, f"{place}.{k}", depth) for k, v in data.items()}

    def parameter(self, data: Any, place: str, depth: int) -> Any:
        if depth > MAX_NESTING:
            raise ModelFileError(f"{place[:80]} is nested deeper than {MAX_NESTING}")
        if data is None or isinstance(data, bool | str | int | float):
            return data
        an_object(data, place, ())
        match list(data.items()):
            case [("tuple", items)]:
                return tuple(self.parameter(x, place, depth + 1) for x in an_array(items, place, MAX_VALUES))
            case [("list", items)]:
                return [self.parameter(x, place, depth + 1) for x in an_array(items, place, MAX_VALUES)]
            case [("mapping", items)]:
                pairs = [an_array(p, place, 2) for p in an_array(items, place, MAX_VALUES)]
                if any(len(p) != 2 for p in pairs):
                    raise ModelFileError(f"{place}.mapping must be an array of pairs")
                return {a_value(k, place): self.parameter(v, place, depth + 1) for k, v in pairs}
            case [("network", network)]:
                return self.network(network, f"{place}.network")
            case [("strategy", name), ("parameters", inner)] | [("parameters", inner), ("strategy", name)]:
                return self.strategy(name, self.parameters(inner, f"{place}.parameters", depth + 1), place)
        raise ModelFileError(f"{place} is {short(data)}, but no parameter looks like that")

    def strategy(self, name: Any, parameters: dict[str, Any], place: str) -> Any:
        if not isinstance(name, str) or name not in self.strategies:
            known = ", ".join(self.strategies)
            raise ModelFileError(f"{place}.strategy is {short(name)}, but this rulenet knows {known}")
        try:
            return self.strategies[name](**parameters)
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"{place}: {name} does not take these parameters: {error}") from error


def _attribute(data: Any, place: str) -> Attribute:
    an_object(data, place, ())
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ModelFileError(f"{place}.kind is {short(kind)}, but must be one of {', '.join(KINDS)}")
    what = "cuts" if kind in MEASURED else "values"
    data = {"whole": False, **data}
    an_object(data, place, ("name", "kind", what, "whole"))
    name, whole = a_string(data["name"], f"{place}.name"), a_boolean(data["whole"], f"{place}.whole")
    cells = tuple(a_value(v, f"{place}.{what}") for v in an_array(data[what], f"{place}.{what}", MAX_VALUES))
    if len({(type(v), v) for v in cells}) < len(cells):
        raise ModelFileError(f"{place}.{what} has a value twice; values must differ")
    if what == "cuts":
        _check_cuts(cells, kind, f"{place}.cuts")
    try:
        return Attribute(name, kind=kind, whole=whole, **{what: cells})  # type: ignore[arg-type]
    except RuleNetError as error:
        raise ModelFileError(f"{place}: {error}") from error


def _check_cuts(cuts: tuple[Any, ...], kind: str, place: str) -> None:
    for cut in cuts:
        if isinstance(cut, bool | str) or not math.isfinite(cut):
            raise ModelFileError(f"{place} has {short(cut)}, but must have finite numbers")
        if kind != "numeric" and not (isinstance(cut, int) and abs(cut) < 1 << 62):
            raise ModelFileError(f"{place} has {short(cut)}, but those of dates and durations are whole microseconds")
        if abs(cut) > 1e308:
            raise ModelFileError(f"{place} has {short(cut)}, which is too large")


def _condition(data: Any, attributes: list[Attribute], place: str) -> Condition:
    an_object(data, place, ("attribute", "cells", "missing"))
    attribute = attributes[an_integer(data["attribute"], f"{place}.attribute", 0, len(attributes) - 1)]
    cells, last = 0, 0
    for run in an_array(data["cells"], f"{place}.cells", attribute.n_cells):
        ends = [an_integer(end, f"{place}.cells", last, attribute.n_cells) for end in an_array(run, place, 2)]
        if len(ends) != 2 or not ends[0] < ends[1]:
            raise ModelFileError(f"{place}.cells has {short(run)}, but a run has a first cell, and one after its last")
        cells, last = cells | (1 << ends[1]) - (1 << ends[0]), ends[1]
    return Condition(attribute, cells | (attribute.missing if a_boolean(data["missing"], f"{place}.missing") else 0))


def _layer(units: list[Any], n_inputs: int, place: str) -> NDArray[np.bool_]:
    weights = np.zeros((len(units), n_inputs), dtype=np.bool_)
    for k, unit in enumerate(units):
        if unit != []:
            inputs = an_array(unit, f"{place}[{k}]", n_inputs)
            weights[k, [an_integer(j, f"{place}[{k}]", 0, n_inputs - 1) for j in inputs]] = True
    return weights


def _told(data: Any, place: str) -> tuple[NDArray[Any], tuple[int, ...], Calibration, str]:
    """The classes, the outputs, the calibration and the name of a column of labels."""
    classes = _classes(data["classes"])
    outputs = _outputs(data["outputs"], len(classes), f"{place}outputs")
    calibration = _calibration(data["calibration"], f"{place}calibration", len(outputs))
    return classes, outputs, calibration, _target(data["target"])


def _classes(data: Any) -> NDArray[Any]:
    an_object(data, "classes", ("dtype", "values"))
    values = [a_value(v, "classes.values") for v in an_array(data["values"], "classes.values", MAX_CLASSES)]
    if len(values) < 2:
        raise ModelFileError(f"classes.values has {len(values)} labels, but must have at least 2")
    text = a_string(data["dtype"], "classes.dtype")
    try:
        dtype = np.dtype(text)
        if dtype.kind not in DTYPE_KINDS or dtype.itemsize > 1 << 20 or dtype.shape or dtype.names:
            raise TypeError(f"{text[:80]!r} is no type of labels")
        if dtype.kind == "f" and dtype.itemsize > 8:
            raise TypeError(f"{text[:80]!r} is wider than a number of this file")
        classes = np.array(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError, SyntaxError) as error:
        raise ModelFileError(f"classes: {error}") from error
    if classes.tolist() != values or len(set(values)) < len(values):
        raise ModelFileError(f"classes.values is {short(values)}, but must be different labels of type {text[:80]}")
    return classes


def _outputs(data: Any, n_classes: int, place: str) -> tuple[int, ...]:
    outputs = [an_integer(k, place, 0, n_classes - 1) for k in an_array(data, place, MAX_CLASSES)]
    if len(outputs) != (1 if n_classes == 2 else n_classes) or len(set(outputs)) < len(outputs):
        raise ModelFileError(f"{place} is {short(outputs)}, but there are {n_classes} labels, each of one output")
    return tuple(outputs)


def _calibration(data: Any, place: str, n_outputs: int) -> Calibration:
    said = {name: usual for name, usual in UNLESS_SAID.items() if isinstance(data, dict) and name in data}
    an_object(data, place, ("scale", "offsets", *said))
    scale = some_numbers([data["scale"]], f"{place}.scale", low=0.0)
    offsets = some_numbers(data["offsets"], f"{place}.offsets", low=-1e9)
    if len(offsets) != n_outputs or scale[0] > 1e9 or (offsets > 1e9).any():
        raise ModelFileError(f"{place} must have a scale and {n_outputs} offsets of at most 1e9")
    for name, usual in said.items():
        if data[name] is not (not usual):
            other = "false" if usual else "true"
            raise ModelFileError(f"{place}.{name} is {short(data[name])}, but is {other}, or left out")
    return Calibration(float(scale[0]), tuple(offsets.tolist()), "by_sign" in said, "follows" not in said)


def _target(data: Any) -> str:
    if not a_string(data, "target").strip():
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


def _edits(data: Any) -> tuple[Edit, ...]:
    found = list[Edit]()
    for i, edit in enumerate(an_array(data, "edits", MAX_EDITS)):
        an_object(edit, f"edits[{i}]", ("what", "reason"))
        found.append(Edit(a_string(edit["what"], f"edits[{i}].what"), a_string(edit["reason"], f"edits[{i}].reason")))
    return tuple(found)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _no_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError("an object has a key twice")
    return data
