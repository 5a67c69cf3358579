"""What a page is about, as lists and dictionaries: the network, the rows, the model file."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _num_samples

from rulenet import model_file
from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import ModelFileError, TableError
from rulenet.fitted import Fitted
from rulenet.formulas.export.values import check_plain
from rulenet.model_file.write import write_calibration
from rulenet.page.columns import columns_of, exact, packed
from rulenet.page.names import names_of, places_of
from rulenet.page.units import Units

Rows = tuple[Any, ArrayLike]


def compact_data(fitted: Fitted) -> dict[str, Any]:
    """All that a page without rows holds: the network that predicts, to be seen and asked about typed values."""
    data = page_data(replace(fitted, alternatives=(), edits=()), None, None, None, 0, {})
    return data | {"compact": True, "model": {"calibration": data["model"]["calibration"]}}


def page_data(
    fitted: Fitted,
    X: Any,
    y: ArrayLike | None,
    held_out: Rows | None,
    max_rows: int,
    parameters: Mapping[str, Any],
) -> dict[str, Any]:
    """All that a page holds."""
    units = Units.over(fitted.encoding.conditions)
    networks = [fitted.network, *(a.network for a in fitted.alternatives)]
    outputs = [units.add(network) for network in networks]
    names = names_of(fitted, units, outputs[0])
    classes = [check_plain(label, "a page") for label in fitted.classes.tolist()]
    return {
        "target": fitted.target,
        "classes": [str(label) for label in classes],
        "outputs": list(fitted.outputs),
        "attributes": [_attribute(a) for a in fitted.encoding.attributes],
        "conditions": [condition_data(x, fitted) for x in units.conditions],
        "units": [{"gate": u.gate, "need": u.need, "inputs": u.inputs} for u in units.units],
        "names": {str(k): name for k, name in names.items()},
        "network": _network(units, outputs[0]) | {"size": fitted.network.size},
        "alternatives": [
            {
                **_network(units, found),
                "size": a.network.size,
                "accuracy": a.accuracy,
                "validation": a.validation,
                "calibration": write_calibration(a.calibration),
                "chosen": a.network == fitted.network,
            }
            for a, found in zip(fitted.alternatives, outputs[1:], strict=True)
        ],
        "edits": [{"what": edit.what, "reason": edit.reason} for edit in fitted.edits],
        "rows": _no_rows(fitted) if X is None else _rows(fitted, X, y, max_rows),
        "heldOut": None if held_out is None else _rows(fitted, *held_out, max_rows),
        "model": _model(fitted, parameters),
    }


def sampled(codes: NDArray[np.int64], max_rows: int) -> NDArray[np.int64]:
    """At most ``max_rows`` rows, rising, in which classes are as frequent as in all; the same rows every time.

    >>> sampled(np.array([0] * 90 + [1] * 10), 10).tolist()[-1] >= 90
    True
    """
    if len(codes) <= max_rows:
        return np.arange(len(codes))
    random = np.random.default_rng(0)
    order = random.permutation(len(codes))
    ranks = np.empty(len(codes))
    for k in np.unique(codes):
        mine = order[codes[order] == k]
        ranks[mine] = (np.arange(len(mine)) + 0.5) / len(mine)
    return np.sort(np.argsort(ranks, kind="stable")[:max_rows])


def _no_rows(fitted: Fitted) -> dict[str, Any]:
    codes = {"bits": 8, "codes": ""}
    columns = [codes | ({"values": []} if a.measured else {"others": []}) for a in fitted.encoding.attributes]
    return {"n": 0, "of": 0, "numbers": None, "classes": codes, "columns": columns}


def _rows(fitted: Fitted, X: Any, y: ArrayLike | None, max_rows: int) -> dict[str, Any]:
    codes = _class_codes(fitted, X, y)
    chosen = sampled(codes, max_rows)
    return {
        "n": len(chosen),
        "of": len(codes),
        "numbers": None if len(chosen) == len(codes) else packed(chosen, len(codes)),
        "classes": packed(codes[chosen], len(fitted.classes) - 1),
        "columns": columns_of(fitted.encoding, X, chosen),
    }


def _class_codes(fitted: Fitted, X: Any, y: ArrayLike | None) -> NDArray[np.int64]:
    labels, known = np.asarray(y).tolist(), {label: k for k, label in enumerate(fitted.classes.tolist())}
    if len(labels) != _num_samples(X):
        raise TableError(f"X has {_num_samples(X)} rows, but y has {len(labels)} labels")
    if not labels:
        raise TableError("there are 0 rows, but a page is about at least one")
    unknown = next((label for label in labels if label not in known), None)
    if unknown is not None:
        raise TableError(f"y has the label {unknown!r}, but the classes are {', '.join(map(repr, known))}")
    return np.array([known[label] for label in labels], np.int64)


def _attribute(attribute: Attribute) -> dict[str, Any]:
    texts = [str(check_plain(v, "a page")) for v in attribute.values]
    return {"name": attribute.name, "kind": attribute.kind, "values": texts, "whole": attribute.whole}


def condition_data(condition: Condition, fitted: Fitted) -> dict[str, Any]:
    """A condition: the ranges, or the cells, for which it holds."""
    attribute = condition.attribute
    place = next(i for i, a in enumerate(fitted.encoding.attributes) if a.name == attribute.name)
    held: dict[str, Any] = {"cells": _cells(condition)}
    if attribute.measured:
        held = {"ranges": [[None if end is None else exact(end) for end in run] for run in condition.ranges]}
    return {"attribute": place, **held, "missing": condition.asks_missing}


def _cells(condition: Condition) -> list[int]:
    return [cell for first, after in condition.runs for cell in range(first, after)]


def _network(units: Units, outputs: tuple[int, ...]) -> dict[str, Any]:
    places = places_of(units.units, units.conditions, outputs)
    return {"outputs": list(outputs), "places": {str(ref): y for ref, y in places.items()}}


def _model(fitted: Fitted, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The model file in pieces; what JavaScript must not touch, lest numbers are rounded, as text.

    Parameters that no file can hold are left out.
    """
    try:
        data = json.loads(model_file.dumps(model_file.State(dict(parameters), fitted)))
    except ModelFileError:
        data = json.loads(model_file.dumps(model_file.State({}, fitted)))
    attributes = data["encoding"]["attributes"]
    texts = {name: json.dumps(data[name]) for name in ("parameters", "classes", "history", "named", "calibration")}
    return texts | {
        "names": [json.dumps(a["name"]) for a in attributes],
        "values": [json.dumps(a.get("values", [])) for a in attributes],
        "cuts": [[exact(cut) for cut in a.get("cuts", [])] for a in attributes],
        "conditions": data["encoding"]["conditions"],
        "namedColumns": data["encoding"]["named"],
        "network": data["network"],
        "alternatives": data["alternatives"],
    }
