import numpy as np
import pytest

from rulenet import Network, bits
from rulenet.count.choose import choose_concept, choose_laws, choose_network
from rulenet.relations import Relations
from rulenet.search.problem import Problem
from rulenet.search.protocol import HeldOut


def rows_of(codes, n_classes=2):
    literals = bits.pack(np.ones((1, len(codes)), dtype=bool))
    return Problem.of_classes(literals, np.array(codes), n_classes, Relations.of([0], [0]))


def sure_of(codes, share):
    """A vote that gives the right class this share."""
    right = np.eye(2)[np.array(codes)]
    return share * right + (1 - share) * (1 - right)


@pytest.mark.parametrize(("shares", "chosen"), [((0.9, 0.6), (0,)), ((0.3, 0.8), (1,)), ((0.7, 0.7), (0,))])
def test_the_law_is_chosen_whose_vote_is_most_likely_on_rows_left_out(shares, chosen):
    codes = [0, 1, 1, 0, 1]
    assert choose_laws([[sure_of(codes, share) for share in shares]], [rows_of(codes)]) == chosen


def test_laws_that_err_on_different_rows_vote_together():
    codes = [0, 1, 0, 1]
    first, second = sure_of(codes, 0.99), sure_of(codes, 0.99)
    first[:2], second[2:] = 0.5 + 0.45 * (0.5 - np.eye(2)[[0, 1]]), 0.5 + 0.45 * (0.5 - np.eye(2)[[0, 1]])
    assert choose_laws([[first, second]], [rows_of(codes)]) == (0, 1)


def test_all_folds_have_a_say_in_the_law():
    codes = [0, 1, 1, 0]
    folds = [[sure_of(codes, 0.7), sure_of(codes, 0.8)], [sure_of(codes, 0.9), sure_of(codes, 0.2)]]
    assert choose_laws(folds, [rows_of(codes)] * 2) == (0,)


def held_out(n_wrong, n_rows=200):
    codes = np.arange(n_rows) % 2
    margins = np.where(codes == 1, 2, -3)
    margins[:n_wrong] = -1 - margins[:n_wrong]
    return HeldOut(margins[:, np.newaxis], codes, np.ones(n_rows, np.int64), np.arange(n_rows))


@pytest.mark.parametrize(
    ("wrong", "usual", "chosen"),
    [
        ((20, 20, 20), 1, 1),
        ((20, 20, 22), 1, 1),
        ((18, 20, 22), 1, 1),
        ((10, 20, 26), 1, 0),
        ((22, 20, 18), 1, 1),
        ((26, 20, 10), 1, 2),
        ((20, 60, 90), 2, 0),
    ],
)
def test_another_price_than_the_usual_one_must_be_clearly_better(wrong, usual, chosen):
    assert choose_network([held_out(n) for n in wrong], [30, 25, 20], usual) == chosen


@pytest.mark.parametrize(
    ("wrong", "sizes", "chosen"),
    [
        ((20, 20, 17), (30, 20, 16), 0),
        ((20, 20, 17), (30, 20, 15), 2),
        ((20, 17, 16), (60, 30, 15), 2),
        ((20, 20, 20), (60, 30, 15), 0),
        ((20, 20, 21), (60, 30, 15), 0),
        ((0, 0, 0), (60, 30, 15), 2),
        ((0, 0, 1), (60, 30, 15), 1),
        ((0, 0, 0), (20, 15, 15), 0),
    ],
)
def test_a_network_of_half_the_size_is_kept_if_it_errs_less_or_never(wrong, sizes, chosen):
    assert choose_network([held_out(n) for n in wrong], sizes, 0) == chosen


@pytest.mark.parametrize(
    ("n_rows", "wrong_left_out", "n_noisy", "kept"),
    [(200, 0, 0, 1), (200, 5, 0, 1), (200, 30, 0, 0), (200, 0, 20, 0), (10, 0, 0, 0)],
)
def test_a_small_network_that_says_all_classes_is_kept_unless_rows_left_out_surely_deny_it(
    n_rows, wrong_left_out, n_noisy, kept
):
    rng = np.random.default_rng(0)
    rows = rng.random((n_rows, 8)) < 0.5
    codes = (rows[:, 0] & rows[:, 1]).astype(np.int64)
    codes[:n_noisy] = 1 - codes[:n_noisy]
    problem = Problem.of_classes(bits.pack(rows.T.copy()), codes, 2, Relations.of(range(8), range(8)))
    small = Network([[[1, 1, 0, 0, 0, 0, 0, 0]]])
    large = Network([np.eye(8)[[0, 1, 2]], [[1, 1, 1]]])
    assert choose_concept(problem, [large, small], [held_out(0), held_out(wrong_left_out)], 0) == kept
