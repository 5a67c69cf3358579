import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rulenet import Network, bits
from rulenet.count.additive import STEP, Additive, fit_additive
from rulenet.count.count import Count
from rulenet.count.jobs import Jobs, Part
from rulenet.count.sample import Voters
from rulenet.count.schedule import Boosting, Ridge, Schedule, Trees
from rulenet.count.scoring import Scoring
from rulenet.relations import Relations
from rulenet.search.budget import Budget
from rulenet.search.problem import Problem
from rulenet.search.protocol import FunctionStart

NO_START = FunctionStart(lambda seed: Network([[[1]]]))
GO_ON = np.zeros(1, np.bool_)
UNLIMITED = Budget(1, None, GO_ON)
LAW = Ridge(0.3)


def make_problem(n_rows=300, n_classes=2, weights=None, n_attributes=6):
    rng = np.random.default_rng(0)
    rows = rng.random((n_rows, n_attributes)) < 0.5
    codes = (rows[:, :2].sum(axis=1) + (rng.random(n_rows) < 0.2)) % n_classes
    literals = bits.pack(np.ascontiguousarray(np.column_stack([rows, ~rows]).T))
    names = range(n_attributes)
    return Problem.of_classes(literals, codes, n_classes, Relations.of([*names, *names], range(len(literals))), weights)


def plain(problem):
    return bits.unpack(problem.literals, problem.n_rows).T.astype(float)


def fit(problem, law=LAW, schedule=Schedule(), budget=UNLIMITED):  # noqa: B008
    return fit_additive(problem, law, schedule, 7, budget)


def test_sums_are_those_of_ridge_regression():
    problem = make_problem(weights=np.random.default_rng(1).integers(1, 4, 300).astype(float))
    weights = problem.weights / problem.row_weight
    ridge = LogisticRegression(C=0.3, tol=1e-9, max_iter=10_000)
    ridge.fit(plain(problem), problem.codes, sample_weight=weights)
    found = fit(problem).probabilities(problem.literals, 300)
    assert found == pytest.approx(ridge.predict_proba(plain(problem)), abs=0.01)


def test_of_several_classes_each_is_asked_alone():
    problem = make_problem(n_classes=3)
    found = fit(problem).probabilities(problem.literals, 300)
    alone = [
        LogisticRegression(C=0.3, tol=1e-9).fit(plain(problem), problem.codes == k).predict_proba(plain(problem))[:, 1]
        for k in range(3)
    ]
    assert found == pytest.approx(np.column_stack(alone) / np.sum(alone, axis=0)[:, np.newaxis], abs=0.01)


@pytest.mark.parametrize("n_rows", [1, 64, bits.BLOCK + 3])
def test_points_are_such_that_the_order_of_adding_does_not_matter(n_rows):
    problem, rng = make_problem(300, n_attributes=40), np.random.default_rng(2)
    found = fit(problem)
    assert (np.rint(found.points / STEP) * STEP == found.points).all()
    seen = make_problem(n_rows, n_attributes=40)
    order = rng.permutation(80)
    other = Additive(np.ascontiguousarray(found.points[:, order]), found.begin)
    said = found.probabilities(seen.literals, n_rows)
    assert np.array_equal(said, other.probabilities(np.ascontiguousarray(seen.literals[order]), n_rows))
    assert said.sum(axis=1) == pytest.approx(1)


def test_a_class_without_rows_is_improbable_everywhere():
    problem = make_problem(n_classes=3)
    two = problem.take(np.flatnonzero(problem.codes < 2))
    assert fit(two).probabilities(two.literals, two.n_rows)[:, 2].max() < 0.02


@pytest.mark.parametrize(
    ("schedule", "budget", "n_seen"),
    [
        (Schedule(ridge_rows=50), UNLIMITED, 50),
        (Schedule(ridge_cells=12 * 40), UNLIMITED, 40),
        (Schedule(), Budget(1, 0.0, GO_ON), 1),
    ],
)
def test_of_many_rows_or_cells_or_in_little_time_a_sample_is_seen(monkeypatch, schedule, budget, n_seen):
    seen = []
    monkeypatch.setattr(
        Problem, "take", lambda self, rows, take=Problem.take: seen.append(len(rows)) or take(self, rows)
    )
    fit(make_problem(400), schedule=schedule, budget=budget)
    assert seen == [n_seen]


def test_a_guest_has_as_much_say_as_all_networks():
    problem = make_problem(n_classes=3)
    scoring = Scoring(((0, 1),), (1,), np.array([[2, 0, -1]]), np.zeros(3, np.int64), 0.5)
    networks, first, second = Voters((scoring, scoring)), fit(problem), fit(problem, Ridge(0.03))
    each = [x.probabilities(problem.literals, 300) for x in (networks, first, second)]
    joined = networks.joined_by(first).joined_by(second).probabilities(problem.literals, 300)
    assert joined == pytest.approx(np.mean(each, axis=0))


class Sure:
    """A guest that gives the class of every row this share."""

    def __init__(self, problem, share):
        self.known = {row.tobytes(): code for row, code in zip(plain(problem), problem.codes, strict=True)}
        self.n_classes, self.share = problem.n_classes, share

    def probabilities(self, literals, n_rows):
        rows = bits.unpack(literals, n_rows).T.astype(float)
        right = np.eye(self.n_classes)[[self.known.get(row.tobytes(), 0) for row in rows]]
        return self.share * right + (1 - self.share) / (self.n_classes - 1) * (1 - right)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("shares", "kept"),
    [
        ({Ridge(0.03): 0.9, Ridge(0.3): 0.99, Trees(): 0.01}, [Ridge(0.3)]),
        ({Ridge(0.03): 0.99, Ridge(0.3): 0.9, Trees(): 0.999}, [Ridge(0.03), Trees()]),
        ({Ridge(0.03): 0.01, Ridge(0.3): 0.01, Trees(): 0.01}, []),
    ],
)
def test_the_guest_votes_that_helps_most_on_rows_left_out_if_any_does(monkeypatch, n_classes, shares, kept):
    rng, invited, lessons = np.random.default_rng(3), [], []
    rows = (np.arange(64)[:, np.newaxis] >> np.arange(6)) & 1 == 1
    literals = bits.pack(np.ascontiguousarray(np.column_stack([rows, ~rows]).T))
    relations = Relations.of([*range(6), *range(6)], range(12))
    problem = Problem.of_classes(literals, rng.integers(0, n_classes, 64), n_classes, relations)

    def invite(self, guest, parts):
        law = Trees() if isinstance(guest, Trees) else guest
        if len(parts) == 1:
            invited.append(law)
        return [Sure(problem, shares[law]) for _ in parts]

    def study(self, given, shares, usual=Jobs.study):
        lessons.extend(given)
        return usual(self, given, shares)

    monkeypatch.setattr(Jobs, "invite", invite)
    monkeypatch.setattr(Jobs, "study", study)
    Count(n_walks=1, n_folds=2, n_proposals=500).search(problem, NO_START, 0)
    expected = [guest for guest in kept if n_classes > 2 or isinstance(guest, Ridge)]
    assert invited == expected
    assert all(len(voters.guests) == len(expected) for _, voters in lessons)


@pytest.mark.parametrize(
    ("n_classes", "n_rows", "n_literals", "kinds"),
    [
        (3, 16_384, 8_192, [Ridge, Trees]),
        (3, 16_385, 100, [Ridge]),
        (2, 300, 100, [Ridge]),
        (2, 300, 8_193, []),
        (3, 300, 8_193, [Trees]),
        (12, 300, 100, [Ridge, Trees]),
        (13, 300, 100, [Trees]),
        (2, 999, 100, [Ridge]),
        (2, 1_000, 100, [Ridge, Boosting]),
        (2, 65_537, 100, [Ridge]),
        (3, 1_000, 100, [Ridge, Trees]),
    ],
)
def test_guests_are_invited_where_rows_conditions_and_classes_are_not_too_many(n_classes, n_rows, n_literals, kinds):
    guests = Schedule().fitted_to(n_rows, n_classes, n_literals).guests
    assert [type(rivals[0]) for rivals in guests] == kinds


def test_nobody_is_invited_where_no_rows_left_out_could_tell(monkeypatch):
    monkeypatch.setattr(Jobs, "invite", lambda self, guest, parts: pytest.fail("somebody was invited"))
    Count(n_walks=1, n_folds=0, n_proposals=500).search(make_problem(n_classes=3), NO_START, 0)


def test_an_interrupt_leaves_the_shares_of_the_classes():
    problem = make_problem(n_classes=3)
    found = fit(problem, budget=Budget(1, None, np.ones(1, np.bool_)))
    assert not found.points.any()
    assert found.probabilities(problem.literals, 300)[0] == pytest.approx(problem.shares, abs=0.01)


def test_rows_that_weigh_nothing_are_in_no_fold():
    weights = np.where(np.arange(300) % 3 == 0, 1.0, 0.0)
    folds = Part.of(problem := make_problem(weights=weights), NO_START, 0, problem).folds(NO_START, Schedule())
    assert sum(fold.left_out.n_rows for fold in folds) == 100
    assert all(rows.weights.all() for fold in folds for rows in (fold.problem, fold.left_out))
    none = Part.of(problem := make_problem(weights=weights * (np.arange(300) < 30)), NO_START, 0, problem)
    assert none.folds(NO_START, Schedule()) == []
