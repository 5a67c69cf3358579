"""Rows in which several classes fire, or none: what is answered, and that exports answer the same."""

import sqlite3
from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import test_decision_export
from rulenet import Network, ParameterError, RuleNetworkClassifier, bits
from rulenet.cli import app
from rulenet.count.count import Count
from rulenet.count.zero import place_zero
from rulenet.formulas import Decision, Score
from rulenet.formulas.export.decisions import export_decision
from rulenet.formulas.truth import Codes
from rulenet.relations import Relations
from rulenet.search.problem import Problem, decide
from test_decision_export import EXECUTABLE, rows_for
from test_formulas_export import BY_NAME, GROUPS, number, random_condition

QUICK = Count(n_walks=2, n_folds=0, n_proposals=5_000)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"shape": rng.choice(["disc", "ring", "star"], 200), "weight": rng.integers(0, 9, 200)})
    y = np.where(X["shape"] == "disc", "red", np.where(X["weight"] > 4, "grey", "white"))
    return X, pd.Series(np.where(rng.random(200) < 0.6, rng.permutation(y), y), name="colour")


@pytest.fixture(scope="module")
def model(table):
    """A classifier whose first class needs so much that it does not fire in half of the rows where it did."""
    learned = RuleNetworkClassifier(search=QUICK, on_conflict="abstain", random_state=0).fit(*table)
    network, first = learned.network_, learned.fitted_.margins(table[0])[:, 0]
    needs = [n.copy() for n in network.needs]
    needs[-1][0] += int(np.median(first[first >= 0])) + 1
    learned.fitted_ = replace(learned.fitted_, network=Network(network.weights, network.first_gate, needs))
    return learned


def test_no_answer_where_not_one_class_fires_and_the_usual_one_elsewhere(model, table):
    X, y = table
    path, answers = model.decision_path(X), model.predict(X)
    one = (path["says"] == "one").to_numpy()
    assert 0 < one.sum() < len(X)
    assert (answers[one] == path["colour"][one]).all()
    assert all(answer is None for answer in answers[~one])
    assert (path["fired"].map(len)[one] == 1).all()
    assert model.score(X, y) == np.mean(answers == y) < _never(model).score(X, y)
    assert (_never(model).predict(X) == path["colour"]).all()


def _never(model):
    return copy(model).set_params(on_conflict="largest")


def test_a_saved_model_abstains_and_what_cannot_is_refused(model, table, tmp_path):
    X, y = table
    model.save(tmp_path / "model.json")
    assert (RuleNetworkClassifier.load(tmp_path / "model.json").predict(X) == model.predict(X)).all()
    model.predict_to(X, tmp_path / "out.parquet")
    told = pd.read_parquet(tmp_path / "out.parquet")["prediction"]
    assert [None if pd.isna(t) else t for t in told] == model.predict(X).tolist()
    for refused in (lambda: model.export("onnx"), lambda: model.export("prolog", executable=True)):
        with pytest.raises(ParameterError, match="on_conflict is 'abstain'"):
            refused()
    for refused in (lambda: model.export("javascript", network=True), lambda: model.page(X, y)):
        with pytest.raises(ParameterError, match="set_params"):
            refused()
    assert "there is no answer" in model.export("text")


def test_of_two_classes_one_fires_in_every_row(table):
    X, y = table
    model = RuleNetworkClassifier(search=QUICK, on_conflict="abstain", random_state=0).fit(X, y == "red")
    path = model.decision_path(X)
    assert set(path["says"]) == {"one"}
    assert [fired[0] for fired in path["fired"]] == model.predict(X).tolist()
    assert set(model.predict(X)) == {False, True}


LANGUAGES = ["python", "javascript", "sqlite", "duckdb"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_runs_abstains_in_the_same_rows(language, tmp_path, monkeypatch):
    attributes = [BY_NAME[name] for name in GROUPS["all"] if name != "mixed"]  # DuckDB has no such column
    rng, rows = np.random.default_rng(0), rows_for(attributes)
    asked = [random_condition(attribute, rng) for attribute in attributes]
    scores = [Score(label, 3, tuple((1, x) for x in asked[k::3])) for k, label in enumerate(("red", "green", "blue"))]
    decision = Decision(scores, {}, attributes)
    codes = Codes(attributes, np.array([[a.cell_of(number(row.get(a.name))) for a in attributes] for row in rows]))
    expected = decision.decide(codes, abstain=True).tolist()
    assert None in expected
    assert len(set(expected)) > 2
    monkeypatch.setattr(test_decision_export, "export_decision", partial(export_decision, abstain=True))
    labels, _ = EXECUTABLE[language](decision, rows, tmp_path)
    assert labels == expected


@pytest.fixture(scope="module")
def targets(table):
    X, _ = table
    Y = pd.DataFrame(
        {"colour": np.random.default_rng(1).choice(["grey", "red", "white"], len(X)), "heavy": X["weight"] > 5}
    )
    return RuleNetworkClassifier(search=QUICK, on_conflict="abstain", random_state=0).fit(X, Y)


def test_several_targets_abstain_where_they_have_several_classes(targets, table):
    X, _ = table
    answers = targets.predict(X)
    assert None in answers[:, 0].tolist()
    assert set(answers[:, 1]) == {False, True}
    scope = {}
    exec(targets.export("python"), scope)
    assert [[*scope["predict"](row).values()] for row in X.to_dict("records")] == answers.tolist()
    with sqlite3.connect(":memory:") as connection:
        X.to_sql("data", connection)
        query = targets.export("sql", style="select", dialect="sqlite")
        told = pd.read_sql(f'SELECT colour, heavy FROM ({query}) ORDER BY "index"', connection).astype(object)
    assert told.where(told.notna(), None).to_numpy().tolist() == answers.tolist()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_no_other_zero_tells_more_rows_right_and_decisions_stay(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 80))
    literals = bits.pack(rng.random((5, n)) < 0.5)
    problem = Problem.of_classes(literals, rng.integers(0, 3, n), 3, Relations.of([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]))
    network = Network([rng.random((6, 5)) < 0.4, rng.random((3, 6)) < 0.5], "and", [[1] * 6, rng.integers(1, 6, 3)])
    before, after = (x.margins(literals, n) for x in (network, place_zero(network, problem)))
    assert len(np.unique(before - after)) == 1
    assert np.array_equal(decide(before), decide(after))

    def told(needs_more):
        fires = before >= needs_more
        return int((fires[np.arange(n), problem.codes] & (fires.sum(axis=1) == 1)).sum())

    lowest = 1 - int(network.needs[-1].min())
    assert told(int((before - after).min())) == max(told(zero) for zero in range(lowest, 12))


def test_the_command_leaves_fields_empty(model, table, tmp_path):
    X, _ = table
    _never(model).save(tmp_path / "model.json")
    X.to_csv(tmp_path / "rows.csv", index=False)
    done = CliRunner().invoke(app, ["predict", f"{tmp_path}/model.json", f"{tmp_path}/rows.csv", "--abstain"])
    assert [line.rsplit(",", 1)[1] or None for line in done.stdout.splitlines()[1:]] == model.predict(X).tolist()
    shown = CliRunner().invoke(app, ["show", f"{tmp_path}/model.json", "--as", "sql", "--abstain"])
    assert shown.stdout == model.export("sql") + "\n"
