"""Rows to keep and rows to leave out."""

from collections.abc import Iterator

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet.search.problem import Problem

# Rows of every class that a sample has, if there are as many.
KEPT = 4


def make_folds(problem: Problem, n_folds: int, seed: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(kept, left out) rows of every fold; the classes are spread evenly."""
    rng = RandomState(seed % 2**32)
    shuffled = rng.permutation(problem.n_rows)
    ordered = shuffled[np.argsort(problem.codes[shuffled], kind="stable")]
    for fold in range(n_folds):
        left_out = np.zeros(problem.n_rows, dtype=np.bool_)
        left_out[ordered[fold::n_folds]] = True
        yield np.flatnonzero(~left_out), np.flatnonzero(left_out)


def sample_rows(
    rows: NDArray[np.int64], n_most: int, seed: int, codes: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """At most ``n_most`` random ones of the ``rows``, in order.

    With ``codes``, the classes of the rows, rows of rare classes are among them: `KEPT` of each, or all there are.
    """
    if len(rows) <= n_most:
        return rows
    chosen = RandomState(seed % 2**32).choice(len(rows), n_most, replace=False)
    if codes is not None:
        chosen = _with_rare(chosen, codes, seed)
    return np.asarray(rows[np.sort(chosen)])


def _with_rare(chosen: NDArray[np.int64], codes: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """The chosen rows, some of the most frequent class replaced where a class would have fewer than `KEPT`."""
    have, there = (np.bincount(x, minlength=codes.max() + 1) for x in (codes[chosen], codes))
    wanted = np.minimum(there, KEPT) - have
    if (wanted <= 0).all():
        return chosen
    rng, taken = RandomState((seed + 1) % 2**32), np.zeros(len(codes), np.bool_)
    taken[chosen] = True
    more = [
        rng.choice(np.flatnonzero((codes == k) & ~taken), wanted[k], replace=False) for k in np.flatnonzero(wanted > 0)
    ]
    spare = np.flatnonzero(codes[chosen] == have.argmax())
    added = np.concatenate(more)[: len(spare)]
    return np.concatenate([np.delete(chosen, spare[: len(added)]), added])


def draw_seed(seed: int, number: int) -> int:
    """The seed of a walk of some number."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)[0])
