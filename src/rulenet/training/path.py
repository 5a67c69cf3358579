"""A restart of `Anneal`: one walk that cools at the lowest price of an edge, then follows the price upwards.

Annealed directly at a high price, networks collapse to a few edges: every useful unit needs several edges before it
pays. Found at a low price and then squeezed while the price rises, they keep what pays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from rulenet.network import Network
from rulenet.training.problem import Problem
from rulenet.training.walk import USUAL_MOVES, Walker

HOT, COLD = 0.6, 0.05
# Temperatures on the way up, in units of the price.
SQUEEZE_HOT, SQUEEZE_COLD = 0.4, 0.15
# The share of the proposals that the first price gets; the others share the rest.
FIRST_SHARE = 0.5
# Proposals before the speed is known.
FIRST_CHUNK = 1 << 10


@dataclass(frozen=True, slots=True)
class Rung:
    """The best network that a path found at one price: its errors on the path's rows, and its edges."""

    price: float
    network: Network
    errors: int


class Budget:
    """How many proposals a walk may make, and for how long; ``stop``, shared by all, ends it at once."""

    def __init__(self, n_proposals: int, seconds: float | None, stop: NDArray[np.bool_]) -> None:
        self.n_proposals = n_proposals
        self.seconds = seconds
        self.stop = stop

    @classmethod
    def until(cls, n_proposals: int, deadline: float | None, stop: NDArray[np.bool_]) -> "Budget":
        """A budget that ends at ``deadline``, if there is one."""
        return cls(n_proposals, None if deadline is None else max(0.0, deadline - perf_counter()), stop)

    def part(self, share: float = 1.0, share_of_proposals: float = 1.0, n_turns: int = 1) -> "Budget":
        """What one of ``n_turns`` successive walks may take of a share of the time, and of the proposals of a walk."""
        seconds = None if self.seconds is None else self.seconds * share / n_turns
        return Budget(max(1, int(self.n_proposals * share_of_proposals)), seconds, self.stop)

    @property
    def spent(self) -> bool:
        """Whether there is nothing left."""
        return bool(self.stop[0]) or (self.seconds is not None and self.seconds <= 0)

    def cool(self, walker: Walker, hot: float, cold: float, price: float) -> None:
        """Let the walk cool from ``hot`` to ``cold`` within the budget."""
        if self.seconds is None:
            walker.anneal(self.n_proposals, hot, cold, price, self.stop)
            return
        begin, seconds = perf_counter(), self.seconds
        n_done, done, n = 0, 0.0, FIRST_CHUNK
        while done < 1 and not self.spent:
            n = min(n, self.n_proposals - n_done)
            after = min(1.0, done + max(n / self.n_proposals, done * n / max(n_done, 1)))
            walker.anneal(n, hot * (cold / hot) ** done, hot * (cold / hot) ** after, price, self.stop)
            n_done += n
            elapsed = perf_counter() - begin
            done = max(n_done / self.n_proposals, elapsed / seconds)
            # An eighth of the time, or what is left of it.
            n = max(1, int(n_done / elapsed * min(seconds / 8, seconds - elapsed))) if elapsed < seconds else 1


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
    unit: float,
    seed: int,
    budget: Budget,
    moves: NDArray[np.float64] = USUAL_MOVES,
    skipped: int = 0,
    temperatures: tuple[float, float] = (HOT, COLD),
) -> list[Rung]:
    """The best network at each of the rising ``prices``; prices and temperatures are multiples of ``unit``.

    ``temperatures`` are those between which the walk cools at its first price. For the lowest prices, of which so many
    are ``skipped``, the first network found stands as well, and the last one for the highest where the time runs out.
    """
    deadline = None if budget.seconds is None else perf_counter() + budget.seconds
    walker = Walker.of(problem, start, seed, moves)
    rungs: list[Rung] = []
    skipped = min(skipped, len(prices) - 1)
    n_prices = len(prices) - skipped
    for i, price in enumerate(prices[skipped:]):
        share = share_of_rung(i, n_prices)
        left = Budget.until(int(budget.n_proposals * share), deadline, budget.stop)
        if rungs and left.spent:
            rungs.append(Rung(price * unit, rungs[-1].network, rungs[-1].errors))
            continue
        if left.seconds is not None:
            left.seconds *= share / sum(share_of_rung(k, n_prices) for k in range(i, n_prices))
        hot, cold = temperatures if i == 0 else (max(SQUEEZE_HOT * price, 0.1), max(SQUEEZE_COLD * price, 0.03))
        left.cool(walker, hot * unit, cold * unit, price * unit)
        walker.prune(price * unit, budget.stop)
        rungs.append(Rung(price * unit, walker.network(), walker.errors))
    return [Rung(price * unit, rungs[0].network, rungs[0].errors) for price in prices[:skipped]] + rungs


def share_of_rung(i: int, n_prices: int) -> float:
    """The share of a budget that the i-th price gets.

    >>> [share_of_rung(i, 6) for i in range(6)]
    [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]
    """
    if n_prices == 1:
        return 1.0
    return FIRST_SHARE if i == 0 else (1 - FIRST_SHARE) / (n_prices - 1)


def judge(rungs: Sequence[Rung], problem: Problem) -> list[Rung]:
    """The rungs with their errors on all rows of ``problem``; prices grow with the rows."""
    return [Rung(rung.price, rung.network, problem.errors(rung.network)) for rung in rungs]
