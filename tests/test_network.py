import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from rulenet import Network, NetworkError, bits
from strategies import networks, rows_for

pytestmark = pytest.mark.kernels

counting = networks(needs=True, n_outputs=st.integers(1, 4))


def packed(rows):
    return bits.pack(np.ascontiguousarray(rows.T))


@given(networks(), rows_for())
def test_evaluation_equals_the_reference(network, make_rows):
    rows = make_rows(network.n_literals)
    assert np.array_equal(network.predict(rows), reference.evaluate(network.weights, network.first_gate, rows))


@given(counting, rows_for())
def test_evaluation_with_needs_and_several_outputs_equals_the_reference(network, make_rows):
    rows = make_rows(network.n_literals)
    expected = reference.evaluate_all(network.weights, network.first_gate, rows, network.needs)
    assert np.array_equal(network.predict(rows).reshape(expected.shape), expected)
    assert network.predict(rows).ndim == (1 if network.n_outputs == 1 else 2)


@given(counting, rows_for())
def test_margins_equal_the_reference_and_say_what_holds(network, make_rows):
    rows = make_rows(network.n_literals)
    margins = network.margins(packed(rows), len(rows))
    assert np.array_equal(margins, reference.margins(network.weights, network.first_gate, rows, network.needs))
    assert np.array_equal(margins >= 0, network.predict(rows).reshape(margins.shape))


@given(counting, rows_for())
def test_swapping_gates_and_negating_inputs_negates_the_outputs(network, make_rows):
    rows = make_rows(network.n_literals)
    dual = Network(network.weights, "or" if network.first_gate == "and" else "and", network.needs)
    assert np.array_equal(dual.predict(~rows), ~network.predict(rows))
    assert np.array_equal(dual.margins(packed(~rows), len(rows)), -1 - network.margins(packed(rows), len(rows)))


@given(counting, rows_for())
def test_an_and_of_n_that_needs_k_failures_is_an_or_that_needs_all_but_k_less_one(network, make_rows):
    rows, k = make_rows(network.n_literals), int(network.needs[0][0])
    first = network.weights[0][:1]
    n_inputs = int(first.sum())
    if k <= n_inputs:
        same = Network([first], "or", [[n_inputs - k + 1]])
        assert np.array_equal(same.predict(rows), Network([first], "and", [[k]]).predict(rows))


@given(counting, rows_for())
def test_the_last_activations_are_the_outputs(network, make_rows):
    rows = make_rows(network.n_literals)
    layers = list(network.activations(packed(rows)))
    assert [len(layer) for layer in layers] == [*network.hidden_layer_sizes, network.n_outputs]
    outputs = bits.unpack(layers[-1], len(rows)).T
    assert np.array_equal(outputs, network.predict(rows).reshape(outputs.shape))


@given(counting, rows_for())
def test_literals_that_are_not_read_do_not_matter(network, make_rows):
    rows = make_rows(network.n_literals)
    assert np.array_equal(network.predict(rows & network.reads), network.predict(rows | ~network.reads))


@given(counting)
def test_flat_form_and_pickle_round_trip(network):
    assert Network.from_flat(network.flat()) == network
    assert pickle.loads(pickle.dumps(network)) == network
    assert hash(pickle.loads(pickle.dumps(network))) == hash(network)


@given(counting)
def test_size_and_live_units_equal_the_reference(network):
    assert network.size == reference.size(network.weights, network.needs)
    live = {(i, k) for i, layer in enumerate(network.live) for k in np.flatnonzero(layer)}
    assert live == reference.live(network.weights)


def test_a_state_without_needs_is_that_of_a_network_that_does_not_count():
    network, old = Network([[[1, 1, 0]], [[1]]], "or"), Network.__new__(Network)
    old.__setstate__({"weights": network.weights, "first_gate": "or"})
    assert old == network
    assert not old.is_counting


def test_networks_with_other_needs_differ():
    assert Network([[[1, 1]]], needs=[[2]]) != Network([[[1, 1]]])
    assert Network([[[1, 1]]], needs=[[1]]) == Network([[[1, 1]]])
    assert Network([[[1, 1]]], needs=[[2]]).is_counting


def test_several_outputs_are_asked_for_together():
    network = Network([[[1, 0], [1, 1]]], needs=[[1, 2]])
    assert network.n_outputs == 2
    assert repr(network) == "Network(2, 'and' first, size 4, 1 counting, 2 outputs)"
    with pytest.raises(NetworkError, match="has 2 outputs"):
        network.evaluate(packed(np.ones((3, 2), dtype=bool)))


def test_a_need_beyond_the_inputs_is_never_met():
    rows = np.array([[0, 0], [1, 1]], dtype=bool)
    for need in (3, 4, 2**62):
        assert Network([[[1, 1]]], "or", [[need]]).predict(rows).tolist() == [False, False]
        assert Network([[[1, 1]]], "and", [[need]]).predict(rows).tolist() == [True, True]


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ([[1, 1]], "needs of 1 layers but weights of 2"),
        ([[1], [1]], r"needs of layer 0 have shape \(1,\) but it has 2 units"),
        ([[1, 0], [1]], r"needs of layer 0 are \[1, 0\]"),
        ([[1, 1], [1.5]], r"needs of layer 1 are \[1.5\]"),
        ([[1, 1], [True]], r"needs of layer 1 are \[True\]"),
        ([[1, 2**63], [1]], "needs of layer 0"),
    ],
)
def test_needs_that_do_not_fit_are_refused(needs, message):
    with pytest.raises(NetworkError, match=message):
        Network([np.ones((2, 3)), np.ones((1, 2))], needs=needs)


def test_words_of_another_number_of_rows_are_refused():
    with pytest.raises(NetworkError, match="65 rows take 2 words but 1 were given"):
        Network([[[1, 1]]]).margins(np.zeros((2, 1), dtype=np.uint64), 65)


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
