import pickle

import numpy as np
import pytest
from hypothesis import given

import reference
from rulenet import Network, NetworkError, bits
from strategies import networks, rows_for


@given(networks(), rows_for())
def test_evaluation_equals_the_reference(network, make_rows):
    rows = make_rows(network.n_literals)
    assert np.array_equal(network.predict(rows), reference.evaluate(network.weights, network.first_gate, rows))


@given(networks(), rows_for())
def test_swapping_gates_and_negating_inputs_negates_the_output(network, make_rows):
    rows = make_rows(network.n_literals)
    dual = Network(network.weights, "or" if network.first_gate == "and" else "and")
    assert np.array_equal(dual.predict(~rows), ~network.predict(rows))


@given(networks(), rows_for())
def test_the_last_activations_are_the_output(network, make_rows):
    rows = make_rows(network.n_literals)
    layers = list(network.activations(bits.pack(np.ascontiguousarray(rows.T))))
    assert [len(layer) for layer in layers] == [*network.hidden_layer_sizes, 1]
    assert np.array_equal(bits.unpack(layers[-1][0], len(rows)), network.predict(rows))


@given(networks(), rows_for())
def test_literals_that_are_not_read_do_not_matter(network, make_rows):
    rows = make_rows(network.n_literals)
    assert np.array_equal(network.predict(rows & network.reads), network.predict(rows | ~network.reads))


@given(networks())
def test_flat_form_and_pickle_round_trip(network):
    assert Network.from_flat(network.flat()) == network
    assert pickle.loads(pickle.dumps(network)) == network
    assert hash(pickle.loads(pickle.dumps(network))) == hash(network)


def test_and_of_nothing_is_true_and_or_of_nothing_is_false():
    assert Network([np.zeros((1, 3))], "and").predict(np.zeros((1, 3))).tolist() == [True]
    assert Network([np.zeros((1, 3))], "or").predict(np.ones((1, 3))).tolist() == [False]


def test_gates_alternate():
    assert Network([np.ones((2, 3)), np.ones((2, 2)), np.ones((1, 2))], "or").gates == ("or", "and", "or")


def test_weights_are_copied_and_frozen():
    weights = np.ones((1, 2), dtype=bool)
    network = Network([weights])
    weights[:] = False
    assert network.n_edges == 2
    with pytest.raises(ValueError, match="read-only"):
        network.weights[0][0, 0] = False
    with pytest.raises(AttributeError):
        network.first_gate = "or"


@pytest.mark.parametrize(
    ("weights", "gate", "message"),
    [
        ([], "and", "no weights were given"),
        ([np.ones((2, 3)), np.ones((1, 3))], "and", "layer 0 has 2 units but layer 1 reads 3"),
        ([np.ones((2, 3))], "and", "output layer has 2 units"),
        ([np.ones(3)], "and", "layer 0 have 1 dimensions"),
        ([np.full((1, 3), 2)], "and", "other values than true and false"),
        ([np.ones((0, 3)), np.ones((1, 0))], "and", "at least one unit"),
        ([np.ones((1, 3))], "xor", "first_gate is 'xor'"),
    ],
)
def test_weights_that_do_not_fit_are_refused(weights, gate, message):
    with pytest.raises(NetworkError, match=message):
        Network(weights, gate)


def test_rows_of_another_width_are_refused():
    with pytest.raises(NetworkError, match="reads 2 literals but was given 3"):
        Network([np.ones((1, 2))]).predict(np.ones((4, 3)))
    with pytest.raises(NetworkError, match="1 dimensions"):
        Network([np.ones((1, 2))]).predict(np.ones(2))
