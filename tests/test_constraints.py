"""What the user rules out stays out at every stage: searching, distilling, placing cuts, choosing, learning on."""

import numpy as np
import pandas as pd
import pytest

from rulenet import Anneal, Count, ParameterError, RuleNetworkClassifier
from rulenet.encoding import Encoding

SEARCHES = {
    "anneal": Anneal(n_restarts=2, n_folds=2, n_proposals=1500),
    "count": Count(n_walks=2, n_folds=2, n_proposals=1500),
}


def make_table(seed, n_rows=150):
    """Rows whose labels tempt rules to break every promise: ``a`` goes up and down, ``c`` says most."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.normal(size=n_rows).round(2), "b": rng.normal(size=n_rows), "c": rng.choice([*"xyz"], n_rows)}
    )
    X.loc[rng.random(n_rows) < 0.1, "b"] = np.nan
    y = (np.sin(3 * X["a"]) > 0) ^ (X["c"] == "x") ^ (rng.random(n_rows) < 0.1)
    return X, y.to_numpy()


def stages(search, sign, seed):
    """Classifiers of every stage."""
    (X, y), (more, labels) = make_table(seed), make_table(seed + 100, 60)
    wishes = {"monotonic_cst": {"a": sign}, "forbid": ["c", "b <= 0.5"], "cuts": {"b": [-1, 0.5]}, "random_state": seed}
    model = RuleNetworkClassifier(search=SEARCHES[search], **wishes).fit(X, y)
    yield "fit", model
    for row in range(len(model.pareto_)):
        yield f"choose({row})", model.choose(row)
    yield "refit", model.refit(more, labels)
    yield "max_size", RuleNetworkClassifier(search=SEARCHES[search], max_size=5, **wishes).fit(X, y)
    yield "partial_fit", model.partial_fit(more, labels)
    yield "warm_start", model.set_params(warm_start=True).fit(X, ~y)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("search", SEARCHES)
def test_directions_and_what_is_forbidden_hold_at_every_stage(search, sign, seed):
    X, _ = make_table(seed)
    steps = np.linspace(-4, 4, 161)
    grid = X.iloc[:12].loc[np.repeat(X.index[:12], len(steps))].assign(a=np.tile(steps, 12))
    for stage, model in stages(search, sign, seed):
        chances = model.predict_proba(grid)[:, 1].reshape(12, -1)
        assert (np.diff(chances, axis=1) * sign >= 0).all(), stage
        other = grid.assign(c=np.where(grid["c"] == "x", "y", "x"))
        assert np.array_equal(model.predict_proba(other), model.predict_proba(grid)), stage
        asked = model.network_.weights[0].any(axis=0)
        conditions = {str(c) for c, used in zip(model.encoding_.conditions, asked, strict=True) if used}
        assert "b <= 0.5" not in conditions, stage
        assert not any(text.startswith("c ") for text in conditions), stage
        assert {cut for a in model.encoding_.attributes if a.name == "b" for cut in a.cuts} <= {-1, 0.5}, stage


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("search", SEARCHES)
def test_no_cut_is_placed_where_it_is_forbidden(search, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.integers(0, 30, 200), "z": rng.integers(0, 2, 200)})
    y = (X["age"] > 14) ^ (rng.random(200) < 0.15)
    asked = Encoding.learn(X, y.to_numpy().astype(np.int64)).conditions
    forbid = [str(x) for x in asked if str(x) in ("age <= 14", "age > 14")]
    assert len(forbid) == 2
    model = RuleNetworkClassifier(search=SEARCHES[search], forbid=forbid, random_state=seed).fit(X, y)
    read = [str(x) for x, is_read in zip(model.encoding_.conditions, model.network_.reads, strict=True) if is_read]
    assert any(text.startswith("age ") for text in read)
    assert not set(forbid) & set(read)


def test_what_reads_as_a_forbidden_condition_and_another_is_forbidden_when_refitting():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(40, 10, 300).round(1), "z": rng.integers(0, 2, 300)})
    y = X["age"].between(37, 52, inclusive="right")
    model = RuleNetworkClassifier(search=SEARCHES["anneal"], random_state=0).fit(X, y)
    assert str(model.formula_.output) == "37 < age <= 52"
    assert "37 <" not in str(model.refit(X, y, forbid=["age > 37"]).formula_)
    assert "37 <" not in str(model.refit(X, y, forbid=model.encoding_.conditions).formula_)
    again = model.refit(X, y)  # with the interval as one literal
    assert "37 <" not in str(again.set_params(forbid=["age > 37"]).refit(X, y).formula_)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_locked_rule_holds_after_refitting_and_learning_on(seed):
    (X, y), (more, labels) = make_table(seed), make_table(seed + 100, 60)
    model = RuleNetworkClassifier(search=SEARCHES["anneal"], random_state=seed).fit(X, y)
    held = model.rows(X, 1)
    assert held.any()
    again = model.refit(more, ~labels, lock=[1])
    assert (again.predict(X)[held] == model.positive_class_).all()
    again.partial_fit(X, ~y)
    assert (again.predict(X)[held] == model.positive_class_).all()


RULED_OUT = [{"forbid": ["c"]}, {"forbid": ["!="]}, {"monotonic_cst": {"a": 1}}, {"monotonic_cst": [-1, 0, 0]}]


@pytest.mark.parametrize("wishes", RULED_OUT)
def test_what_is_ruled_out_after_a_fit_is_not_read_when_learning_again(wishes):
    X, _ = make_table(0)
    y = (X["a"] > 0.2) ^ (X["c"] == "x")
    fresh = RuleNetworkClassifier(search=SEARCHES["count"], random_state=0, **wishes).fit(X, y)
    model = RuleNetworkClassifier(search=SEARCHES["count"], random_state=0).fit(X, y).set_params(**wishes)
    again = model.refit(X, y)
    asked = again.encoding_.conditions, again.network_.reads
    columns = {"c": " c ", "!=": " != ", "a": " a > ", "-a": " a <= "}
    read = [f" {condition} " for condition, is_read in zip(*asked, strict=True) if is_read]
    match wishes:
        case {"forbid": [what]}:
            assert not any(columns[what] in text for text in read)
        case {"monotonic_cst": cst}:
            wanted = columns["a" if isinstance(cst, dict) else "-a"]
            assert all(text.startswith(wanted) for text in read if " a " in text)
    with pytest.raises(ParameterError, match=r"forbid or monotonic_cst rules out '.*', which the network"):
        model.partial_fit(X, y)
    with pytest.raises(ParameterError, match=r"forbid or monotonic_cst rules out '.*', which the network"):
        model.set_params(warm_start=True).fit(X, y)
    fresh.partial_fit(X, y)


def test_what_is_ruled_out_and_was_not_read_is_not_read_later():
    X, y = make_table(1)
    model = RuleNetworkClassifier(search=SEARCHES["anneal"], random_state=0).fit(X, X["a"] > 0.2)
    assert {c.attribute.name for c in model.formula_.conditions} == {"a"}
    model.set_params(forbid=["c"]).partial_fit(X, y)
    assert "c" not in {c.attribute.name for c in model.formula_.conditions}


@pytest.mark.parametrize("directions", [{"a": 1}, [1, 0, 0]])
def test_a_direction_holds_for_labels_that_are_concepts_of_others(directions):
    X, _ = make_table(3)
    high = X["a"] > 0.1
    Y = pd.DataFrame({"p": high, "q": ~high & (X["c"] == "x"), "r": np.where(high & (X["c"] != "x"), "k", "l")})
    model = RuleNetworkClassifier(search=SEARCHES["count"], random_state=0, monotonic_cst=directions).fit(X, Y)
    steps = np.linspace(-4, 4, 81)
    grid = X.iloc[:12].loc[np.repeat(X.index[:12], len(steps))].assign(a=np.tile(steps, 12))
    for chances in model.predict_proba(grid):
        assert (np.diff(chances[:, 1].reshape(12, -1), axis=1) >= 0).all()
