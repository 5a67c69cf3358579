"""JSON: the decision as data, there and back."""

import json
from typing import Any

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision, Score
from rulenet.formulas.export.json import (
    VERSION,
    attribute_as_data,
    attribute_from_data,
    check_kind,
    concepts_as_data,
    concepts_from_data,
    data_of,
    expect,
    expression_as_data,
    expression_from_data,
)
from rulenet.formulas.export.values import check_plain

KIND = "decision"


def to_json(decision: Decision, *, indent: int | None = 2) -> str:
    """The decision as JSON text; ``from_json`` gives the same decision back.

    >>> from rulenet.conditions import Attribute
    >>> a = Attribute("a", (0, 1))
    >>> text = to_json(Decision((Score("x", 1, ((2, a.equal(1)),)),), {}, (a,)), indent=None)
    >>> text[text.index('"outputs"'):]
    '"outputs": [{"label": "x", "need": 1, "parts": [{"points": 2, "means": {"column": "a", "cells": [1], "reads": "a =
    1"}}]}]}'
    """
    return json.dumps(as_data(decision), indent=indent, allow_nan=False)


def from_json(text: str) -> Decision:
    """The decision of JSON text; anything that is not one raises a ``FormulaError``."""
    return from_data(data_of(text))


def as_data(decision: Decision) -> dict[str, Any]:
    """The decision as lists and dictionaries."""
    return {
        "version": VERSION,
        "kind": KIND,
        "target": decision.target,
        "attributes": [attribute_as_data(a) for a in decision.attributes],
        "concepts": concepts_as_data(decision.concepts),
        "outputs": [score_as_data(score) for score in decision.outputs],
    }


def from_data(data: Any) -> Decision:
    """The decision of lists and dictionaries as ``as_data`` makes them."""
    check_kind(data, KIND)
    attributes = [attribute_from_data(a) for a in expect(data.get("attributes"), list, "attributes")]
    by_name = {a.name: a for a in attributes}
    concepts = concepts_from_data(data, by_name)

    outputs = tuple(score_from_data(output, by_name) for output in expect(data.get("outputs"), list, "outputs"))
    return Decision(outputs, concepts, tuple(attributes), expect(data.get("target"), str, "target"))


def score_as_data(score: Score) -> dict[str, Any]:
    """A score as lists and dictionaries."""
    parts = [{"points": points, "means": expression_as_data(part)} for points, part in score.parts]
    return {"label": check_plain(score.label, "JSON"), "need": score.need, "parts": parts}


def score_from_data(output: Any, by_name: dict[str, Attribute]) -> Score:
    """The score of lists and dictionaries as ``score_as_data`` makes them."""
    expect(output, dict, "an output")
    parts = [expect(part, dict, "a part") for part in expect(output.get("parts"), list, "the parts of an output")]
    counted = ((_whole(p.get("points"), "points"), expression_from_data(p.get("means"), by_name)) for p in parts)
    return Score(check_plain(output.get("label"), "JSON"), _whole(output.get("need"), "need"), tuple(counted))


def _whole(value: Any, what: str) -> int:
    if type(value) is not int:
        raise FormulaError(f"{what} is {str(value)[:80]!r}, but must be a whole number")
    return value
