"""What experts change is what is predicted, and what they lock stays."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formula_strategies import formulas
from rulenet import Anneal, FormulaError, Greedy, ParameterError, RuleNetworkClassifier
from rulenet.conditions import Attribute
from rulenet.formulas import FALSE, And, AtLeast, Concept, Formula, Or, equivalent, simplify
from rulenet.formulas.cells import pieces
from rulenet.formulas.edit import (
    add_rule,
    condition,
    define,
    forbid,
    forbid_not_equal,
    need,
    remove_rule,
    rules,
    substitute,
    with_cut,
)
from rulenet.formulas.truth import Codes, all_rows, holds
from rulenet.kinds import DAY


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
    return np.where(holds(formula, Codes(model.encoding_.attributes, model.encoding_.codes(X))), "in", "out")


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
    old = formula.conditions[0]
    new = condition(formula, "d", "==", "v")
    assert old not in substitute(formula, old, new).conditions
    assert old not in forbid(formula, old).conditions
    with pytest.raises(FormulaError, match="does not occur"):
        substitute(formula, Concept("nowhere"), new)


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
    assert all(pieces(x, not_equal=False) == (x,) for x in spelled.conditions)


AGE = Attribute("age", kind="numeric", cuts=(20, 37.5))
ROOMS = Attribute("rooms", kind="numeric", cuts=(1, 2, 3), whole=True)
SIGNED = Attribute("signed", kind="date", cuts=(19783 * DAY,), whole=True)
SIZE = Attribute("size", ("S", "M", "L"), "ordinal")
COLOUR = Attribute("colour", ("blue", "green", "red"))
ABOUT = Formula(FALSE, {}, (AGE, ROOMS, SIGNED, SIZE, COLOUR))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("age", "<=", 37.5), "age <= 37.5"),
        (("age", ">", 20), "age > 20"),
        (("age", "is missing"), "age is missing"),
        (("rooms", "=", 2), "rooms = 2"),
        (("rooms", "!=", 2), "rooms != 2"),
        (("rooms", "<", 3), "rooms <= 2"),
        (("rooms", ">=", 3), "rooms > 2"),
        (("signed", "<=", "2024-03-01"), "signed <= 2024-03-01"),
        (("size", "<", "L"), "size <= M"),
        (("size", ">=", "L"), "size = L"),
        (("colour", "in", ["red", "blue"]), "colour != green"),
        (("colour", "not in", ["red", "blue"]), "colour = green"),
    ],
)
def test_a_condition_is_made_by_any_operator(arguments, text):
    assert str(condition(ABOUT, *arguments)) == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z", "==", "u"), "no column is called 'z'"),
        (("colour", "==", "x"), "has no value 'x'"),
        (("colour", "~", "red"), "must be one of ==, =, !=, <=, >, <, >=, in, not in, is missing"),
        (("colour", "in", "red"), "must be a list of values"),
        (("colour", "<", "red"), "so its values have no order"),
    ],
)
def test_a_bad_condition_is_refused(arguments, message):
    with pytest.raises(FormulaError, match=message):
        condition(ABOUT, *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("age", "<=", 30), "no cut at 30, the nearest cuts: 20 and 37.5; add one with with_cut"),
        (("age", "<=", "old"), "must be a number"),
        (("signed", ">", "soon"), "must be a date like"),
    ],
)
def test_a_bad_bound_is_refused(arguments, message):
    with pytest.raises(FormulaError, match=message):
        condition(ABOUT, *arguments)


@given(formulas(), st.sampled_from((-1, 0, 0.25, 0.5, 1, 1.5, 7)))
def test_a_cut_is_added_without_changing_the_truth(formula, bound):
    column = next((a for a in formula.attributes if a.measured), None)
    if column is None:
        with pytest.raises(FormulaError, match="has no cuts"):
            with_cut(formula, formula.attributes[0].name, bound)
        return
    wider = with_cut(formula, column.name, bound)
    place = formula.attributes.index(column)
    rows = all_rows(wider.attributes)
    new, codes = wider.attributes[place], rows.codes.copy()
    inside = [column.cell_of(row_value(new, code)) for code in range(new.n_cells)]
    codes[:, place] = np.array([*inside, -2, -1])[codes[:, place]]
    assert np.array_equal(holds(wider, rows), holds(formula, Codes(formula.attributes, codes)))
    assert condition(wider, column.name, "<=", new.cuts[0]).attribute == new


def row_value(attribute, code):
    low, high = attribute.bounds(code)
    return high if high is not None else 0 if low is None else low + 1


def test_the_need_of_a_concept_can_be_changed():
    a, b, c = (Attribute(n, ("no", "yes")).equal("yes") for n in "abc")
    attributes = tuple(x.attribute for x in (a, b, c))
    formula = Formula(Concept("most"), {"most": AtLeast(2, (a, b, c))}, attributes)
    assert equivalent(need(formula, "most", 1), Formula(Or((a, b, c)), {}, attributes))
    assert equivalent(need(formula, "most", 3), Formula(And((a, b, c)), {}, attributes))
    with pytest.raises(FormulaError, match="need is 4, but must be between 1 and 3"):
        need(formula, "most", 4)
    with pytest.raises(FormulaError, match="no parts to count"):
        need(formula, "positive", 1)


def test_a_set_of_values_keeps_its_name():
    other = Attribute("other", ("no", "yes")).equal("yes")
    warm = Or((COLOUR.equal("red"), COLOUR.equal("green")))
    formula = simplify(Formula(And((Concept("warm"), other)), {"warm": warm}, (COLOUR, other.attribute)))
    assert formula.concepts == {"warm": COLOUR.one_of(["red", "green"])}


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
    banned = [x for x in model.encoding_.conditions if x.attribute.name in "ab"]
    refitted = model.refit(X, y, forbid=banned)
    assert {x.attribute.name for x in refitted.formula_.conditions} <= {"c", "d"}
    with pytest.raises(ParameterError, match="everything is forbidden"):
        model.refit(X, y, forbid=model.encoding_.conditions)


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
    read = zip(refitted.encoding_.conditions, refitted.network_.reads, strict=True)
    assert all(x.cells.bit_count() == 1 for x, is_read in read if is_read)
    right = (refitted.predict(X) == y) | ((X["a"] == "v") & (X["c"] == "v"))
    assert right.mean() > 0.9


def test_a_rule_number_out_of_range_is_refused(model, table):
    with pytest.raises(ParameterError, match="rule 99 cannot be locked"):
        model.refit(*table, lock=[99])


def test_if_locked_rules_settle_every_row_nothing_is_searched():
    X, y = pd.DataFrame({"a": ["x", "y", "x", "y"]}), ["p", "n", "p", "n"]
    model = RuleNetworkClassifier([2], random_state=0, positive_class="p").fit(X, y)
    everything = Or((model.encoding_.attributes[0].equal("x"), model.encoding_.attributes[0].equal("y")))
    expert = model.with_formula(Formula(everything, {}, model.encoding_.attributes, "p"))
    refitted = expert.refit(X, y, lock=[1])  # a = x or a = y reads: a is known
    assert refitted.predict(X).tolist() == ["p"] * 4
    assert refitted.history_.tolist() == [1.0]
