"""Structure that adapts: layers that make room for what a search may need, and shed what it did not use."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import NetworkError
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


def side_by_side(networks: Sequence[Network]) -> Network:
    """One network with the outputs of all, which read the same literals and have as many layers of the same gates.

    >>> side_by_side([Network([[[1, 0]], [[1]]]), Network([[[1, 1], [0, 1]], [[1, 1]]], needs=[[1, 1], [2]])])
    Network(2 -> 3, 'and' first, 7 edges, 1 counting, 2 outputs)
    """
    shapes = {(network.n_literals, network.gates) for network in networks}
    if len(shapes) != 1:
        found = "; ".join(f"{n} literals, {' - '.join(gates)}" for n, gates in sorted(shapes))
        raise NetworkError(f"networks that stand side by side have the same literals and gates, but these have {found}")
    first, *rest = zip(*(network.weights for network in networks), strict=True)
    weights = [np.vstack(first), *(_diagonal(layer) for layer in rest)]
    needs = [np.concatenate(layer) for layer in zip(*(network.needs for network in networks), strict=True)]
    return Network(weights, networks[0].first_gate, needs)


def _diagonal(blocks: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    heights, widths = ([0, *accumulate(block.shape[axis] for block in blocks)] for axis in (0, 1))
    joined = np.zeros((heights[-1], widths[-1]), dtype=np.bool_)
    for k, block in enumerate(blocks):
        joined[heights[k] : heights[k + 1], widths[k] : widths[k + 1]] = block
    return joined


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
