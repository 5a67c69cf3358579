import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from rulenet import Network, RandomInit, kernels
from rulenet.greedy import kernels as words
from rulenet.greedy.ascent import climb, gains_of_flips
from rulenet.relations import Relations
from strategies import Case, problems

pytestmark = pytest.mark.kernels


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


def all_gains(network, case):
    """The gains of all flips and of all changed needs, by the compiled loops."""
    flat = network.flat()
    gains, need_gains = np.zeros(flat.weights.size, np.int64), np.zeros((flat.needs.size, 2), np.int64)
    rows, exclusive = case.problem.rows, case.plain[0]
    kernels.add_all_gains(flat, rows, exclusive, 0, rows.planes.shape[1], gains, need_gains)
    return gains, need_gains


@given(problems(needs=True, n_outputs=st.integers(1, 4)))
def test_every_gain_of_counting_units_and_several_outputs_equals_the_recomputed_one(case):
    network, (exclusive, rows, target, weights) = case.network, case.plain
    gains, need_gains = all_gains(network, case)
    data = rows, target, weights, network.needs
    assert gains_by_place(network, gains) == reference.gains(network.weights, network.first_gate, exclusive, *data)
    assert need_gains.tolist() == reference.need_gains(network.weights, network.first_gate, *data)


@given(problems(needs=True, n_outputs=st.integers(1, 3)), st.sampled_from([1, 10**6]))
@settings(max_examples=40)
def test_climbing_with_counting_units_and_several_outputs_keeps_what_the_gains_say(case, max_flips):
    flat = case.network.flat()
    rows = case.problem.rows
    before = kernels.count_errors(kernels.evaluate(flat, rows.literals), rows.target, rows.planes)
    best = max(all_gains(case.network, case)[0].max(), 0)
    n_flips = kernels.climb(flat, rows, case.plain[0], max_flips, False)
    after = kernels.count_errors(kernels.evaluate(flat, rows.literals), rows.target, rows.planes)
    assert np.array_equal(flat.needs, np.concatenate(case.network.needs))
    assert before - after >= best
    assert (n_flips == 0) == (best == 0)
    if max_flips > 1:
        assert all_gains(Network.from_flat(flat), case)[0].max() <= 0


@given(problems(needs=True, n_outputs=st.integers(1, 3)))
def test_a_flip_changes_what_the_reference_changes(case):
    place = max(reference.scan_order(case.network.weights))
    weight = case.network.flat().weights.size - 1
    flat = case.network.flat()
    kernels.flip(flat, case.plain[0], weight)
    needs = case.network.needs
    flipped = reference.flipped(case.network.weights, case.network.first_gate, case.plain[0], *place, needs)
    assert Network.from_flat(flat) == Network(flipped, case.network.first_gate, needs)


def test_exclusive_literals_stand_together_where_an_and_may_spare_one():
    weights, exclusive = [np.array([[True, False]]), np.array([[True]])], np.array([0, 0])
    for need, expected in ((1, [0, 1, 1]), (2, [1, 1, 1])):
        flat = Network(weights, needs=[[need], [1]]).flat()
        kernels.flip(flat, exclusive, 1)
        assert flat.weights.tolist() == expected


@given(problems())
def test_the_flip_picked_is_the_first_best_one(case):
    flat = case.network.flat()
    weight, gain = kernels.best_flip(flat, gains_of_flips(flat, case.problem))
    expected = reference.gains(case.network.weights, case.network.first_gate, *case.plain)
    place = max(expected, key=expected.__getitem__)
    kernels.flip(flat, case.plain[0], weight)
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


@given(problems(), st.data())
def test_climbing_on_batches_of_a_word_each_takes_the_flips_that_other_batches_would(case, data):
    rows = case.problem.rows._replace(planes=case.problem.planes[:1])  # some rows may not count
    seed, size = data.draw(st.integers(0, 2**32 - 1)), data.draw(st.integers(1, 64))
    batches = np.random.default_rng(seed).integers(0, case.problem.n_rows, (data.draw(st.integers(1, 4)), size))
    max_flips, first = data.draw(st.sampled_from([0, 1, 2, 10**6])), case.network.flat()
    slow, best_errors = case.network.flat(), [np.array([10**6]) for _ in range(2)]
    best_weights = [first.weights.copy() for _ in range(2)]
    expected = kernels.climb_on_each(
        slow, rows, batches, case.plain[0], max_flips, False, best_weights[0], best_errors[0]
    )
    quick, found = case.network.flat(), np.empty(len(batches), np.int64)
    words.climb_on_each(
        quick, rows, batches, case.plain[0], max_flips, words.new_scratch(quick, case.problem.target.size),
        best_weights[1], best_errors[1], found,
    )  # fmt: skip
    assert found.tolist() == expected.tolist()
    assert Network.from_flat(quick) == Network.from_flat(slow)
    assert np.array_equal(*best_weights)
    assert np.array_equal(*best_errors)


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
    picked = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=200)))
    part = case.problem.take(picked)
    right = reference.weight_correct(
        case.network.weights, case.network.first_gate, rows[picked], target[picked], weights[picked]
    )
    assert part.total_weight == weights[picked].sum()
    assert part.errors(case.network) == part.total_weight - right


def test_blocks_and_threads_do_not_change_the_network():
    rng = np.random.default_rng(0)
    n_rows = 200_000
    values = rng.integers(0, 3, (n_rows, 6))
    rows = (values[:, :, np.newaxis] == np.arange(3)).reshape(n_rows, -1)
    target = (values[:, 0] == values[:, 1]) ^ (rng.random(n_rows) < 0.1)
    owner = np.repeat(np.arange(6), 3)
    relations = Relations.of(owner, owner)
    network = RandomInit(2, 0.1).start(relations, (8, 4, 2), "and", seed=1)
    case = Case.of(network, relations, rows, target, np.ones(n_rows, dtype=np.int64))
    alone, shared = network.flat(), network.flat()
    assert climb(alone, case.problem, 3, n_jobs=1) == climb(shared, case.problem, 3, n_jobs=4) > 0
    assert np.array_equal(alone.weights, shared.weights)
    assert case.problem.errors(alone) < case.problem.errors(network)
