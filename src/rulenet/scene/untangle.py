"""An order of the nodes in every layer with few crossings.

K. Sugiyama, S. Tagawa and M. Toda, "Methods for visual understanding of hierarchical system structures", IEEE Trans.
SMC 11(2), 1981: each layer is sorted by the barycentre of its neighbours.
"""

from collections import defaultdict

import numpy as np

SWEEPS = 24

Layers = list[list[int]]
Pairs = list[tuple[int, int]]


def untangled(layers: Layers, links: Pairs) -> Layers:
    """The layers in an order with few crossings: sweeps up and down, the best kept.

    >>> untangled([[0, 1], [2, 3]], [(0, 3), (1, 2)])
    [[0, 1], [3, 2]]
    """
    layers = [list(x) for x in layers]
    below, above = defaultdict(list), defaultdict(list)
    for a, b in links:
        below[b].append(a)
        above[a].append(b)
    best, fewest = [list(x) for x in layers], crossings(layers, links)
    for sweep in range(SWEEPS):
        upward = sweep % 2 == 0
        for d in range(1, len(layers)) if upward else range(len(layers) - 2, -1, -1):
            neighbour = layers[d - 1] if upward else layers[d + 1]
            place = {n: i / max(len(neighbour) - 1, 1) for i, n in enumerate(neighbour)}
            own = {n: i / max(len(layers[d]) - 1, 1) for i, n in enumerate(layers[d])}
            near = below if upward else above
            layers[d] = sorted(layers[d], key=lambda n: (_mean([place[m] for m in near[n]], own[n]), own[n]))
        if (found := crossings(layers, links)) < fewest:
            best, fewest = [list(x) for x in layers], found
    return best


def crossings(layers: Layers, links: Pairs) -> int:
    """How many pairs of links cross; each leads from one layer to the next."""
    place = {n: i for layer in layers for i, n in enumerate(layer)}
    level = {n: d for d, layer in enumerate(layers) for n in layer}
    by_layer: dict[int, Pairs] = defaultdict(list)
    for a, b in links:
        by_layer[level[a]].append((place[a], place[b]))
    return sum(map(_inversions, by_layer.values()))


def _mean(places: list[float], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise


def _inversions(pairs: Pairs) -> int:
    array = np.array(sorted(pairs))
    starts, ends = array[:, 0], array[:, 1]
    return int(sum(((ends[:i] > ends[i]) & (starts[:i] < starts[i])).sum() for i in range(1, len(array))))
