"""Structure that adapts: layers that make room for what a search may need, and shed what it did not use."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from rulenet.exceptions import NetworkError
from rulenet.network import Gate, Network


def trim(network: Network) -> Network:
    """The network without units that nothing above reads; one unit stays in every layer.

    >>> trim(Network([[[1, 0], [0, 1], [1, 1]], [[0, 1, 0]]]))
    Network(2 -> 1, 'and' first, size 1)
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
    Network(2 -> 3, 'and' first, size 6, 1 counting, 2 outputs)
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
    Network(2 -> 4, 'and' first, size 1)
    """
    weights, needs = [], []
    for layer, (w, need) in enumerate(zip(network.weights, network.needs, strict=True)):
        n_above = 0 if layer == len(network.weights) - 1 else n_spare
        weights.append(np.pad(w, ((0, n_above), (0, 0 if layer == 0 else n_spare))))
        needs.append(np.pad(need, (0, n_above), constant_values=1))
    return Network(weights, network.first_gate, needs)


def aligned(networks: Sequence[Network]) -> list[Network]:
    """The networks with as many layers each, of the same gates, the last ones OR; units of one input pass things on.

    >>> aligned([Network([[[1, 0]], [[1]]]), Network([[[1, 1]]])])
    [Network(2 -> 1, 'and' first, size 1), Network(2 -> 1, 'and' first, size 3)]
    """
    ending = [network if network.gates[-1] == "or" else _with_output(network) for network in networks]
    depth = max(len(network.weights) for network in ending)
    return [_deepened(network, depth) for network in ending]


def _with_output(network: Network) -> Network:
    """The network with one more layer, which passes the outputs on."""
    n = network.n_outputs
    return Network([*network.weights, np.eye(n)], network.first_gate, [*network.needs, np.ones(n, np.int64)])


def _deepened(network: Network, depth: int) -> Network:
    """The network with so many layers; the first ones pass the literals on that are read."""
    while len(network.weights) < depth:
        read = np.flatnonzero(network.weights[0].any(axis=0))
        read = read if read.size else np.array([0])
        weights = [np.eye(network.n_literals)[read], network.weights[0][:, read], *network.weights[1:]]
        other: Gate = "or" if network.first_gate == "and" else "and"
        network = Network(weights, other, [np.ones(len(read), np.int64), *network.needs])
    return network


def merge(network: Network) -> Network:
    """The network, of units that do not count, with hidden units that read the same said once.

    >>> merge(Network([[[1, 1, 0], [1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 1]]]))
    Network(3 -> 2, 'and' first, size 5, 2 outputs)
    """
    weights = list(network.weights)
    for layer in range(len(weights) - 1):
        weights[layer], of_unit = np.unique(weights[layer], axis=0, return_inverse=True)
        above = np.zeros((len(weights[layer + 1]), len(weights[layer])), dtype=np.bool_)
        for unit, same in enumerate(of_unit.ravel()):
            above[:, same] |= weights[layer + 1][:, unit]
        weights[layer + 1] = above
    return Network(weights, network.first_gate)
