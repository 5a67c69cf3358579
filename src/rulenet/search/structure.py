"""Structure that adapts: layers that make room for what a search may need, and shed what it did not use."""

import numpy as np

from rulenet.network import Network


def trim(network: Network) -> Network:
    """The network without units that nothing above reads; one unit stays in every layer.

    >>> trim(Network([[[1, 0], [0, 1], [1, 1]], [[0, 1, 0]]]))
    Network(2 -> 1, 'and' first, 2 edges)
    """
    weights, needs = list(network.weights), list(network.needs)
    for layer in range(len(weights) - 1, 0, -1):
        read = np.flatnonzero(weights[layer].any(axis=0))
        read = read if read.size else np.array([0])
        weights[layer], weights[layer - 1] = weights[layer][:, read], weights[layer - 1][read]
        needs[layer - 1] = needs[layer - 1][read]
    return Network(weights, network.first_gate, needs)


def widen(network: Network, n_spare: int) -> Network:
    """The network with ``n_spare`` more units in every hidden layer, which read nothing and are not read.

    >>> widen(Network([[[1, 0]], [[1]]]), 3)
    Network(2 -> 4, 'and' first, 2 edges)
    """
    weights, needs = [], []
    for layer, (w, need) in enumerate(zip(network.weights, network.needs, strict=True)):
        n_above = 0 if layer == len(network.weights) - 1 else n_spare
        weights.append(np.pad(w, ((0, n_above), (0, 0 if layer == 0 else n_spare))))
        needs.append(np.pad(need, (0, n_above), constant_values=1))
    return Network(weights, network.first_gate, needs)
