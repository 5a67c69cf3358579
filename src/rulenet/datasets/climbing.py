"""The paper's search on a handful of rows, in plain NumPy: `Greedy` without kernels to compile."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulenet.network import Network

# The weights of a layer, (n_inputs, n_units), and of rows what they are multiplied with.
Layer = NDArray[np.float32]


def climb(network: Network, owner: NDArray[np.int64], rows: NDArray[np.bool_], target: NDArray[np.bool_]) -> Network:
    """Take the flip that rights most rows until none does; of equals the first, in the order of `kernels.best_flip`.

    ``rows`` are those of literals, of which those of one ``owner`` exclude each other. Layer 0 has ANDs.
    """
    layers: list[Layer] = [weights.T.astype(np.float32) for weights in network.weights]
    fires = target ^ bool(len(layers) % 2)
    while True:
        signals = [rows.astype(np.float32)]
        for layer in layers:
            signals.append(_fire((1 - signals[-1]) @ layer))
        n_right = [_count_right(layers, signals, k, owner, fires) for k in range(len(layers))]
        k = int(np.argmax([count.max() for count in n_right]))
        if n_right[k].max() <= (signals[-1][:, 0] == fires).sum():
            return Network([layer.T > 0 for layer in layers])
        order = n_right[k].T if k == 0 else n_right[k]  # the first layer unit by unit, others input by input
        place = divmod(int(order.argmax()), order.shape[1])
        source, unit = place[::-1] if k == 0 else place
        _flip(layers, k, source, unit, owner)


def _fire(n_unset: Layer) -> Layer:
    """A unit fires where any input that it reads is not set: both gates are one operation."""
    return (n_unset > 0).astype(np.float32)


def _count_right(
    layers: Sequence[Layer], signals: Sequence[Layer], k: int, owner: NDArray[np.int64], fires: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """How many rows are right after each flip of layer k, (n_inputs, n_units)."""
    layer, unset = layers[k], 1 - signals[k]
    adds = 1 - 2 * layer
    if k == 0:  # what is added takes the place of what it excludes
        others = (owner[:, np.newaxis] == owner) & ~np.eye(len(owner), dtype=np.bool_)
        dropped = np.einsum("ro,so,ou->rsu", unset, others.astype(np.float32), layer) * (layer == 0)
    else:
        dropped = np.zeros((len(unset), *layer.shape), np.float32)
    changed = _fire((unset @ layer)[:, np.newaxis] + unset[:, :, np.newaxis] * adds - dropped)
    n_rows, n_inputs, n_units = changed.shape
    now = np.broadcast_to(signals[k + 1][:, np.newaxis, np.newaxis], (n_rows, n_inputs, n_units, n_units)).copy()
    now[:, :, np.arange(n_units), np.arange(n_units)] = changed
    for above in layers[k + 1 :]:
        now = _fire((1 - now) @ above)
    return np.asarray((now[..., 0] == fires[:, np.newaxis, np.newaxis]).sum(axis=0))


def _flip(layers: Sequence[Layer], k: int, source: int, unit: int, owner: NDArray[np.int64]) -> None:
    adds = not layers[k][source, unit]
    if adds and k == 0:
        layers[0][owner == owner[source], unit] = 0
    layers[k][source, unit] = adds
