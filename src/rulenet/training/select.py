"""Choosing among networks: folds, the price of an edge, and the length of a description."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import bits
from rulenet.network import Network
from rulenet.training.path import Rung
from rulenet.training.problem import Problem


def make_folds(problem: Problem, n_folds: int, seed: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(kept, left out) rows of every fold; the classes are spread evenly."""
    rng = RandomState(seed % 2**32)
    shuffled = rng.permutation(problem.n_rows)
    positive = bits.unpack(problem.target, problem.n_rows)
    ordered = shuffled[np.argsort(positive[shuffled], kind="stable")]
    for fold in range(n_folds):
        left_out = np.zeros(problem.n_rows, dtype=np.bool_)
        left_out[ordered[fold::n_folds]] = True
        yield np.flatnonzero(~left_out), np.flatnonzero(left_out)


def choose_price(
    folds: Sequence[Sequence[tuple[Sequence[Rung], Problem]]], n_prices: int
) -> tuple[int, list[float | None]]:
    """Which rung of the paths errs least on the rows left out, and the accuracy of every rung there.

    Of every fold the shortest description counts. A tie goes to the higher price, and so does a choice without folds.
    """
    if not folds:
        return n_prices - 1, [None] * n_prices
    errors = np.zeros(n_prices)
    total = sum(fold[0][1].total_weight for fold in folds)
    for fold in folds:
        for level in range(n_prices):
            rung, left_out = min(((path[level], rows) for path, rows in fold), key=lambda x: description_length(x[0]))
            errors[level] += left_out.errors(rung.network)
    return int(n_prices - 1 - errors[::-1].argmin()), [float(1 - e / total) for e in errors]


def description_length(rung: Rung) -> float:
    """Errors plus price times the edges that a formula shows."""
    return rung.errors + rung.price * count_shown_edges(rung.network)


def count_shown_edges(network: Network) -> int:
    """The edges of a network, those apart that lead to a unit with one input: it only passes its input on.

    >>> count_shown_edges(Network([[[1, 1, 0], [0, 0, 1]], [[1, 1]]]))
    4
    """
    fan_ins = [w.sum(axis=1) for w in network.weights]
    return int(sum(n[n > 1].sum() for n in fan_ins)) + int(fan_ins[-1][0] == 1)
