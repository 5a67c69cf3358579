"""What experts change is what is predicted, and what they lock stays."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from formula_strategies import formulas
from rulenet import Anneal, FormulaError, Greedy, ParameterError, RuleNetworkClassifier
from rulenet.formulas import And, Concept, Formula, Or, equivalent
from rulenet.formulas.edit import (
    add_rule,
    condition,
    define,
    forbid,
    forbid_not_equal,
    remove_rule,
    rules,
    substitute,
)
from rulenet.formulas.truth import holds
from rulenet.literals import Literal
from rulenet.readable import codes_of


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({n: rng.choice(["u", "v", "w"], 200) for n in "abcd"})
    return X, np.where((X["a"] == "u") & (X["b"] != "v") | (X["c"] == "w") & (X["d"] == "u"), "in", "out")


@pytest.fixture(scope="module")
def model(table):
    search = Greedy(n_epochs=2)
    return RuleNetworkClassifier([8], random_state=0, search=search, positive_class="in").fit(*table)


def predictions(model, formula, X):
    return np.where(holds(formula, codes_of(model.encoding_, X)), "in", "out")


def test_an_added_rule_is_predicted(model, table):
    X, y = table
    formula = model.formula_
    edited = add_rule(formula, condition(formula, "a", "==", "w"), condition(formula, "d", "!=", "u"))
    new = model.with_formula(edited, X, y)
    wanted = np.where((X["a"] == "w") & (X["d"] != "u"), "in", model.predict(X))
    assert np.array_equal(new.predict(X), wanted)
    assert np.array_equal(new.predict(X), predictions(model, edited, X))
    assert np.array_equal(new.classes_[new.predict_proba(X).argmax(axis=1)], new.predict(X))
    assert not np.array_equal(model.predict(X), new.predict(X))


def test_a_removed_rule_is_no_longer_predicted(model, table):
    formula = model.formula_
    for number in range(1, len(rules(formula)) + 1):
        edited = remove_rule(formula, number)
        assert np.array_equal(model.with_formula(edited).predict(table[0]), predictions(model, edited, table[0]))
    with pytest.raises(FormulaError, match="there is no rule 99"):
        remove_rule(formula, 99)


def test_a_condition_can_be_changed_and_forbidden(model, table):
    formula = model.formula_
    old = formula.literals[0]
    new = condition(formula, "d", "==", "v")
    assert old not in substitute(formula, old, new).literals
    assert old not in forbid(formula, old).literals
    with pytest.raises(FormulaError, match="does not occur"):
        substitute(formula, Concept("nowhere"), new)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z", "==", "u"), "no column is called 'z'"),
        (("a", "==", "x"), "has no value 'x'"),
        (("a", "<", "u"), "must be one of ==, !="),
    ],
)
def test_a_bad_condition_is_refused(model, arguments, message):
    with pytest.raises(FormulaError, match=message):
        condition(model.formula_, *arguments)


def test_names_survive_editing_even_where_a_concept_is_used_once(model, table):
    formula = model.formula_
    a, d = condition(formula, "a", "==", "w"), condition(formula, "d", "==", "v")
    named = define(formula, "suspicious", And((a, d)))
    edited = add_rule(named, Concept("suspicious"), condition(formula, "b", "==", "u"))
    new = model.with_formula(edited, *table)
    assert new.formula_.concepts["suspicious"] == And((a, d))
    assert equivalent(new.formula_, edited)


@given(formulas())
def test_not_equal_can_be_forbidden_without_changing_the_truth(formula):
    spelled = forbid_not_equal(formula)
    assert equivalent(spelled, formula)
    assert all(x.operator == "==" for x in spelled.literals)


def test_a_locked_rule_stays_in_the_refitted_model(model, table):
    X, y = table
    formula = model.formula_
    odd = And((condition(formula, "a", "==", "v"), condition(formula, "c", "==", "v")))
    expert = model.with_formula(add_rule(formula, odd), X, y)
    number = rules(expert.formula_).index(odd) + 1
    refitted = expert.refit(X, y, lock=[number])
    fires = (X["a"] == "v") & (X["c"] == "v")
    assert set(refitted.predict(X)[fires]) == {"in"}
    assert odd in rules(refitted.formula_)
    assert refitted.score(X, y) >= expert.score(X, y) - 0.05


def test_a_locked_concept_keeps_its_meaning(model, table):
    X, y = table
    formula = model.formula_
    useful = And((condition(formula, "c", "==", "w"), condition(formula, "d", "==", "u")))
    named = define(formula, "useful", useful)
    expert = model.with_formula(add_rule(named, Concept("useful")), X, y)
    refitted = expert.refit(X, y, lock=["useful"])
    assert refitted.formula_.concepts.get("useful", useful) == useful
    assert refitted.score(X, y) >= model.score(X, y) - 0.05
    with pytest.raises(FormulaError, match="no concept is called 'gone'"):
        expert.refit(X, y, lock=["gone"])


def test_forbidden_literals_are_not_used_by_the_search(model, table):
    X, y = table
    banned = [x for x in model.encoding_.literals if x.attribute.name in "ab"]
    refitted = model.refit(X, y, forbid=banned)
    assert {x.attribute.name for x in refitted.formula_.literals} <= {"c", "d"}
    with pytest.raises(ParameterError, match="everything is forbidden"):
        model.refit(X, y, forbid=model.encoding_.literals)


def test_the_default_search_respects_locks_too(table):
    X, y = table
    search = Anneal(n_restarts=2, n_folds=0, n_proposals=20_000)
    model = RuleNetworkClassifier([8, 4], search=search, positive_class="in", random_state=0).fit(X, y)
    formula = model.formula_
    concept = And((condition(formula, "c", "==", "w"), condition(formula, "d", "==", "u")))
    odd = And((condition(formula, "a", "==", "v"), condition(formula, "c", "==", "v")))
    expert = model.with_formula(add_rule(add_rule(define(formula, "useful", concept), Concept("useful")), odd), X, y)
    number = rules(expert.formula_).index(odd) + 1
    refitted = expert.refit(X, y, lock=["useful", number], forbid=["!="])
    assert odd in rules(refitted.formula_)
    assert refitted.formula_.concepts.get("useful", concept) == concept
    assert all(x.operator == "==" for x in refitted.formula_.literals)
    right = (refitted.predict(X) == y) | ((X["a"] == "v") & (X["c"] == "v"))
    assert right.mean() > 0.9


def test_a_rule_number_out_of_range_is_refused(model, table):
    with pytest.raises(ParameterError, match="rule 99 cannot be locked"):
        model.refit(*table, lock=[99])


def test_if_locked_rules_settle_every_row_nothing_is_searched():
    X, y = pd.DataFrame({"a": ["x", "y", "x", "y"]}), ["p", "n", "p", "n"]
    model = RuleNetworkClassifier([2], random_state=0, positive_class="p").fit(X, y)
    everything = Or((Literal(model.encoding_.attributes[0], "x"), Literal(model.encoding_.attributes[0], "y")))
    expert = model.with_formula(Formula(everything, {}, model.encoding_.attributes, "p"))
    refitted = expert.refit(X, y, lock=[1, 2])
    assert refitted.predict(X).tolist() == ["p"] * 4
    assert refitted.history_.tolist() == [1.0]
