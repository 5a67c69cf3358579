"""The greedy algorithm without the idea: every flip evaluates the whole network again. Lean NumPy.

A layer is one matrix product: with s the signals a layer receives (complemented so that both gates are the same
operation), a unit fires where any selected input is not s.
"""

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import Network

Rows = NDArray[np.float32]


def evaluate(weights: list[Rows], signals: Rows) -> NDArray[np.bool_]:
    for layer in weights:
        signals = ((1 - signals) @ layer > 0).astype(np.float32)
    return signals[:, 0] > 0


def flip(weights: list[Rows], exclusive: NDArray[np.int64], layer: int, source: int, unit: int) -> NDArray[np.float32]:
    """Flip one weight of an AND-first network; returns the column as it was."""
    column = weights[layer][:, unit].copy()
    adds = not column[source]
    if adds and layer == 0:
        weights[0][exclusive == exclusive[source], unit] = 0
    weights[layer][source, unit] = adds
    return column


def climb(weights: list[Rows], exclusive: NDArray[np.int64], signals: Rows, fires: NDArray[np.bool_]) -> int:
    """Take the best flip until none wins; returns how many flips were evaluated."""
    places = [(0, j, k) for k in range(weights[0].shape[1]) for j in range(weights[0].shape[0])]
    places += [(i, j, k) for i in range(1, len(weights)) for j, k in np.ndindex(*weights[i].shape)]
    n_evaluated = 0
    correct = (evaluate(weights, signals) == fires).sum()
    while True:
        best = None
        for layer, source, unit in places:
            column = flip(weights, exclusive, layer, source, unit)
            now = (evaluate(weights, signals) == fires).sum()
            weights[layer][:, unit] = column
            if now > correct:
                best, correct = (layer, source, unit), now
        n_evaluated += len(places)
        if best is None:
            return n_evaluated
        flip(weights, exclusive, *best)


def fit(
    network: Network, exclusive: NDArray[np.int64], rows: NDArray[np.bool_], target: NDArray[np.bool_], seed: int
) -> tuple[Network, int]:
    """Five epochs of mini-batches of 50 and a last run on all rows, as the published tables were made.

    Returns the network and the number of flips evaluated; for networks with an AND first and an OR last.
    """
    weights = [w.T.astype(np.float32) for w in network.weights]
    signals, fires = rows.astype(np.float32), target
    order, best, n_evaluated = np.arange(len(rows)), 0.0, 0
    for _ in range(5):
        for b in range(len(rows) // 50):
            shuffle = np.arange(len(rows))
            RandomState(seed + b).shuffle(shuffle)
            order = order[shuffle]
            batch = order[b * 50 : (b + 1) * 50]
            n_evaluated += climb(weights, exclusive, signals[batch], fires[batch])
            best = max(best, (evaluate(weights, signals) == fires).mean())
        if best == 1:
            break
    n_evaluated += climb(weights, exclusive, signals, fires)
    return Network([w.T > 0 for w in weights]), n_evaluated
