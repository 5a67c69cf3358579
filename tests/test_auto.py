import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulenet import Auto, Network, ParameterError, RuleNetworkClassifier, bits
from rulenet.auto import better, is_solved, tells
from rulenet.conditions import Relations
from rulenet.datasets import make_monk
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Found, HeldOut

AND, OR = Network([[[1, 1]]]), Network([[[1, 1]]], "or")
MANY = Network([[[1, 1]] * 4, [[1] * 4]])


def make_degree(n_rows=300, seed=0):
    """More than half of nine yes-or-no answers, every tenth label wrong."""
    rng = np.random.default_rng(seed)
    answers = rng.random((n_rows, 9)) < 0.5
    y = (answers.sum(axis=1) >= 5) ^ (rng.random(n_rows) < 0.1)
    return pd.DataFrame(np.where(answers, "yes", "no"), columns=[*"abcdefghi"]), y


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
    deep = Found(AND, (0.5, training), (Choice(0.2, AND, training, 0.8),))
    found = better(deep, counting_with(n_wrong))
    assert found.network == kept
    assert [choice.network for choice in found.choices] == [AND, MANY]


def test_networks_that_count_tell_something_where_they_beat_the_most_frequent_class():
    assert not tells(counting_with(50))
    assert not tells(counting_with(2))
    codes = np.array([0, 1] * 50)
    held_out = HeldOut(codes[:, np.newaxis] - 1, codes, np.ones(100, np.int64), np.arange(100))
    assert tells(Found(OR, (0.0, 1.0), (), held_out))


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
