import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

from rulenet import Network, bits
from rulenet.count.boosted import boost_trees
from rulenet.count.count import Count
from rulenet.count.jobs import Jobs, Part
from rulenet.count.schedule import Boosting, Schedule
from rulenet.relations import Relations
from rulenet.search.budget import Budget
from rulenet.search.problem import Problem
from rulenet.search.protocol import FunctionStart, be_silent
from rulenet.search.threads import Threads

GO_ON, HALT = np.zeros(1, np.bool_), np.ones(1, np.bool_)
UNLIMITED = Budget(1, None, GO_ON)
NO_START = FunctionStart(lambda seed: Network([[[1]]]))
LAW = Boosting(20, depth=3, rows=0.5, least_rows=5, features=0.5)


def make_problem(n_rows=300, weights=None, only=None):
    rng = np.random.default_rng(0)
    rows = rng.random((n_rows, 6)) < 0.5
    codes = (rows[:, 0] & rows[:, 1]) ^ (rng.random(n_rows) < 0.1) if only is None else np.full(n_rows, only)
    literals = bits.pack(np.ascontiguousarray(np.column_stack([rows, ~rows]).T))
    return Problem.of_classes(
        literals, codes.astype(np.int64), 2, Relations.of([*range(6), *range(6)], range(12)), weights
    )


def plain(problem):
    return bits.unpack(problem.literals, problem.n_rows).T


def peer(**others):
    known = {"n_estimators": 20, "max_depth": 3, "subsample": 0.5, "min_samples_leaf": 5, "max_features": 0.5}
    return GradientBoostingClassifier(random_state=7, **known | others)


@pytest.mark.parametrize("n_rows", [64, bits.BLOCK + 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_boosted_trees_are_those_of_scikit_learn(n_rows, weighted):
    weights = np.random.default_rng(1).integers(1, 4, n_rows).astype(float) if weighted else None
    problem = make_problem(n_rows, weights)
    found = boost_trees(problem, LAW, Schedule(), 7, UNLIMITED).probabilities(problem.literals, n_rows)
    trees = peer().fit(plain(problem), problem.codes, sample_weight=problem.weights / problem.row_weight)
    assert np.array_equal(found, trees.predict_proba(plain(problem)))


def test_of_one_class_there_is_nothing_to_boost():
    problem = make_problem(only=1)
    found = boost_trees(problem, LAW, Schedule(), 7, UNLIMITED)
    assert found.trees is None
    assert found.probabilities(problem.literals, 300) == pytest.approx(np.tile([1 / 302, 301 / 302], (300, 1)))


def test_rows_and_cells_are_sampled_where_they_are_many(monkeypatch):
    seen = []
    monkeypatch.setattr(
        Problem, "take", lambda self, rows, take=Problem.take: seen.append(len(rows)) or take(self, rows)
    )
    for schedule in (Schedule(boosted_rows=50), Schedule(boosted_cells=12 * 40)):
        boost_trees(make_problem(), LAW, schedule, 7, UNLIMITED)
    assert seen == [50, 40]


@pytest.mark.parametrize("budget", [Budget(1, 0.0, GO_ON), Budget(1, None, HALT)])
def test_trees_are_fewer_where_time_is_short_or_an_interrupt_came(budget):
    assert len(boost_trees(make_problem(), LAW, Schedule(), 7, budget).trees.estimators_) == 1


def test_invited_trees_are_the_same_on_any_number_of_threads():
    problem = make_problem()
    said = []
    for n_threads in (1, 3):
        jobs = Jobs(Threads(n_threads, None), Schedule(), None, be_silent)
        parts = [Part.of(problem, NO_START, seed, problem) for seed in (0, 1)]
        with jobs.threads.interruptible():
            opinions = jobs.invite(LAW, parts)
        said.append([opinion.probabilities(problem.literals, 300) for opinion in opinions])
    assert np.array_equal(*said)
    assert not np.array_equal(*said[0])


def test_shorter_searches_boost_fewer_trees():
    guests = Count(n_proposals=100_000).schedule().guests[-1]
    assert [guest.n_trees for guest in guests] == [75, 50]
