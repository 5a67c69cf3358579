"""Learning on: new rows, new values, new stories; what was locked stays."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from rulenet import Anneal, Count, Greedy, RuleNetworkClassifier
from rulenet.exceptions import FormulaError, ParameterError, TableError
from rulenet.formulas.edit import rules
from rulenet.formulas.expressions import Concept

SMALL = Count(n_walks=1, n_folds=0, n_proposals=3000)


def make_rows(n_rows, seed, turned=False):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {"size": rng.normal(size=n_rows).round(2), "colour": rng.choice(["red", "green", "blue"], n_rows)}
    )
    positive = (table["size"] > 0.3) & (table["colour"] != "blue")
    return table, pd.Series(np.where(positive ^ turned, "yes", "no"), name="kind")


def make_model(**parameters):
    return RuleNetworkClassifier(**{"search": SMALL, "random_state": 0, **parameters})


def test_ten_parts_teach_about_as_much_as_all_rows_at_once():
    model = make_model()
    parts = [make_rows(100, seed) for seed in range(10)]
    for table, kind in parts:
        model.partial_fit(table, kind, classes=["no", "yes"])
    tests = make_rows(1000, 99)
    whole = make_model().fit(*(pd.concat(x) for x in zip(*parts, strict=True)))
    assert model.score(*tests) >= whole.score(*tests) - 0.03
    assert model.score(*tests) > 0.9


def test_rows_that_tell_another_story_are_learned_and_the_old_ones_forgotten():
    model = make_model()
    for seed in range(3):
        model.partial_fit(*make_rows(200, seed))
    assert model._memory.n_seen == 600
    model.partial_fit(*make_rows(200, 10, turned=True))
    assert model._memory.n_seen == 200
    assert model.score(*make_rows(1000, 99, turned=True)) > 0.9


def test_new_values_of_a_column_are_learned():
    table, kind = make_rows(200, 0)
    model = make_model().partial_fit(table, kind)
    other = table.assign(colour=np.where(table["colour"] == "blue", "grey", table["colour"]))
    model.partial_fit(other, kind)
    colour = next(a for a in model.encoding_.attributes if a.name == "colour")
    assert set(colour.values) == {"red", "green", "blue", "grey"}
    assert model.score(other, kind) > 0.95


def test_new_classes_are_refused_and_a_part_may_lack_one():
    table, kind = make_rows(100, 0)
    model = make_model().partial_fit(table, kind)
    with pytest.raises(TableError, match="the class 'maybe', but the classifier knows 'no', 'yes'"):
        model.partial_fit(table, kind.replace("yes", "maybe"))
    model.partial_fit(table[kind == "no"], kind[kind == "no"])
    assert model.classes_.tolist() == ["no", "yes"]


def test_labels_are_one_column():
    table, kind = make_rows(100, 0)
    with pytest.warns(DataConversionWarning, match="column-vector"):
        known = make_model().partial_fit(table, kind.to_frame())
    assert known.score(table, kind) > 0.9
    for model in (make_model(), known):
        with pytest.raises(ParameterError, match="y has several columns of labels, but partial_fit"):
            model.partial_fit(table, pd.DataFrame({"one": kind, "two": kind}))


def test_first_rows_without_all_classes_are_refused():
    table, kind = make_rows(100, 0)
    with pytest.raises(ParameterError, match="differ by 'maybe'"):
        make_model().partial_fit(table, kind, classes=["maybe", "no", "yes"])


def test_no_more_rows_are_remembered_than_a_search_sees():
    model = make_model(max_search_rows=150)
    for seed in range(3):
        model.partial_fit(*make_rows(100, seed))
    assert len(model._memory.numbers) == len(model._memory.rows.labels) == 150


@pytest.mark.parametrize("parameters", [{"warm_start": True}, {"init": "current"}])
def test_a_warm_start_goes_on_from_the_network_that_is_there(parameters):
    """The second fit has too few proposals to find anything itself."""
    model = make_model(**parameters).fit(*make_rows(300, 0))
    model.set_params(search=Count(n_walks=1, n_folds=0, n_proposals=1))
    assert model.fit(*make_rows(300, 1)).score(*make_rows(500, 2)) > 0.9
    cold = make_model(search=model.search).fit(*make_rows(300, 1))
    assert cold.score(*make_rows(500, 2)) < 0.9


def test_a_warm_start_takes_batches_too():
    model = make_model(warm_start=True).fit(*make_rows(300, 0))
    table, kind = make_rows(200, 1)
    one = make_model(warm_start=True).fit(*make_rows(300, 0)).fit(table, kind)
    full = table.assign(kind=kind)
    model.fit([full.iloc[:70], full.iloc[70:]], "kind")
    assert model.network_ == one.network_
    assert model.encoding_ == one.encoding_


def test_what_was_locked_stays():
    table, kind = make_rows(300, 0)
    search = Anneal(price=1.0, n_restarts=1, n_proposals=3000, n_folds=0, distil=False)
    model = make_model(search=search).fit(table, kind)
    locked = model.refit(table, kind, lock=[1])
    rule = str(locked.formula_).splitlines()[0]
    locked.partial_fit(*make_rows(300, 1))
    assert rule in str(locked.formula_)


def covered(model, expression, X):
    """Which rows a part of a model's formula covers."""
    return model.fitted_.holds(X, replace(model.formula_, output=expression))


@pytest.fixture(scope="module")
def tangled():
    """A model whose rules share concepts, and its rows."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(list("uvw"), 200) for name in "abcd"} | {"h": rng.normal(size=200).round(1)})
    y = np.where((X["a"] == X["b"]) & (X["h"] > 0) | (X["c"] == X["d"]) & (X["a"] != "v"), "in", "out")
    model = make_model(search=Greedy(n_epochs=1), positive_class="in").fit(X, y)
    assert len(model.formula_.concepts) > 4
    return model, X, y


def test_locked_rules_that_need_concepts_stay_what_they_were(tangled):
    model, X, y = tangled
    for number, rule in enumerate(rules(model.formula_), start=1):
        meant, locked = covered(model, rule, X), model.refit(X, y, lock=[number])
        for part in (slice(100), slice(100, 200)):
            locked.partial_fit(X[part].assign(h=X["h"][part] + 0.03), np.where(X["d"] == "u", "in", "out")[part])
            assert (locked.predict(X)[meant] == "in").all()


def test_locked_concepts_stay_what_they_were_whatever_they_are_called(tangled):
    model, X, y = tangled
    for name in model.formula_.concepts:
        meant, locked = covered(model, Concept(name), X), model.refit(X, y, lock=[name])
        others = [n for n in locked.formula_.concepts if n != name]
        if name in locked.formula_.concepts and others:
            locked = locked.rename_concepts({name: "kept", others[0]: name})
        locked.partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
        found = locked.formula_.concepts
        assert name not in found or others or (covered(locked, Concept(name), X) == meant).all()
        assert "kept" not in found or (covered(locked, Concept("kept"), X) == meant).all()


def test_a_loaded_model_learns_on_from_new_rows_alone(tmp_path):
    model = make_model().fit(*make_rows(300, 0))
    model.save(tmp_path / "model.json")
    loaded = RuleNetworkClassifier.load(tmp_path / "model.json").partial_fit(*make_rows(100, 1))
    assert loaded.score(*make_rows(500, 2)) > 0.9


def test_a_column_of_fewer_values_is_refitted_as_what_it_was():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"code": rng.choice(["1", "2", "k"], 200), "size": rng.normal(size=200)})
    X.loc[::3, "size"] = np.nan
    y = (X["code"] == "1") ^ (X["size"] > 0)
    model = RuleNetworkClassifier(search=Count(n_walks=1, n_folds=0, n_proposals=2000), random_state=0).fit(X, y)
    for rows in (X["code"] != "k", X["size"].isna()):
        again = model.refit(X[rows], y[rows])
        assert again.score(X[rows], y[rows]) > 0.8
        assert [a.kind for a in again.encoding_.attributes] == ["nominal", "numeric"]


@pytest.mark.parametrize("weighted", [(False, True), (True, False)])
def test_rows_with_weights_and_rows_without_are_learned_on_from_together(weighted):
    parts = [make_rows(100, seed) for seed in range(2)]
    model = make_model()
    for (table, kind), has_weights in zip(parts, weighted, strict=True):
        model.partial_fit(table, kind, sample_weight=np.full(100, 3.0) if has_weights else None)
    wanted = [np.full(100, 3.0 if has_weights else 1.0) for has_weights in weighted]
    assert model._memory.rows.weights.tolist() == np.concatenate(wanted).tolist()


def test_rows_of_weight_zero_are_neither_remembered_nor_a_surprise():
    model = make_model()
    for seed in range(3):
        model.partial_fit(*make_rows(200, seed))
    model.partial_fit(*make_rows(200, 10, turned=True), sample_weight=np.zeros(200))
    assert model._memory.n_seen == 600
    assert model.score(*make_rows(1000, 99)) > 0.9


def make_ordered(n_rows, seed, values):
    cells = np.random.default_rng(seed).choice(values, n_rows)
    table = pd.DataFrame({"size": pd.Categorical(cells, values, ordered=True)})
    return table, np.isin(cells, ["large"])


def test_text_is_learned_on_in_the_order_that_is_known():
    values = ["small", "medium", "large"]
    table, kind = make_ordered(200, 0, values)
    for go_on in (make_model().partial_fit, make_model(warm_start=True).fit):
        model = go_on(table, kind)
        getattr(model, go_on.__name__)(table.astype(str), kind)
        assert (model.encoding_.attributes[0].kind, model.encoding_.attributes[0].values) == ("ordinal", tuple(values))
    model.refit(table.astype(str), kind)
    with pytest.raises(FormulaError, match="the order small < medium < large here, but also 'tiny' there"):
        model.fit(table.astype(str).replace("medium", "tiny"), kind)


def test_new_values_of_an_ordered_column_come_at_their_place_in_the_order():
    table, kind = make_ordered(200, 0, ["small", "large"])
    other, others = make_ordered(200, 1, ["tiny", "small", "medium", "large"])
    model = make_model(warm_start=True).fit(table, kind)
    assert model.fit(other, others).encoding_.attributes[0].values == ("tiny", "small", "medium", "large")
    assert model.score(other, others) == 1


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_columns_are_learned_on_by_position_where_they_have_no_names(method):
    rows = np.random.default_rng(0).normal(size=(200, 2))
    kind, named = rows[:, 0] > 0, pd.DataFrame(rows, columns=["a", "b"])
    for first, second in ((rows, named), (named, rows), (rows, rows.tolist())):
        model = getattr(make_model(warm_start=True), method)(first, kind)
        assert getattr(model, method)(second, kind).score(second, kind) > 0.97


def test_a_column_that_is_missing_is_told_also_where_no_rule_asks_it():
    table, kind = make_rows(200, 0)
    model = make_model().partial_fit(table.assign(noise=0.5), kind)
    with pytest.raises(TableError, match="yet now missing:\n- noise"):
        model.partial_fit(table, kind)


def test_truth_values_are_the_classes_0_and_1_when_learned_on():
    table, kind = make_rows(300, 0)
    number = (kind == "yes").astype(int)
    model = make_model(warm_start=True).fit(table, number).fit(table, number == 1)
    assert model.classes_.tolist() == [0, 1]
    assert model.score(table, number) > 0.9
    assert model.refit(table, number == 1).score(table, number) > 0.9


def test_a_refit_refuses_labels_that_are_no_classes():
    table, kind = make_rows(100, 0)
    model = make_model().fit(table, kind == "yes")
    for labels in (kind, kind.map({"no": 0, "yes": 2})):
        with pytest.raises(TableError, match="but the classifier knows False, True"):
            model.refit(table, labels)
        with pytest.raises(TableError, match="but the classifier knows False, True"):
            model.with_formula(model.formula_, table, labels)


def test_tables_in_batches_are_no_part_to_learn_on_from():
    with pytest.raises(ParameterError, match=r"takes rows in memory, but X is a str.*warm_start=True"):
        make_model().partial_fit("rows.parquet", "kind")
