"""Deep networks that count: concepts below units below outputs, from the search to what people do with the result."""

import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulenet import DeepCount, Network, ParameterError, RuleNetworkClassifier, bits
from rulenet.count.concepts import Concepts, concepts_in
from rulenet.count.deep_path import Stacked, begin_at, follow
from rulenet.count.deep_schedule import DeepSchedule
from rulenet.count.schedule import Law
from rulenet.count.scoring import Scoring, opposites
from rulenet.count.start import scoring_of
from rulenet.count.widen import losses, propose_concepts
from rulenet.search.budget import Budget
from rulenet.search.generate import generate_rows
from rulenet.search.problem import Problem
from test_count import GO_ON, NO_START, make_problem, make_rows, plain

SHORT = DeepCount(n_restarts=2, n_folds=0, n_proposals=20_000)


def opposite_of(problem):
    return opposites(problem.literals, problem.n_rows, problem.relations.owner)


def holds(unit, rows):
    """Where fewer than a need of the literals fail, by plain counting."""
    inputs, need = unit
    return (~rows[:, list(inputs)]).sum(axis=1) < need


@st.composite
def units(draw, n_literals=18):
    """Units of two to four literals, some of which have no opposite; needs up to the number of literals."""
    found = []
    for _ in range(draw(st.integers(0, 5))):
        inputs = draw(st.lists(st.integers(0, n_literals - 1), min_size=2, max_size=4, unique=True))
        found.append((tuple(sorted(inputs)), draw(st.integers(1, len(inputs)))))
    return found


def deep_problem(n_classes=2, n_rows=300, seed=0):
    """Any two of three ORs; with three classes, how many of them hold."""
    rng = np.random.default_rng(seed)
    rows, relations = make_rows(rng, n_rows)
    ors = [rows[:, 1] | rows[:, 3], rows[:, 5] | rows[:, 7], rows[:, 9] | rows[:, 12]]
    codes = np.digitize(np.sum(ors, axis=0), [2, 3][: n_classes - 1])
    return Problem.of_classes(bits.pack(np.ascontiguousarray(rows.T)), codes, n_classes, relations)


def deep_table(n_classes=2, n_rows=300, seed=0):
    """An AND of three ORs of conditions on numbers and on words; some cells are missing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows).astype(float),
            "pay": np.round(rng.normal(30, 10, n_rows), 2),
            "city": rng.choice(["Oslo", "Rome", "Lima"], n_rows),
            "kind": rng.choice(["new", "old"], n_rows),
            "plan": rng.choice(["a", "b", "c", "d"], n_rows),
        }
    )
    ors = [(X["age"] > 40) | (X["kind"] == "new"), (X["pay"] > 28) | (X["city"] == "Rome"), X["plan"] != "d"]
    y = np.digitize(np.sum(ors, axis=0), [3] if n_classes == 2 else [2, 3])
    return X.mask(rng.random(X.shape) < 0.03), np.array(["no", "yes", "sure"])[y]


@given(units(), st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_a_problem_with_concepts_holds_them_and_their_opposites(found, seed):
    problem = make_problem(n_rows=70, seed=seed)
    concepts = Concepts.of(found, opposite_of(problem))
    extended, rows = concepts.extend(problem), plain(problem)
    literals = plain(extended)
    assert np.array_equal(literals[:, :18], rows)
    assert set(found) <= set(concepts.units)
    for j, unit in enumerate(concepts.units):
        assert np.array_equal(literals[:, 18 + j], holds(unit, rows))
    for unit in found:
        if max(unit[0]) < 12:  # these have opposites
            j = 18 + concepts.units.index(unit)
            k = opposite_of(extended)[j]
            assert np.array_equal(literals[:, k], ~literals[:, j])
            assert extended.relations.owner[k] == extended.relations.owner[j] > problem.relations.owner.max()


@given(units(), st.integers(0, 2**32 - 1), st.sampled_from([1, 3]))
@settings(max_examples=40, deadline=None)
def test_a_stacked_network_says_what_the_one_over_concepts_says(found, seed, n_outputs):
    problem, rng = make_problem(n_rows=70), np.random.default_rng(seed)
    concepts = Concepts.of(found, opposite_of(problem))
    extended = concepts.extend(problem)
    first = rng.random((4, len(extended.literals))) < 0.2
    network = Network(
        [first, rng.random((n_outputs, 4)) < 0.6], "and", [rng.integers(1, 3, 4), rng.integers(1, 3, n_outputs)]
    )
    stacked = concepts.stack(network)
    assert stacked.n_literals == 18
    assert np.array_equal(stacked.margins(problem.literals, 70), network.margins(extended.literals, 70))
    if not network.reads[18:].any():
        assert len(stacked.weights) == 2


def test_made_up_rows_have_the_concepts_of_their_literals_also_of_derived_ones():
    problem = make_problem(n_rows=90)
    opposite = opposite_of(problem)
    below = Concepts.of([((0, 2, 4), 2)], opposite)
    middle = below.extend(problem)
    above = Concepts.of([((18, 6), 2)], opposite_of(middle)).extend(middle)
    made = bits.unpack(generate_rows(above, 50, np.random.RandomState(0), 0.5), 50).T
    assert np.array_equal(made[:, 18], holds(((0, 2, 4), 2), made))
    assert np.array_equal(made[:, 20], made[:, 18] | made[:, 6])
    some = above.take(np.arange(40))
    assert generate_rows(some, 30, np.random.RandomState(1), 0.5).shape == (len(above.literals), 1)


def test_the_size_of_a_concept_is_paid_once():
    concepts = Concepts.of([((0, 2), 2)], np.full(6, -1))
    once = concepts.stack(Network([[[0, 0, 0, 0, 1, 0, 1]], [[1]]]))
    twice = concepts.stack(Network([[[0, 0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1, 1]], [[1, 1]]]))
    assert (once.size, twice.size) == (2 + 2 + 1, 2 + 4 + 2)


def test_a_concept_is_proposed_where_a_unit_reads_a_part_of_it():
    problem = deep_problem()
    opposite = opposite_of(problem)
    rows = plain(problem)
    target = (rows[:, 1] | rows[:, 3]) & rows[:, 5]
    problem = replace(problem, target=bits.pack(target))
    narrow = Scoring(((1, 5),), (1,), np.array([[3]]), np.array([-2]), 1.0)
    none = Concepts.of((), opposite)
    gain, unit = propose_concepts(narrow, problem, none, 1.0, 4)[0]
    assert unit == ((1, 3), 2)
    wide = Concepts.of([unit], opposite)
    extended = wide.extend(problem)
    place = 18 + wide.units.index(unit)
    better = replace(narrow, inputs=((5, place),))
    costs = [
        losses(s.scores(p.literals, p.n_rows), p.codes, 1.0).sum() for s, p in ((narrow, problem), (better, extended))
    ]
    assert costs[0] - costs[1] - 2 == pytest.approx(gain / (1 << 14), abs=0.1)
    assert propose_concepts(better, extended, wide, 1.0, 4) == []


def path(problem, n_layers, seed=0, begin=None):
    budget = Budget(20_000, None, GO_ON)
    return follow(problem, Law(2.0, 1.0, 0.3), DeepSchedule(), n_layers, seed, budget, begin)


def test_a_path_goes_deep_where_that_pays_and_its_cost_is_that_of_its_network():
    problem = deep_problem()
    rows = plain(problem)
    first, second = (rows[:, 1] | rows[:, 3]) & (rows[:, 5] | rows[:, 7]), (rows[:, 9] | rows[:, 12]) & rows[:, 15]
    target = first | second
    problem = replace(problem, target=bits.pack(target))
    flat, deep = min((path(problem, 2, seed) for seed in range(4)), key=lambda pair: pair[1].cost(problem, 1.0))
    assert len(flat.network.weights) == 2
    assert len(deep.network.weights) == 3
    assert deep.cost(problem, 1.0) < flat.cost(problem, 1.0)
    assert problem.accuracy(deep.network) >= problem.accuracy(flat.network)
    margins = deep.network.margins(problem.literals, problem.n_rows)
    scores = deep.scoring.scores(deep.concepts.extend(problem).literals, problem.n_rows)
    assert np.array_equal(margins, scores)
    assert deep.cost(problem, 1.0) == pytest.approx(losses(margins, problem.codes, 2.0).sum() + deep.network.size)
    assert path(problem, 1)[1].network == path(problem, 1)[0].network


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_same_seed_finds_the_same_network_on_any_number_of_threads(n_classes):
    problem = deep_problem(n_classes)
    search = DeepCount(n_restarts=2, n_folds=2, n_proposals=5_000)
    one, two = (search.search(problem, NO_START, 3, n_jobs) for n_jobs in (1, 2))
    assert one.network == two.network
    assert [choice.network for choice in one.choices] == [choice.network for choice in two.choices]
    assert np.array_equal(one.held_out.margins, two.held_out.margins)
    assert one.network.n_outputs == (1 if n_classes == 2 else 3)


def test_a_deep_network_is_taken_apart_and_begun_at():
    problem = deep_problem()
    opposite = opposite_of(problem)
    given_concepts = Concepts.of([((1, 3), 2), ((5, 7), 2)], opposite)
    first = np.zeros((1, 18 + len(given_concepts.units)), dtype=bool)
    first[0, [9, 18, 18 + given_concepts.units.index(((5, 7), 2))]] = True
    network = given_concepts.stack(Network([first, [[1]]]))
    apart, above = concepts_in(network)
    assert set(apart) == {((1, 3), 2), ((5, 7), 2)}
    assert above.n_literals == 20
    begun = begin_at(network, opposite, problem, 1.0, 2)
    assert isinstance(begun, Stacked)
    margins = network.margins(problem.literals, problem.n_rows)
    assert np.array_equal(begun.network.margins(problem.literals, problem.n_rows), margins)
    with pytest.raises(ParameterError, match="one hidden layer"):
        begin_at(network, opposite, problem, 1.0, 1)
    with pytest.raises(ParameterError, match="one hidden layer"):
        scoring_of(network, opposite)
    assert concepts_in(Network([[[1, 1]], [[1]]])) is None


@pytest.fixture(scope="module", params=[2, 3])
def fitted(request):
    """A classifier that has concepts, and its table; deep for sure, since folds have no say."""
    X, y = deep_table(request.param)
    model = RuleNetworkClassifier(search=SHORT, random_state=1).fit(X, y)
    assert len(model.network_.weights) == 3
    assert model.network_.is_counting
    return model, X, y


def test_a_deep_network_that_counts_predicts_what_its_network_says(fitted):
    model, X, y = fitted
    literals = model.fitted_.encoding.encode(X)
    margins = model.network_.margins(literals, len(X))
    decision = model.decision_function(X)
    if margins.shape[1] == 1:
        assert np.array_equal(decision >= 0, margins[:, 0] >= 0)
    assert model.score(X, y) > 0.9
    assert model.pareto_["size"].is_monotonic_increasing


def test_it_runs_as_python_and_sql(fitted):
    model, X, _ = fitted
    predicted = model.predict(X).tolist()
    space = {}
    exec(model.export("python"), space)
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    assert [space["predict"](row) for row in rows] == predicted
    with sqlite3.connect(":memory:") as connection:
        X.to_sql("data", connection, index=False)
        sql = model.export("sql", dialect="sqlite", style="case")
        assert [value for (value,) in connection.execute(f"SELECT {sql} FROM data")] == predicted


def test_it_reads_as_text_with_concepts_below_units_below_counts(fitted):
    model, _, _ = fitted
    text = model.export("text")
    assert "at least" in text if len(model.classes_) == 2 else " needs " in text
    assert "any of" in text or " or " in text
    assert str(model.formula_) == text


def test_a_model_file_holds_it(fitted, tmp_path):
    model, X, _ = fitted
    model.save(tmp_path / "model.json")
    loaded = RuleNetworkClassifier.load(tmp_path / "model.json")
    assert loaded.network_ == model.network_
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    assert str(loaded.formula_) == str(model.formula_)


def test_rows_are_explained_and_pages_and_pictures_drawn(fitted, tmp_path):
    model, X, y = fitted
    assert f"{model.predict(X[:1])[0]}" in str(model.explain(X, row=0)).splitlines()[0]
    assert "digraph" in model.export("dot")
    model.page(X, y).save(tmp_path / "page.html")
    assert "<html" in (tmp_path / "page.html").read_text()


def test_learning_goes_on_from_it(fitted):
    _, X, y = fitted
    on = RuleNetworkClassifier(search=SHORT, random_state=1).partial_fit(X, y)
    assert on.partial_fit(X, y).score(X, y) > 0.9
    warm = RuleNetworkClassifier(search=SHORT, random_state=1, warm_start=True).fit(X, y)
    assert warm.fit(X, y).score(X, y) > 0.9


def test_the_number_of_layers_is_a_setting():
    X, y = deep_table()
    flat = RuleNetworkClassifier(
        search=DeepCount(n_layers=1, n_restarts=1, n_folds=0, n_proposals=5_000), random_state=0
    )
    assert len(flat.fit(X, y).network_.weights) == 2
    with pytest.raises(ParameterError, match="n_layers"):
        RuleNetworkClassifier(search=DeepCount(n_layers=3)).fit(X, y)
    with pytest.raises(ParameterError, match="search is a DeepCount"):
        RuleNetworkClassifier(search=DeepCount(), hidden_layer_sizes=(3,)).fit(X, y)
