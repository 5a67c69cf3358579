"""Shapes at the ends of what compiled loops meet."""

import tracemalloc
import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import reference
from rulenet import (
    Anneal,
    Count,
    Encoding,
    Network,
    NetworkError,
    ParameterError,
    RuleNetworkClassifier,
    TableError,
    bits,
)
from rulenet.anneal.schedule import SCHEDULE
from rulenet.auto import schedule as auto_schedule
from rulenet.conditions import Attribute

SEARCHES = {
    "anneal": Anneal(n_restarts=2, n_folds=0, n_proposals=500, distil=False),
    "count": Count(n_walks=2, n_folds=0, n_proposals=500),
}


def random_network(sizes, seed=0, density=0.3):
    rng = np.random.default_rng(seed)
    weights = [rng.random((above, below)) < density for below, above in pairwise(sizes)]
    needs = [rng.integers(1, 4, len(w)) for w in weights]
    return Network(weights, "or", needs)


@pytest.mark.kernels
@pytest.mark.parametrize("n_rows", [1, 63, 64, 65])
@pytest.mark.parametrize("sizes", [(1, 1), (5000, 3, 1), (3, *[4] * 40, 2), (6, 2000, 1)], ids=str)
def test_networks_of_any_shape_say_what_the_reference_says(n_rows, sizes):
    network = random_network(sizes)
    rows = np.random.default_rng(n_rows).random((n_rows, sizes[0])) < 0.6
    expected = reference.evaluate_all(network.weights, network.first_gate, rows, network.needs)
    literals = bits.pack(np.ascontiguousarray(rows.T))
    assert np.array_equal(network.predict(rows).reshape(n_rows, -1), expected)
    assert np.array_equal(network.margins(literals, n_rows) >= 0, expected)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("n_rows", [1, 2, 63, 64, 65])
def test_tables_of_any_length_are_learned(n_rows, search):
    X = pd.DataFrame({"a": np.arange(n_rows) % 2 == 1, "b": np.arange(n_rows)})
    y = np.arange(n_rows) % 2
    if n_rows == 1:
        X, y = pd.concat([X, X]), np.array([0, 1])
    model = RuleNetworkClassifier(search=SEARCHES[search], random_state=0).fit(X, y)
    assert model.predict(X.iloc[:1]).tolist() in ([0], [1])


@pytest.mark.parametrize("search", SEARCHES)
def test_a_column_of_a_thousand_values_beside_one_that_is_all_missing_is_learned(search):
    X = pd.DataFrame({"gone": [None] * 2000, "name": [f"v{i % 1000}" for i in range(2000)]})
    y = [i % 1000 < 500 for i in range(2000)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RuleNetworkClassifier(search=SEARCHES[search], random_state=0).fit(X, y)
    assert len(model.encoding_.conditions) == 2000
    assert len(model.predict(X)) == 2000


def test_labels_that_are_names_of_rows_are_refused_before_memory_is_taken_for_them():
    X, y = pd.DataFrame({"a": np.arange(100_000) % 3}), [f"row {i}" for i in range(100_000)]
    tracemalloc.start()
    try:
        with pytest.raises(TableError, match="y holds 100000 classes, but expected at most 1000: merge"):
            RuleNetworkClassifier().fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()
    with pytest.raises(TableError, match="y holds 4 classes, but expected at most 3"):
        RuleNetworkClassifier(max_values=3).fit(X[:8], np.arange(8) % 4)


def test_more_conditions_than_deep_walks_have_room_for_are_searched_by_counting(monkeypatch):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(list("abcd"), 160) for name in "pqr"})
    y = X["p"] == "a"
    few = replace(SCHEDULE, max_literals=10)
    monkeypatch.setattr(Anneal, "schedule", few)
    with pytest.raises(TableError, match="the columns give 24 conditions, but Anneal takes at most 10: leave columns"):
        RuleNetworkClassifier(search="anneal").fit(X, y)
    monkeypatch.setattr("rulenet.auto.auto.SCHEDULE", replace(auto_schedule.SCHEDULE, most_literals=10))
    monkeypatch.setattr("rulenet.auto.auto.Count", lambda max_time: SEARCHES["count"])
    found = RuleNetworkClassifier(random_state=0).fit(X, y)  # no deep walk is tried, which would be refused
    assert max(need for layer in found.network_.needs for need in layer) > 1


def test_a_table_of_100000_columns_is_encoded():
    X = np.arange(400_000).reshape(4, -1) % 7 > 3
    attributes = tuple(Attribute(f"x{i}", (False, True)) for i in range(100_000))
    encoding = Encoding(attributes, tuple(attribute.equal(True) for attribute in attributes))
    only = np.arange(100_000) % 1000 == 7
    words = encoding.encode(X, only=only)
    assert np.array_equal(bits.unpack(words[only], 4), X.T[only])


def test_a_table_of_100000_columns_is_learned():
    X = np.random.default_rng(0).random((40, 100_000)) < 0.5
    model = RuleNetworkClassifier(search=SEARCHES["count"], random_state=0).fit(X, X[:, 7])
    assert model.n_features_in_ == 100_000
    assert len(model.predict(X[:3])) == 3


def test_conditions_on_other_cells_than_those_of_the_attributes_are_refused():
    few, many = Attribute("a", ("x", "y")), Attribute("a", tuple(map(str, range(3000))))
    with pytest.raises(ParameterError, match="condition on 'a', which has other cells"):
        Encoding((few,), (few.equal("x"), many.equal("2999")))
    with pytest.raises(ParameterError, match="condition on 'a', which is no attribute"):
        Encoding((), (few.equal("x"),))
    with pytest.raises(ParameterError, match="one name"):
        Encoding((few, few), ())


@pytest.mark.parametrize("literals", [np.zeros(2, np.uint64), np.zeros((2, 1)), np.zeros((2, 1), np.int64)], ids=repr)
def test_only_packed_literals_are_evaluated(literals):
    with pytest.raises(NetworkError, match="uint64 of 2 dimensions"):
        Network([[[1, 1]]]).evaluate(literals)
