import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import reference
from rulenet import Anneal, Greedy, LayersInit, ParameterError, RuleNetworkClassifier, bits
from rulenet.relations import Relations
from rulenet.search.problem import Problem
from rulenet.search.weights import slice_weights
from rulenet.starts import layers_kernels
from strategies import problems

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=4)
GATES = st.sampled_from(["and", "or"])


@pytest.mark.kernels
@given(problems(max_rows=100), st.sampled_from([0, 0.5, 5, 30]), st.integers(0, 10**6))
@settings(max_examples=60)
def test_rules_grow_as_those_of_the_reference(case, m, seed):
    _, rows, target, weights = case.plain
    problem, row = case.problem, np.array([seed % len(rows)])
    if weights[row[0]] == 0 or not target[row[0]]:
        target, weights = target | (np.arange(len(rows)) == row[0]), np.maximum(weights, 1)
    planes, packed = slice_weights(weights), bits.pack(target)
    rules = layers_kernels.grow_rules(problem.literals, planes & packed, planes & ~packed, row, m)
    assert np.flatnonzero(rules[0]).tolist() == reference.grow_rule(rows, target, weights, row[0], m)
    assert rows[row[0], rules[0]].all()


def say(concepts, gate, row):
    """What layers of concepts, each a list of the inputs it reads, say of one row."""
    for layer in concepts:
        row = [(all if gate == "and" else any)(row[j] for j in concept) for concept in layer]
        gate = "or" if gate == "and" else "and"
    return row[0]


@given(problems(max_rows=80), SIZES, GATES, st.integers(0, 2**32 - 1), st.data())
@settings(max_examples=60)
def test_the_network_says_what_the_concepts_say_of_any_row(case, sizes, gate, seed, data):
    init = LayersInit(sizes, gate)
    network = init.learn(case.problem, (), seed)
    layers = init.concepts(case.problem, seed)
    concepts = [[np.flatnonzero(unit).tolist() for unit in layer] for layer in layers]
    width = case.network.n_literals
    rows = np.array(
        data.draw(st.lists(st.lists(st.booleans(), min_size=width, max_size=width), min_size=1, max_size=9))
    )
    assert network.predict(rows).tolist() == [say(concepts, gate, row) for row in rows.tolist()]
    assert network.first_gate == gate
    assert all(n <= most for n, most in zip(network.hidden_layer_sizes, sizes, strict=True))


@given(problems(max_rows=80), SIZES, GATES)
@settings(max_examples=40)
def test_the_start_errs_no_more_than_a_constant(case, sizes, gate):
    start = LayersInit(sizes, gate).learn(case.problem, (), 0)
    target, weights = case.plain[2:]
    last = "and" if (gate == "and") == (len(sizes) % 2 == 0) else "or"
    assert case.problem.errors(start) <= weights[target if last == "or" else ~target].sum()


@given(GATES, SIZES, st.booleans())
def test_a_constant_target_gives_a_constant_start(gate, sizes, value):
    rows = np.random.default_rng(0).random((50, 6)) < 0.5
    problem = Problem.of(bits.pack(np.ascontiguousarray(rows.T)), np.full(50, value), Relations.of(range(6)))
    assert (LayersInit(sizes, gate).learn(problem, (), 0).predict(rows) == value).all()


@pytest.mark.parametrize("gate", ["and", "or"])
@pytest.mark.parametrize("sizes", [(8,), (8, 2), (8, 4, 2)])
def test_a_table_of_one_literal_is_learned(gate, sizes):
    literal = np.arange(40) % 3 == 0
    problem = Problem.of(bits.pack(literal[np.newaxis]), literal, Relations.of([0]))
    assert problem.errors(LayersInit(sizes, gate).learn(problem, (), 0)) == 0


def noisy_table(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (n_rows, 8))
    target = ((values[:, 0] == 1) & (values[:, 1] > 0) | (values[:, 2] == values[:, 3])) ^ (rng.random(n_rows) < 0.05)
    return pd.DataFrame(values.astype(str), columns=[f"c{j}" for j in range(8)]), target


def noisy_problem():
    X, target = noisy_table()
    rows = np.hstack([X.to_numpy() == value for value in "012"])
    return Problem.of(bits.pack(np.ascontiguousarray(rows.T)), target, Relations.of(np.tile(np.arange(8), 3)))


def test_the_same_seed_gives_the_same_network():
    problem = noisy_problem()
    first, again, other = (LayersInit(max_rows=200).learn(problem, (), seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other
    assert problem.accuracy(first) > 0.75


def test_weights_count_as_copies_of_rows():
    problem = noisy_problem()
    weights = 1 + np.arange(problem.n_rows) % 3
    weighted = Problem(problem.literals, problem.target, slice_weights(weights), problem.relations, problem.n_rows)
    copied = problem.take(np.repeat(np.arange(problem.n_rows), weights))
    # With m = 0 the size of a row does not matter; 40 rows of each class give every example a turn.
    few = np.arange(80)
    first = LayersInit((6, 3), m=0).learn(weighted.take(few), (), 0)
    second = LayersInit((6, 3), m=0).learn(copied.take(np.arange(weights[few].sum())), (), 0)
    assert first == second


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (LayersInit(()), r"hidden_layer_sizes is \(\)"),
        (LayersInit(5), "hidden_layer_sizes is 5"),
        (LayersInit((4, 0)), r"hidden_layer_sizes is \(4, 0\)"),
        (LayersInit(first_gate="xor"), "first_gate is 'xor'"),
        (LayersInit(m=-1), "m is -1"),
        (LayersInit(m="much"), "m is 'much'"),
        (LayersInit(max_rows=0), "max_rows is 0"),
    ],
)
def test_parameters_out_of_range_are_refused(init, message):
    with pytest.raises(ParameterError, match=message):
        init.learn(noisy_problem(), (), 0)


def test_parameters_are_those_of_a_strategy():
    init = LayersInit((16, 4), m=2)
    expected = {"hidden_layer_sizes": (16, 4), "first_gate": "and", "m": 2, "max_rows": 4096}
    assert init.get_params() == clone(init).get_params() == expected
    assert RuleNetworkClassifier(init=init).get_params()["init__m"] == 2


@pytest.mark.parametrize("search", [Greedy(n_epochs=1), Anneal(n_restarts=2, n_folds=2, n_proposals=5_000)])
@pytest.mark.parametrize("init", ["layers", LayersInit([12, 4], "or", 3.5)])
def test_a_model_that_started_from_layers_comes_back_from_its_file(search, init, tmp_path):
    X, y = noisy_table()
    model = RuleNetworkClassifier(init=init, search=search, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    model.save(tmp_path / "model.json")
    loaded = RuleNetworkClassifier.load(tmp_path / "model.json")
    assert loaded.network_ == model.network_
    assert repr(loaded.get_params()) == repr(model.get_params())
