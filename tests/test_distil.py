from itertools import product

import numpy as np
import pytest
from numpy.random import RandomState

from rulenet import Anneal, Network, RandomInit, RuleNetworkClassifier, bits
from rulenet.anneal import distil as distilling
from rulenet.anneal.anneal import is_unsolved
from rulenet.anneal.distil import add_rows, distil
from rulenet.anneal.plan import Plan
from rulenet.anneal.price import Candidate
from rulenet.anneal.schedule import SCHEDULE
from rulenet.anneal.vote import Vote, weigh
from rulenet.relations import Relations
from rulenet.search.budget import Budget
from rulenet.search.generate import generate_rows
from rulenet.search.problem import Problem
from rulenet.search.protocol import FunctionStart

ROWS = np.array(list(product([False, True], repeat=8)))
LITERALS = np.stack([~ROWS, ROWS], axis=2).reshape(len(ROWS), -1)
RELATIONS = Relations.of(np.arange(16) // 2, np.arange(16) // 2)
CONCEPT = (ROWS[:, 0] & ROWS[:, 1]) | (ROWS[:, 2] & ROWS[:, 3])
NOISY = CONCEPT ^ (np.random.default_rng(0).random(len(ROWS)) < 0.2)
QUICK = {"n_restarts": 4, "n_folds": 2, "n_proposals": 10_000}


def make_problem(target):
    return Problem.of(bits.pack(np.ascontiguousarray(LITERALS.T)), target, RELATIONS)


start = FunctionStart(lambda seed: RandomInit().start(RELATIONS, (8, 4, 2), "and", seed))


def make_candidate(positives, problem, price=0.2):
    """A network for the rows where one of some attributes is true."""
    first = np.zeros((len(positives), 16), dtype=bool)
    for unit, attribute in zip(first, positives, strict=True):
        unit[2 * attribute + 1] = True
    network = Network([first, np.ones((1, len(positives)), dtype=bool)])
    return Candidate(price, network, problem.errors(network))


def stages(search, target):
    seen = []
    found = search.search(make_problem(target), start, 0, 1, seen.append)
    assert np.all(np.diff([progress.done for progress in seen]) >= 0)
    return [progress.stage for progress in seen], found


@pytest.mark.parametrize(
    ("options", "target", "distils"),
    [
        ({}, CONCEPT, False),
        ({}, NOISY, True),
        ({"distil": False}, NOISY, False),
        ({"distil": True}, CONCEPT, True),
        ({"max_time": 0.01}, NOISY, False),
        ({"max_time": 60}, NOISY, True),
    ],
)
def test_the_vote_is_distilled_where_no_short_description_is_found(options, target, distils):
    assert ("distil" in stages(Anneal(**QUICK, **options), target)[0]) == distils


@pytest.mark.parametrize(("n_rows", "distils"), [(SCHEDULE.boosted_rows - 1, False), (SCHEDULE.boosted_rows, True)])
def test_where_boosted_networks_vote_a_description_must_be_shorter_not_to_be_distilled(n_rows, distils):
    """It costs 2% of the rows: more than half a percent, less than four."""
    problem = make_problem(CONCEPT).take(np.arange(n_rows) % len(ROWS))
    found = make_candidate([0], problem)
    paths = [[Candidate(found.price, found.network, n_rows // 50)]]
    assert is_unsolved(Plan.of(Anneal(), problem, 2), n_rows, paths) == distils


@pytest.mark.parametrize("n_rows", [SCHEDULE.few_rows - 1, SCHEDULE.max_rows + 1])
def test_few_and_many_rows_are_not_distilled_unless_asked_for(n_rows):
    problem = make_problem(NOISY).take(np.arange(n_rows) % len(ROWS))
    assert not Plan.of(Anneal(), problem, 2).distils(unsolved=True)
    assert Plan.of(Anneal(distil=True), problem, 2).distils(unsolved=False)


def test_what_is_taught_holds_the_training_rows_and_the_vote():
    problem = make_problem(NOISY)
    generated = generate_rows(problem, 100, RandomState(0), SCHEDULE.vote_exchanged)
    share = np.linspace(0, 1, 100)
    taught = add_rows(problem, generated, share)
    n, weight = problem.n_rows, SCHEDULE.vote_weight
    literals, target = bits.unpack(taught.literals, taught.n_rows), bits.unpack(taught.target, taught.n_rows)
    assert taught.n_rows == n + 100
    assert (taught.weights[:n] == weight).all()
    assert (target[:n] == NOISY).all()
    assert (literals[:, :n] == LITERALS.T).all()
    assert (literals[:, n:] == bits.unpack(generated, 100)).all()
    assert (target[n:] == (share > 0.5)).all()
    assert (taught.weights[n:] == np.rint(abs(2 * share - 1) * weight)).all()


@pytest.mark.parametrize(("n_rows", "boosted"), [(SCHEDULE.boosted_rows - 1, False), (SCHEDULE.boosted_rows, True)])
def test_the_vote_is_that_of_walks_and_where_rows_are_enough_of_boosted_networks(monkeypatch, n_rows, boosted):
    problem = make_problem(NOISY).take(np.arange(n_rows) % len(ROWS))
    voters = [make_candidate([i], problem) for i in range(8)]
    one = Vote((make_candidate([7], problem).network,), np.ones(1))
    shares = []
    monkeypatch.setattr(distilling, "boost", lambda *arguments: one)
    monkeypatch.setattr(distilling, "add_rows", lambda *arguments: shares.append(arguments[2]) or add_rows(*arguments))
    distil(problem, voters[:4], voters[4:], 0, 0, Budget(10, None, np.zeros(1, bool)), 1)
    generated = generate_rows(problem, n_rows * SCHEDULE.n_generated, RandomState(0), SCHEDULE.distil_exchanged)
    literals = bits.unpack(generated, n_rows * SCHEDULE.n_generated).T
    costs = np.array([voter.errors + 0.2 * voter.network.size for voter in voters])
    share = weigh(costs, 1.0, SCHEDULE.distil_slack) @ np.array([voter.network.predict(literals) for voter in voters])
    if boosted:
        share = 0.25 * share + 0.75 * one.networks[0].predict(literals)
    assert shares[0] == pytest.approx(share)


def test_boosted_and_distilled_it_is_the_same_network_on_any_number_of_threads():
    problem = make_problem(NOISY).take(np.arange(SCHEDULE.boosted_rows) % len(ROWS))
    candidates = [make_candidate([i], problem) for i in range(8)]
    one, two = (distil(problem, candidates, [], 4, 0, Budget(5_000, None, np.zeros(1, bool)), n) for n in (1, 2))
    assert one == two


def test_nothing_is_to_be_learned_from_voters_that_agree():
    problem = make_problem(ROWS[:, 0])
    alike = [make_candidate([0], problem)] * SCHEDULE.least_voters
    budget = Budget(100, None, np.zeros(1, bool))
    assert distil(problem, alike, [], 0, 0, budget, 1) is None


def test_a_few_voters_are_not_enough():
    problem = make_problem(NOISY)
    voters = [make_candidate([i % 4], problem) for i in range(SCHEDULE.least_voters)]
    budget = Budget(100, None, np.zeros(1, bool))
    assert distil(problem, voters[:2], voters[3:], 0, 0, budget, 1) is None
    assert distil(problem, voters[:2], voters[2:], 0, 0, budget, 1) is not None


def test_a_distilled_network_knows_its_errors_on_the_training_rows():
    problem = make_problem(NOISY)
    candidates = [make_candidate(positives, problem) for positives in ([0], [1], [2], [0, 3])]
    distilled = distil(problem, candidates, candidates, 4, 0, Budget(20_000, None, np.zeros(1, bool)), 2)
    assert distilled.errors == problem.errors(distilled.network)
    assert distilled.price == candidates[0].price


def test_an_interrupt_while_distilling_loses_nothing():
    def interrupt(progress):
        if progress.stage == "distil":
            raise KeyboardInterrupt

    undistilled = Anneal(**QUICK, distil=False).search(make_problem(NOISY), start, 0)
    with pytest.warns(RuntimeWarning, match="interrupted"):
        found = Anneal(**QUICK).search(make_problem(NOISY), start, 0, 1, interrupt)
    assert found.network == undistilled.network


def test_the_distilled_network_is_one_of_the_choices():
    model = RuleNetworkClassifier(search=Anneal(**QUICK), nominal="all", random_state=0).fit(ROWS, NOISY)
    table, distilled = model.pareto_, model.network_
    assert table["network"][table["chosen"]].tolist() == [distilled]
    other = int(np.flatnonzero(~table["chosen"])[0])
    assert model.choose(other).pareto_["chosen"].tolist() == [row == other for row in range(len(table))]
    assert model.choose(int(np.flatnonzero(table["chosen"])[0])).network_ == distilled


@pytest.mark.parametrize("sizes", [(6,), (6, 3)])
def test_a_distilled_network_keeps_to_the_sizes_that_the_user_set(sizes):
    model = RuleNetworkClassifier(sizes, search=Anneal(**QUICK, distil=True), nominal="all", random_state=0)
    found = model.fit(ROWS, NOISY).network_.hidden_layer_sizes
    assert len(found) == len(sizes)
    assert all(n <= most for n, most in zip(found, sizes, strict=True))
