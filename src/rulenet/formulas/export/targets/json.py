"""JSON: the decisions as data, there and back."""

import json
from typing import Any

from rulenet.formulas.decision import Score
from rulenet.formulas.decisions import Decisions, Goal, Output
from rulenet.formulas.export.decisions.json import score_as_data, score_from_data
from rulenet.formulas.export.json import (
    VERSION,
    attribute_as_data,
    attribute_from_data,
    check_kind,
    concepts_as_data,
    concepts_from_data,
    data_of,
    expect,
)
from rulenet.formulas.export.values import check_plain

KIND = "decisions"


def to_json(decisions: Decisions, *, indent: int | None = 2) -> str:
    """The decisions as JSON text; ``from_json`` gives the same ones back."""
    return json.dumps(as_data(decisions), indent=indent, allow_nan=False)


def from_json(text: str) -> Decisions:
    """The decisions of JSON text; anything that is none raises a ``FormulaError``."""
    return from_data(data_of(text))


def as_data(decisions: Decisions) -> dict[str, Any]:
    """The decisions as lists and dictionaries."""
    return {
        "version": VERSION,
        "kind": KIND,
        "target": decisions.target,
        "attributes": [attribute_as_data(a) for a in decisions.attributes],
        "concepts": concepts_as_data(decisions.concepts),
        "goals": [
            {
                "column": goal.column,
                "name": goal.name,
                "labels": [check_plain(label, "JSON") for label in goal.labels],
                "outputs": [
                    score_as_data(Score(output.label, score.need, score.parts))
                    for output in goal.outputs
                    for score in [decisions.score(output)]
                ],
            }
            for goal in decisions.goals
        ],
    }


def from_data(data: Any) -> Decisions:
    """The decisions of lists and dictionaries as ``as_data`` makes them."""
    check_kind(data, KIND)
    attributes = [attribute_from_data(a) for a in expect(data.get("attributes"), list, "attributes")]
    by_name = {a.name: a for a in attributes}
    goals, scores = list[Goal](), list[Score]()
    for entry in expect(data.get("goals"), list, "goals"):
        expect(entry, dict, "a goal")
        column, name = (expect(entry.get(key), str, key) for key in ("column", "name"))
        labels = [check_plain(label, "JSON") for label in expect(entry.get("labels"), list, "labels")]
        goals.append(Goal(column, tuple(labels), name))
        for output in expect(entry.get("outputs"), list, "the outputs of a goal"):
            score = score_from_data(output, by_name)
            scores.append(Score(Output(column, score.label), score.need, score.parts))
    target = expect(data.get("target"), str, "target")
    return Decisions(tuple(scores), concepts_from_data(data, by_name), tuple(attributes), target, tuple(goals))
