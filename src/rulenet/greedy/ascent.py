"""Steepest ascent: the exact gains of all flips, shared by threads where there are many rows."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from rulenet import kernels
from rulenet.search.problem import Problem

# Below this many words a sweep takes less time than handing it to a thread.
MIN_WORDS_PER_THREAD = 512
NO_LIMIT = 1 << 62


def n_threads(n_jobs: int | None, n_words: int) -> int:
    """How many threads are worth using for ``n_words`` words of rows; None means one, -1 all cores."""
    most = n_words // MIN_WORDS_PER_THREAD
    return min(effective_n_jobs(n_jobs), most) if most > 1 else 1


def gains_of_flips(
    flat: kernels.Flat, problem: Problem, pool: ThreadPoolExecutor | None = None, n_parts: int = 1
) -> NDArray[np.int64]:
    """What flipping each weight wins; sums over disjoint rows, so the same however they are shared out."""
    gains = np.zeros((n_parts, flat.weights.size), dtype=np.int64)
    cuts = np.linspace(0, problem.target.size, n_parts + 1, dtype=np.int64).tolist()
    exclusive = problem.relations.exclusive
    parts = [(flat, problem.rows, exclusive, a, b, g) for (a, b), g in zip(pairwise(cuts), gains, strict=True)]
    if pool is None:
        for part in parts:
            kernels.add_gains(*part)
    else:
        list(pool.map(lambda part: kernels.add_gains(*part), parts))
    return np.asarray(gains.sum(axis=0))


def flip_limit(max_flips: int | None) -> int:
    """``max_flips`` as an integer."""
    return NO_LIMIT if max_flips is None else max_flips


def climb(
    flat: kernels.Flat, problem: Problem, max_flips: int | None = None, n_jobs: int | None = None, guided: bool = False
) -> int:
    """Take the best flip until none wins, or ``max_flips`` times; changes ``flat.weights``, returns the flips taken.

    A ``guided`` climb takes the best flip of the direction that the errors ask for, where one of these wins.
    """
    limit, exclusive = flip_limit(max_flips), problem.relations.exclusive
    n_parts = n_threads(n_jobs, problem.target.size)
    if n_parts == 1:
        return int(kernels.climb(flat, problem.rows, exclusive, limit, guided))
    n_flips = 0
    with ThreadPoolExecutor(n_parts) as pool:
        while n_flips < limit:
            gains = gains_of_flips(flat, problem, pool, n_parts)
            if guided:
                weight, gain = kernels.best_guided_flip(flat, problem.rows, exclusive, gains)
            else:
                weight, gain = kernels.best_flip(flat, gains)
            if gain <= 0:
                break
            kernels.flip(flat, exclusive, weight)
            n_flips += 1
    return n_flips
