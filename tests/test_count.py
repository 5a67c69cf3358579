from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from rulenet import Network, ParameterError, bits
from rulenet.count import kernels
from rulenet.count.count import Count
from rulenet.count.jobs import Part
from rulenet.count.kernels import LOSS, SIZE
from rulenet.count.schedule import Law, Schedule
from rulenet.count.scoring import Scoring, opposites
from rulenet.count.walk import Walker, rows_of
from rulenet.relations import Relations
from rulenet.search.problem import Problem, decide
from rulenet.search.protocol import FunctionStart

GO_ON = np.zeros(1, np.bool_)
# A walk over so many rows first judges a proposal at a glance.
MANY_ROWS = 64 * kernels.MANY_WORDS + 5
NO_START = FunctionStart(lambda seed: Network([[[1]]]))


def make_rows(rng, n_rows):
    """Six attributes of two values, which have opposites, and two of three, which have none."""
    two, three = rng.integers(0, 2, (n_rows, 6)), rng.integers(0, 3, (n_rows, 2))
    columns = [two[:, a] == v for a in range(6) for v in range(2)] + [
        three[:, a] == v for a in range(2) for v in range(3)
    ]
    owner = [*np.repeat(np.arange(6), 2), *np.repeat([6, 7], 3)]
    return np.column_stack(columns), Relations.of(owner, owner)


def make_problem(n_classes=2, n_rows=150, seed=0, noise=0.1, weighted=False):
    """At least three of six decide, and a value of the seventh; some labels are wrong."""
    rng = np.random.default_rng(seed)
    rows, relations = make_rows(rng, n_rows)
    count = rows[:, 1:12:2].sum(axis=1) + 2 * rows[:, 12]
    codes = np.digitize(count, [3, 5, 6, 7, 8][: n_classes - 1])
    codes = np.where(rng.random(n_rows) < noise, rng.integers(0, n_classes, n_rows), codes)
    weights = rng.integers(1, 9, n_rows).astype(float) if weighted else None
    return Problem.of_classes(bits.pack(np.ascontiguousarray(rows.T)), codes, n_classes, relations, weights)


def plain(problem):
    return bits.unpack(problem.literals, problem.n_rows).T


@st.composite
def scorings(draw, n_outputs):
    """Units of literals with an opposite have any points, others none below 0; needs are 4 at most."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    inputs, needs, points = [], [], []
    for _ in range(draw(st.integers(0, 6))):
        n = int(rng.integers(1, 6))
        signed = rng.random() < 0.6
        inputs.append(tuple(sorted(rng.choice(12 if signed else 18, n, replace=False).tolist())))
        needs.append(int(rng.integers(1, min(n, kernels.MAX_NEED) + 1)))
        points.append(rng.integers(-3 if signed else 0, 4, n_outputs))
    points = np.array(points, dtype=np.int64).reshape(-1, n_outputs)
    return Scoring(tuple(inputs), tuple(needs), points, rng.integers(-4, 5, n_outputs), 0.5)


def units_of(scoring):
    return [*zip(scoring.inputs, scoring.needs, scoring.points, strict=True)]


@pytest.mark.kernels
@given(
    st.sampled_from([(2, "logistic"), (2, "hinge"), (2, "errors"), (3, "logistic"), (6, "logistic")]),
    st.sampled_from([130, 130, MANY_ROWS]),
    st.booleans(),
    st.sampled_from([0.3, 1.0, 6.0]),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=30, deadline=None)
def test_loss_and_size_of_a_walk_are_those_computed_from_scratch(judged, n_rows, weighted, temperature, seed):
    n_classes, loss = judged
    problem = make_problem(n_classes, n_rows, seed % 7, weighted=weighted)
    weights = np.random.default_rng(seed).integers(0, 5, (problem.n_rows, n_classes))
    if not weighted:
        weights *= np.arange(n_classes) == problem.codes[:, np.newaxis]
    law, opposite = Law(0.5, 0.1, 1.0, loss=loss), opposites(problem.literals, problem.n_rows, problem.relations.owner)
    rows = rows_of(problem.literals, weights, problem.relations, opposite)
    walker = Walker.of(rows, law, 1.0, seed, max_units=12)
    for n_proposals in (1, 10, 300, 3000):
        walker.anneal(n_proposals, temperature, temperature, law.price, GO_ON)
        counters, now = walker.walk.counters.copy(), walker.now()
        scores = reference.counting_scores(units_of(now), now.bias, plain(problem))
        assert np.array_equal(walker.walk.scores.T[: problem.n_rows], scores)
        assert counters[SIZE] == reference.counting_size(units_of(now))
        total = reference.counting_loss(scores, law.scale, weights, loss)
        assert counters[LOSS] / kernels.ONE_NAT == pytest.approx(total, rel=2e-3, abs=1e-3 * weights.sum())
        kernels.evaluate(walker.walk, rows, walker.tables)
        assert (walker.walk.counters[LOSS], walker.walk.counters[SIZE]) == (counters[LOSS], counters[SIZE])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_best_network_of_a_walk_is_the_one_that_its_cost_is_told_of(n_classes):
    problem = make_problem(n_classes)
    weights = np.eye(n_classes, dtype=np.int64)[problem.codes]
    opposite = opposites(problem.literals, problem.n_rows, problem.relations.owner)
    law = Law(0.5, 0.75, 0.3)
    walker = Walker.of(rows_of(problem.literals, weights, problem.relations, opposite), law, 1.0, 5, max_units=32)
    walker.anneal(20_000, law.hot, law.cold, law.price, GO_ON)
    best = units_of(walker.best())
    scores = reference.counting_scores(best, walker.best().bias, plain(problem))
    cost = reference.counting_loss(scores, law.scale, weights) + law.price * reference.counting_size(best)
    assert walker.cost == pytest.approx(cost, rel=5e-3)
    assert np.mean(decide(scores) == problem.codes) > 0.75


@given(scorings(1))
@settings(deadline=None)
def test_the_margins_of_the_network_are_the_scores(scoring):
    problem = make_problem()
    opposite = opposites(problem.literals, problem.n_rows, problem.relations.owner)
    scores = reference.counting_scores(units_of(scoring), scoring.bias, plain(problem))
    assert np.array_equal(scoring.scores(problem.literals, problem.n_rows), scores)
    network = scoring.network(len(problem.literals), opposite)
    assert np.array_equal(network.margins(problem.literals, problem.n_rows), scores)


@pytest.mark.parametrize("n_rows", [bits.BLOCK - 1, bits.BLOCK, bits.BLOCK + 1, 2 * bits.BLOCK + 65])
def test_rows_are_scored_block_by_block(n_rows):
    problem, points = make_problem(n_rows=n_rows), np.array([[2], [-1], [3]])
    scoring = Scoring(((0, 2), (1, 5, 7), (13, 16)), (1, 2, 2), points, np.array([-2]), 0.5)
    scores = reference.counting_scores(units_of(scoring), scoring.bias, plain(problem))
    assert np.array_equal(scoring.scores(problem.literals, n_rows), scores)


@given(st.integers(2, 4).flatmap(scorings))
@settings(deadline=None)
def test_the_margins_of_several_outputs_are_the_scores_all_moved_alike(scoring):
    problem = make_problem(3)
    opposite = opposites(problem.literals, problem.n_rows, problem.relations.owner)
    scores = reference.counting_scores(units_of(scoring), scoring.bias, plain(problem))
    margins = scoring.network(len(problem.literals), opposite).margins(problem.literals, problem.n_rows)
    assert len(np.unique(margins - scores)) == 1
    assert np.array_equal(decide(margins), scores.argmax(axis=1))


@given(st.sampled_from([1, 3]).flatmap(scorings))
@settings(deadline=None)
def test_probabilities_are_those_that_the_loss_takes(scoring):
    problem = make_problem()
    found = scoring.probabilities(problem.literals, problem.n_rows)
    scores = reference.counting_scores(units_of(scoring), scoring.bias, plain(problem))
    for k in range(found.shape[1]):
        weights = np.zeros(found.shape)
        weights[:, k] = 1
        assert -np.log(found[:, k]).sum() == pytest.approx(reference.counting_loss(scores, scoring.scale, weights))


def test_a_literal_and_its_opposite_are_of_one_attribute_and_never_hold_together():
    problem = make_problem()
    found = opposites(problem.literals, problem.n_rows, problem.relations.owner)
    assert found.tolist() == [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, -1, -1, -1, -1, -1, -1]
    literals = bits.pack(np.array([[1, 0, 1], [0, 1, 0], [0, 1, 0]], dtype=bool))
    assert opposites(literals, 3, np.array([0, 1, 1])).tolist() == [-1, -1, -1]


def test_a_gap_has_no_opposite_but_with_is_missing():
    literals = bits.pack(np.array([[1, 0, 0], [0, 1, 0]], dtype=bool))
    assert opposites(literals, 3, np.array([0, 0])).tolist() == [-1, -1]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_same_seed_gives_the_same_network_on_any_number_of_threads(n_classes):
    problem, search = make_problem(n_classes), Count(n_walks=3, n_folds=2, n_proposals=4_000)
    first, second = (search.search(problem, NO_START, 7, n_jobs) for n_jobs in (1, 2))
    assert first.network == second.network
    assert [choice.network for choice in first.choices] == [choice.network for choice in second.choices]
    assert np.array_equal(first.held_out.margins, second.held_out.margins)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_matter_of_degree_is_learned(n_classes):
    problem = make_problem(n_classes, 400)
    found = Count(n_walks=4, n_folds=2, n_proposals=40_000).search(problem, NO_START, 0)
    assert found.network.n_outputs == (1 if n_classes == 2 else n_classes)
    assert found.history[-1] == problem.accuracy(found.network) > 0.85
    assert found.held_out.accuracy > 0.78
    assert sorted(found.held_out.codes) == sorted(problem.codes)
    assert found.network in [choice.network for choice in found.choices]
    assert found.choices[0].size >= found.choices[-1].size
    assert [choice.price for choice in found.choices] == sorted(choice.price for choice in found.choices)
    assert found.held_out.accuracy in [choice.validation for choice in found.choices]


@given(st.integers(1, 3).flatmap(scorings), st.integers(1, 3))
@settings(deadline=None)
def test_at_a_smaller_scale_a_scoring_says_the_same_in_more_points(scoring, max_points):
    problem = make_problem()
    same, finer = (scoring.rescaled(scale, max_points) for scale in (scoring.scale, scoring.scale / 3))
    scores = scoring.scores(problem.literals, problem.n_rows)
    assert np.array_equal(same.scores(problem.literals, problem.n_rows), scores)
    half = 0.5 if len(scoring.bias) == 1 else 0  # one output is judged half a point above its score
    assert np.array_equal(finer.scores(problem.literals, problem.n_rows) + half, 3 * (scores + half))
    assert max(abs(found.points).max(initial=0) for found in (same, finer)) <= max_points


def test_at_a_larger_scale_points_that_hardly_count_are_gone():
    units = ((0,), (2,), (0,), (4,)), (1, 1, 1, 1)
    found = Scoring(*units, np.array([[3], [3], [3], [1]]), np.array([-7]), 0.5).rescaled(2.0, 3)
    assert (found.inputs, found.points.tolist(), found.bias.tolist()) == (((0,), (2,)), [[2], [1]], [-2])


@pytest.mark.parametrize("percent_wrong", [0, 5])
def test_a_concept_that_counts_is_said_in_few_points(percent_wrong):
    rng = np.random.default_rng(8)
    rows = rng.random((400, 10)) < 0.5
    codes = (rows[:, :7].sum(axis=1) >= 4).astype(np.int64)
    wrong = rng.choice(400, 4 * percent_wrong, replace=False)
    literals = bits.pack(np.ascontiguousarray(np.column_stack([rows, ~rows]).T))
    names = [*range(10), *range(10)]
    known = codes.copy()
    known[wrong] = 1 - known[wrong]
    problem = Problem.of_classes(literals, known, 2, Relations.of(names, range(20)))
    network = Count().search(problem, NO_START, 0).network
    assert (decide(network.margins(literals, 400)) == codes).all()
    assert network.size <= 35  # of seven conditions, worth as much as each other; at one scale it takes a hundred


def test_a_price_that_is_given_is_taken():
    found = Count(price=3.0, n_walks=2, n_folds=2, n_proposals=2_000).search(make_problem(), NO_START, 0)
    assert [choice.price for choice in found.choices] == [3.0, 6.0, 12.0, 12.0, 12.0, 12.0, 48.0]
    assert found.network == found.choices[0].network


def test_few_rows_are_not_divided_into_folds():
    found = Count(n_walks=1, n_proposals=500).search(make_problem(n_rows=15), NO_START, 0)
    assert found.held_out is None


def test_of_many_rows_a_sample_is_divided_into_folds():
    problem, schedule = make_problem(n_rows=400), Schedule(most_fold_rows=90)
    folds = Part.of(problem, NO_START, 0, problem).folds(NO_START, schedule)
    left_out = np.concatenate([fold.left_out.numbers for fold in folds])
    assert len(np.unique(left_out)) == len(left_out) == 90
    for fold in folds:
        assert np.array_equal(fold.left_out.codes, problem.codes[fold.left_out.numbers])
        assert sorted([*fold.problem.numbers, *fold.left_out.numbers]) == sorted(left_out)


def test_a_limited_time_is_kept_more_or_less():
    problem = make_problem(n_rows=300)
    Count(n_walks=1, n_proposals=100).search(problem, NO_START, 0)
    begin = perf_counter()
    found = Count(n_proposals=10**8, max_time=1.0).search(problem, NO_START, 0)
    assert perf_counter() - begin < 6
    assert found.history[-1] > 0.7


@pytest.mark.parametrize(
    "parameters", [{"price": -1}, {"n_walks": 0}, {"n_folds": 1}, {"max_inputs": 8}, {"max_time": 0}]
)
def test_parameters_out_of_bounds_are_refused(parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        Count(**parameters).search(make_problem(), NO_START, 0)


def test_proposals_given_up_at_a_glance_do_not_hide_the_concept():
    problem = make_problem(n_rows=MANY_ROWS)
    opposite = opposites(problem.literals, problem.n_rows, problem.relations.owner)
    rows = rows_of(problem.literals, np.eye(2, dtype=np.int64)[problem.codes], problem.relations, opposite)
    walker = Walker.of(rows, Law(0.5, 0.75, 0.3), 1.0, 5, max_units=32)
    walker.anneal(20_000, 2.0, 0.3, 0.75, GO_ON)
    concept = make_problem(n_rows=MANY_ROWS, noise=0.0)
    assert np.mean(decide(walker.best().scores(concept.literals, concept.n_rows)) == concept.codes) > 0.97


@pytest.mark.parametrize(("n_classes", "n_rows", "votes"), [(12, 20_000, True), (13, 4_000, True), (13, 20_000, False)])
def test_many_rows_of_many_classes_are_learned_without_a_vote(n_classes, n_rows, votes):
    assert Schedule().fitted_to(n_rows, n_classes, 100).votes == votes


@pytest.mark.parametrize("loss", ["logistic", "hinge", "errors"])
def test_a_network_is_found_by_every_loss(loss):
    problem = make_problem(n_rows=400, noise=0.0)
    found = Count(loss=loss, n_walks=2, n_folds=0, n_proposals=20_000).search(problem, NO_START, 0, 2)
    assert found.history[-1] > 0.95


def test_several_classes_have_one_loss():
    with pytest.raises(ParameterError, match="loss='hinge' is for two classes, but y has 3"):
        Count(loss="hinge").search(make_problem(3), NO_START, 0, 1)


@pytest.mark.parametrize(
    ("n_classes", "n_rows", "rarest", "n_generated", "price", "max_units"),
    [
        (2, 999, 0.5, 3_000, 2.0, 128),
        (2, 1_000, 0.5, 12_000, 4.0, 128),
        (2, 1_000, 0.1, 12_000, 2.0, 128),
        (2, 4_384, 0.5, 12_000, 4.0, 128),
        (2, 4_385, 0.5, 3_000, 2.0, 256),
        (3, 2_000, 0.3, 3_000, 1.0, 128),
        (3, 9_000, 0.3, 3_000, 1.0, 128),
    ],
)
def test_of_two_classes_more_rows_are_made_up_and_of_many_rows_there_are_more_units(
    n_classes, n_rows, rarest, n_generated, price, max_units
):
    found = Schedule().fitted_to(n_rows, n_classes, 100, rarest)
    assert (found.n_generated, found.usual_price, found.max_units) == (n_generated, price, max_units)


@pytest.mark.parametrize(
    ("n_classes", "n_rows", "times"),
    [(2, 1_000, 1), (2, 1_001, 3), (2, 4_385, 6), (12, 1_001, 3), (12, 4_385, 3), (13, 1_001, 1)],
)
def test_the_walk_that_finds_the_network_is_longer_where_rows_are_many(n_classes, n_rows, times):
    usual = Schedule()
    found = usual.fitted_to(n_rows, n_classes, 100)
    assert (found.n_student, found.n_burn) == (times * usual.n_student, usual.n_burn)


def test_a_network_of_many_classes_is_found_without_a_vote():
    n_classes, n_rows = 14, 5_000
    codes = np.random.default_rng(0).integers(0, n_classes, n_rows)
    rows = (codes[:, np.newaxis] >> np.arange(4)) & 1 == 1
    literals = bits.pack(np.ascontiguousarray(np.column_stack([rows, ~rows]).T))
    owner = [*range(4), *range(4)]
    problem = Problem.of_classes(literals, codes, n_classes, Relations.of(owner, owner))
    found = Count(n_proposals=20_000).search(problem, NO_START, 0, 2)
    assert found.history[-1] > 0.99
    assert found.held_out is not None
    assert found.held_out.accuracy > 0.99
