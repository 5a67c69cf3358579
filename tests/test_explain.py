"""Reasons are sufficient and shortest, changes flip and are smallest: compared with trying everything."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formula_strategies import formulas
from rulenet import Greedy, ParameterError, RuleNetworkClassifier
from rulenet.formulas import And, Concept, Formula, Or
from rulenet.formulas.explain import explain
from rulenet.formulas.truth import all_rows, encode, holds
from rulenet.literals import Attribute, Literal


def forces(formula, row, columns, answer):
    """Whether the values of ``columns`` alone force the answer: tried on all rows."""
    rows = all_rows(formula.attributes)
    agree = np.all(rows.codes[:, columns] == row[columns], axis=1)
    return np.all(holds(formula, rows)[agree] == answer)


@given(formulas(max_attributes=4), st.data())
def test_the_reason_is_sufficient_and_no_smaller_one_is(formula, data):
    rows = all_rows(formula.attributes)
    i = data.draw(st.integers(0, len(rows) - 1))
    found = explain(formula, rows, i)
    names = [a.name for a in formula.attributes]
    columns = [names.index(name) for name in found.reason]
    assert found.holds == holds(formula, rows)[i]
    assert forces(formula, rows.codes[i], columns, found.holds)
    smaller = combinations(range(len(names)), max(len(columns) - 1, 0))
    assert not columns or not any(forces(formula, rows.codes[i], list(s), found.holds) for s in smaller)
    assert encode(formula.attributes, [found.reason]).codes[0, columns].tolist() == rows.codes[i, columns].tolist()


@given(formulas(max_attributes=4), st.data())
def test_the_change_flips_the_answer_and_no_smaller_one_does(formula, data):
    rows = all_rows(formula.attributes)
    i = data.draw(st.integers(0, len(rows) - 1))
    found = explain(formula, rows, i)
    allowed = np.all((rows.codes >= 0) | (rows.codes == rows.codes[i]), axis=1)
    flips = allowed & (holds(formula, rows) != found.holds)
    if not flips.any():
        assert found.change is None
        return
    distance = (rows.codes != rows.codes[i]).sum(axis=1)
    assert len(found.change) == distance[flips].min()
    new = rows.codes[i].copy()
    for name, value in found.change.items():
        j = [a.name for a in formula.attributes].index(name)
        new[j] = formula.attributes[j].values.index(value)
    at = np.flatnonzero((rows.codes == new).all(axis=1))[0]
    assert holds(formula, rows)[at] != found.holds


def test_firing_concepts_are_listed_with_what_makes_them_fire():
    a, b = (Literal(Attribute(n, ("no", "yes")), "yes") for n in "ab")
    formula = Formula(Or((Concept("c1"), And((a, b)))), {"c1": Or((a, b))}, (a.attribute, b.attribute))
    found = explain(formula, encode(formula.attributes, [{"a": "yes", "b": "no"}]))
    assert found.fires == {"c1": ["a = yes"], "positive": ["c1"]}
    assert found.reason == {"a": "yes"}
    assert "positive: yes, because a = yes" in str(found)


def test_a_missing_value_can_be_the_reason():
    a, b = (Literal(Attribute(n, ("no", "yes")), "yes") for n in "ab")
    formula = Formula(And((a, b)), {}, (a.attribute, b.attribute))
    found = explain(formula, encode(formula.attributes, [{"b": "yes"}]))
    assert found.reason == {"a": None}
    assert found.change == {"a": "yes"}
    assert "a is missing" in str(found)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({n: rng.choice(["u", "v", "w"], 300) for n in "abcd"})
    y = np.where((X["a"] == "u") & (X["b"] != "v") | (X["c"] == "w") & (X["d"] == "u"), "in", "out")
    return RuleNetworkClassifier([8, 4], random_state=0, search=Greedy(n_epochs=3)).fit(X, y), X, y


def test_the_classifier_explains_its_predictions(fitted):
    model, X, _ = fitted
    predicted = model.predict(X)
    for i in (0, 1, 2, -1):
        assert model.explain(X, i).holds == (predicted[i] == model.positive_class_)
    with pytest.raises(ParameterError, match="rows 0 to 299"):
        model.explain(X, 300)


def test_probabilities_agree_with_predictions_and_with_counts(fitted):
    model, X, y = fitted
    proba = model.predict_proba(X)
    assert np.allclose(proba.sum(axis=1), 1)
    assert np.array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    none = model.predict(X) != model.positive_class_
    n, hits = none.sum(), (none & (y == model.positive_class_)).sum()
    column = list(model.classes_).index(model.positive_class_)
    assert proba[none, column] == pytest.approx((hits + 1) / (n + 2))


def test_statistics_count_rows(fitted):
    model, X, y = fitted
    table = model.rule_statistics(X, y)
    target = table[table["kind"] == "target"].iloc[0]
    predicted, actual = model.predict(X) == model.positive_class_, y == model.positive_class_
    assert (target["coverage"], target["support"]) == (predicted.sum(), (predicted & actual).sum())
    assert target["precision"] == pytest.approx(actual[predicted].mean())
    assert set(table["kind"]) >= {"rule", "target"}
