from dataclasses import replace
from itertools import product
from math import exp, log

import numpy as np
import pytest

from rulenet import Network, RandomInit, bits
from rulenet.anneal import boost as boosting
from rulenet.anneal.boost import boost, round_weights
from rulenet.anneal.price import Candidate
from rulenet.anneal.schedule import SCHEDULE
from rulenet.anneal.vote import Vote
from rulenet.relations import Relations
from rulenet.search.budget import Budget
from rulenet.search.problem import Problem

ROWS = np.array(list(product([False, True], repeat=7)))
LITERALS = np.stack([~ROWS, ROWS], axis=2).reshape(len(ROWS), -1)
RELATIONS = Relations.of(np.arange(14) // 2, np.arange(14) // 2)
MAJORITY = ROWS.sum(axis=1) > 3
STARTS = [RandomInit().start(RELATIONS, (6, 3), "and", seed) for seed in range(3)]


def make_problem(weights=None):
    return Problem.of(bits.pack(np.ascontiguousarray(LITERALS.T)), MAJORITY, RELATIONS, weights)


def boost_majority(n_threads=1, problem=None, schedule=SCHEDULE):
    budget = Budget(5_000, None, np.zeros(1, bool))
    return boost(problem or make_problem(), STARTS, 3.0, 0, budget, n_threads, schedule)


def test_the_vote_gets_rows_right_that_no_network_does():
    problem, vote = make_problem(), boost_majority()
    voted = vote.shares(problem.literals, problem.n_rows) > 0.5
    assert len(vote.networks) == SCHEDULE.n_chains * SCHEDULE.n_rounds
    assert vote.weights.sum() == pytest.approx(1)
    assert (voted == MAJORITY).mean() > max(problem.accuracy(network) for network in vote.networks) + 0.02


def test_the_vote_is_the_same_on_any_number_of_threads():
    one, two = boost_majority(1), boost_majority(2)
    assert one.networks == two.networks
    assert (one.weights == two.weights).all()


def literal(number):
    weights = np.zeros((1, 14), dtype=bool)
    weights[0, number] = True
    return Network([weights, np.ones((1, 1), dtype=bool)])


def test_weights_of_rows_and_votes_are_those_of_adaboost(monkeypatch):
    given = np.arange(len(ROWS)) % 3 + 1.0
    seen, rounds = [], [literal(1), literal(3), literal(5)]

    def note(problem, start, price, seed, budget, schedule):
        seen.append(problem.weights)
        return rounds[(len(seen) - 1) % len(rounds)]

    monkeypatch.setattr(boosting, "_walk", note)
    schedule = replace(SCHEDULE, left_out=0.0, n_rounds=3)
    vote = boost_majority(problem=make_problem(given), schedule=schedule)
    weights, votes = list(given), []
    for network, noted in zip(rounds, seen, strict=False):
        assert (noted == round_weights(np.array(weights))).all()
        wrong = [bool(a) != bool(b) for a, b in zip(network.predict(LITERALS), MAJORITY, strict=True)]
        error = sum(w for w, bad in zip(weights, wrong, strict=True) if bad) / sum(weights)
        votes.append(log((1 - error) / error) / 2)
        weights = [w * exp(votes[-1] if bad else -votes[-1]) for w, bad in zip(weights, wrong, strict=True)]
    assert vote.weights == pytest.approx(np.array(votes * SCHEDULE.n_chains) / sum(votes * SCHEDULE.n_chains))


def test_a_part_of_the_rows_is_left_out_of_every_round(monkeypatch):
    seen = []
    walk = boosting._walk
    monkeypatch.setattr(boosting, "_walk", lambda problem, *rest: seen.append(problem.n_rows) or walk(problem, *rest))
    boost_majority()
    assert len(set(seen)) > 1
    assert np.mean(seen) / len(ROWS) == pytest.approx(1 - SCHEDULE.left_out, abs=0.05)


def test_rows_without_weight_stay_so():
    weights = round_weights(np.array([0.0, 1e-12, 1.0, 1e9]))
    assert weights.tolist() == [0, 1, 1, 4 * SCHEDULE.mean_weight]
    assert round_weights(np.array([1.0] * 999 + [1e9])).max() == SCHEDULE.max_weight


def test_when_stopped_every_round_ends_where_it_starts():
    problem = make_problem()
    stopped = boost(problem, STARTS, 3.0, 0, Budget(10**9, None, np.array([True])), 1)
    outputs = {start.evaluate(problem.literals).tobytes() for start in STARTS}
    assert {network.evaluate(problem.literals).tobytes() for network in stopped.networks} == outputs


def test_a_joined_vote_is_divided():
    problem = make_problem()
    candidates = [Candidate(1.0, literal(k), problem.errors(literal(k))) for k in (1, 3)]
    vote = Vote.of(candidates, 1.0).joined(Vote((literal(0),), np.ones(1)), 0.75)
    assert vote.weights == pytest.approx([0.125, 0.125, 0.75])
    share = vote.shares(problem.literals, problem.n_rows)
    assert share == pytest.approx(0.125 * ROWS[:, 0] + 0.125 * ROWS[:, 1] + 0.75 * ~ROWS[:, 0])


@pytest.mark.parametrize(("seconds", "each"), [(None, None), (6.0, 0.5)])
def test_a_budget_is_divided_among_walks(seconds, each):
    part = Budget(1000, seconds, np.zeros(1, bool)).part(0.25, 0.1, 3)
    assert (part.n_proposals, part.seconds) == (100, each)
