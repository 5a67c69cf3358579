"""Model files: a bit-exact round trip, and no harm from any file."""

import contextlib
import json
import os
import pickle
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rulenet import Anneal, FormulaError, Greedy, ModelFileError, RandomInit, RuleNetworkClassifier
from rulenet.formulas import And, Concept
from rulenet.formulas.edit import add_rule, define
from rulenet.model_file import dumps, loads, schema

STRATEGIES = {c.__name__: c for c in (Greedy, RandomInit)}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    columns = {
        "it's": rng.choice(["a\n", 'b"', "☃", None], 120),
        "flag": rng.random(120) < 0.5,
        "n": pd.Categorical(rng.integers(0, 4, 120)),
        "size": rng.normal(size=120),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, 120), "D"),
    }
    X = pd.DataFrame(columns)
    return X, np.where((X["it's"] == "☃") | X["flag"] | (X["size"] > 1), "yes", "no")


@pytest.fixture(scope="module")
def model(table):
    search = Greedy(n_epochs=1, batch_size=30)
    sizes = (4, 3, 2)
    return RuleNetworkClassifier(sizes, search=search, class_weight={"no": 1, "yes": 2.5}, random_state=3).fit(*table)


@pytest.fixture(scope="module")
def text(model):
    return dumps(model._state())


def test_a_model_is_the_same_after_saving_and_loading(model, table, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = RuleNetworkClassifier.load(tmp_path / "model.json")
    assert loaded.network_ == model.network_
    assert loaded.encoding_ == model.encoding_
    assert [[type(v) for v in a.values] for a in loaded.encoding_.attributes] == [
        [type(v) for v in a.values] for a in model.encoding_.attributes
    ]
    assert loaded.classes_.dtype == model.classes_.dtype
    for name in ("classes_", "history_", "feature_names_in_"):
        assert np.array_equal(getattr(loaded, name), getattr(model, name))
    assert repr(loaded.get_params()) == repr(model.get_params())
    assert np.array_equal(loaded.predict_proba(table[0]), model.predict_proba(table[0]))
    assert dumps(loaded._state()) == dumps(model._state())


def test_a_network_given_as_start_comes_back(table, tmp_path):
    table = table[0].drop(columns=["size", "day"]), table[1]  # cuts would be learned anew
    first = RuleNetworkClassifier([3, 2], search=Greedy(n_epochs=1), random_state=1).fit(*table)
    model = RuleNetworkClassifier(init=first.network_, search=Greedy(n_epochs=1), random_state=1).fit(*table)
    model.save(tmp_path / "m.json")
    assert RuleNetworkClassifier.load(tmp_path / "m.json").init == first.network_


def test_other_choices_of_the_search_are_kept(table, tmp_path):
    search = Anneal(n_restarts=2, n_folds=2, n_proposals=2000)
    model = RuleNetworkClassifier([4, 2], search=search, random_state=3).fit(*table)
    model.save(tmp_path / "model.json")
    loaded = RuleNetworkClassifier.load(tmp_path / "model.json")
    columns = ["size", "accuracy", "validation", "price", "network"]
    assert len(model.pareto_) > 0
    pd.testing.assert_frame_equal(loaded.pareto_[columns], model.pareto_[columns])
    for row in range(len(model.pareto_)):
        chosen = loaded.choose(row)
        assert np.array_equal(chosen.predict_proba(table[0]), model.choose(row).predict_proba(table[0]))


@pytest.mark.parametrize("labels", [[False, True], [0, 1], [-1, 3], [0.0, 1.0], ["a", "☃"]])
def test_labels_of_every_type_come_back(labels, table, tmp_path):
    X = table[0]
    y = np.array(labels)[(X["flag"]).astype(int)]
    model = RuleNetworkClassifier([2], search=Greedy(n_epochs=1), random_state=0).fit(X, y)
    model.save(tmp_path / "m.json")
    loaded = RuleNetworkClassifier.load(tmp_path / "m.json")
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.predict(X).tolist() == model.predict(X).tolist()


def test_names_given_by_a_person_are_kept(model, table, tmp_path):
    off, two = (x for x in model.encoding_.conditions if str(x) in ("flag = False", "n = 2"))
    formula = define(model.formula_, "c1", And((off, two)))
    named = model.with_formula(add_rule(formula, Concept("c1")), *table)
    renamed = named.rename_concepts({name: f"my {name}" for name in named.formula_.concepts})
    assert "my c1" in renamed.formula_.concepts
    renamed.save(tmp_path / "m.json")
    assert RuleNetworkClassifier.load(tmp_path / "m.json").formula_ == renamed.formula_


def test_files_follow_the_schema(text):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(json.loads(text), schema())


def test_saving_replaces_the_file_in_one_step(model, tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    path.write_text("old")
    os.chmod(path, 0o640)

    def fail(*_):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            model.save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.json"]
    model.save(path)
    assert os.listdir(tmp_path) == ["model.json"]
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_parameter_that_json_cannot_hold_is_named(table, tmp_path):
    model = RuleNetworkClassifier([2], search=Greedy(n_epochs=1), random_state=np.random.RandomState(0)).fit(*table)
    with pytest.raises(ModelFileError, match="random_state is a RandomState"):
        model.save(tmp_path / "m.json")
    assert os.listdir(tmp_path) == []


def changed(text, path, value):
    data = json.loads(text)
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(data)


BAD = [
    (("format",), "pickle", "format is 'pickle'"),
    (("version",), 3, "version is 3"),
    (("version",), True, "version is True"),
    (("outputs",), [2], "outputs is 2, but must be an integer from 0 to 1"),
    (("outputs",), [0, 1], "there are 2 labels"),
    (("classes", "dtype"), "O8,O8", "classes"),
    (("classes", "dtype"), "<U9999999", "no type of labels"),
    (("classes", "dtype"), "<i8", "classes"),
    (("classes", "values"), ["a", "a"], "different labels"),
    (("classes", "values"), ["a"], "has 1 labels, but must have at least 2"),
    (("network", "n_literals"), 10**9, "must be an integer from 1"),
    (("network", "n_literals"), 3, "integer from 0 to 2|encoding has"),
    (("network", "first_gate"), "xor", "a gate is 'and' or 'or'"),
    (("network", "layers"), [], "needs of 4 layers|at least one layer"),
    (("network", "layers", 0, 0), [10**6], "must be an integer from 0 to"),
    (("network", "layers", 0, 0), "abc", "must be an array"),
    (("network", "layers", 0), [[]] * 100_001, "may have 100000 at most"),
    (("encoding", "attributes"), [], "cells in all"),
    (("encoding", "attributes", 0, "name"), 7, "must be a string"),
    (("encoding", "attributes", 0, "name"), "flag", "two attributes of one name"),
    (("encoding", "attributes", 0, "values"), [[1]], "strings, Booleans and numbers"),
    (("encoding", "attributes", 0, "values"), ["x", "x"], "a value twice"),
    (("encoding", "named"), 1, "true or false"),
    (("encoding", "attributes", 0, "kind"), "magic", "kind is 'magic'"),
    (("encoding", "attributes", 3, "cuts"), [2, 1], "must rise"),
    (("encoding", "attributes", 3, "cuts"), [True], "finite numbers"),
    (("encoding", "attributes", 4, "cuts"), [0.5], "whole microseconds"),
    (("encoding", "conditions"), [], "is empty"),
    (("encoding", "conditions", 0, "attribute"), 99, "must be an integer from 0"),
    (("encoding", "conditions", 0, "cells"), [[2, 1]], "a first cell|from"),
    (("encoding", "conditions", 0, "cells"), [[0, 10**9]], "must be an integer from 0"),
    (("network", "needs", 0, 0), 0, "must be an integer from 1"),
    (("network", "needs"), [], "needs of 0 layers"),
    (("calibration", "scale"), -1, "finite numbers"),
    (("calibration", "offsets"), [], "1 offsets"),
    (("calibration", "by_sign"), False, "is true, or left out"),
    (("calibration", "by_sign"), 1, "is true, or left out"),
    (("calibration", "follows"), True, "is false, or left out"),
    (("calibration", "follows"), 0, "is false, or left out"),
    (("calibration", "follows"), None, "is false, or left out"),
    (("history",), [0.5, "x"], "finite numbers"),
    (("named",), {"target": 1}, "named: "),
    (("parameters", "extra"), 1, "does not take"),
    (("parameters", "search"), {"strategy": "os.system", "parameters": {}}, "this rulenet knows"),
    (("parameters", "search"), {"strategy": "Greedy", "parameters": {"x": 1}}, "does not take these parameters"),
    (("parameters", "search"), {"weird": 1}, "no parameter looks like that"),
]


@pytest.mark.parametrize(("path", "value", "message"), BAD)
def test_a_bad_field_is_refused_with_its_place(text, path, value, message):
    with pytest.raises(ModelFileError, match=message):
        RuleNetworkClassifier._restored(loads(changed(text, path, value), STRATEGIES))


@pytest.mark.parametrize(
    "bad",
    [b"", b"{", b"[" * 100_000, b"\xff\xfe", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"9" * 10_000, pickle.dumps({"a": 1})],
)
def test_what_is_no_json_is_refused(bad, tmp_path):
    (tmp_path / "bad.json").write_bytes(bad)
    with pytest.raises(ModelFileError, match=r"bad\.json: "):
        RuleNetworkClassifier.load(tmp_path / "bad.json")


def test_a_calibration_by_signs_is_kept(text):
    found = loads(changed(text, ("calibration", "by_sign"), True), STRATEGIES)
    assert found.fitted.calibration.by_sign
    assert json.loads(dumps(found))["calibration"]["by_sign"] is True


def test_class_weights_are_kept_and_what_says_nothing_of_them_had_none(text):
    data = json.loads(text)
    assert data["calibration"]["follows"] is False
    assert loads(text, STRATEGIES).fitted.calibration.follows is False
    del data["calibration"]["follows"]
    found = loads(json.dumps(data), STRATEGIES)
    assert found.fitted.calibration.follows is True
    assert "follows" not in json.loads(dumps(found))["calibration"]


def places(data, path=()):
    yield path
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places(value, (*path, key))


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.lists(st.integers(-1, 3), max_size=3),
    st.dictionaries(
        st.sampled_from(["tuple", "list", "mapping", "network", "strategy", "x"]), st.integers(), max_size=2
    ),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_loader_survives_any_change_of_a_field(text, table, data):
    path = data.draw(st.sampled_from([p for p in places(json.loads(text)) if p]))
    broken = changed(text, path, data.draw(JUNK))
    try:
        model = RuleNetworkClassifier._restored(loads(broken, STRATEGIES))
    except ModelFileError:
        return
    assert len(model.encoding_.conditions) == model.network_.n_literals
    with contextlib.suppress(FormulaError):  # True and 1 in one column cannot be told apart in a formula
        assert str(model.formula_)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_the_loader_survives_any_change_of_bytes(text, data):
    raw = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=4))
    with contextlib.suppress(ModelFileError):
        loads(bytes(raw), STRATEGIES)


def test_a_hostile_file_takes_little_time_and_memory(text):
    bombs = [
        changed(text, ("network", "layers"), [[[]] * 5000] * 4),
        changed(text, ("network", "layers"), [[[]] * 100_000, [[]] * 300]),
        changed(text, ("encoding", "attributes", 0, "values"), list(range(600_000))),
        changed(text, ("history",), [0] * 1_100_000),
    ]
    for bomb in bombs:
        tracemalloc.start()
        start = time.perf_counter()
        with pytest.raises(ModelFileError):
            loads(bomb, STRATEGIES)
        assert time.perf_counter() - start < 20
        assert tracemalloc.get_traced_memory()[1] < 600 << 20
        tracemalloc.stop()


def test_files_of_version_1_still_load():
    path = Path(__file__).with_name("model-version-1.json")
    model = RuleNetworkClassifier.load(path)
    rows = json.loads(path.with_name("model-version-1-rows.json").read_text())
    X = pd.DataFrame(rows["X"])
    assert model.predict(X).tolist() == rows["predicted"]
    assert model.export("text") == rows["text"]
    assert len(model.pareto_) == rows["n_choices"]
    assert ((model.predict_proba(X).argmax(axis=1) == 1) == (model.predict(X) == model.classes_[1])).all()
