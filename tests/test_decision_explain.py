"""Reasons force the class and are shortest, changes give the class that was named: compared with trying everything."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas import Concept, Decision, Or, Score, decision_from_network
from rulenet.formulas.explain import explain_decision
from rulenet.formulas.statistics import class_statistics, concept_matrix, decision_path
from rulenet.formulas.truth import all_rows, encode
from test_decision import attributes_of, several_outputs
from test_explain import first_change, meet


@given(several_outputs(max_attributes=3, max_layers=3), st.data())
@settings(max_examples=40, deadline=None)
def test_reasons_and_changes_are_right_and_smallest(case, data):
    decision = decision_from_network(*case)
    rows = all_rows(attributes_of(case[1]))
    i = data.draw(st.integers(0, len(rows) - 1))
    decided, margins = decision.decide(rows), decision.margins(rows)
    others = [label for label in decision.labels if label != decided[i]]
    towards = data.draw(st.sampled_from([None, *others]))
    found = explain_decision(decision, rows, i, towards)
    assert found.label == decided[i]
    assert list(found.margins.values()) == margins[i].tolist()
    assert towards is None or found.rival == towards
    counted = sum(found.differences.values())
    assert counted == found.points[found.label] - found.points[found.rival]
    names = [a.name for a in decision.attributes]
    inside = meet(rows, found.reason)
    assert inside[i]
    assert set(decided[inside]) == {found.label}
    for smaller in combinations(range(len(names)), max(len(found.reason) - 1, 0)) if found.reason else ():
        agree = np.all(rows.codes[:, list(smaller)] == rows.codes[i, list(smaller)], axis=1)
        assert set(decided[agree]) != {found.label}
    allowed = np.all((rows.codes >= 0) | (rows.codes == rows.codes[i]), axis=1) & (decided == found.rival)
    if not allowed.any():
        assert found.change is None
        return
    assert len(found.change) == (rows.codes != rows.codes[i]).sum(axis=1)[allowed].min()
    same = [j for j, name in enumerate(names) if name not in found.change]
    new = meet(rows, found.change) & np.all(rows.codes[:, same] == rows.codes[i, same], axis=1)
    assert set(decided[new]) == {found.rival}
    best, changed = first_change(decision.as_formula(), rows, i, allowed)
    assert [*found.change] == changed
    assert new[best]


A, B, C = (Attribute(n, ("no", "yes")).equal("yes") for n in "abc")
ATTRIBUTES = tuple(x.attribute for x in (A, B, C))
SCORES = (Score("x", 1, ((2, Concept("c1")),)), Score("y", 1, ((1, A), (1, Concept("c1")))), Score("z", 0, ((1, C),)))
DECISION = Decision(SCORES, {"c1": Or((A, B))}, ATTRIBUTES, "kind")


def test_an_explanation_reads():
    row = encode(ATTRIBUTES, [{"a": "yes", "b": "no", "c": "no"}])
    assert str(explain_decision(DECISION, row)).splitlines() == [
        "kind = x, because a = yes",
        "    x has 2 points and needs 1, y has 2 points and needs 1",
        "    1 point for x: c1",
        "    1 point for y: a = yes",
        "    c1 holds by a = yes",
        "no other values would make it y",
    ]
    towards = explain_decision(DECISION, row, towards="z")
    assert {name: str(x) for name, x in towards.change.items()} == {"a": "a = no"}
    assert towards.fired == ("x", "y", "z")
    with pytest.raises(FormulaError, match="has the class 'x' already"):
        explain_decision(DECISION, row, towards="x")
    with pytest.raises(FormulaError, match="no class is called 'q'"):
        explain_decision(DECISION, row, towards="q")


def test_paths_say_who_fired_and_who_was_next():
    rows = encode(ATTRIBUTES, [{"a": "yes"}, {"c": "yes"}, {"b": "yes", "c": "yes"}])
    path = decision_path(DECISION, rows)
    assert path["kind"].tolist() == DECISION.decide(rows).tolist() == ["x", "z", "x"]
    assert path["fired"].tolist() == [("x", "y", "z"), ("z",), ("x", "y", "z")]
    assert path["says"].tolist() == ["conflict", "one", "conflict"]
    assert path["lead"].tolist() == [0, 2, 0]
    assert path["runner-up"].tolist() == ["y", "x", "z"]
    assert path[[f"margin of {k}" for k in "xyz"]].to_numpy().tolist() == DECISION.margins(rows).tolist()


def test_statistics_agree_with_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    rows = encode(ATTRIBUTES, [dict(zip("abc", rng.choice(["no", "yes"], 3), strict=True)) for _ in range(80)])
    labels = rng.choice(["x", "y", "z"], 80).tolist()
    found = class_statistics(DECISION, rows, labels)
    decided = DECISION.decide(rows).tolist()
    expected = precision_recall_fscore_support(labels, decided, labels=["x", "y", "z"], zero_division=np.nan)
    assert np.allclose(found.classes[["precision", "recall", "f1"]].to_numpy().T[[0, 1]], expected[:2], equal_nan=True)
    assert np.allclose(found.classes["f1"], np.nan_to_num(expected[2]))
    assert np.array_equal(found.confusion, confusion_matrix(labels, decided, labels=["x", "y", "z"]))
    other = class_statistics(DECISION, rows, ["new", *labels[1:]])
    assert list(other.confusion.index) == ["x", "y", "z", "new"]
    assert other.confusion.to_numpy().sum() == 80


def test_the_matrix_of_concepts_and_classes_has_the_points():
    table = concept_matrix(DECISION)
    assert table.loc["c1"].tolist() == [2, 1, 0]
    assert table.to_numpy().sum() == sum(score.highest for score in DECISION.outputs)
