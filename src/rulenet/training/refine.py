"""From a sample to all rows: a network found on few rows walks on at low temperature on more and more of them."""

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.training.path import Budget, Rung
from rulenet.training.problem import Problem
from rulenet.training.select import sample_rows
from rulenet.training.walk import Walker, seconds_of_proposal

GROWTH = 8
FIRST_ROWS = 1 << 15
LEAST_PROPOSALS, MOST_PROPOSALS = 2_000, 200_000
HOT, COLD = 1.0, 0.2


def refine(problem: Problem, rung: Rung, seconds: float, seed: int, stop: NDArray[np.bool_]) -> Rung:
    """The rung's network after walks on growing samples, the last one on all rows, and pruning there."""
    network, price, n_rows = rung.network, rung.price, min(FIRST_ROWS, problem.n_rows)
    while True:
        seen = problem.take(sample_rows(np.arange(problem.n_rows), n_rows, seed))
        # Chance regularities that win a row or two in a small sample win more in a larger one, as its square root.
        scaled = price * max(1.0, (n_rows / (1 << 12)) ** 0.5)
        n = int(np.clip(seconds / seconds_of_proposal(bits.n_words(n_rows)), LEAST_PROPOSALS, MOST_PROPOSALS))
        walker = Walker.of(seen, network, seed)
        Budget(n, None, stop).cool(walker, HOT * scaled, COLD * scaled, scaled)
        if n_rows == problem.n_rows or stop[0]:
            break
        network, n_rows = walker.network(), min(n_rows * GROWTH, problem.n_rows)
    last = Walker.of(problem, walker.network(), seed)
    last.prune(scaled, stop)
    return min((rung, Rung(price, last.network(), last.errors)), key=lambda r: r.errors)
