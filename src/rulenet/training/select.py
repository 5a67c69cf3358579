"""Choosing among networks: folds, the price of an edge, and the length of a description."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import bits
from rulenet.network import Network
from rulenet.training.path import Rung
from rulenet.training.problem import Problem

# The share of a variance that a better count of errors must exceed. Two paths share the rows of a fold.
CAUTION = 0.5


@dataclass(frozen=True)
class Candidates:
    """Networks to choose from: paths over rising ``prices``, judged on all rows, and paths with rows held out."""

    prices: tuple[float, ...]
    usual: float
    full: list[list[Rung]]
    folds: list[tuple[list[Rung], Problem]]


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


def sample_rows(rows: NDArray[np.int64], n_most: int, seed: int) -> NDArray[np.int64]:
    """At most ``n_most`` random ones of the ``rows``, in order."""
    if len(rows) <= n_most:
        return rows
    return np.asarray(rows[np.sort(RandomState(seed % 2**32).choice(len(rows), n_most, replace=False))])


def choose_price(
    prices: Sequence[float], folds: Sequence[tuple[Sequence[Rung], Problem]], usual: float
) -> tuple[int, list[float | None]]:
    """Which of the ``prices`` to take, and the accuracy of every price on the rows left out.

    That is the price with the fewest errors on rows left out, the highest one in a tie; but the ``usual`` price
    where that errs no more by a standard error of its count. Without folds, it is the usual price.
    """
    start = min(range(len(prices)), key=lambda i: abs(prices[i] - usual))
    if not folds:
        return start, [None] * len(prices)
    total = sum(left_out.total_weight for _, left_out in folds)
    errors = np.array([sum(rows.errors(path[i].network) for path, rows in folds) for i in range(len(prices))])
    unit = total / sum(left_out.n_rows for _, left_out in folds)
    best = int(len(prices) - 1 - errors[::-1].argmin())
    if errors[start] - errors[best] <= np.sqrt(errors[start] * unit * CAUTION):
        best = start
    return best, [float(1 - e / total) for e in errors]


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
