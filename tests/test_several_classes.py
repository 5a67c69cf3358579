"""Several classes after the fit: other formulas, refitting around concepts, parameters that are refused."""

import numpy as np
import pandas as pd
import pytest

from rulenet import ParameterError, RuleNetError, RuleNetworkClassifier
from rulenet.count.count import Count
from rulenet.formulas import Decision, Not, Score

QUICK = Count(n_walks=1, n_folds=0, n_proposals=1_000)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"shape": rng.choice(["disc", "ring", "star"], 90), "weight": rng.integers(0, 9, 90)})
    return X, np.where(X["shape"] == "disc", "red", np.where(X["weight"] > 4, "grey", "white"))


@pytest.fixture(scope="module")
def model(table):
    return RuleNetworkClassifier(search=QUICK, random_state=0).fit(*table)


def test_the_decision_of_a_model_gives_the_same_model_back(model, table):
    X, y = table
    same = model.with_formula(model.formula_, X, y)
    assert (same.predict(X) == model.predict(X)).all()
    assert (same.fitted_.margins(X) == model.fitted_.margins(X)).all()


def test_a_decision_of_ones_own_is_predicted_to_the_letter(model, table):
    X, y = table
    said = model.formula_
    disc = said.attributes[0].equal("disc")
    scores = (Score("white", 0), Score("grey", 1, ((1, Not(disc)),)), Score("red", 1, ((3, disc),)))
    edited = Decision(scores, {}, said.attributes, said.target)
    new = model.with_formula(edited, X, y)
    assert (new.predict(X) == edited.decide(new.fitted_.codes(X))).all()
    assert np.allclose(new.predict_proba(X).sum(axis=1), 1)
    assert (new.classes_[new.predict_proba(X).argmax(axis=1)] == new.predict(X)).all()


def test_decisions_among_other_classes_are_refused(model):
    said = model.formula_
    with pytest.raises(RuleNetError, match="but the classes are"):
        model.with_formula(Decision(said.outputs[:2], said.concepts, said.attributes, said.target))
    with pytest.raises(RuleNetError, match="say a Decision"):
        model.with_formula(said.formula("red"))


def test_refitting_keeps_to_what_is_forbidden_and_locked(model, table):
    X, y = table
    new = model.refit(X, y, forbid=["weight"])
    assert all(condition.attribute.name != "weight" for condition in new.formula_.conditions)
    assert new.score(X, y) > 0.5
    with pytest.raises(ParameterError, match="lock concepts by name"):
        model.refit(X, y, lock=[1])


def test_a_random_start_or_a_shape_is_refused_where_networks_count(table):
    for parameters in ({"init": "random"}, {"hidden_layer_sizes": (4,)}, {"first_gate": "or"}):
        with pytest.raises(ParameterError, match="grows from the empty network"):
            RuleNetworkClassifier(**parameters).fit(*table)


def test_a_matrix_tells_which_part_counts_for_which_class(model):
    matrix = model.concept_matrix()
    assert set(matrix.columns) == {"grey", "red", "white"}
    assert (matrix.to_numpy() >= 0).all()
