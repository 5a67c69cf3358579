import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from rulenet import bits
from rulenet.count.forest import N_TOGETHER, grow_forest
from rulenet.count.schedule import Schedule, Trees
from rulenet.relations import Relations
from rulenet.search.budget import Budget
from rulenet.search.problem import Problem

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
    found = grow_forest(problem, Trees(20), Schedule(), 7, UNLIMITED).probabilities(problem.literals, n_rows)
    trees = RandomForestClassifier(20, random_state=7).fit(plain(problem)[:8_192], problem.codes[:8_192])
    expected = np.zeros((n_rows, 3))
    expected[:, trees.classes_] = trees.predict_proba(plain(problem))
    assert found == pytest.approx((20 * expected + 1 / 3) / 21)
    assert found.sum(axis=1) == pytest.approx(1)


def test_a_forest_is_the_same_on_any_number_of_threads():
    problem = make_problem()
    one, other = (grow_forest(problem, Trees(30), Schedule(), 7, UNLIMITED, n) for n in (1, 3))
    assert np.array_equal(*(forest.probabilities(problem.literals, 300) for forest in (one, other)))


def test_weights_are_repetitions_to_a_forest():
    weights = np.random.default_rng(1).integers(1, 4, 300).astype(float)
    problem = make_problem(weights=weights)
    found = grow_forest(problem, Trees(10), Schedule(), 7, UNLIMITED).trees
    trees = RandomForestClassifier(10, random_state=7).fit(plain(problem), problem.codes, sample_weight=weights)
    assert np.array_equal(found.predict(plain(problem)), trees.predict(plain(problem)))


def test_a_forest_sees_a_sample_of_many_rows_or_cells():
    problem = make_problem(400)
    for schedule in (Schedule(forest_rows=50), Schedule(forest_cells=12 * 50)):
        trees = grow_forest(problem, Trees(10), schedule, 7, UNLIMITED).trees
        assert {int(tree.tree_.n_node_samples[0]) for tree in trees.estimators_} <= set(range(51))


@pytest.mark.parametrize("budget", [Budget(1, 0.0, GO_ON), Budget(1, None, HALT)])
def test_a_forest_has_fewer_trees_where_time_is_short_or_an_interrupt_came(budget):
    assert len(grow_forest(make_problem(), Trees(), Schedule(), 7, budget).trees.estimators_) == N_TOGETHER
