import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from rulenet import Network, bits
from rulenet.count.count import Count
from rulenet.count.forest import N_TOGETHER, Forest, grow_forest
from rulenet.count.jobs import Jobs
from rulenet.count.sample import Voters
from rulenet.count.schedule import Schedule
from rulenet.count.scoring import Scoring
from rulenet.relations import Relations
from rulenet.search.budget import Budget
from rulenet.search.problem import Problem
from rulenet.search.protocol import FunctionStart

NO_START = FunctionStart(lambda seed: Network([[[1]]]))
GO_ON, HALT = np.zeros(1, np.bool_), np.ones(1, np.bool_)
UNLIMITED = Budget(1, None, GO_ON)


def make_problem(n_rows=300, n_classes=3, weights=None):
    rng = np.random.default_rng(0)
    rows = rng.random((n_rows, 6)) < 0.5
    codes = (rows[:, :2].sum(axis=1) + (rng.random(n_rows) < 0.2)) % n_classes
    literals = bits.pack(np.ascontiguousarray(np.column_stack([rows, ~rows]).T))
    return Problem.of_classes(literals, codes, n_classes, Relations.of([*range(6), *range(6)], range(12)), weights)


def plain(problem):
    return bits.unpack(problem.literals, problem.n_rows).T


@pytest.mark.parametrize("n_rows", [1, 64, bits.BLOCK + 3])
def test_a_forest_says_what_scikit_learn_s_says_as_if_one_more_tree_could_not_tell(n_rows):
    problem = make_problem(n_rows)
    found = grow_forest(problem, Schedule(n_trees=20), 7, UNLIMITED).probabilities(problem.literals, n_rows)
    trees = RandomForestClassifier(20, random_state=7).fit(plain(problem)[:8_192], problem.codes[:8_192])
    expected = np.zeros((n_rows, 3))
    expected[:, trees.classes_] = trees.predict_proba(plain(problem))
    assert found == pytest.approx((20 * expected + 1 / 3) / 21)
    assert found.sum(axis=1) == pytest.approx(1)


def test_a_forest_is_the_same_on_any_number_of_threads():
    problem = make_problem()
    one, other = (grow_forest(problem, Schedule(n_trees=30), 7, UNLIMITED, n) for n in (1, 3))
    assert np.array_equal(*(forest.probabilities(problem.literals, 300) for forest in (one, other)))


def test_weights_are_repetitions_to_a_forest():
    weights = np.random.default_rng(1).integers(1, 4, 300).astype(float)
    problem = make_problem(weights=weights)
    found = grow_forest(problem, Schedule(n_trees=10), 7, UNLIMITED).trees
    trees = RandomForestClassifier(10, random_state=7).fit(plain(problem), problem.codes, sample_weight=weights)
    assert np.array_equal(found.predict(plain(problem)), trees.predict(plain(problem)))


def test_a_forest_sees_a_sample_of_many_rows_or_cells():
    problem = make_problem(400)
    for schedule in (Schedule(n_trees=10, forest_rows=50), Schedule(n_trees=10, forest_cells=12 * 50)):
        trees = grow_forest(problem, schedule, 7, UNLIMITED).trees
        assert {int(tree.tree_.n_node_samples[0]) for tree in trees.estimators_} <= set(range(51))


@pytest.mark.parametrize("budget", [Budget(1, 0.0, GO_ON), Budget(1, None, HALT)])
def test_a_forest_has_fewer_trees_where_time_is_short_or_an_interrupt_came(budget):
    assert len(grow_forest(make_problem(), Schedule(), 7, budget).trees.estimators_) == N_TOGETHER


def test_a_forest_has_half_of_the_say():
    problem = make_problem()
    scoring = Scoring(((0, 1),), (1,), np.array([[2, 0, -1]]), np.zeros(3, np.int64), 0.5)
    forest = grow_forest(problem, Schedule(n_trees=10), 7, UNLIMITED)
    alone, joined = (Voters((scoring, scoring), x).probabilities(problem.literals, 300) for x in (None, forest))
    assert joined == pytest.approx((alone + forest.probabilities(problem.literals, 300)) / 2)


class Sure(Forest):
    """A forest that gives the class of every row this share."""

    def __init__(self, problem, share):
        object.__setattr__(self, "problem", problem)
        object.__setattr__(self, "share", share)

    def probabilities(self, literals, n_rows):
        rows = {row.tobytes(): code for row, code in zip(plain(self.problem), self.problem.codes, strict=True)}
        codes = [rows.get(row.tobytes(), 0) for row in bits.unpack(literals, n_rows).T]
        right = np.eye(3)[codes]
        return self.share * right + (1 - self.share) / 2 * (1 - right)


@pytest.mark.parametrize(("share", "n_grown"), [(0.99, [2, 1]), (0.01, [2])])
def test_a_forest_votes_where_rows_left_out_tell_that_it_helps(monkeypatch, share, n_grown):
    rng, grown, lessons = np.random.default_rng(3), [], []
    rows = (np.arange(64)[:, np.newaxis] >> np.arange(6)) & 1 == 1
    literals = bits.pack(np.ascontiguousarray(np.column_stack([rows, ~rows]).T))
    relations = Relations.of([*range(6), *range(6)], range(12))
    problem = Problem.of_classes(literals, rng.integers(0, 3, 64), 3, relations)

    def grow(self, parts):
        grown.append(len(parts))
        return [Sure(problem, share) for _ in parts]

    def study(self, given, shares, usual=Jobs.study):
        lessons.extend(given)
        return usual(self, given, shares)

    monkeypatch.setattr(Jobs, "grow", grow)
    monkeypatch.setattr(Jobs, "study", study)
    Count(n_walks=1, n_folds=2, n_proposals=500).search(problem, NO_START, 0)
    assert grown == n_grown
    assert all((voters.forest is not None) == (len(n_grown) == 2) for _, voters in lessons)


@pytest.mark.parametrize(("n_classes", "n_rows", "grows"), [(3, 16_384, True), (3, 16_385, False), (2, 300, False)])
def test_forests_grow_for_several_classes_where_rows_are_not_many(n_classes, n_rows, grows):
    assert Schedule().fitted_to(n_rows, n_classes).forests == grows


@pytest.mark.parametrize(("n_classes", "n_folds"), [(2, 2), (3, 0)])
def test_no_forest_grows_for_two_classes_or_where_nothing_could_tell(monkeypatch, n_classes, n_folds):
    monkeypatch.setattr(Jobs, "grow", lambda self, parts: pytest.fail("a forest grew"))
    Count(n_walks=1, n_folds=n_folds, n_proposals=500).search(make_problem(n_classes=n_classes), NO_START, 0)
