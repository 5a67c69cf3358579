from itertools import product

import numpy as np
import pytest

from rulenet import Network, bits
from rulenet.anneal.price import Candidate
from rulenet.anneal.schedule import SCHEDULE
from rulenet.anneal.vote import find_central, weigh
from rulenet.relations import Relations
from rulenet.search.generate import generate_rows
from rulenet.search.problem import Problem

ROWS = np.array(list(product([False, True], repeat=3)))
LITERALS = np.stack([~ROWS, ROWS], axis=2).reshape(len(ROWS), -1)
RELATIONS = Relations.of(np.arange(6) // 2, np.arange(6) // 2)


def make_problem(target):
    return Problem.of(bits.pack(np.ascontiguousarray(LITERALS.T)), target, RELATIONS)


def network_of(*literals):
    return Network([[[j in literals for j in range(6)]], [[True]]])


def test_a_generated_row_has_one_value_for_every_attribute():
    problem = make_problem(ROWS[:, 0])
    generated = bits.unpack(generate_rows(problem, 300, np.random.RandomState(0), SCHEDULE.vote_exchanged), 300)
    assert (generated.reshape(3, 2, 300).sum(axis=1) == 1).all()


def test_generated_rows_mix_training_rows():
    problem = make_problem(ROWS[:, 0]).take(np.array([0, 7]))
    generated = bits.unpack(generate_rows(problem, 500, np.random.RandomState(0), SCHEDULE.vote_exchanged), 500)
    assert len(np.unique(generated, axis=1).T) == 8


def test_literals_of_an_attribute_need_not_stand_together():
    shuffled = np.array([4, 0, 2, 1, 5, 3])
    relations = Relations.of(shuffled // 2)
    problem = Problem.of(bits.pack(np.ascontiguousarray(LITERALS.T[shuffled])), ROWS[:, 0], relations)
    generated = bits.unpack(generate_rows(problem, 300, np.random.RandomState(0), SCHEDULE.vote_exchanged), 300)
    assert (generated[np.argsort(shuffled)].reshape(3, 2, 300).sum(axis=1) == 1).all()


def test_the_network_that_most_agree_with_is_central():
    problem = make_problem(ROWS[:, 0])
    same, other = network_of(1), network_of(3)
    level = [Candidate(1.0, other, 0), Candidate(1.0, same, 1), Candidate(1.0, same, 1)]
    assert find_central(problem, [level, level[:1]], 0) == [level[1], level[0]]


def test_a_vote_of_networks_that_cost_much_more_counts_for_nothing():
    problem = make_problem(ROWS[:, 0])
    same, other = network_of(1), network_of(3)
    level = [Candidate(1.0, other, 0), Candidate(1.0, same, 100), Candidate(1.0, same, 100)]
    assert find_central(problem, [level], 0) == [level[0]]


def test_of_networks_that_say_the_same_the_cheapest_is_taken():
    problem = make_problem(ROWS[:, 0])
    large = Network([[[0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]], [[1, 1]]])
    level = [Candidate(1.0, large, 0), Candidate(1.0, network_of(1), 0)]
    assert find_central(problem, [level], 0) == [level[1]]


def test_weights_of_a_vote_fall_with_the_cost_and_sum_to_one():
    weights = weigh(np.array([3.0, 1.0, 2.0]), 1.0)
    assert weights.sum() == pytest.approx(1)
    assert weights[1] > weights[2] > weights[0]
