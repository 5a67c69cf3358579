from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from rulenet import Auto, Count, Network, ParameterError, RandomInit, RuleNetworkClassifier, bits
from rulenet.auto.classes import join
from rulenet.auto.judge import better, is_concept, is_said, is_shorter, is_solved, ranks, tells
from rulenet.auto.probe import is_far_off
from rulenet.datasets import make_monk, make_parity
from rulenet.relations import Relations
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Found, FunctionStart, HeldOut
from rulenet.search.structure import aligned, merge, side_by_side
from strategies import networks, rows_for

AND, OR = Network([[[1, 1]]]), Network([[[1, 1]]], "or")
MANY = Network([[[1, 1]] * 4, [[1] * 4]])
LONG = Network([[[1, 1]] * 8, [[1] * 8]])


def make_degree(n_rows=300, seed=0):
    """More than half of nine yes-or-no answers, every tenth label wrong."""
    rng = np.random.default_rng(seed)
    answers = rng.random((n_rows, 9)) < 0.5
    y = (answers.sum(axis=1) >= 5) ^ (rng.random(n_rows) < 0.1)
    return pd.DataFrame(np.where(answers, "yes", "no"), columns=[*"abcdefghi"]), y


def make_rare(n_rows, seed):
    """A matter of degree that one row in a hundred meets, and none of them surely."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.normal(size=n_rows) for name in "abcd"})
    return X, rng.random(n_rows) < 1 / (1 + np.exp(6 - 1.2 * X["a"] - X["b"]))


def test_a_rare_class_that_is_seldom_decided_for_is_ranked_and_weights_of_classes_do_not_triple_the_size():
    (X, y), (more, labels) = make_rare(6000, 0), make_rare(6000, 1)
    search = Count(n_walks=2, n_folds=2, n_proposals=50_000)
    plain = RuleNetworkClassifier(search=search, random_state=0).fit(X, y)
    chances = plain.predict_proba(more)[:, 1]
    assert roc_auc_score(labels, chances) > 0.8
    assert chances.mean() == pytest.approx(labels.mean(), abs=0.004)
    balanced = RuleNetworkClassifier(search=search, class_weight="balanced", random_state=0).fit(X, y)
    assert balanced_accuracy_score(labels, balanced.predict(more)) > 0.7
    assert balanced.size_ <= 3 * plain.size_


def test_a_concept_that_few_edges_say_stays_a_deep_network():
    X, y = make_monk(1)
    model = RuleNetworkClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) == 1
    assert not model.network_.is_counting


def test_a_noisy_matter_of_degree_is_counted():
    X, y = make_degree()
    model = RuleNetworkClassifier(random_state=0).fit(X, y)
    assert model.network_.is_counting
    assert model.score(*make_degree(seed=1)) > 0.8
    assert len(model.pareto_) > 1


def test_several_classes_are_counted():
    X, _ = make_degree()
    y = np.array(["few", "some", "many"])[np.digitize((X == "yes").sum(axis=1), [4, 6])]
    model = RuleNetworkClassifier(random_state=0).fit(X, y)
    assert model.network_.n_outputs == 3
    assert model.score(X, y) > 0.8


def make_traffic(n_rows=400, seed=0):
    """Three classes that share a concept, and hardly any noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.choice([*"pqr"], n_rows) for name in "abcde"})
    wet = (X.a == "p") | (X.b == "q")
    y = np.where(wet & (X.c == "r"), "stop", np.where(wet, "slow", "go"))
    return X, y


def test_a_parity_that_folds_cannot_tell_is_found():
    X, y = make_parity(10, 8)
    rows = np.random.default_rng(0).permutation(len(X))
    kept, others = rows[:512], rows[512:]
    model = RuleNetworkClassifier(random_state=0).fit(X.iloc[kept], y.iloc[kept])
    assert not model.network_.is_counting
    assert model.score(X.iloc[others], y.iloc[others]) == 1


@pytest.mark.parametrize(("n_rows", "training", "expected"), [(100, 1.0, True), (1, 1.0, False), (100, 0.9, False)])
def test_a_network_is_no_chance_if_it_is_shorter_than_what_it_says(n_rows, training, expected):
    held = np.arange(2 * n_rows) % 4 == np.arange(2)[:, np.newaxis]
    problem = Problem.of(bits.pack(held), np.arange(2 * n_rows) % 2 == 0, Relations.of([0, 1], [0, 1]))
    assert is_shorter(problem, Found(OR, (0.5, training))) == expected


def test_concepts_of_several_classes_are_one_deep_network():
    X, y = make_traffic()
    model = RuleNetworkClassifier(random_state=0).fit(X, y)
    assert not model.network_.is_counting
    assert model.score(*make_traffic(seed=1)) == 1
    assert model.size_ <= 14
    probabilities = model.predict_proba(X)
    assert np.array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    assert probabilities.max() < 1
    assert probabilities.max(axis=1).min() > 0.9


def test_classes_in_a_limited_time():
    X, y = make_traffic()
    assert RuleNetworkClassifier(random_state=0, search=Auto(max_time=0.5)).fit(X, y).score(X, y) > 0.9


@given(st.data(), st.integers(1, 4))
def test_networks_of_any_depth_and_gate_are_joined_as_they_are(data, n_networks):
    found = [data.draw(networks(n_literals=5)) for _ in range(n_networks)]
    rows = data.draw(rows_for())(5)
    joined = merge(side_by_side(aligned(found)))
    assert joined.gates[-1] == "or"
    assert joined.predict(rows).reshape(len(rows), -1).tolist() == [
        list(row) for row in zip(*(n.predict(rows).tolist() for n in found), strict=True)
    ]
    assert joined.size <= sum(network.size + 1 for network in found)


def test_rows_left_out_are_those_that_every_class_left_out():
    codes = np.array([0, 1, 2, 0])
    problem = Problem.of_classes(bits.pack(np.eye(3, 4, dtype=bool)), codes, 3, Relations.of([0, 1, 2]))
    ones = [Network([np.eye(3)[[k]]], gate) for k, gate in enumerate(["or", "and", "or"])]
    held = [
        HeldOut(np.array([[0], [-2], [1]]), (codes[rows] == k).astype(np.int64), np.ones(3, np.int64), np.array(rows))
        for k, rows in enumerate([[0, 1, 3], [3, 1, 0], [1, 2, 3]])
    ]
    found = join(
        problem, [Found(n, (0.0, 1.0), (Choice(0.2, n, 1.0, 0.9),), h) for n, h in zip(ones, held, strict=True)]
    )
    assert found.network.n_outputs == 3
    assert found.held_out.numbers.tolist() == [1, 3]
    assert found.held_out.codes.tolist() == [1, 0]
    assert found.held_out.margins.tolist() == [[-1, -1, 0], [1, 0, 1]]


def said(wrong, size=4):
    codes = np.repeat([0, 1, 2], 40)
    margins = np.eye(3, dtype=np.int64)[np.where(np.arange(120) < wrong, (codes + 1) % 3, codes)] - 1
    network = Network([[[1, 1]] * (size // 2), *[np.ones((3, size // 2))]])
    return Found(network, (0.0, 1.0), (), HeldOut(margins, codes, np.ones(120, np.int64), np.arange(120)))


@pytest.mark.parametrize(("wrong", "size", "expected"), [(0, 2, True), (8, 2, True), (9, 2, False), (0, 12, False)])
def test_few_errors_of_several_classes_are_a_solution_if_the_network_is_small(wrong, size, expected):
    codes = np.repeat([0, 1, 2], 40)
    problem = Problem.of_classes(bits.pack(np.ones((2, 120), dtype=bool)), codes, 3, Relations.of([0, 1]))
    assert is_said(problem, said(wrong, size)) == expected


@pytest.mark.parametrize("parameters", [{"hidden_layer_sizes": (8, 4)}, {"init": Network([np.eye(18)[:4], [[1] * 4]])}])
def test_shapes_and_starts_of_the_user_ask_for_a_deep_network(parameters):
    X, y = make_degree(60)
    model = RuleNetworkClassifier(random_state=0, **parameters).fit(X, y)
    assert not model.network_.is_counting
    alone = RuleNetworkClassifier(random_state=0, search="anneal", **parameters).fit(X, y)
    assert model.network_ == alone.network_


def counting_with(n_wrong, n_rows=100):
    codes = np.array([0] * n_wrong + [1] * (n_rows - n_wrong))
    held_out = HeldOut(np.zeros((n_rows, 1), np.int64), codes, np.ones(n_rows, np.int64), np.arange(n_rows))
    return Found(MANY, (0.0, 0.95), (Choice(0.7, MANY, 0.95, held_out.accuracy),), held_out)


def test_a_network_that_only_says_never_is_no_concept():
    never = Found(AND, (0.97, 0.97), (Choice(0.2, AND, 0.97, 0.97),))
    assert better(never, counting_with(3)).network == MANY


def short_and_counting(n_wrong, n_rows=400):
    """A short network with every tenth row wrong, and a long one with so many wrong; the same rows left out."""
    codes = np.arange(n_rows) % 2
    numbers = np.arange(n_rows)
    found = []
    for network, wrong in ((AND, np.arange(n_rows) % 10 == 0), (LONG, np.arange(n_rows) < n_wrong)):
        margins = np.where(wrong, -codes, codes - 1)[:, np.newaxis]
        held_out = HeldOut(margins, codes, np.ones(n_rows, np.int64), numbers)
        found.append(Found(network, (0.0, 0.9), (Choice(0.2, network, 0.9, held_out.accuracy, held_out),), held_out))
    return found


@pytest.mark.parametrize(("n_wrong", "kept"), [(60, AND), (42, AND), (10, LONG)])
def test_a_shorter_network_is_kept_where_it_tells_rows_left_out_as_well(n_wrong, kept):
    assert better(*short_and_counting(n_wrong)).network == kept


@pytest.mark.parametrize(
    ("training", "n_wrong", "kept"),
    [
        (0.9, 15, MANY),
        (0.9, 25, MANY),
        (0.9, 32, AND),
        (1.0, 12, MANY),
        (1.0, 19, MANY),
        (1.0, 20, AND),
        (1.0, 25, AND),
    ],
)
def test_a_deep_network_is_kept_where_it_is_clearly_better_or_a_concept(training, n_wrong, kept):
    counting = counting_with(n_wrong)
    codes = counting.held_out.codes
    held_out = replace(counting.held_out, margins=np.where(np.arange(100) < 80, codes - 1, -codes)[:, np.newaxis])
    found = better(Found(AND, (0.5, training), (Choice(0.2, AND, training, 0.8),), held_out), counting)
    assert found.network == kept
    assert [choice.network for choice in found.choices] == [AND, MANY]


@pytest.mark.parametrize(("of_right_rows", "kept"), [(1, AND), (5, MANY)])
def test_a_concept_must_tell_rows_left_out_as_well_as_margins_do(of_right_rows, kept):
    codes, numbers = np.arange(400) % 2, np.arange(400)
    wrong = numbers % 10 < 2
    found = []
    for network, right in ((AND, 1), (MANY, of_right_rows)):
        sure = np.where(wrong, 1, right)
        margins = np.where(wrong == codes, -sure, sure - 1)[:, np.newaxis]
        held_out = HeldOut(margins, codes, np.ones(400, np.int64), numbers)
        found.append(Found(network, (0.5, 1.0), (Choice(0.2, network, 1.0, 0.8),), held_out))
    assert better(*found).network == kept


def test_networks_that_count_tell_something_where_they_beat_the_most_frequent_class():
    assert not tells(counting_with(50).held_out)
    assert not tells(counting_with(2).held_out)
    codes = np.array([0, 1] * 50)
    held_out = HeldOut(codes[:, np.newaxis] - 1, codes, np.ones(100, np.int64), np.arange(100))
    assert tells(held_out)


@pytest.mark.parametrize(("n_rare", "margin_of_rare", "expected"), [(40, -2, True), (40, -6, False), (400, -2, False)])
def test_margins_may_tell_a_rare_class_that_no_decision_does(n_rare, margin_of_rare, expected):
    codes = np.arange(1000) < n_rare
    margins = np.where(codes, margin_of_rare, -6) + np.arange(1000) % 2
    rows = HeldOut(margins[:, np.newaxis], codes.astype(np.int64), np.ones(1000, np.int64), np.arange(1000))
    assert not tells(rows)
    assert ranks(rows) == expected


@pytest.mark.parametrize("n_rows", [400, 1200])
@pytest.mark.parametrize("wrong", [0.0, 0.03])
def test_saying_never_of_a_rare_class_is_far_off(n_rows, wrong):
    rng = np.random.default_rng(0)
    rows = rng.random((n_rows, 8)) < 0.5
    target = rows[:, :5].all(axis=1) if not wrong else rng.random(n_rows) < wrong
    problem = Problem.of(bits.pack(np.ascontiguousarray(rows.T)), target, Relations.of(range(8), range(8)))
    start = FunctionStart(lambda seed: RandomInit().start(problem.relations, (8, 2), "and", seed))
    assert is_far_off(problem, start, 0, 1, None) == bool(wrong)


@pytest.mark.parametrize(
    ("n_rows", "training", "validation", "expected"),
    [
        (100, 1.0, 0.9, True),
        (100, 1.0, 0.82, True),
        (100, 1.0, 0.80, False),
        (100, 0.9, 0.9, False),
        (5, 1.0, 0.88, True),
        (5, 1.0, 0.84, False),
        (3, 1.0, 0.9, True),
        (3, 1.0, 0.88, False),
        (2, 1.0, 1.0, False),
    ],
)
def test_the_fewer_bits_a_network_takes_for_the_classes_the_more_folds_must_speak_against_it(
    n_rows, training, validation, expected
):
    held = np.arange(n_rows) % 4 == np.arange(2)[:, np.newaxis]
    problem = Problem.of(bits.pack(held), np.arange(n_rows) % 2 == 0, Relations.of([0, 1], [0, 1]))
    deep = Found(OR, (0.5, training), (Choice(0.2, OR, training, validation),))
    assert is_concept(problem, deep, counting_with(10)) == expected


def test_few_errors_and_few_edges_are_a_solution():
    rng = np.random.default_rng(0)
    rows = rng.random((500, 2)) < 0.5
    problem = Problem.of(bits.pack(np.ascontiguousarray(rows.T)), rows.all(axis=1), Relations.of([0, 1], [0, 1]))
    assert is_solved(problem, Found(AND, (0.5, 1.0)))
    assert not is_solved(problem, Found(OR, (0.5, problem.accuracy(OR))))


def test_a_time_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="max_time"):
        RuleNetworkClassifier(search=Auto(max_time=-1)).fit(*make_degree())


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_in_a_small_problem_weights_are_repetitions_and_rows_have_no_order(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_classes = int(rng.integers(2, 40)), int(rng.integers(2, 4))
    held, codes = rng.random((3, n_rows)) < 0.5, rng.integers(0, n_classes, n_rows)
    weights = rng.integers(1, 5, n_rows)
    weights[0] = 1  # the unit that they are multiples of
    rows = rng.permutation(np.repeat(np.arange(n_rows), weights))
    relations = Relations.of([0, 1, 2])
    weighted = Problem.of_classes(bits.pack(held), codes, n_classes, relations, weights.astype(float)).repeated(200)
    repeated = Problem.of_classes(bits.pack(held[:, rows]), codes[rows], n_classes, relations).repeated(200)
    for a, b in zip(weighted.rows, repeated.rows, strict=True):
        assert np.array_equal(a, b)
    assert np.array_equal(codes[weighted.numbers], weighted.codes)
    assert np.array_equal(np.bincount(weighted.numbers), weights)
    assert repeated.repeated(len(rows) - 1) is repeated
