"""Several columns of labels in one network: indicator matrices, nominal columns, labels as concepts of others."""

import json
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_predict

from rulenet import Anneal, Attribute, ParameterError, RuleNetError, RuleNetworkClassifier
from rulenet.count.count import Count
from rulenet.formulas.decision import Score
from rulenet.formulas.decisions import Decisions, Goal
from rulenet.formulas.export.targets.json import from_json
from rulenet.formulas.expressions import And, Concept

QUICK = Count(n_walks=2, n_folds=0, n_proposals=4_000)


def make_labels(n_rows=240, seed=0, missing=0.0):
    """An alarm, a beacon that follows it, and a kind of three that does too."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "shape": rng.choice(["disc", "ring", "star"], n_rows),
            "big": rng.random(n_rows) < 0.5,
            "heat": rng.normal(size=n_rows).round(2),
            "night": rng.random(n_rows) < 0.5,
        }
    )
    alarm = ((X["shape"] == "ring") | (X["heat"] > 0.3)) & X["big"]
    kind = np.where(alarm, "red", np.where(X["heat"] > 0, "grey", "blue"))
    Y = pd.DataFrame({"alarm": alarm, "beacon": alarm & X["night"], "kind": kind})
    if missing:
        X = X.astype(object).mask(rng.random(X.shape) < missing)
    return X, Y


@pytest.fixture(scope="module")
def table():
    return make_labels()


@pytest.fixture(scope="module")
def model(table):
    return RuleNetworkClassifier(search=QUICK, random_state=0).fit(*table)


@pytest.fixture(scope="module")
def gappy():
    """A model of rows with gaps, in which neither a label nor its opposite may be certain."""
    X, Y = make_labels(seed=1, missing=0.1)
    return RuleNetworkClassifier(search=QUICK, random_state=0).fit(X, Y), X, Y


def test_one_network_has_the_outputs_of_all_columns(model, table):
    X, Y = table
    assert model.network_.n_outputs == 1 + 1 + 3
    assert model.predict(X).shape == Y.shape
    assert model.score(X, Y) == (model.predict(X) == Y.to_numpy()).all(axis=1).mean() > 0.9
    assert [classes.tolist() for classes in model.classes_] == [[False, True], [False, True], ["blue", "grey", "red"]]


def test_a_label_is_a_concept_of_another_and_never_of_itself(model):
    names = {"alarm", "beacon", "not alarm", "not beacon"}
    assert names & set(model.formula_.concepts)
    for column in ("alarm", "beacon"):
        assert not {column, f"not {column}"} & set(model.target(column).formula_.concepts)


def test_a_label_that_has_points_for_what_others_call_by_its_name_is_said_without_itself():
    big, odd = (Attribute(name, ("no", "yes")).equal("yes") for name in ("big", "odd"))
    goals = Goal("alarm", (True, False), "alarm"), Goal("beacon", (True, False), "beacon")
    alarm = Score(goals[0].outputs[0], 2, ((3, Concept("alarm")),))
    beacon = Score(goals[1].outputs[0], 1, ((1, Concept("alarm")),))
    concepts = {"alarm": And((big, odd))}
    said = Decisions((alarm, beacon), concepts, (big.attribute, odd.attribute), "signals", goals)
    assert str(said.part("alarm")) == "alarm if big = yes and odd = yes"
    assert str(said.formula(goals[0].outputs[0])) == "alarm if big = yes and odd = yes"
    assert str(said).splitlines()[0] == "alarm if big = yes and odd = yes"


def test_without_a_chain_no_label_is_a_concept(table):
    model = RuleNetworkClassifier(search=QUICK, random_state=0, chain=False).fit(*table)
    assert not set(model.formula_.concepts) & {"alarm", "beacon", "not alarm", "not beacon"}


def test_the_joined_network_says_of_gaps_what_its_formulas_say(gappy):
    model, X, _ = gappy
    assert (model.formula_.decide(model.fitted_.codes(X)) == model.predict(X)).all()


def test_one_target_alone_predicts_what_all_together_do(gappy):
    model, X, Y = gappy
    for k, column in enumerate(Y):
        one = model.target(column)
        assert (one.predict(X) == model.predict(X)[:, k]).all()
        assert np.allclose(one.predict_proba(X), model.predict_proba(X)[k])
        assert model.target(k).formula_ == one.formula_


def test_probabilities_are_a_list_as_those_of_forests_are(model, table):
    X, _ = table
    found = model.predict_proba(X)
    assert [p.shape for p in found] == [(240, 2), (240, 2), (240, 3)]
    for k, p in enumerate(found):
        assert np.allclose(p.sum(axis=1), 1)
        assert (model.classes_[k][p.argmax(axis=1)] == model.predict(X)[:, k]).all()


def test_indicators_of_any_kind_are_learned_alike(table):
    X, Y = table
    Y = Y[["alarm", "beacon"]]
    models = [
        RuleNetworkClassifier(search=QUICK, random_state=0).fit(X, y)
        for y in (Y.to_numpy(), Y.to_numpy().astype(int), Y.to_numpy().tolist(), Y.astype(int))
    ]
    found = [model.predict(X) for model in models]
    assert all((other == found[0]).all() for other in found)
    assert not hasattr(models[1], "decision_function")
    assert (models[1].target(1).decision_function(X) > 0).tolist() == (found[1][:, 1] == 1).tolist()
    assert found[1].dtype.kind == "i"
    assert models[1].fitted_.columns == ["y0", "y1"]


def test_a_label_that_no_row_or_every_row_has_is_never_or_always_predicted(table):
    X, Y = table
    Y = Y[["alarm"]].assign(never=0, always=1)
    model = RuleNetworkClassifier(search=QUICK, random_state=0).fit(X, Y)
    assert (model.predict(X)[:, 1:] == [0, 1]).all()
    assert model.predict_proba(X)[1][:, 1].max() < 0.01 < 0.99 < model.predict_proba(X)[2][:, 1].min()


def test_out_of_fold_predictions_work(table):
    X, Y = table
    found = cross_val_predict(
        RuleNetworkClassifier(search=QUICK, random_state=0), X, Y[["alarm", "beacon"]].to_numpy(), cv=2
    )
    assert (found == Y[["alarm", "beacon"]]).to_numpy().mean() > 0.85


def test_deep_networks_are_joined_as_well(table):
    X, Y = table
    search = Anneal(n_restarts=2, n_folds=0, n_proposals=10_000)
    model = RuleNetworkClassifier(search=search, random_state=0).fit(X, Y[["alarm", "beacon"]])
    assert (model.formula_.decide(model.fitted_.codes(X)) == model.predict(X)).all()
    assert model.score(X, Y[["alarm", "beacon"]]) > 0.9


def test_other_languages_say_what_to_do_instead(model):
    assert model.export("dot").startswith("digraph")
    assert "alarm" in model.export("tree")
    with pytest.raises(RuleNetError, match="speaks of one column"):
        model.export("latex")


def test_json_gives_the_same_decisions_back(model):
    assert isinstance(model.formula_, Decisions)
    assert from_json(model.export("json")) == model.formula_


def test_a_model_file_keeps_all_targets(gappy, tmp_path):
    from rulenet.model_file import schema

    model, X, _ = gappy
    model.save(tmp_path / "model.json")
    loaded = RuleNetworkClassifier.load(tmp_path / "model.json")
    assert (loaded.predict(X) == model.predict(X)).all()
    assert loaded.formula_ == model.formula_
    assert all(np.array_equal(a, b) for a, b in zip(loaded.predict_proba(X), model.predict_proba(X), strict=True))
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(json.loads((tmp_path / "model.json").read_text()), schema())


def test_every_target_is_explained_and_judged(model, table):
    X, Y = table
    explained = model.explain(X, 3)
    assert list(explained) == list(Y)
    assert str(explained["alarm"]) in str(explained)
    assert set(model.rule_statistics(X, Y).index.get_level_values(0)) == set(Y)
    assert set(model.decision_path(X).columns.get_level_values(0)) == set(Y)
    with pytest.raises(ParameterError, match="towards is a class of one target"):
        model.explain(X, 3, towards="red")


def test_a_picture_shows_all_outputs(model):
    figure = model.picture()
    assert figure.axes


def test_concepts_can_be_renamed_but_targets_cannot(model):
    name = next(name for name in model.formula_.concepts if name.startswith("c"))
    assert "warm" in model.rename_concepts({name: "warm"}).formula_.concepts
    with pytest.raises(ParameterError, match="rename the column of y"):
        model.rename_concepts({"alarm": "siren"})


def test_what_is_about_one_target_says_so(model, table):
    X, Y = table
    for ask in (lambda: model.refit(X, Y), lambda: model.page(X, Y), lambda: model.positive_class_):
        with pytest.raises(ParameterError, match="about one target"):
            ask()
    with pytest.raises(ParameterError, match="the targets are"):
        model.target("colour")


@pytest.mark.parametrize("parameters", [{"warm_start": True}, {"init": "current"}])
def test_learning_on_with_one_column_after_several_is_refused(model, table, parameters):
    X, Y = table
    with pytest.raises(ParameterError, match="learning on is about one target"):
        deepcopy(model).set_params(**parameters).fit(X, Y.iloc[:, 0])


def test_bad_labels_and_weights_name_the_column(table):
    X, Y = table
    learner = RuleNetworkClassifier(search=QUICK)
    with pytest.raises(RuleNetError, match="column 'kind' of y"):
        learner.fit(X, Y.assign(kind=None))
    with pytest.raises(ParameterError, match="give a list of dicts"):
        learner.set_params(class_weight={True: 2}).fit(X, Y)
    weights = [{False: 1, True: 5}, {False: 1, True: 5}, {"blue": 1, "grey": 1, "red": 9}]
    learner.set_params(class_weight=weights).fit(X, Y)
    assert [target.calibration.follows for target in learner.fitted_.targets] == [False] * 3
    one_weighs = [{False: 1, True: 5}, {False: 1, True: 1}, {"blue": 2, "grey": 2, "red": 2}]
    learner.set_params(class_weight=one_weighs).fit(X, Y)
    assert [target.calibration.follows for target in learner.fitted_.targets] == [False, True, True]
    assert [learner.target(k).fitted_.calibration.follows for k in range(3)] == [False, True, True]
