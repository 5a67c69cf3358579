"""Where two classifiers differ, which rows rules cover, and how rules do."""

import builtins

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import rulenet
from page_models import CASES, fitted_of
from rulenet import RuleNetworkClassifier
from rulenet.conditions import Attribute
from rulenet.exceptions import ParameterError
from rulenet.fitted import Fitted
from rulenet.formulas import FALSE, AtLeast, Formula, Or, decision_from_network, difference
from rulenet.formulas.contrast import contrast
from rulenet.formulas.statistics import wilson_interval
from rulenet.formulas.truth import UNKNOWN, all_rows, holds
from test_decision import several_outputs


def model_of(fitted: Fitted) -> RuleNetworkClassifier:
    model = RuleNetworkClassifier()
    model.fitted_ = fitted
    return model


@given(several_outputs(), several_outputs())
@settings(max_examples=40)
def test_the_formula_holds_exactly_where_decisions_differ(one, two):
    first = decision_from_network(*one)
    second = decision_from_network(two[0], two[1], two[2])
    if first.attributes != second.attributes:
        second = first
    found = contrast(first, second)
    rows = all_rows(found.attributes)
    rows.codes = rows.codes[(rows.codes != UNKNOWN).all(axis=1)]
    assert (holds(found, rows) == (first.decide(rows) != second.decide(rows))).all()


@pytest.mark.parametrize("name", ["numbers", "missing", "moments", "classes"])
def test_two_models_are_compared_as_rows_and_as_a_formula(name):
    case = CASES[name]()
    first, second = model_of(case.fitted), model_of(case.fitted.choose(0))
    found = rulenet.compare(first, second, case.X)
    differ = first.predict(case.X) != second.predict(case.X)
    assert 0 < differ.sum() < len(differ)
    assert found.agreement == pytest.approx(1 - differ.mean())
    assert list(found.rows.columns) == ["first", "second", *case.X.columns]
    assert (found.rows.index == case.X.index[differ]).all()
    assert found.table.to_numpy().sum() == len(case.X)
    seen = (case.fitted.encoding.codes(case.X) != UNKNOWN).all(axis=1)
    assert (case.fitted.holds(case.X, found.formula) == differ)[seen].all()
    assert f"they agree on {found.agreement:.1%}" in str(found)
    same = rulenet.compare(first, model_of(case.fitted), case.X)
    assert same.agreement == 1
    assert same.example() is None
    assert found.example() is not None


def test_models_of_other_cuts_are_compared():
    X = pd.DataFrame({"age": np.arange(100.0), "sex": ["f", "m"] * 50})
    first = model_of(fitted_of(X, ["no", "yes"], (4,), 1, False))
    second = model_of(fitted_of(X[::3], ["no", "yes"], (4,), 1, False))
    found = rulenet.compare(first, second, X)
    assert (first.fitted_.holds(X, found.formula) == (first.predict(X) != second.predict(X))).all()
    with pytest.raises(ParameterError, match="fit both"):
        rulenet.compare(first, RuleNetworkClassifier(), X)


def test_differences_are_found_without_a_sat_solver(monkeypatch):
    attributes = [Attribute(f"a{i}", ("x", "y", "z")) for i in range(16)]  # 4 ** 16 rows
    parts = tuple(a.equal("x") for a in attributes)
    first = Formula(AtLeast(3, parts), {}, tuple(attributes))
    second = Formula(AtLeast(4, parts), {}, tuple(attributes))
    whole = builtins.__import__

    def without(name, *rest):
        if name.startswith("pysat"):
            raise ImportError(name)
        return whole(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    row = difference(first, second)
    assert sum(value == "x" for value in row.values()) == 3
    same = Formula(Or((AtLeast(3, parts), AtLeast(4, parts))), {}, tuple(attributes))
    assert difference(first, same) is None


def test_rows_of_a_rule_are_those_that_statistics_count():
    case = CASES["counting"]()
    model = model_of(case.fitted)
    table = model.rule_statistics(case.X, case.y)
    for k, (kind, name, coverage) in enumerate(table[["kind", "name", "coverage"]].itertuples(index=False), start=1):
        mask = model.rows(case.X, k if kind in ("rule", "part") else name)
        assert mask.sum() == coverage
    assert (model.rows(case.X, model.target_name_) == (model.predict(case.X) == "p")).all()
    with pytest.raises(ParameterError, match="there is no rule 99"):
        model.rows(case.X, 99)
    with pytest.raises(ParameterError, match="must be the name of a concept"):
        model.rows(case.X, 1.5)


def test_rows_of_typed_rules_may_have_cuts_of_their_own():
    case = CASES["classes"]()
    model = model_of(case.fitted)
    X = case.X
    assert (model.rows(X, "v0 <= 0.123 and kind = u") == ((X.v0 <= 0.123) & (X.kind == "u"))).all()
    assert (model.rows(X, "at least 2 of (v1 > 0.5, v2 > 0.5, size <= M)").sum()) > 0
    decision = model.formula_
    fired = case.fitted.decision.margins(case.fitted.codes(X))[:, decision.place("ant")] >= 0
    assert (model.rows(X, decision.name("ant")) == fired).all()


def test_statistics_have_recall_lift_and_an_interval():
    case = CASES["counting"]()
    table = model_of(case.fitted).rule_statistics(case.X, case.y)
    share, target = (case.y == "p").mean(), table.iloc[-1]
    assert target["recall"] == pytest.approx(target["support"] / (case.y == "p").sum())
    assert target["lift"] == pytest.approx(target["precision"] / share)
    assert ((table["low"] <= table["precision"]) & (table["precision"] <= table["high"])).all()
    classes = CASES["classes"]()
    several = model_of(classes.fitted).rule_statistics(classes.X, classes.y)
    assert {"precision", "low", "high", "recall", "lift", "f1"} <= set(several.columns)


def test_the_interval_is_that_of_scipy():
    from scipy.stats import binomtest

    for hits, rows in ((0, 5), (5, 5), (3, 7), (400, 900)):
        wanted = binomtest(hits, rows).proportion_ci(method="wilson")
        low, high = wilson_interval(np.array([float(hits)]), np.array([float(rows)]))
        assert (low[0], high[0]) == pytest.approx((wanted.low, wanted.high))
    assert np.isnan(wilson_interval(np.array([0.0]), np.array([0.0]))[0]).all()


def test_importances_are_shares_of_conditions():
    case = CASES["numbers"]()
    found = model_of(case.fitted).feature_importances_
    assert found.shape == (case.X.shape[1],)
    assert found.sum() == pytest.approx(1)
    never = model_of(case.fitted.with_formula(Formula(FALSE, {}, case.fitted.encoding.attributes)))
    assert never.feature_importances_.tolist() == [0.0] * case.X.shape[1]
