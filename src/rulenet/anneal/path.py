"""One path: a walk that cools at the lowest price of an edge, then follows the price upwards.

Annealed directly at a high price, networks collapse to a few edges: every useful unit needs several edges before it
pays. Found at a low price and then squeezed while the price rises, they keep what pays.
"""

from collections.abc import Sequence
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from rulenet.anneal.price import Candidate, Path
from rulenet.anneal.schedule import SCHEDULE, Schedule
from rulenet.anneal.walk import USUAL_MOVES, Walker
from rulenet.network import Network
from rulenet.search.budget import Budget
from rulenet.search.problem import Problem


def walk_on(
    problem: Problem, start: Network, seed: int, budget: Budget, hot: float, cold: float, price: float
) -> Walker:
    """A walk from ``start`` that cooled at one price and was pruned at its end."""
    walker = Walker.of(problem, start, seed)
    budget.cool(walker, hot, cold, price)
    walker.prune(price, budget.stop)
    return walker


def follow_path(
    problem: Problem,
    start: Network,
    prices: Sequence[float],
    row_weight: float,
    seed: int,
    budget: Budget,
    moves: NDArray[np.float64] = USUAL_MOVES,
    skipped: int = 0,
    temperatures: tuple[float, float] | None = None,
    schedule: Schedule = SCHEDULE,
) -> Path:
    """The best network at each of the rising ``prices``; prices and temperatures are multiples of ``row_weight``.

    ``temperatures`` are those between which the walk cools at its first price. For the lowest prices, of which so many
    are ``skipped``, the first network found stands as well, and the last one for the highest where the time runs out.
    """
    deadline = None if budget.seconds is None else perf_counter() + budget.seconds
    walker = Walker.of(problem, start, seed, moves)
    path: Path = []
    skipped = min(skipped, len(prices) - 1)
    n_prices = len(prices) - skipped
    for i, price in enumerate(prices[skipped:]):
        share = share_of_price(i, n_prices, schedule)
        left = Budget.until(int(budget.n_proposals * share), deadline, budget.stop)
        if path and left.spent:
            path.append(Candidate(price * row_weight, path[-1].network, path[-1].errors))
            continue
        if left.seconds is not None:
            left.seconds *= share / sum(share_of_price(k, n_prices, schedule) for k in range(i, n_prices))
        hot, cold = temperatures_at(price, schedule) if i else temperatures or (schedule.hot, schedule.cold)
        left.cool(walker, hot * row_weight, cold * row_weight, price * row_weight)
        walker.prune(price * row_weight, budget.stop)
        path.append(Candidate(price * row_weight, walker.network(), walker.errors))
    return [Candidate(price * row_weight, path[0].network, path[0].errors) for price in prices[:skipped]] + path


def temperatures_at(price: float, schedule: Schedule = SCHEDULE) -> tuple[float, float]:
    """The temperatures between which a walk cools at a later price.

    >>> temperatures_at(0.1), temperatures_at(2.0)
    ((0.1, 0.03), (0.8, 0.3))
    """
    hot, cold = schedule.squeeze_hot * price, schedule.squeeze_cold * price
    return max(hot, schedule.least_squeeze_hot), max(cold, schedule.least_squeeze_cold)


def share_of_price(i: int, n_prices: int, schedule: Schedule = SCHEDULE) -> float:
    """The share of a budget that the i-th price gets.

    >>> [share_of_price(i, 6) for i in range(6)]
    [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]
    """
    if n_prices == 1:
        return 1.0
    return schedule.first_share if i == 0 else (1 - schedule.first_share) / (n_prices - 1)
