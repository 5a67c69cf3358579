import warnings

import numpy as np
import pytest

from rulenet import Anneal, RandomInit, bits
from rulenet.anneal import anneal as annealing
from rulenet.anneal.jobs import Run
from rulenet.anneal.many_rows import enlarge, split
from rulenet.anneal.plan import Plan
from rulenet.anneal.schedule import SCHEDULE
from rulenet.relations import Relations
from rulenet.search.problem import Problem
from rulenet.search.protocol import FunctionStart, be_silent

N_ROWS = 6000
RNG = np.random.default_rng(0)
COLUMNS = RNG.random((10, N_ROWS)) < 0.5
LITERALS = np.stack([~COLUMNS, COLUMNS], axis=1).reshape(20, N_ROWS)
RELATIONS = Relations.of(np.arange(20) // 2, np.arange(20) // 2)
CONCEPT = (COLUMNS[0] & (COLUMNS[1] | COLUMNS[2])) | (COLUMNS[3] & COLUMNS[4] & ~COLUMNS[5])
NOISE = RNG.random(N_ROWS) < 0.05
SEARCH = Anneal(n_restarts=3, n_proposals=3_000)


def make_problem(target=CONCEPT ^ NOISE):
    return Problem.of(bits.pack(LITERALS), target, RELATIONS)


start = FunctionStart(lambda seed: RandomInit().start(RELATIONS, (8, 4, 2), "and", seed))


def walk_on(problem, price=None, max_time=None):
    search = Anneal(n_restarts=3, n_proposals=3_000, max_time=max_time)
    deadline = None if max_time is None else 0.0
    run = Run(problem, 1, be_silent, deadline)
    plan = Plan.of(search, problem, 1)
    return enlarge(problem, plan, [start(seed) for seed in range(3)], price, 0, run, 0.5, 0.5)


def test_rows_seen_and_rows_held_out_are_apart():
    assert SCHEDULE.max_rows < N_ROWS
    number = np.arange(N_ROWS)
    literals = bits.pack((number >> np.arange(13)[:, np.newaxis] & 1).astype(bool))
    problem = Problem.of(literals, CONCEPT, Relations.of(np.arange(13)))
    parts = [bits.unpack(part.literals, part.n_rows).T @ (1 << np.arange(13)) for part in split(problem, 1)]
    assert sorted(np.concatenate(parts)) == list(number)
    assert len(parts[1]) == N_ROWS // 8


def test_every_price_has_networks_judged_on_all_rows():
    problem = make_problem()
    candidates = walk_on(problem)
    assert candidates.prices == SCHEDULE.large_prices
    assert len(candidates.folds) == SCHEDULE.n_second
    assert len(candidates.full) == SCHEDULE.n_first + SCHEDULE.n_second
    for path in candidates.full:
        assert [found.price for found in path] == list(SCHEDULE.large_prices)
        assert all(found.errors == problem.errors(found.network) for found in path)


def test_a_price_that_the_user_gives_is_the_last_one():
    assert walk_on(make_problem(), price=1.5).prices == (0.2, 0.5, 1.0, 1.5)


def test_without_time_there_is_nothing():
    assert walk_on(make_problem(), max_time=1.0) is None


def test_the_concept_behind_many_noisy_rows_is_found():
    found = Anneal(n_restarts=6, n_proposals=30_000).search(make_problem(), start, 0, 2)
    assert (found.network.predict(LITERALS.T) == CONCEPT).all()
    assert all(choice.validation > 0.9 for choice in found.choices)


def test_the_same_seed_gives_the_same_network_on_any_number_of_threads():
    found = [SEARCH.search(make_problem(), start, 5, n_jobs) for n_jobs in (None, 2, 3)]
    assert len({f.network for f in found}) == 1
    assert len({f.history for f in found}) == 1


@pytest.mark.parametrize("distil", [False, True])
def test_progress_tells_the_accuracy_on_all_rows_and_never_falls_back(distil):
    seen = []
    found = Anneal(n_restarts=3, n_proposals=3_000, distil=distil).search(make_problem(), start, 0, 1, seen.append)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert seen[-1].done == 1
    assert all(p.accuracy <= 0.97 for p in seen)
    assert seen[-1].accuracy == make_problem().accuracy(found.network)


@pytest.mark.parametrize("stop_after", [1, 3, 4, 12])
def test_an_interrupt_in_any_round_gives_the_best_network_so_far(stop_after):
    reports = []

    def interrupt(progress):
        reports.append(progress)
        if len(reports) == stop_after:
            raise KeyboardInterrupt

    with pytest.warns(RuntimeWarning, match="interrupted"):
        found = SEARCH.search(make_problem(), start, 0, 1, interrupt)
    assert make_problem().accuracy(found.network) > 0.5


@pytest.mark.parametrize("step", ["enlarge", "refine"])
def test_an_interrupt_between_walks_loses_nothing(step, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(annealing, step, interrupt)
    with pytest.warns(RuntimeWarning, match="interrupted"):
        found = SEARCH.search(make_problem(), start, 0, 1)
    assert make_problem().accuracy(found.network) > 0.5


def test_a_short_time_gives_a_network_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Anneal(max_time=0.05).search(make_problem(), start, 0, 1)
    assert found.network.n_edges > 0
