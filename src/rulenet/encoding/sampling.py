"""Which rows stand for many: those whose numbers have the smallest hashes.

Whether a row is chosen depends on its number in the table alone, so the same rows are chosen whether a table comes
whole, in batches or in partitions, and rows chosen from parts can be merged: of k smallest hashes, each is among the k
smallest of its part. Unlike a sketch of quantiles, chosen rows keep their classes, and all their columns together.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

CHUNK = 1 << 20  # rows hashed at a time


def hash_rows(numbers: Numbers) -> NDArray[np.uint64]:
    """A hash of every number; different numbers have different hashes.

    The mixer is that of G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number generators", 2014.
    """
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def choose_among(numbers: Numbers, n_most: int) -> NDArray[np.int64]:
    """The places of at most ``n_most`` of the ``numbers``, in order.

    >>> choose_among(np.array([7, 8, 9]), 5)
    array([0, 1, 2])
    """
    if len(numbers) <= n_most:
        return np.arange(len(numbers))
    return np.sort(np.argpartition(hash_rows(numbers), n_most - 1)[:n_most])


def choose_rows(n_rows: int, n_most: int) -> Numbers:
    """At most ``n_most`` of the rows 0 to ``n_rows - 1``, in order."""
    chosen = np.arange(min(n_rows, n_most), dtype=np.int64)
    for start in range(len(chosen), n_rows, CHUNK):
        both = np.concatenate([chosen, np.arange(start, min(start + CHUNK, n_rows))])
        chosen = both[choose_among(both, n_most)]
    return chosen
