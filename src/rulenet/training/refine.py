"""From a large sample to all rows: a network walks on at low temperature on more and more of them."""

import numpy as np
from numpy.typing import NDArray

from rulenet import bits
from rulenet.training.enlarge import MAX_SEEN
from rulenet.training.path import Budget, Rung
from rulenet.training.problem import Problem
from rulenet.training.select import sample_rows
from rulenet.training.walk import Walker, seconds_of_proposal, work_of_proposal

# How many times more rows a stage has than the one before.
GROWTH = 8
LEAST_PROPOSALS, MOST_PROPOSALS = 2_000, 200_000
HOT, COLD = 1.0, 0.2


def refine(problem: Problem, rung: Rung, seconds: float, limited: bool, seed: int, stop: NDArray[np.bool_]) -> Rung:
    """The rung's network after walks on growing samples, the last one on all rows, and pruning there.

    That takes about so many ``seconds``, or, where ``limited``, no more.
    """
    network, stages = rung.network, _stages(problem.n_rows)
    for n_rows in stages:
        seen = (
            problem.take(sample_rows(np.arange(problem.n_rows), n_rows, seed)) if n_rows < problem.n_rows else problem
        )
        # Chance regularities that win a row or two in a small sample win more in a larger one, as its square root.
        scaled = rung.price * max(1.0, (n_rows / MAX_SEEN) ** 0.5)
        share = seconds / len(stages)
        each = (seconds_of_proposal if limited else work_of_proposal)(bits.n_words(n_rows))
        n = int(np.clip(share / each, LEAST_PROPOSALS, MOST_PROPOSALS))
        walker = Walker.of(seen, network, seed)
        Budget(n, share if limited else None, stop).cool(walker, HOT * scaled, COLD * scaled, scaled)
        network = walker.network()
        if stop[0]:
            break
    last = walker if walker.problem is problem else Walker.of(problem, network, seed)
    last.prune(scaled, stop)
    return min((rung, Rung(rung.price, last.network(), last.errors)), key=lambda r: r.errors)


def _stages(n_rows: int) -> list[int]:
    """Growing numbers of rows, up to all.

    >>> _stages(1_000_000)
    [262144, 1000000]
    """
    stages, n = [], GROWTH * MAX_SEEN
    while n < n_rows:
        stages.append(n)
        n *= GROWTH
    return [*stages, n_rows]
