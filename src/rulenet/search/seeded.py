"""The random numbers of NumPy's RandomState, with which the published runs were made."""

import threading

from numpy.random import RandomState

_own = threading.local()


def seeded(seed: int) -> RandomState:
    """The generator of a seed, good until this thread asks for the next: to make one takes 130 µs, to seed it again 2.

    >>> bool(seeded(7).random_sample() == RandomState(7).random_sample())
    True
    """
    if not hasattr(_own, "generator"):
        _own.generator = RandomState()
    generator: RandomState = _own.generator
    generator.seed(seed)
    return generator
