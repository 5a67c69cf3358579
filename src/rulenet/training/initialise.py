"""Random starts, after F. Beck and J. Fürnkranz, "An Empirical Investigation into Deep and Shallow Rule Learning",
Frontiers in Artificial Intelligence 4, 2021, section 3.2.

The random numbers are those of `numpy.random.RandomState`, drawn in the order of the published runs. Drawing them one
by one from Python would take most of the time of a fit, so the generator's raw words are fetched at once and read by
compiled code the way NumPy reads them.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rulenet.exceptions import ParameterError
from rulenet.network import Gate, Network


class RandomInit(BaseEstimator):  # type: ignore[misc]
    """A random network that is connected from the literals to the output.

    Parameters
    ----------
    avg_rule_length : float, default=2
        How many attributes a unit of an AND first layer reads on average, one random literal of each.
    init_prob : float, default=0.05
        The probability of every weight between, beside the one outgoing weight that each unit gets for sure.
        All weights of the output are set.
    """

    def __init__(self, avg_rule_length: float = 2, init_prob: float = 0.05) -> None:
        self.avg_rule_length = avg_rule_length
        self.init_prob = init_prob

    def start(
        self, groups: NDArray[np.int64], hidden_layer_sizes: Sequence[int], first_gate: Gate, seed: int
    ) -> Network:
        """A network over the literals that ``groups`` numbers; the same for the same ``seed``."""
        if not self.avg_rule_length >= 0:
            raise ParameterError(f"avg_rule_length is {self.avg_rule_length}, but must be at least 0")
        if not 0 <= self.init_prob <= 1:
            raise ParameterError(f"init_prob is {self.init_prob}, but must be between 0 and 1")
        sizes = [len(groups), *hidden_layer_sizes]
        bounds = np.searchsorted(groups[groups >= 0], np.arange(groups.max() + 2))
        siblings = np.flatnonzero(groups >= 0)
        words = _Words(seed)
        weights = []
        for i, (n_inputs, n_units) in enumerate(pairwise(sizes)):
            layer = np.zeros((n_units, n_inputs), dtype=np.bool_)
            if i == 0 and first_gate == "and":
                words.read(_fill_rules, layer, siblings, bounds, self.avg_rule_length / (len(bounds) - 1))
            else:
                words.read(_fill_layer, layer, self.init_prob)
            weights.append(layer)
        return Network([*weights, np.ones((1, sizes[-1]), dtype=np.bool_)], first_gate)


class _Words:
    """The raw 32-bit words of a RandomState, fetched as they are needed."""

    def __init__(self, seed: int) -> None:
        self._rng = RandomState(seed)
        self._words = np.empty(0, dtype=np.uint32)
        self._used = 0

    def read(self, fill, layer: NDArray[np.bool_], *args: object) -> None:  # type: ignore[no-untyped-def]
        """Let ``fill`` set weights of ``layer``; it starts over with more words where they run out."""
        while True:
            used = fill(self._words, self._used, layer, *args)
            if used >= 0:
                self._used = used
                return
            layer[:] = False
            more = self._rng.randint(0, 2**32, 4 * layer.size + 256, dtype=np.uint32)
            self._words = np.concatenate([self._words, more])


jit = njit(cache=True, nogil=True)


@jit
def _draw_unit(words, used):  # type: ignore[no-untyped-def]
    """``RandomState.random_sample()`` of the words from ``used`` on."""
    return ((words[used] >> 5) * 67108864.0 + (words[used + 1] >> 6)) / 9007199254740992.0


@jit
def _draw_below(words, used, n):  # type: ignore[no-untyped-def]
    """``RandomState.randint(n)`` and the place of the next word, or -1: masked words until one is below n."""
    if n == 1:
        return 0, used
    mask = n - 1
    for shift in (1, 2, 4, 8, 16):
        mask |= mask >> shift
    while used < words.size:
        value = np.int64(words[used]) & mask
        used += 1
        if value < n:
            return value, used
    return 0, -1


@jit
def _fill_rules(words, used, layer, siblings, bounds, probability):  # type: ignore[no-untyped-def]
    """Give each unit, with ``probability`` for each attribute, a random literal; the place after the last word."""
    for k in range(layer.shape[0]):
        for a in range(bounds.size - 1):
            if used + 2 > words.size:
                return -1
            chance, used = _draw_unit(words, used), used + 2
            if chance < probability:
                place, used = _draw_below(words, used, bounds[a + 1] - bounds[a])
                if used < 0:
                    return -1
                layer[k, siblings[bounds[a + 1] - 1 - place]] = True
    return used


@jit
def _fill_layer(words, used, layer, probability):  # type: ignore[no-untyped-def]
    """Connect each input to one random unit, and with ``probability`` to each; the place after the last word."""
    for j in range(layer.shape[1]):
        k, used = _draw_below(words, used, layer.shape[0])
        if used < 0 or used + 2 * layer.shape[0] > words.size:
            return -1
        layer[k, j] = True
        for unit in range(layer.shape[0]):
            layer[unit, j] |= _draw_unit(words, used) < probability
            used += 2
    return used
