"""State to JSON, and JSON to a file in one step that cannot be seen half done."""

import datetime
import json
import os
from typing import Any

import numpy as np

from rulenet.calibration import Calibration
from rulenet.conditions import Condition
from rulenet.encoding import Encoding
from rulenet.exceptions import ModelFileError
from rulenet.fitted import Alternative, Fitted
from rulenet.fitted_targets import FittedTargets, Target
from rulenet.formulas.export.json import as_data, attribute_as_data
from rulenet.formulas.export.values import check_plain
from rulenet.model_file.state import FORMAT, VERSION, State
from rulenet.network import Network
from rulenet.replacing import replacing


def write(path: str | os.PathLike[str], state: State) -> None:
    """Write ``state`` to ``path``; an older file stays whole until the new one is."""
    text = dumps(state)
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8")


def dumps(state: State) -> str:
    """The text of a model file."""
    fitted = state.fitted
    data = {
        "format": FORMAT,
        "version": VERSION,
        "parameters": {name: _parameter(name, value) for name, value in state.parameters.items()},
        "encoding": _encoding(fitted.encoding),
        "network": _network(fitted.network),
        "history": fitted.history.tolist(),
        "named": None if fitted.named is None else as_data(fitted.named),
    }
    if isinstance(fitted, FittedTargets):
        data["targets"] = [{"column": t.column, **_target(t, t.name)} for t in fitted.targets]
    else:
        data |= _target(fitted, fitted.target) | {"alternatives": [_alternative(a) for a in fitted.alternatives]}
    if fitted.edits:
        data["edits"] = [{"what": edit.what, "reason": edit.reason} for edit in fitted.edits]
    return json.dumps(data, allow_nan=False, indent=1) + "\n"


def _target(told: Fitted | Target, name: str) -> dict[str, Any]:
    """What the outputs of a column of labels tell of."""
    return {
        "target": name,
        "classes": {"dtype": told.classes.dtype.str, "values": [_value(v) for v in told.classes.tolist()]},
        "outputs": list(told.outputs),
        "calibration": write_calibration(told.calibration),
    }


def _alternative(found: Alternative) -> dict[str, Any]:
    return {
        "price": found.price,
        "accuracy": found.accuracy,
        "validation": found.validation,
        "network": _network(found.network),
        "calibration": write_calibration(found.calibration),
    }


def _encoding(encoding: Encoding) -> dict[str, Any]:
    place = {attribute.name: i for i, attribute in enumerate(encoding.attributes)}
    return {
        "attributes": [attribute_as_data(attribute) for attribute in encoding.attributes],
        "conditions": [
            {"attribute": place[x.attribute.name], "cells": [list(run) for run in x.runs], "missing": x.asks_missing}
            for x in encoding.conditions
        ],
        "named": encoding.named,
    }


def write_calibration(calibration: Calibration) -> dict[str, Any]:
    """A calibration as the model file has it."""
    found = {"scale": calibration.scale, "offsets": list(calibration.offsets)}
    found |= {"by_sign": True} if calibration.by_sign else {}
    return found | ({} if calibration.follows else {"follows": False})


def _network(network: Network) -> dict[str, Any]:
    return {
        "first_gate": network.first_gate,
        "n_literals": network.n_literals,
        "layers": [[np.flatnonzero(unit).tolist() for unit in layer] for layer in network.weights],
        "needs": [needs.tolist() for needs in network.needs],
    }


def _parameter(name: str, value: Any) -> Any:
    if isinstance(value, Network):
        return {"network": _network(value)}
    if hasattr(value, "get_params"):
        inner = value.get_params(deep=False)
        return {"strategy": type(value).__name__, "parameters": {k: _parameter(k, v) for k, v in inner.items()}}
    if isinstance(value, Condition | datetime.date | datetime.timedelta):
        return str(value)
    if isinstance(value, dict):
        return {"mapping": [[_value(k), _parameter(name, v)] for k, v in value.items()]}
    if isinstance(value, list | tuple | np.ndarray):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_parameter(name, v) for v in value]}
    if value is None or isinstance(value, str | bool | int | float | np.generic):
        return value.item() if isinstance(value, np.generic) else value
    raise ModelFileError(
        f"parameter {name} is a {type(value).__name__}, which a model file cannot hold; "
        f"set it to a plain value, for example set_params({name}=None)"
    )


def _value(value: Any) -> Any:
    return check_plain(value, "a model file")
