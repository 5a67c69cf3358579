from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from rulenet import Greedy, Network, ParameterError, RandomInit, TableError, bits
from rulenet.conditions import Attribute
from rulenet.greedy import ascent
from rulenet.greedy.together import Tactic, ascend
from rulenet.relations import Relations, relations_of
from rulenet.search.problem import Problem
from rulenet.search.protocol import FunctionStart
from rulenet.search.weights import quantise_weights, slice_weights
from strategies import problems

GROUPS = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
RELATIONS = Relations.of(GROUPS, GROUPS)


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=4),
    st.sampled_from(["and", "or"]),
    st.sampled_from([0, 1.5, 2, 99]),
    st.sampled_from([0, 0.05, 0.5, 1]),
    st.integers(0, 10**6),
)
def test_random_starts_draw_the_numbers_of_the_reference(sizes, gate, length, probability, seed):
    network = RandomInit(length, probability).start(RELATIONS, sizes, gate, seed)
    expected = reference.initialise(GROUPS.tolist(), sizes, gate, length, probability, seed)
    assert network == Network(expected, gate)


def test_literals_without_siblings_are_left_out_of_random_rules():
    relations = Relations.of([0] * 6, [0, 0, 0, -1, -1, -1])
    network = RandomInit(1, 0).start(relations, (50,), "and", 0)
    assert network.weights[0][:, :3].sum() == 50
    assert not network.weights[0][:, 3:].any()


def test_attributes_without_exclusive_literals_are_drawn_from_as_a_whole():
    shape, age = Attribute("shape", ("disc", "ring", "star")), Attribute("age", kind="numeric", cuts=(20, 30, 40))
    differ = [~shape.equal(value) for value in shape.values]
    ages = [age.at_most(20), age.at_most(30), age.above(30), age.above(40)]
    network = RandomInit(2, 0).start(relations_of([*differ, *ages]), (200,), "and", 0)
    assert network.weights[0].any(axis=0).all()
    assert (network.weights[0][:, :3].sum(axis=1) == 1).all()
    assert (network.weights[0][:, 3:].sum(axis=1) == 1).all()


def has_two_classes(case):
    """Whether rows of both classes count; the search of one class is a test of its own."""
    _, _, target, weights = case.plain
    return weights[target].any() and weights[~target].any()


@given(problems(max_rows=20).filter(lambda case: not has_two_classes(case)))
@settings(max_examples=20)
def test_where_rows_of_one_class_count_it_is_always_predicted(case):
    found = Greedy().search(case.problem, FunctionStart(lambda _: case.network), 0)
    _, rows, target, weights = case.plain
    assert (found.network.predict(rows) == target[weights > 0][0]).all()
    assert found.history == (1.0, 1.0)


@given(
    problems(max_rows=120).filter(has_two_classes),
    st.integers(0, 3),
    st.sampled_from([1, 7, 50, 500]),
    st.sampled_from([0, 2, 10**6]),
    st.booleans(),
    st.integers(0, 1000),
)
@settings(max_examples=40)
def test_training_ends_with_the_weights_and_history_of_the_reference(case, n_epochs, size, max_flips, restore, seed):
    search = Greedy(n_epochs, size, max_flips, restore, max_restarts=0)
    found = search.search(case.problem, FunctionStart(lambda _: case.network), seed)
    weights, history = reference.train(
        case.network.weights, case.network.first_gate, *case.plain,
        n_epochs=n_epochs, batch_size=size, max_flips=max_flips, restore_best=restore, seed=seed,
    )  # fmt: skip
    assert found.network == Network(weights, case.network.first_gate)
    assert found.history == pytest.approx(history, abs=1e-12)


@given(
    problems(max_rows=120),
    st.sampled_from([0, 2, 3, 10**6]),
    st.booleans(),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from([None, 2]),
)
@settings(max_examples=60)
def test_climbing_by_any_tactic_ends_with_the_weights_of_the_reference(
    case, max_flips, guided, n, n_candidates, n_jobs
):
    flat = case.network.flat()
    with patch.object(ascent, "MIN_WORDS_PER_THREAD", 1):
        n_flips = ascend(flat, case.problem, Tactic(max_flips, guided, n, n_candidates), n_jobs)
    expected = reference.climb(
        case.network.weights, case.network.first_gate, *case.plain, max_flips, guided, n, n_candidates
    )
    assert n_flips <= max_flips
    assert Network.from_flat(flat) == Network(expected, case.network.first_gate)


@given(
    problems(max_rows=150).filter(has_two_classes),
    st.sampled_from([40, 500]), st.booleans(), st.integers(1, 2), st.sampled_from([None, 2]),
    st.integers(0, 1000),
)  # fmt: skip
@settings(max_examples=25)
def test_training_by_any_tactic_ends_with_the_weights_and_history_of_the_reference(case, size, guided, n, n_jobs, seed):
    search = Greedy(2, size, max_restarts=0, guided=guided, flips_at_once=n, n_candidates=2)
    with patch.object(ascent, "MIN_WORDS_PER_THREAD", 1):
        found = search.search(case.problem, FunctionStart(lambda _: case.network), seed, n_jobs)
    weights, history = reference.train(
        case.network.weights, case.network.first_gate, *case.plain, n_epochs=2, batch_size=size, max_flips=10**6,
        restore_best=True, seed=seed, guided=guided, flips_at_once=n, n_candidates=2,
    )  # fmt: skip
    assert found.network == Network(weights, case.network.first_gate)
    assert found.history == pytest.approx(history, abs=1e-12)


@given(problems(max_rows=60))
def test_a_flip_changes_the_output_in_its_direction_only(case):
    groups, rows, _, _ = case.plain
    weights, gate = case.network.weights, case.network.first_gate
    before = reference.evaluate(weights, gate, rows)
    for place in reference.scan_order(weights):
        after = reference.evaluate(reference.flipped(weights, gate, groups, *place), gate, rows)
        directions = reference.directions(weights, gate, groups, *place)
        assert "general" in directions or not (after & ~before).any()
        assert "special" in directions or not (before & ~after).any()


@given(problems(max_rows=100), st.integers(2, 3))
def test_flips_at_once_go_on_from_where_single_flips_end(case, n):
    plain, together = case.network.flat(), case.network.flat()
    ascend(plain, case.problem, Tactic())
    ascend(together, case.problem, Tactic(flips_at_once=n))
    assert case.problem.errors(together) <= case.problem.errors(plain)


@pytest.mark.parametrize(("unread", "n_needed"), [([0, 1, 1, 0], 1), ([0, 1, 0, 0], 2), ([0, 0, 0, 0], 3)])
def test_flips_at_once_complete_a_rule_that_single_flips_cannot(unread, n_needed):
    rows = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]], dtype=bool)  # not a, a, not b, b
    problem = Problem.of(bits.pack(np.ascontiguousarray(rows.T)), rows[:, 0] ^ rows[:, 2], pairs(2))
    half = Network([[[1, 0, 0, 1], unread], [[1, 0]]])  # "not a and b"
    for n in (1, 2, 3):
        found = Greedy(0, max_restarts=0, flips_at_once=n).search(problem, FunctionStart(lambda _: half), 0)
        assert problem.errors(found.network) == (n < n_needed)


def pairs(n):
    owner = np.repeat(np.arange(n), 2)
    return Relations.of(owner, owner)


def exclusive_or(n_rows=64, seed=0):
    values = np.random.default_rng(seed).random((n_rows, 3)) < 0.5
    rows = np.stack([~values, values], axis=2).reshape(n_rows, -1)
    return Problem.of(bits.pack(np.ascontiguousarray(rows.T)), values[:, 0] ^ values[:, 1], pairs(3))


def starts(sizes=(4, 2), gate="and"):
    return FunctionStart(lambda seed: RandomInit(2, 0.2).start(pairs(3), sizes, gate, seed))


def test_all_rows_are_one_batch_when_the_batch_size_is_none():
    problem = exclusive_or()
    whole = Greedy(batch_size=None).search(problem, starts(), 3)
    assert whole == Greedy(batch_size=64).search(problem, starts(), 3)
    assert len(whole.history) <= 5 + 2


def test_without_an_epoch_limit_training_ends_after_an_epoch_without_improvement():
    problem = exclusive_or(300, seed=1)
    flags = np.random.default_rng(0).random(300) < 0.3
    noisy = Problem(problem.literals, problem.target ^ bits.pack(flags), problem.planes, problem.relations, 300)
    history = Greedy(n_epochs=None, max_restarts=0).search(noisy, starts(), 0).history
    epochs = [max(history[: 1 + 6 * (e + 1)]) for e in range((len(history) - 2) // 6)]
    assert (len(history) - 2) % 6 == 0
    assert epochs == sorted(epochs)
    assert len(epochs) == 1 or epochs[-1] == epochs[-2]


def test_history_holds_the_accuracy_before_after_every_batch_and_at_the_end():
    problem = exclusive_or(200)
    found = Greedy(n_epochs=2, batch_size=50, max_flips=1, max_restarts=0).search(problem, starts(), 5)
    assert len(found.history) in (1 + 4 + 1, 1 + 8 + 1)
    assert found.history[0] == problem.accuracy(starts()(5))
    assert found.history[-1] == problem.accuracy(found.network)


def test_the_output_is_rebuilt_only_where_that_is_no_worse():
    problem = exclusive_or(200)
    plain = Greedy(n_epochs=0, max_flips=0, max_restarts=0)
    rebuilding = Greedy(n_epochs=0, max_flips=0, max_restarts=0, optimize_last_layer=True)
    n_improved = 0
    for seed in range(20):
        before, after = (search.search(problem, starts((8,)), seed) for search in (plain, rebuilding))
        assert np.array_equal(before.network.weights[0], after.network.weights[0])
        assert after.history[-1] >= before.history[-1]
        n_improved += after.history[-1] > before.history[-1]
    assert n_improved > 0


def test_a_network_that_predicts_one_class_is_started_again_with_the_next_seed():
    problem = exclusive_or(200)
    dead = Network([np.zeros((2, 6)), np.zeros((1, 2))])
    alive = Network([np.eye(6)[:1], np.ones((1, 1))])
    seen = []

    def start(seed):
        seen.append(seed)
        return alive if len(seen) > 2 else dead

    found = Greedy(n_epochs=0, max_flips=0).search(problem, FunctionStart(start), 7)
    assert seen == [7, 8, 9]
    assert found.network == alive


def test_restarts_are_bounded():
    seen = []
    dead = Network([np.zeros((2, 6)), np.zeros((1, 2))])
    found = Greedy(n_epochs=0, max_flips=0, max_restarts=3).search(
        exclusive_or(), FunctionStart(lambda seed: seen.append(seed) or dead), 0
    )
    assert len(seen) == 4
    assert found.network == dead


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (Greedy(n_epochs=-1), "n_epochs is -1, but must be None or an integer of at least 0"),
        (Greedy(batch_size=0), "batch_size is 0"),
        (Greedy(max_flips=1.5), "max_flips is 1.5"),
        (Greedy(max_restarts=None), "max_restarts is None"),
        (Greedy(guided="yes"), "guided is 'yes', but must be True or False"),
        (Greedy(restore_best=1), "restore_best is 1"),
        (Greedy(flips_at_once=0), "flips_at_once is 0"),
        (Greedy(flips_at_once=None), "flips_at_once is None"),
        (Greedy(n_candidates=0), "n_candidates is 0"),
    ],
)
def test_parameters_out_of_range_are_refused(search, message):
    with pytest.raises(ParameterError, match=message):
        search.search(exclusive_or(), starts(), 0)


def test_starts_out_of_range_are_refused():
    with pytest.raises(ParameterError, match="avg_rule_length is -1"):
        RandomInit(-1).start(RELATIONS, (2,), "and", 0)
    with pytest.raises(ParameterError, match="init_prob is 2"):
        RandomInit(1, 2).start(RELATIONS, (2,), "and", 0)


@given(st.lists(st.integers(0, 65535), min_size=1, max_size=50).filter(any))
def test_integer_weights_keep_their_proportions(weights):
    found = quantise_weights(np.array(weights, dtype=float))
    assert (found * max(weights)).tolist() == [int(found.max()) * w for w in weights]


@given(st.integers(1, 3000), st.integers(1, 3000))
def test_balanced_class_weights_are_exact(n, m):
    balanced = np.array([(n + m) / (2 * n), (n + m) / (2 * m)])
    found = quantise_weights(balanced)
    assert found[0] * n == found[1] * m


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=50))
def test_other_weights_are_off_by_at_most_half_a_step(weights):
    values = np.array(weights)
    found = quantise_weights(values)
    assert np.abs(found / found.max() - values / values.max()).max() <= 0.5 / 65535 + 1e-9 or found.min() == 1


@given(st.lists(st.integers(0, 2**20), min_size=1, max_size=200).filter(any))
def test_planes_add_up_to_the_weights(weights):
    planes = slice_weights(np.array(weights))
    values = bits.unpack(planes, len(weights)).astype(np.int64)
    assert (values << np.arange(len(planes))[:, np.newaxis]).sum(axis=0).tolist() == weights


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1, np.nan], "NaN or infinity"), ([1, np.inf], "NaN"), ([1, -2], "holds -2"), ([0, 0], "zero for every row")],
)
def test_weights_that_cannot_count_are_refused(weights, message):
    with pytest.raises(TableError, match=message):
        quantise_weights(np.array(weights, dtype=float))


def test_where_one_class_has_nearly_all_the_weight_it_is_always_predicted():
    held = np.random.default_rng(0).random((4, 40)) < 0.5
    for positive in (True, False):
        target = held[0]
        weights = np.where(target == positive, 1.0, 1e-7)
        problem = Problem.of(bits.pack(held), target, Relations.of([0, 1, 2, 3]), weights)
        found = Greedy().search(problem, FunctionStart(lambda seed: Network([np.ones((1, 4))])), 0)
        assert (bits.unpack(found.network.evaluate(problem.literals), 40) == positive).all()
