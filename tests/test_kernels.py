import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from rulenet import Network, RandomInit, kernels
from rulenet.training.ascent import climb, gains_of_flips
from strategies import Case, problems


def gains_by_place(network, gains):
    """The flat gains as the reference names them."""
    sizes = [w.size for w in network.weights]
    layers = np.split(gains, np.cumsum(sizes)[:-1])
    shaped = [g.reshape(w.shape) for g, w in zip(layers, network.weights, strict=True)]
    return {place: shaped[place[0]][place[1:]] for place in reference.scan_order(network.weights)}


@given(problems())
def test_every_gain_equals_the_recomputed_one(case):
    flat = case.network.flat()
    gains = gains_of_flips(flat, case.problem)
    expected = reference.gains(case.network.weights, case.network.first_gate, *case.plain)
    assert gains_by_place(case.network, gains) == expected


@given(problems())
def test_the_flip_picked_is_the_first_best_one(case):
    flat = case.network.flat()
    weight, gain = kernels.best_flip(flat, gains_of_flips(flat, case.problem))
    expected = reference.gains(case.network.weights, case.network.first_gate, *case.plain)
    place = max(expected, key=expected.__getitem__)
    kernels.flip(flat, case.problem.groups, weight)
    flipped = reference.flipped(case.network.weights, case.network.first_gate, case.plain[0], *place)
    assert gain == expected[place]
    assert Network.from_flat(flat) == Network(flipped, case.network.first_gate)


@given(problems(), st.sampled_from([0, 1, 3, 10**6]))
@settings(max_examples=60)
def test_climbing_ends_with_the_weights_of_the_reference(case, max_flips):
    flat = case.network.flat()
    climb(flat, case.problem, max_flips)
    expected = reference.climb(case.network.weights, case.network.first_gate, *case.plain, max_flips)
    assert Network.from_flat(flat) == Network(expected, case.network.first_gate)


@given(problems(max_rows=300), st.integers(1, 5))
def test_gains_add_up_over_any_parts_of_the_rows(case, n_parts):
    flat = case.network.flat()
    assert np.array_equal(gains_of_flips(flat, case.problem, None, n_parts), gains_of_flips(flat, case.problem))


@given(problems())
def test_errors_are_the_weight_of_the_rows_predicted_wrong(case):
    _, rows, target, weights = case.plain
    right = reference.weight_correct(case.network.weights, case.network.first_gate, rows, target, weights)
    assert case.problem.errors(case.network) == weights.sum() - right
    assert case.problem.total_weight == weights.sum()


@given(problems(), st.data())
def test_rows_taken_are_the_rows_asked_for(case, data):
    _, rows, target, weights = case.plain
    taken = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=200)))
    part = case.problem.take(taken)
    right = reference.weight_correct(
        case.network.weights, case.network.first_gate, rows[taken], target[taken], weights[taken]
    )
    assert part.total_weight == weights[taken].sum()
    assert part.errors(case.network) == part.total_weight - right


def test_blocks_and_threads_do_not_change_the_network():
    rng = np.random.default_rng(0)
    n_rows = 200_000
    values = rng.integers(0, 3, (n_rows, 6))
    rows = (values[:, :, np.newaxis] == np.arange(3)).reshape(n_rows, -1)
    target = (values[:, 0] == values[:, 1]) ^ (rng.random(n_rows) < 0.1)
    groups = np.repeat(np.arange(6), 3)
    network = RandomInit(2, 0.1).start(groups, (8, 4, 2), "and", seed=1)
    case = Case.of(network, groups, rows, target, np.ones(n_rows, dtype=np.int64))
    alone, shared = network.flat(), network.flat()
    assert climb(alone, case.problem, 3, n_jobs=1) == climb(shared, case.problem, 3, n_jobs=4) > 0
    assert np.array_equal(alone.weights, shared.weights)
    assert case.problem.errors(alone) < case.problem.errors(network)
