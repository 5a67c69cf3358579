"""Model files of version 1, rewritten as version 2: nominal columns, two classes, AND and OR.

Only the shape is changed here. What is in it is checked afterwards, like that of any file.
"""

from typing import Any

import numpy as np

from rulenet.calibration import from_odds
from rulenet.exceptions import ModelFileError
from rulenet.model_file.checks import an_array, an_integer, an_object, some_numbers

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
MAX_VALUES = 500_000
MAX_CONDITIONS = 200_000
MAX_COUNT = 1e300  # the sum of all counts stays finite


def upgrade(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a file of version 1 in the shape of version 2."""
    an_object(data, "the model", KEYS)
    return {
        "format": data["format"],
        "version": 2,
        "parameters": data["parameters"],
        "classes": data["classes"],
        "outputs": [an_integer(data["positive"], "positive", 0, 1)],
        "encoding": _encoding(data["encoding"]),
        "network": _network(data["network"], "network"),
        "calibration": _calibration(data["counts"]),
        "history": data["history"],
        "target": data["target"],
        "named": data["named"],
        "alternatives": [
            _alternative(c, f"choices[{i}]") for i, c in enumerate(an_array(data["choices"], "choices", 10_000))
        ],
    }


def _encoding(data: Any) -> dict[str, Any]:
    an_object(data, "encoding", ("attributes", "not_equal", "named"))
    attributes, conditions = list[dict[str, Any]](), list[dict[str, Any]]()
    for i, attribute in enumerate(an_array(data["attributes"], "encoding.attributes", MAX_VALUES)):
        an_object(attribute, f"encoding.attributes[{i}]", ("name", "values"))
        values = an_array(attribute["values"], f"encoding.attributes[{i}].values", MAX_VALUES)
        attributes.append({"name": attribute["name"], "kind": "nominal", "values": values, "whole": False})
        conditions += [_condition(i, [[k, k + 1]]) for k in range(len(values))]
        if data["not_equal"] is True and len(values) > 2:
            conditions += [_condition(i, _without(k, len(values))) for k in range(len(values))]
        if len(conditions) > MAX_CONDITIONS:
            raise ModelFileError(f"encoding.attributes has more than {MAX_CONDITIONS} conditions, too many for a model")
    if not isinstance(data["not_equal"], bool):
        raise ModelFileError("encoding.not_equal must be true or false")
    return {"attributes": attributes, "conditions": conditions, "named": data["named"]}


def _condition(attribute: int, cells: list[list[int]]) -> dict[str, Any]:
    return {"attribute": attribute, "cells": cells, "missing": False}


def _without(k: int, n_cells: int) -> list[list[int]]:
    return [run for run in ([0, k], [k + 1, n_cells]) if run[0] < run[1]]


def _network(data: Any, place: str) -> dict[str, Any]:
    an_object(data, place, ("first_gate", "n_literals", "layers"))
    layers = an_array(data["layers"], f"{place}.layers", 10_000)
    return {**data, "needs": [[1] * len(an_array(layer, f"{place}.layers", 100_000)) for layer in layers]}


def _calibration(data: Any) -> dict[str, Any]:
    """Probabilities from the classes counted where rules fire and, last, where none does, by Laplace's rule."""
    rows = [some_numbers(row, "counts", low=0.0) for row in an_array(data, "counts", MAX_VALUES)]
    if len(rows) < 2 or any(len(row) != 2 for row in rows):
        raise ModelFileError("counts must have a pair of numbers for every rule, and one for no rule")
    if np.max(rows) > MAX_COUNT:
        raise ModelFileError(f"counts has {np.max(rows):g}, but may have {MAX_COUNT:g} at most")
    firing, none = np.sum(rows[:-1], axis=0), rows[-1]
    calibration = from_odds(*(float(pair[1] + 1) / float(pair[0] + 1) for pair in (none, firing)))
    return {"scale": calibration.scale, "offsets": list(calibration.offsets)}


def _alternative(data: Any, place: str) -> dict[str, Any]:
    an_object(data, place, ("price", "accuracy", "validation", "network", "counts"))
    rest = {name: data[name] for name in ("price", "accuracy", "validation")}
    return {
        **rest,
        "network": _network(data["network"], f"{place}.network"),
        "calibration": _calibration(data["counts"]),
    }
