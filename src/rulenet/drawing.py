"""Random numbers of the walks, from a state of one word."""

import numpy as np

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
def draw_share(random):
    """A random number between 0 and 1, neither included."""
    return (np.float64(next_word(random) >> np.uint64(11)) + 0.5) / 9007199254740992.0
