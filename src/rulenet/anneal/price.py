"""Networks at a price, and the choice of the price of an edge by rows left out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rulenet.anneal.schedule import SCHEDULE, Schedule
from rulenet.network import Network
from rulenet.search.problem import Problem


@dataclass(frozen=True, slots=True)
class Candidate:
    """The best network that a path found at one price of an edge, and its errors on the rows it is judged by."""

    price: float
    network: Network
    errors: int

    @property
    def cost(self) -> float:
        """Errors plus price times size: the length of a description of the rows."""
        return self.errors + self.price * self.network.size


Path = list[Candidate]


@dataclass(frozen=True)
class Paths:
    """Networks to choose from: paths over rising ``prices``, judged on all rows, and paths with rows held out."""

    prices: tuple[float, ...]
    usual: float
    full: list[Path]
    folds: list[tuple[Path, Problem]]


def judge(path: Sequence[Candidate], problem: Problem) -> Path:
    """The candidates with their errors on all rows of ``problem``; prices grow with the rows."""
    return [Candidate(found.price, found.network, problem.errors(found.network)) for found in path]


def choose_price(
    prices: Sequence[float],
    folds: Sequence[tuple[Sequence[Candidate], Problem]],
    usual: float,
    schedule: Schedule = SCHEDULE,
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
    row_weight = sum(left_out.row_weight * left_out.total_weight for _, left_out in folds) / total
    best = int(len(prices) - 1 - errors[::-1].argmin())
    if errors[start] - errors[best] <= np.sqrt(errors[start] * row_weight * schedule.caution):
        best = start
    return best, [float(1 - e / total) for e in errors]


def end_at(prices: tuple[float, ...], last: float) -> tuple[float, ...]:
    """The prices below the ``last`` one, and that.

    >>> end_at((0.2, 0.5, 1.0), 0.7)
    (0.2, 0.5, 0.7)
    """
    return (*(price for price in prices if price < last), last)
