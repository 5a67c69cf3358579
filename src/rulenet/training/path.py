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
    """How many proposals a walk may make, for how many seconds at most and until when; shared is only ``stop``."""

    def __init__(
        self, n_proposals: int, seconds: float | None, stop: NDArray[np.bool_], deadline: float | None = None
    ) -> None:
        self.n_proposals = n_proposals
        self.seconds = seconds
        self.stop = stop
        self.deadline = deadline

    def part(self, share: float) -> "Budget":
        """A ``share`` of this budget."""
        seconds = None if self.seconds is None else self.seconds * share
        return Budget(max(1, int(self.n_proposals * share)), seconds, self.stop, self.deadline)

    def cool(self, walker: Walker, hot: float, cold: float, price: float) -> None:
        """Let the walk cool from ``hot`` to ``cold`` within the budget."""
        if self.seconds is None:
            walker.anneal(self.n_proposals, hot, cold, price, self.stop)
            return
        begin = perf_counter()
        seconds = self.seconds if self.deadline is None else min(self.seconds, self.deadline - begin)
        n_done, done, n = 0, 0.0, FIRST_CHUNK
        while done < 1 and seconds > 0 and not self.stop[0]:
            n = min(n, self.n_proposals - n_done)
            after = min(1.0, done + max(n / self.n_proposals, done * n / max(n_done, 1)))
            walker.anneal(n, hot * (cold / hot) ** done, hot * (cold / hot) ** after, price, self.stop)
            n_done += n
            elapsed = perf_counter() - begin
            done = max(n_done / self.n_proposals, elapsed / seconds)
            # An eighth of the time, or what is left of it.
            n = max(1, int(n_done / elapsed * min(seconds / 8, seconds - elapsed))) if elapsed < seconds else 1


def follow_path(
    problem: Problem,
    start: Network,
    prices: Sequence[float],
    unit: float,
    seed: int,
    budget: Budget,
    moves: NDArray[np.float64] = USUAL_MOVES,
) -> list[Rung]:
    """The best network at each of the rising ``prices``; prices and temperatures are multiples of ``unit``."""
    walker = Walker.of(problem, start, seed, moves)
    budget.part(FIRST_SHARE if len(prices) > 1 else 1.0).cool(walker, HOT * unit, COLD * unit, prices[0] * unit)
    rungs = [_rung(walker, prices[0] * unit, budget)]
    rest = budget.part((1 - FIRST_SHARE) / max(len(prices) - 1, 1))
    for i, price in enumerate(prices[1:], start=1):
        walker = Walker.of(problem, rungs[-1].network, seed + i, moves)
        rest.cool(walker, max(SQUEEZE_HOT * price, 0.1) * unit, max(SQUEEZE_COLD * price, 0.03) * unit, price * unit)
        rungs.append(_rung(walker, price * unit, budget))
    return rungs


def _rung(walker: Walker, price: float, budget: Budget) -> Rung:
    pruned = Walker.of(walker.problem, walker.network(), 0)
    pruned.prune(price, budget.stop)
    return Rung(price, pruned.network(), pruned.errors)


def judge(rungs: Sequence[Rung], problem: Problem) -> list[Rung]:
    """The rungs with their errors on all rows of ``problem``; prices grow with the rows."""
    return [Rung(rung.price, rung.network, problem.errors(rung.network)) for rung in rungs]
