"""The compiled loops of `RandomInit`, which read raw words of `numpy.random.RandomState` the way NumPy reads them."""

import numpy as np

from rulenet.compiled import lean, part


@part
def draw_share(words, used):
    """``RandomState.random_sample()`` of the words from ``used`` on."""
    return ((words[used] >> 5) * 67108864.0 + (words[used + 1] >> 6)) / 9007199254740992.0


@part
def draw_below(words, used, n):
    """``RandomState.randint(n)`` and the place of the next word, or -1: masked words until one is below n."""
    if n == 1:
        return 0, used
    mask, shift = n - 1, 1
    while shift < 32:
        mask |= mask >> shift
        shift *= 2
    while used < words.size:
        value = np.int64(words[used]) & mask
        used += 1
        if value < n:
            return value, used
    return 0, -1


@lean
def fill_rules(words, used, layer, literals, bounds, probability):
    """Give each unit, with ``probability`` for each attribute, a random literal; the place after the last word.

    Those of attribute a are ``literals[bounds[a]:bounds[a + 1]]``, of which the last one is the first in the draw.
    """
    for k in range(layer.shape[0]):
        for a in range(bounds.size - 1):
            if used + 2 > words.size:
                return -1
            chance, used = draw_share(words, used), used + 2
            if chance < probability:
                place, used = draw_below(words, used, bounds[a + 1] - bounds[a])
                if used < 0:
                    return -1
                layer[k, literals[bounds[a + 1] - 1 - place]] = True
    return used


@lean
def fill_layer(words, used, layer, probability):
    """Connect each input to one random unit, and with ``probability`` to each; the place after the last word."""
    for j in range(layer.shape[1]):
        k, used = draw_below(words, used, layer.shape[0])
        if used < 0 or used + 2 * layer.shape[0] > words.size:
            return -1
        layer[k, j] = True
        for unit in range(layer.shape[0]):
            layer[unit, j] |= draw_share(words, used) < probability
            used += 2
    return used
