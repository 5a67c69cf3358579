"""Random numbers of the walks, from a state of one word."""

import bisect

import numpy as np
from numpy.typing import NDArray

from rulenet.compiled import part


@part
def next_word(random):
    """64 random bits, by Steele, Lea and Flood's splitmix64."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@part
def draw_below(random, n):
    """A random integer from 0 to n - 1."""
    return np.int64(((next_word(random) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@part
def share_of(word):
    """A number between 0 and 1 that 64 random bits stand for."""
    return (np.float64(word >> np.uint64(11)) + 0.5) / 9007199254740992.0


@part
def draw_bits(random):
    """A random integer of 53 bits: the larger it is, the larger is the share that the same word stands for."""
    return np.int64(next_word(random) >> np.uint64(11))


def first_bits(cumulative: NDArray[np.float64]) -> NDArray[np.int64]:
    """From which of `draw_bits` on a random share of the last number is not below each of these numbers."""
    total = cumulative[-1]
    first = [
        bisect.bisect_left(range(1 << 53), number, key=lambda bits: (bits + 0.5) / 9007199254740992.0 * total)
        for number in cumulative
    ]
    return np.array(first, dtype=np.int64)


@part
def draw_share(random):
    """A random number between 0 and 1, neither included."""
    return share_of(next_word(random))
