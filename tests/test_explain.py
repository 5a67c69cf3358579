"""Reasons are sufficient and shortest, changes flip and are smallest: compared with trying everything."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formula_strategies import formulas
from rulenet import Greedy, ParameterError, RuleNetworkClassifier
from rulenet.conditions import UNKNOWN, Attribute
from rulenet.formulas import And, AtLeast, Concept, Formula, Or
from rulenet.formulas.cells import blocks_of
from rulenet.formulas.explain import explain
from rulenet.formulas.program import Program
from rulenet.formulas.truth import all_rows, encode, holds


def forces(formula, row, columns, answer):
    """Whether the values of ``columns`` alone force the answer: tried on all rows."""
    rows = all_rows(formula.attributes)
    agree = np.all(rows.codes[:, columns] == row[columns], axis=1)
    return np.all(holds(formula, rows)[agree] == answer)


def meet(rows, said):
    """The rows that meet all conditions of a reason or a change."""
    inside = np.ones(len(rows), dtype=bool)
    for j, attribute in enumerate(rows.attributes):
        if attribute.name in said:
            condition = said[attribute.name]
            codes = rows.codes[:, j]
            inside &= codes == UNKNOWN if condition is None else rows.truth(condition).true
    return inside


@given(formulas(max_attributes=4), st.data())
def test_the_reason_is_sufficient_and_no_smaller_one_is(formula, data):
    rows = all_rows(formula.attributes)
    i = data.draw(st.integers(0, len(rows) - 1))
    found = explain(formula, rows, i)
    names = [a.name for a in formula.attributes]
    columns = [names.index(name) for name in found.reason]
    inside, held = meet(rows, found.reason), holds(formula, rows)
    assert found.holds == held[i]
    assert inside[i]
    assert np.all(held[inside] == found.holds)
    smaller = combinations(range(len(names)), max(len(columns) - 1, 0))
    assert not columns or not any(forces(formula, rows.codes[i], list(s), found.holds) for s in smaller)


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
    others = [j for j, a in enumerate(formula.attributes) if a.name not in found.change]
    new = meet(rows, found.change) & np.all(rows.codes[:, others] == rows.codes[i, others], axis=1)
    assert new.any()
    assert np.all(holds(formula, rows)[new] != found.holds)


def first_change(formula, rows, i, wanted):
    """Of the ``wanted`` rows the one that a change should lead to, and the names of the columns that change."""
    row = rows.codes[i].tolist()
    near = [a.ordered and code >= 0 for a, code in zip(rows.attributes, row, strict=True)]
    places = [b.place for b in blocks_of(rows.attributes, formula.conditions)]

    def rank(new):
        changed = [j for j in range(len(row)) if new[j] != row[j]]
        steps = [int(abs(places[j][new[j]] - places[j][row[j]])) if near[j] else 1 for j in changed]
        values = [new[j] if near[j] else -new[j] for j in changed]
        return len(changed), sum(steps), changed, list(zip(steps, values, strict=True))

    best = min(np.flatnonzero(wanted), key=lambda k: rank(rows.codes[k].tolist()))
    return best, [rows.attributes[j].name for j in rank(rows.codes[best].tolist())[2]]


@given(formulas(max_attributes=4), st.data())
def test_of_equally_small_reasons_and_changes_the_first_is_taken(formula, data):
    rows = all_rows(formula.attributes)
    i = data.draw(st.integers(0, len(rows) - 1))
    found = explain(formula, rows, i)
    names = [a.name for a in formula.attributes]
    sets = combinations(range(len(names)), len(found.reason))
    first = next(s for s in sets if forces(formula, rows.codes[i], list(s), found.holds))
    assert [*found.reason] == [names[j] for j in first]
    if found.change is not None:
        allowed = np.all((rows.codes >= 0) | (rows.codes == rows.codes[i]), axis=1)
        best, changed = first_change(formula, rows, i, allowed & (holds(formula, rows) != found.holds))
        assert [*found.change] == changed
        assert meet(rows, found.change)[best]


@given(st.lists(st.sets(st.integers(0, 12), min_size=1, max_size=4), max_size=12), st.permutations(range(13)))
def test_of_the_cheapest_assignments_the_first_in_order_is_found(sets, order):
    program = Program()
    for _ in order:
        program.variable(cost=1)
    for each in sets:
        program.require(dict.fromkeys(each, 1.0), low=1.0)
    meets = (s for n in range(14) for s in combinations(order, n) if all(each & {*s} for each in sets))
    assert {x for x, held in enumerate(program.solve(order)) if held} == {*next(meets)}


def test_the_first_columns_and_the_last_names_are_taken_whatever_the_order_of_parts():
    columns = [Attribute(f"a{i}", ("x", "y", "z")) for i in range(5)]
    parts = [a.equal(v) for a in columns for v in ("y", "z")]
    for some in (parts, parts[::-1]):
        formula = Formula(AtLeast(2, tuple(some)), {}, tuple(columns))
        x, z = (explain(formula, encode(columns, [{a.name: v for a in columns}])) for v in "xz")
        assert [str(c) for c in x.change.values()] == ["a0 = z", "a1 = z"]
        assert [*z.reason] == ["a0", "a1"]


def test_firing_concepts_are_listed_with_what_makes_them_fire():
    a, b = (Attribute(n, ("no", "yes")).equal("yes") for n in "ab")
    formula = Formula(Or((Concept("c1"), And((a, b)))), {"c1": Or((a, b))}, (a.attribute, b.attribute))
    found = explain(formula, encode(formula.attributes, [{"a": "yes", "b": "no"}]))
    assert found.fires == {"c1": ["a = yes"], "positive": ["c1"]}
    assert found.reason == {"a": a}
    assert "positive: yes, because a = yes" in str(found)


def test_a_missing_value_can_be_the_reason():
    a, b = (Attribute(n, ("no", "yes")).equal("yes") for n in "ab")
    formula = Formula(And((a, b)), {}, (a.attribute, b.attribute))
    found = explain(formula, encode(formula.attributes, [{"b": "yes"}, {"a": "maybe", "b": "yes"}]))
    assert found.reason == {"a": a.attribute.is_missing}
    assert found.change == {"a": a}
    assert "a is missing" in str(found)
    unseen = explain(formula, encode(formula.attributes, [{"a": "maybe", "b": "yes"}]))
    assert unseen.reason == {"a": None}
    assert "because a has a value that was not known" in str(unseen)


def test_a_question_for_missing_values_is_explained():
    age = Attribute("age", kind="numeric", cuts=(30, 60))
    formula = Formula(Or((age.is_missing, age.above(60))), {}, (age,))
    missing, young = (explain(formula, encode((age,), [row])) for row in ({}, {"age": 12}))
    assert str(missing) == (
        "positive: yes, because age is missing\n    positive holds by age is missing\nit would be no with age <= 60"
    )
    assert str(young) == "positive: no, because age <= 60\nit would be yes with age > 60"


def test_changes_of_numbers_name_the_nearest_range():
    age, size = Attribute("age", kind="numeric", cuts=(18, 30, 37.5, 65)), Attribute("size", tuple("SML"), "ordinal")
    formula = Formula(Or((And((age.between(18, 37.5), size.at_most("M"))), age.above(65))), {}, (age, size))
    found = explain(formula, encode((age, size), [{"age": 50, "size": "S"}]))
    assert str(found.change["age"]) == "18 < age <= 37.5"
    assert str(found.reason["age"]) == "37.5 < age <= 65"
    older = explain(formula, encode((age, size), [{"age": 20, "size": "L"}]))
    assert {name: str(x) for name, x in older.change.items()} == {"size": "size <= M"}


def test_what_counts_is_explained_by_what_was_counted():
    a, b, c, d = (Attribute(n, ("no", "yes")).equal("yes") for n in "abcd")
    formula = Formula(AtLeast(3, (a, a, b, c, d)), {}, tuple(x.attribute for x in (a, b, c, d)))
    found = explain(formula, encode(formula.attributes, [{"a": "yes", "b": "yes", "c": "no", "d": "yes"}]))
    assert found.fires == {"positive": ["a = yes", "b = yes", "d = yes"]}
    assert len(found.reason) == 2
    assert "a" in found.reason
    assert list(found.change) == ["a"]


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
    assert model.explain(X, 0, towards={"in": "out", "out": "in"}[predicted[0]]) == model.explain(X, 0)
    with pytest.raises(ParameterError, match=f"row 0 has the class '{predicted[0]}' already"):
        model.explain(X, 0, towards=predicted[0])
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
    assert proba[none, column] == pytest.approx(hits / n, abs=0.02)
    assert (proba > 0).all()


def test_statistics_count_rows(fitted):
    model, X, y = fitted
    table = model.rule_statistics(X, y)
    target = table[table["kind"] == "target"].iloc[0]
    predicted, actual = model.predict(X) == model.positive_class_, y == model.positive_class_
    assert (target["coverage"], target["support"]) == (predicted.sum(), (predicted & actual).sum())
    assert target["precision"] == pytest.approx(actual[predicted].mean())
    assert set(table["kind"]) >= {"rule", "target"}
