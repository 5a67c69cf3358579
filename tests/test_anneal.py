import os
import subprocess
import sys
import warnings
from itertools import product
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulenet import Anneal, Network, NetworkError, ParameterError, RandomInit, RuleNetworkClassifier, bits
from rulenet.anneal.path import follow_path
from rulenet.anneal.price import choose_price
from rulenet.anneal.walk import Walker, weigh_moves
from rulenet.conditions import Attribute
from rulenet.relations import Relations, relations_of
from rulenet.search.budget import Budget
from rulenet.search.folds import make_folds
from rulenet.search.problem import Problem
from rulenet.search.protocol import FunctionStart
from strategies import problems

GO_ON = np.zeros(1, np.bool_)
ROWS = np.array(list(product([False, True], repeat=8)))
LITERALS = np.stack([~ROWS, ROWS], axis=2).reshape(len(ROWS), -1)
RELATIONS = Relations.of(np.arange(16) // 2, np.arange(16) // 2)


def make_problem(target, sample_weight=None):
    return Problem.of(bits.pack(np.ascontiguousarray(LITERALS.T)), target, RELATIONS, sample_weight)


start = FunctionStart(lambda seed: RandomInit().start(RELATIONS, (8, 4, 2), "and", seed))


SHARES = st.sampled_from([(0.0, 0.0), (0.4, 0.03), (0.45, 0.45)])


@pytest.mark.kernels
@given(problems(), st.integers(0, 2**32), st.sampled_from([0.05, 1.0, 20.0]), st.integers(1, 400), SHARES)
@settings(max_examples=100)
def test_the_errors_of_every_walk_equal_the_recomputed_ones(case, seed, temperature, n_proposals, shares):
    walker = Walker.of(case.problem, case.network, seed, weigh_moves(*shares))
    assert walker.network() == case.network
    walker.anneal(n_proposals, temperature, temperature, 0.1, GO_ON)
    assert walker.errors_now == case.problem.errors(walker.network_now())
    assert walker.n_shown_now == count_fan_ins(walker.network_now())
    assert walker.errors == case.problem.errors(walker.network())
    assert walker.cost(0.1) <= case.problem.errors(case.network) + 0.1 * case.network.n_edges


def count_fan_ins(network):
    fan_ins = np.concatenate([w.sum(axis=1) for w in network.weights])
    return fan_ins[fan_ins > 1].sum() + (fan_ins[-1] == 1)


@pytest.mark.kernels
@given(problems(), st.integers(0, 2**32))
@settings(max_examples=60)
def test_repairs_and_copies_leave_a_walk_that_can_be_loaded_again(case, seed):
    walker = Walker.of(case.problem, case.network, seed, weigh_moves(0.45, 0.45))
    for _ in range(3):
        walker.anneal(100, 5.0, 1.0, 0.01, GO_ON)
        network = walker.network_now()
        assert Walker.of(case.problem, network, 0).errors_now == walker.errors_now
        assert network.n_edges == walker.n_edges_now


@pytest.mark.kernels
@given(problems())
@settings(max_examples=40)
def test_after_pruning_no_removal_pays(case):
    walker = Walker.of(case.problem, case.network, 0)
    walker.prune(0.5, GO_ON)
    network = walker.network()
    cost = case.problem.errors(network) + 0.5 * network.n_edges
    for layer, weights in enumerate(network.weights):
        for unit, source in np.argwhere(weights):
            fewer = [w.copy() for w in network.weights]
            fewer[layer][unit, source] = False
            smaller = Network(fewer, network.first_gate)
            assert case.problem.errors(smaller) + 0.5 * smaller.n_edges > cost


def test_parity_is_learned():
    target = ROWS[:, :4].sum(axis=1) % 2 == 1
    found = Anneal(n_restarts=2, n_folds=2).search(make_problem(target), start, 0)
    assert (found.network.predict(LITERALS) == target).all()


def test_the_same_seed_gives_the_same_network_on_any_number_of_threads():
    target = (ROWS[:, 0] & ROWS[:, 1]) | (ROWS[:, 2] & ~ROWS[:, 3])
    target ^= np.random.default_rng(0).random(len(target)) < 0.1
    search = Anneal(n_restarts=3, n_folds=2, n_proposals=20_000, distil=True)
    found = [search.search(make_problem(target), start, 5, n_jobs) for n_jobs in (None, 1, 2, 3)]
    assert len({f.network for f in found}) == 1
    assert len({f.history for f in found}) == 1


def test_a_row_of_weight_two_counts_as_two_rows():
    rng = np.random.default_rng(3)
    target, weights = rng.random(len(ROWS)) < 0.5, rng.integers(1, 4, len(ROWS))
    problem = make_problem(target, weights.astype(float))
    walker = Walker.of(problem, start(0), 1)
    walker.anneal(5_000, 2.0, 0.1, 0.2, GO_ON)
    wrong = walker.network().predict(LITERALS) != target
    assert walker.errors == weights[wrong].sum()


@pytest.mark.parametrize("seconds", [0.1, 0.5])
def test_the_time_limit_is_honoured(seconds):
    problem = make_problem(np.random.default_rng(0).random(len(ROWS)) < 0.5)
    search = Anneal(max_time=seconds)
    search.search(problem, start, 0)
    begin = perf_counter()
    search.search(problem, start, 0)
    assert perf_counter() - begin < seconds + 0.5


def test_an_interrupt_gives_the_best_network_so_far_and_a_warning():
    reports = []

    def interrupt(progress):
        reports.append(progress)
        if len(reports) == 1:
            raise KeyboardInterrupt

    target = ROWS[:, :3].sum(axis=1) % 2 == 1
    with pytest.warns(RuntimeWarning, match="interrupted"):
        found = Anneal(n_proposals=50_000).search(make_problem(target), start, 0, 1, interrupt)
    assert isinstance(found.network, Network)


def test_progress_ends_at_one_and_knows_errors_and_size():
    seen = []
    target = ROWS[:, 0] & ROWS[:, 1]
    found = Anneal(n_restarts=2, n_folds=2, n_proposals=5_000).search(make_problem(target), start, 0, 1, seen.append)
    assert seen[-1].done == 1
    assert seen[-1].accuracy == found.history[-1] == 1
    assert seen[-1].size == found.network.size


def test_choices_can_be_taken_from_the_classifier():
    target = (ROWS[:, 0] & ROWS[:, 1]) | (ROWS[:, 2] & ROWS[:, 3] & ROWS[:, 4])
    target ^= np.random.default_rng(0).random(len(target)) < 0.05
    search = Anneal(n_restarts=2, n_folds=2, n_proposals=20_000)
    model = RuleNetworkClassifier(search=search, nominal="all", random_state=0).fit(ROWS, target)
    table = model.pareto_
    assert table["size"].is_monotonic_increasing
    undominated = table["accuracy"][~table["chosen"]]
    assert undominated.is_monotonic_increasing
    assert table["network"][table["chosen"]].tolist() == [model.network_]
    assert model.choose(0).network_.size == table["size"].iloc[0]
    assert model.choose(-1).score(ROWS, target) == pytest.approx(table["accuracy"].iloc[-1])


@pytest.mark.parametrize(
    "parameters",
    [
        {"price": -1},
        {"price": "low"},
        {"price": True},
        {"n_folds": False},
        {"n_restarts": 0},
        {"n_folds": 1},
        {"n_proposals": 0},
        {"max_time": 0},
        {"repairs": 0.5},
        {"copies": -0.1},
        {"copies": True},
        {"distil": "yes"},
    ],
)
def test_a_parameter_outside_its_range_is_refused(parameters):
    (name, value), *_ = parameters.items()
    with pytest.raises(ParameterError, match=f"{name} is {value!r}, but must be "):
        Anneal(**parameters).search(make_problem(ROWS[:, 0]), start, 0)


def test_folds_are_a_partition_with_both_classes():
    problem = make_problem(ROWS[:, 0] & ROWS[:, 1] & ROWS[:, 2])
    folds = list(make_folds(problem, 4, 0))
    assert sorted(np.concatenate([left_out for _, left_out in folds])) == list(range(len(ROWS)))
    for kept, left_out in folds:
        assert not set(kept) & set(left_out)
        assert bits.unpack(problem.take(left_out).target, len(left_out)).sum() == 8


def test_without_folds_the_usual_price_is_chosen():
    assert choose_price([0.1, 0.2, 0.5], [], 0.2) == (1, [None, None, None])


def test_a_path_on_a_sample_ends_in_a_network_for_all_rows():
    rng = np.random.default_rng(0)
    rows = rng.random((30_000, 8)) < 0.5
    literals = np.stack([~rows, rows], axis=2).reshape(len(rows), -1)
    target = (rows[:, 0] & rows[:, 1]) | (rows[:, 2] & rows[:, 3] & ~rows[:, 4])
    problem = Problem.of(bits.pack(np.ascontiguousarray(literals.T)), target, RELATIONS)
    found = Anneal(n_restarts=2, n_folds=2, n_proposals=50_000).search(problem, start, 0)
    assert found.history[-1] == problem.accuracy(found.network) == 1


def test_without_repairs_and_copies_the_moves_are_plain():
    assert np.diff(weigh_moves(0.0, 0.0), prepend=0) == pytest.approx([2 / 9, 4 / 9, 2 / 9, 1 / 9, 0, 0])


@given(problems(), st.integers(0, 2**32))
@settings(max_examples=40)
def test_repairs_alone_never_lose_what_the_walk_knows_as_best(case, seed):
    walker = Walker.of(case.problem, case.network, seed, np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0]))
    walker.anneal(300, 1e-9, 1e-9, 0.0, GO_ON)
    assert walker.errors <= case.problem.errors(case.network)
    assert walker.errors == case.problem.errors(walker.network())


def test_repairs_find_parity_where_plain_changes_do_not():
    target = ROWS[:, :6].sum(axis=1) % 2 == 1
    errors = [min(_errors_after(make_problem(target), seed, repairs) for seed in range(8)) for repairs in (0.0, 0.4)]
    assert errors[1] == 0
    assert errors[0] > 0


def _errors_after(problem, seed, repairs):
    first = RandomInit().start(RELATIONS, (32, 8, 2), "and", seed)
    budget = Budget(30_000, None, GO_ON)
    return follow_path(problem, first, [0.05], 1.0, seed, budget, weigh_moves(repairs, 0.0))[0].errors


def test_longer_walks_follow_where_the_first_ones_find_nothing():
    noise = np.random.default_rng(0).random(len(ROWS)) < 0.5
    search = Anneal(n_restarts=2, n_folds=2, n_proposals=1_000, distil=False)
    stages = []
    for target in (ROWS[:, 0] & ROWS[:, 1], noise):
        seen = []
        search.search(make_problem(target), start, 0, 1, seen.append)
        stages.append(len(seen))
    assert stages[1] == stages[0] + 2


def test_a_path_may_leave_out_the_lowest_prices():
    problem = make_problem(ROWS[:, 0] & ROWS[:, 1])
    path = follow_path(problem, start(0), [0.05, 0.1, 0.2, 0.5], 2.0, 0, Budget(2_000, None, GO_ON), skipped=2)
    assert [found.price for found in path] == [0.1, 0.2, 0.4, 1.0]
    assert path[0].network == path[1].network == path[2].network


def test_a_path_without_time_has_a_network_for_every_price():
    problem = make_problem(ROWS[:, 0] & ROWS[:, 1])
    path = follow_path(problem, start(0), [0.05, 0.1, 0.2], 1.0, 0, Budget(2_000, 1e-9, GO_ON))
    assert len(path) == 3
    assert path[2].errors == problem.errors(path[2].network)


def test_the_size_that_a_walk_prices_is_that_of_the_network_it_ends_with():
    problem = make_problem(np.random.default_rng(1).random(len(ROWS)) < 0.3)
    for found in follow_path(problem, start(3), [0.1, 0.5, 2.0], 1.0, 0, Budget(20_000, None, GO_ON)):
        walker = Walker.of(problem, found.network, 0)
        passes_on = found.network.weights[-1].sum() == 1
        assert walker.n_shown_now + passes_on == found.network.size
        assert found.cost == found.errors + found.price * found.network.size


AGE = Attribute("age", kind="numeric", cuts=tuple(range(10, 160, 10)))
CUTS = [AGE.at_most(cut) for cut in AGE.cuts] + [AGE.above(cut) for cut in AGE.cuts]


def test_a_replaced_literal_of_an_ordered_attribute_is_often_a_neighbour():
    codes = np.arange(1600) % 16
    problem = Problem.of(bits.pack(np.array([x.table[codes] for x in CUTS])), codes < 8, relations_of(CUTS))
    first = np.zeros((1, len(CUTS)), dtype=bool)
    first[0, 7] = True
    only_replacing = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    found = []
    for seed in range(400):
        walker = Walker.of(problem, Network([first, [[True]]]), seed, only_replacing)
        walker.anneal(1, 1e9, 1e9, 0.0, GO_ON)
        found.append(int(np.flatnonzero(walker.network_now().weights[0])[0]))
    share = [found.count(place) / len(found) for place in (6, 8)]
    assert all(0.1 < x < 0.4 for x in share)
    assert len(set(found)) > 15


def test_neighbours_lead_to_the_right_cut():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 16, 400)
    problem = Problem.of(bits.pack(np.array([x.table[codes] for x in CUTS])), codes < 11, relations_of(CUTS))
    found = Anneal(n_restarts=2, n_folds=0, n_proposals=3_000).search(
        problem, FunctionStart(lambda seed: RandomInit().start(problem.relations, (4, 2), "and", seed)), 0
    )
    assert problem.errors(found.network) == 0


def test_a_walk_from_units_that_count_is_refused():
    counting = Network([np.ones((1, 16)), [[1]]], needs=[[2], [1]])
    with pytest.raises(NetworkError, match="a walk cannot start"):
        Walker.of(make_problem(ROWS[:, 0]), counting, 0)


def test_no_warning_without_interrupt():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Anneal(n_restarts=1, n_folds=0, n_proposals=1000).search(make_problem(ROWS[:, 0]), start, 0)


def test_compiling_does_not_count_against_a_time_limit(tmp_path):
    program = """if True:
    from rulenet import Anneal, RuleNetworkClassifier
    from rulenet.datasets import make_parity
    X, y = make_parity(10, 5)
    print(len(RuleNetworkClassifier(search=Anneal(max_time=2), random_state=0).fit(X, y).history_))
    """
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    # With the time spent on compiling there would be one walk.
    assert int(run.stdout) > 4
    assert list(tmp_path.rglob("kernels.anneal-*"))
